"""The dealers' line-up: who is next, by the day's pushes and the floor's orders."""

from datetime import UTC, datetime, timedelta

import pytest

from tables.rules.table.line_up import LineAct, in_order, line_up, may_order, next_in_line

START = datetime(2026, 3, 7, 14, tzinfo=UTC)
ANN, BOB, CY = 1, 2, 3
ALL = frozenset({ANN, BOB, CY})


def after(*said):
    """The standings after (minute, dealer, what, table)."""
    acts = [LineAct(who, does, START + timedelta(minutes=minute), *at) for minute, who, does, *at in said]
    return line_up(acts, START)


def coming(*said, licensed=ALL, leaving=None):
    return next_in_line(after(*said).values(), licensed=licensed, leaving=leaving)


def test_who_waits_longest_is_next():
    assert coming((0, BOB, "line"), (5, ANN, "line")) == BOB


def test_the_floor_puts_somebody_first():
    assert coming((0, BOB, "line"), (5, ANN, "line"), (6, ANN, "first")) == ANN


@pytest.mark.parametrize("order", ["break", "off"])
def test_nobody_is_proposed_who_is_on_break_or_off(order):
    assert coming((0, BOB, "line"), (5, ANN, "line"), (6, BOB, order)) == ANN


def test_back_from_a_break_is_the_end_of_the_line():
    said = ((0, BOB, "line"), (5, ANN, "line"), (6, BOB, "break"), (26, BOB, "line"))
    assert [one.dealer for one in in_order(after(*said).values())] == [ANN, BOB]


def test_a_dealer_without_a_valid_licence_is_passed_over():
    assert coming((0, BOB, "line"), (5, ANN, "line"), licensed=frozenset({ANN})) == ANN


def test_who_is_pushed_out_joins_the_line_and_does_not_come_back_to_the_same_table():
    said = ((0, BOB, "comes", 7), (40, BOB, "goes", 7), (40, ANN, "comes", 7))
    assert coming(*said) == BOB
    assert coming(*said, leaving=BOB) is None


def test_a_dealer_at_a_table_is_not_proposed_elsewhere():
    assert coming((0, BOB, "line"), (1, BOB, "comes", 7)) is None


def test_a_push_straight_to_another_table_ends_the_first_stretch():
    bob = after((0, BOB, "comes", 7), (40, BOB, "comes", 8), (40, BOB, "goes", 7))[BOB]
    assert (bob.place, bob.session) == ("dealing", 8)
    assert bob.dealt_seconds(START, START + timedelta(minutes=60)) == 3600


def test_only_the_part_of_a_stretch_within_the_day_counts():
    bob = after((-30, BOB, "comes", 7))[BOB]
    assert bob.dealt_seconds(START, START + timedelta(minutes=10)) == 600


def test_a_new_day_begins_without_a_line():
    assert after((-90, ANN, "line"), (-60, BOB, "break")) == {}


@pytest.mark.parametrize(
    ("said", "may"),
    [
        ([], {"line"}),
        ([(0, BOB, "line")], {"first", "break", "off"}),
        ([(0, BOB, "line"), (1, BOB, "first")], {"break", "off"}),
        ([(0, BOB, "break")], {"line", "off"}),
        ([(0, BOB, "off")], {"line"}),
        ([(0, BOB, "comes", 7)], set()),
    ],
)
def test_what_the_floor_may_order(said, may):
    standing = after(*said).get(BOB)
    assert {does for does in ("line", "first", "break", "off") if may_order(standing, does)} == may
