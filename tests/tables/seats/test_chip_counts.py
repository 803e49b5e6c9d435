"""The chips on the felt are counted against the stacks: a difference is recorded, and nothing moves (FIELD,
the night)."""

import pytest

from ledger.errors import LedgerError
from tables.errors import TableError
from tables.models import TableEvent
from tables.reports.session_report import session_report, sessions_to_report
from tables.seats import chip_counts
from tests.support.acting import acting
from tests.support.kept import kept


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError)) as error:
        acting(call, *args, **options)
    return error.value.code


@kept
def seated(game):
    """Ann and Bob, $300 each, before the first round."""
    game.seat("Ann", "Bob")
    return game


def count(game, counted, **options):
    options = {"key": game.key(), "actor": game.dealer, "now": game.now} | options
    return acting(chip_counts.count_chips, session_id=game.session.pk, counted=counted, **options)


def test_a_count_says_what_was_counted_expected_and_the_difference(seated):
    found = count(seated, {1: 30_000, 2: 29_500})
    assert [
        (one.seat, one.counted_cents, one.expected_cents, one.difference_cents) for one in found.stacks
    ] == [
        (1, 30_000, 30_000, 0),
        (2, 29_500, 30_000, -500),
    ]
    assert (found.difference_cents, [one.seat for one in found.off]) == (-500, [2])
    assert found.event.kind == TableEvent.Kind.CHIPS_COUNTED


def test_a_difference_corrects_nothing_and_stays_open_until_a_count_without_one(seated):
    count(seated, {1: 30_100, 2: 29_900})
    assert seated.stacks() == {1: 30_000, 2: 30_000}
    assert chip_counts.open_variance(seated.session).difference_cents == 0
    assert len(chip_counts.open_variance(seated.session).off) == 2
    count(seated.minute(5), {1: 30_000, 2: 30_000}, actor=seated.floor)
    assert chip_counts.open_variance(seated.session) is None


def test_the_chips_of_a_running_round_are_not_counted(seated):
    seated.start()
    assert refused(count, seated, {1: 29_000, 2: 29_000}) == "round_running"


@pytest.mark.parametrize("counted", [{}, {1: 30_000}, {1: 30_000, 2: 30_000, 3: 0}])
def test_every_stack_is_counted_and_no_other(seated, counted):
    assert refused(count, seated, counted) == "count_incomplete"


def test_an_empty_table_has_nothing_to_count(game):
    assert refused(count, game, {}) == "count_incomplete"


def test_a_stack_is_no_less_than_nothing(seated):
    assert refused(count, seated, {1: -1, 2: 30_000}) == "bad_amount"


def test_floor_and_dealer_count_and_nobody_else(seated, cashier):
    assert refused(count, seated, {1: 30_000, 2: 30_000}, actor=cashier) == "not_allowed"


def test_one_key_counts_once(seated):
    key = seated.key()
    first = count(seated, {1: 30_000, 2: 30_000}, key=key)
    assert count(seated, {1: 30_000, 2: 30_000}, key=key) == first
    assert refused(count, seated, {1: 30_000, 2: 29_000}, key=key) == "key_reused"
    assert TableEvent.objects.filter(kind="chips_counted").count() == 1


def test_the_tables_session_and_the_day_list_the_variance(seated):
    count(seated, {1: 30_000, 2: 29_500})
    count(seated.minute(5), {1: 30_000, 2: 30_000})
    report = session_report(sessions_to_report().get(pk=seated.session.pk))
    assert [one.difference_cents for one in report.counts] == [-500, 0]
    start = seated.session.opened_at
    listed = chip_counts.variances_between(seated.site, start, seated.minute(60).now)
    assert [one.difference_cents for one in listed] == [-500]
