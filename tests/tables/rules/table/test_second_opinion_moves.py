"""Covers, turns and kept hands, asked of somebody slow: who goes through every case,
or strikes names off a list (R43, R55, R62)."""

from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from hypothesis import given, strategies as st

from tables.rules.table.moves import PaidFee, RoundBefore, Stay, cover, hands_kept, whose_turn

START = datetime(2026, 11, 22, 4, tzinfo=UTC)
OLD, NEW, ELSEWHERE = 1, 2, 3
FEES = (None, PaidFee(71, OLD), PaidFee(72, ELSEWHERE), PaidFee(73, NEW))


@pytest.mark.parametrize(("ordered", "charged_there"), list(product((False, True), repeat=2)))
@pytest.mark.parametrize(("paid", "unused"), list(product(FEES[:2], FEES)))
def test_r62_an_ordered_move_takes_one_paid_fee_along(ordered, charged_there, paid, unused):
    purse = [fee for fee in (paid, unused) if fee is not None]
    if not ordered:
        purse.clear()  # who goes by their own wish pays there
    if charged_there:
        purse.clear()  # nobody is charged twice for a down, so there is nothing to cover
    first = purse[0].charge if purse and purse[0].session != NEW else None
    said = cover(ordered=ordered, charged_there=charged_there, paid_here=paid, unused=unused, to_session=NEW)
    assert said == first


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 99)), max_size=8, unique_by=lambda one: one[1]))
def test_r55_the_longest_at_the_must_move_tables_is_who_nobody_was_there_before(seen):
    stays = [Stay(START + timedelta(minutes=minute), sitting) for minute, sitting in seen]
    names = list(stays)
    for one, other in product(stays, repeat=2):
        earlier = other.entered_at < one.entered_at
        together = other.entered_at == one.entered_at and other.sitting < one.sitting
        if (earlier or together) and one in names:
            names.remove(one)
    assert [whose_turn(stays)] == ([stay.sitting for stay in names] or [None])


BEFORE = [
    RoundBefore(*said, dealt)
    for said in product((False, True), repeat=3)
    for dealt in ((1, 2), (2, 1), (1, 1, 2, 2), (1, 2, 3), (1, 3), (1, 2, 3, 4))
]


@pytest.mark.parametrize("dealing", ["closed", "open-face"])
@pytest.mark.parametrize("hands_each", [1, 2])
@pytest.mark.parametrize("dealt_in", [(1, 2), (1, 3), (1, 2, 3), ()])
def test_r43_two_hands_are_left_of_a_deck_that_two_players_had_to_themselves(dealing, hands_each, dealt_in):
    assert not hands_kept(None, dealt_in, dealing=dealing, hands_each=hands_each)
    for before in BEFORE:
        deck = 4 - len(before.dealt) if before.settled and not before.by_hand and not before.kept else 0
        same_two = {*before.dealt} == {*dealt_in} and len({*dealt_in}) == 2
        wanted = len(dealt_in) * hands_each if dealing == "closed" else 5
        kept = hands_kept(before, dealt_in, dealing=dealing, hands_each=hands_each)
        assert kept is (same_two and deck == 2 == wanted), before
