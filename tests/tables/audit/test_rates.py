"""R64: a log with changes of rate works out again,
and whatever is changed in one of its records is found and named."""

import copy
from datetime import date, timedelta

import pytest

from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.proof.log import sealing, verifying
from tables.collection import rates
from tables.models import TableSession
from tests.support.acting import acting
from tests.support.changed_records import changed, leaves, other
from tests.support.game import LOW, OPENING, PLAIN
from tests.support.kept import kept
from tests.support.replayed import bodies, replayed
from tests.tables.log.test_verifying import tampering

pytestmark = pytest.mark.django_db


@kept
def night(game, manager, floor2):
    """A table that goes from $5 to $10 while a round runs, waits for players of $40,
    and comes back to $5 before it closes."""
    house_events.note_particulars(
        game.site, act=Act(actor=None, now=OPENING - timedelta(hours=9)), opened=False
    )
    ten, forty = (
        rates.publish_rate(
            site=game.site,
            entry=rates.RateEntry(limit_cents, fee_cents, "BGC-7", date(2026, 3, 7)),
            act=Act(actor=manager, now=OPENING),
        )
        for limit_cents, fee_cents in ((1000, 1200), (4000, 1500))
    )

    def announce(rate):
        at = {"session_id": game.session.pk, "actor": game.floor, "now": game.now}
        most = 100 * rate.limit_cents
        acting(rates.announce_rate, rate=rate, max_buy_in_cents=most, key=game.key(), **at)

    def withdraw(game):
        at = {"session_id": game.session.pk, "actor": game.floor, "now": game.now}
        acting(rates.withdraw_rate, key=game.key(), **at)

    game.seat("Ann", "Bob", points=100)
    game.play((PLAIN, LOW))
    announce(forty)
    withdraw(game.minute(5))
    announce(ten)  # also where the one before had not been taken back
    running = game.minute(39).start()
    game.minute(41).settle(running, (PLAIN, LOW))
    game.play((LOW, PLAIN))
    announce(forty)
    game.minute(85)  # nobody has $360: the clock waits from 80
    for seat in (1, 2):
        game.add_on(seat, 150_000)
    game.play((PLAIN, LOW))
    announce(game.rate)
    game.minute(130).buy_in("Dan", 4, points=50, entered_at=OPENING + timedelta(minutes=50), approver=floor2)
    game.play((PLAIN, LOW), declined=(4,))
    announce(ten)
    withdraw(game)
    game.minute(170).play((PLAIN, LOW), declined=(4,))
    for seat in (1, 2, 4):
        game.cash_out(seat)
    game.close(floor2)
    return game


def run(log, site):
    return replayed(log)[0]


def test_a_night_with_changes_of_rate_works_out(night):
    log = bodies()
    assert [str(finding) for finding in run(log, night.site)] == []
    kinds = [body.get("kind") for body in log]
    assert [kinds.count(f"rate_{what}") for what in ("announced", "withdrawn", "changed")] == [5, 2, 3]
    limits = [body["data"]["limit_cents"] for body in log if body.get("kind") == "round_started"]
    assert limits == [500, 500, 1000, 4000, 500, 500]


def test_the_live_books_of_such_a_night_verify(night):
    sealing.seal(night.site, now=night.now)
    assert [str(finding) for finding in verifying.Verification(night.site).run()] == []


HELD = {"rate_announced", "rate_withdrawn", "rate_changed"}


def test_whatever_a_change_of_rate_says_otherwise_is_named(night):
    """Where an announcement and what came of it contradict each other, either may be named,
    and nothing else."""
    log, tried = bodies(), 0
    for at, body in enumerate(log):
        if body.get("kind") not in HELD:
            continue
        pairs = {leaf for leaf, one in enumerate(log) if one.get("kind") in HELD}
        for path, value in leaves(body):
            if path[0] in ("data", "at") and path[-1] != "key":
                value = f"2026-03-07T20:00:00.{'1' * 6}Z" if path == ("at",) else other(value)
                found = run(changed(log, at, path, value), night.site)
                assert found, (body["kind"], path)
                assert {finding.leaf for finding in found} <= pairs, (body["kind"], path, [*map(str, found)])
                tried += 1
    assert tried > 60


@pytest.mark.parametrize("kind", sorted(HELD))
def test_a_change_of_rate_that_was_left_out_is_missed(night, kind):
    """The last of each kind: an announcement that another one replaces can be taken back or not."""
    log = bodies()
    at = max(at for at, body in enumerate(log) if body.get("kind") == kind)
    assert run(log[:at] + log[at + 1 :], night.site)


def test_a_down_of_another_rate_is_named_alone(night):
    log = bodies()
    downs = [at for at, body in enumerate(log) if body["record"] == "down"]
    assert len(downs) == 5
    for at in downs:
        for rate in {body["rate"] for body in log if body["record"] == "down"} - {log[at]["rate"]}:
            found = run(changed(log, at, ("rate",), rate), night.site)
            assert {finding.leaf for finding in found} == {at}, [*map(str, found)]


def test_a_round_at_another_limit_is_named_alone(night):
    log = bodies()
    for at, body in enumerate(log):
        if body.get("kind") == "round_started":
            found = run(changed(log, at, ("data", "limit_cents"), 2500), night.site)
            assert {finding.leaf for finding in found} == {at}, [*map(str, found)]


def test_a_charge_at_the_rate_of_another_down_is_named_alone(night):
    log = bodies()
    charges = [at for at, body in enumerate(log) if body["record"] == "charge"]
    for at in charges:
        alike = next(
            body for body in log if body["record"] == "charge" and body["fee_cents"] != log[at]["fee_cents"]
        )
        forged = copy.deepcopy(log)
        forged[at]["rate"] = alike["rate"]
        found = run(forged, night.site)
        assert [(finding.code, finding.leaf) for finding in found][:1] == [("charge_differs", at)]


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("tables_tablesession", {"limit_cents": 100}),
        ("tables_tablesession", {"max_buy_in_cents": 500_001}),
        ("tables_tablesession", {"next_max_buy_in_cents": 70_000}),
        ("tables_round", {"limit_cents": 2500}),
        ("tables_down", {"rate": None}),
    ],
)
def test_a_rate_that_is_changed_behind_the_triggers_back_is_named(night, table, change):
    sealing.seal(night.site, now=night.now)
    row = {
        "tables_tablesession": TableSession.objects.get(),
        "tables_round": night.session.rounds.first(),
        "tables_down": night.session.downs.first(),
    }[table]
    if "rate" in change:
        change = {"rate": rates.rates_in_force(night.site, night.now)[-1]}
    if "next_max_buy_in_cents" in change:
        change = change | {"next_rate": night.rate}
    with tampering(table):
        type(row).objects.filter(pk=row.pk).update(**change)
        found = list(verifying.Verification(night.site).run())
    names = {"tables_tablesession": "table session", "tables_round": "round", "tables_down": "down"}
    assert {finding.record for finding in found} == {f"{names[table]} {row.pk}"}
