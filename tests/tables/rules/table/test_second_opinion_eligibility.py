"""Who waits and whether a round starts, asked of somebody slow: who goes through every case there is (R42,
R51, R53, R63)."""

from itertools import product
from string import Formatter

import pytest

from tables.rules.table.eligibility import (
    NO_ROUND,
    WAITS,
    SeatNow,
    TableNow,
    waits_its_turn,
    why_it_waits,
    why_no_round,
)

EVERY_SEAT = [SeatNow(*said) for said in product((False, True), repeat=5)]
EVERY_TABLE = [TableNow(*said) for said in product((False, True), repeat=4)]


def reasons(seat):
    """Everything that keeps a seat out, what is first to be said of it in front."""
    told = {
        "sitting_out": seat.sits_out,
        "short": seat.is_short,
        "fee_due": seat.owes,
        "declined": seat.declines,
        "match": seat.outside_match,
    }
    return [code for code, so in told.items() if so]


def obstacles(table, eligible):
    told = {
        "table_closed": table.closed,
        "round_running": table.round_running,
        "clock_stopped": table.clock_stopped,
        "too_few_players": eligible in (0, 1) and not table.in_match,
        "match_too_few_players": eligible in (0, 1) and table.in_match,
    }
    return [code for code, so in told.items() if so]


@pytest.mark.parametrize("seat", EVERY_SEAT)
def test_r51_a_seat_waits_for_the_first_reason_that_there_is(seat):
    assert why_it_waits(seat) == next(iter(reasons(seat)), None)


@pytest.mark.parametrize("table", EVERY_TABLE)
@pytest.mark.parametrize("eligible", range(6))
def test_r51_a_round_starts_unless_something_is_in_its_way(table, eligible):
    assert why_no_round(table, eligible) == next(iter(obstacles(table, eligible)), None)


def test_r35_of_two_hands_each_one_waits_for_two_and_else_for_four():
    assert [waits_its_turn(hands) for hands in (1, 2)] == ["fifth", "two_only"]


def test_every_reason_has_its_words():
    codes = {code for seat in EVERY_SEAT for code in reasons(seat)} | {"fifth", "two_only"}
    assert WAITS.keys() == codes | {"next_round", "ready"}
    for words in WAITS.values():
        assert words.badge
        assert words.record
        assert {place for _, place, _, _ in Formatter().parse(words.sentence) if place} <= {
            "name",
            "stack",
            "nine",
            "due",
        }
        assert words.sentence.startswith("{name} ")
    obstacle = {code for table in EVERY_TABLE for code in obstacles(table, 0)}
    assert NO_ROUND.keys() == obstacle | {"match_too_few_players", "two_hands_not_agreed"}
    assert all(sentence.endswith(".") for sentence in NO_ROUND.values())
