"""Chips by denomination: what is named, and what is said to be unknown."""

import pytest

from ledger.rules.by_denomination import compared_with_made, contradiction
from ledger.rules.denominations import Pieces


def test_what_is_known_by_its_amount_alone_is_elsewhere():
    now = compared_with_made({500: 100, 100: 20}, {"Vault": {500: 60}, "Drawers": {500: 10}})
    assert [(one.label, one.made, one.known, one.elsewhere) for one in now.lines] == [
        ("$5", 100, (60, 10), 30),
        ("$1", 20, (0, 0), 20),
    ]
    assert now.wrong == []


def test_more_than_was_made_and_fewer_than_none_are_named():
    now = compared_with_made({500: 100}, {"Vault": {500: 101}, "Drawers": {100: -3}})
    assert now.wrong == [
        "1 more of $5 are counted than were ever made.",
        "Drawers: 3 more of $1 went out than came in by any paper.",
    ]


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ({500: 10}, False),
        ({500: 5, 100: 25}, True),
        ({500: 9}, False),  # another amount is over/short, which says it
    ],
)
def test_two_counts_of_one_amount_in_other_pieces_contradict_each_other(now, said):
    assert bool(contradiction(Pieces({500: 10}), Pieces(now))) is said
