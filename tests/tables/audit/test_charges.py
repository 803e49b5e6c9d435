"""R60-R65: every charge and collection of the log works out again from recorded times,
and a wrong one is named alone."""

import copy
from datetime import date, datetime, timedelta

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings, strategies as st

from ledger.cage import boxes
from ledger.journal import closing, house_events
from ledger.journal.acts import Act
from ledger.models import DropBox
from tables.collection import clock
from tables.floor import opening
from tests.support.acting import acting
from tests.support.cage import close_cage
from tests.support.counting import count_box
from tests.support.game import OPENING
from tests.support.kept import kept
from tests.support.lengths import LONG, one_of_each, tries
from tests.support.nights import play_a_night
from tests.support.remembered import remembered
from tests.support.replayed import bodies, replayed

pytestmark = pytest.mark.django_db


def run(log, *, whole=True):
    """The findings about a log, and what was checked."""
    return replayed(log, whole=whole)


def stop(table, minute, until):
    by = {"session_id": table.session.pk, "actor": table.floor}
    acting(clock.stop_clock, reason="fire alarm", key=table.key(), now=table.minute(minute).now, **by)
    acting(clock.start_clock, key=table.key(), now=table.minute(until).now, **by)


def close(table, second):
    for seat in table.stacks():
        table.cash_out(seat)
    table.close(second)


@kept
def night(game, beside, thirty, floor2, cashier):
    """Three tables: a stop, a wait, half fees, cash, a new box, a late entry, covers,
    fees left due and paid at the cage."""
    house_events.note_particulars(
        game.site, act=Act(actor=None, now=OPENING - timedelta(hours=9)), opened=False
    )
    game.seat("Ann", "Bob")
    game.play(in_cash=[1])
    stop(game, 10, 25)  # down 1 ends at 55
    game.minute(36).buy_in("Cat", 3)
    game.minute(38).play()
    beside.minute(38).buy_in("Eve", 1)
    beside.buy_in("Dan", 2)
    beside.minute(40).play()
    game.minute(41).move(3, beside, 3, ordered=True)
    beside.minute(42).play()
    box = {"session_id": game.session.pk, "second": floor2, "actor": game.floor, "now": game.now}
    acting(opening.change_box, key=game.key(), **box)
    game.minute(50).sit_out(2)
    game.minute(70).sit_out(2, out=False)  # the clock has waited from 55
    game.play(in_cash=[2])
    beside.minute(78).cash_out(2)  # down 2 begins at 80
    beside.minute(85).play()
    late = {"entered_at": OPENING + timedelta(minutes=81), "approver": floor2}
    beside.minute(90).buy_in("Dan", 4, points=100, **late)
    beside.minute(95).play()
    beside.minute(97).move(4, thirty, 2, ordered=True)
    beside.minute(98).move(3, thirty, 3, ordered=True)
    for seat in (2, 3):
        thirty.minute(99).add_on(seat, 100_000)
    thirty.minute(100).play()
    game.minute(105).set_stack(1, 5_000)
    game.minute(111)  # down 3 begins at 110: nine points would not be left to Ann
    beside.minute(111).add_on(1, 10_000)
    beside.move(1, game, 5, ordered=False)
    game.start()
    game.pay(1, method="cage", actor=cashier)
    thirty.minute(141).start()
    return game


@pytest.fixture
def log(request):
    """What is written of the night, played once for all tests that only read it."""
    return remembered(request, "night", bodies)


def test_a_night_of_everything_works_out(log):
    said, checked = run(log)
    assert said == []
    rules = {body["rule"] for body in log if body["record"] == "charge"}
    methods = {body["evidence"]["method"] for body in log if body.get("kind") == "collection"}
    assert (rules, methods) == ({"full", "half", "covered"}, {"stack", "cash", "cage", "covered"})
    assert any(body["record"] == "down" and body["waited_from"] for body in log)
    assert checked["charges"] == sum(body["record"] == "charge" for body in log)
    assert checked["collections"] == sum(body.get("kind") == "collection" for body in log)
    assert not [words for words in checked if "before" in words or "without" in words]


def later(text):
    """A moment as text, ninety seconds later."""
    at = datetime.fromisoformat(text) + timedelta(seconds=90)
    return f"{at:%Y-%m-%dT%H:%M:%S.%fZ}"


def changed(value):
    """A value like this one that is another."""
    if value is None:
        return 1
    if isinstance(value, (bool, int)):
        return value + 1
    if isinstance(value, dict):
        return value | {"version": 9}
    if "T" in value:
        return later(value)
    return "2026-01-01" if value.startswith("2026-") else ("half" if value == "full" else f"1{value}")


FIELDS = {
    "charge": (
        *(
            "session",
            "down",
            "down_id",
            "down_started_at",
            "sitting",
            "player",
            "entered_at",
            "minute_seconds",
        ),
        *("rule", "fee_cents", "cents", "rate", "charged_at", "gaming_day"),
    ),
    "down": ("number", "started_at", "waited_from"),
}


@pytest.mark.parametrize(("kind", "field"), [(kind, field) for kind in FIELDS for field in FIELDS[kind]])
def test_every_record_of_which_one_field_is_changed_is_named_alone(log, kind, field):
    for leaf, body in enumerate(log):
        if body["record"] == kind:
            forged = [*log[:leaf], body | {field: changed(body[field])}, *log[leaf + 1 :]]
            assert [(f.leaf, f.record) for f in run(forged)[0]] == [(leaf, f"{kind} {body['id']}")], body


EVIDENCE = (
    *("charge", "down", "down_started_at", "entered_at", "minute_seconds", "rule", "fee_cents", "cents"),
    *("rate", "session", "sitting", "seat", "method"),
)


@pytest.mark.parametrize("field", EVIDENCE)
def test_every_collection_whose_evidence_is_changed_is_named_alone(log, field):
    for leaf, body in enumerate(log):
        if body.get("kind") == "collection":
            told = body["evidence"]
            forged = copy.deepcopy(log)
            forged[leaf]["evidence"][field] = changed(told[field])
            if field == "charge":
                forged[leaf]["evidence"][field] += 10_000
            assert [f.leaf for f in run(forged)[0]] == [leaf], body


@pytest.mark.parametrize("field", ["cents", "from", "from_kind", "to", "to_kind", "asset"])
def test_every_collection_of_which_a_transfer_is_changed_is_named_alone(log, field):
    for leaf, body in enumerate(log):
        if body.get("kind") != "collection" or not body["transfers"]:
            continue
        if (body["evidence"]["method"], field) in {("cash", "from"), ("cage", "from"), ("cage", "to")}:
            continue  # which account is the house's own is asked elsewhere
        forged = copy.deepcopy(log)
        forged[leaf]["transfers"][0][field] = changed(body["transfers"][0][field])
        assert [(f.code, f.leaf) for f in run(forged)[0]] == [("collection_differs", leaf)], body


@pytest.mark.parametrize(
    ("kind", "field"), [("seated", "entered_at"), ("seated", "covered_by"), ("seated", "ordered")]
)
def test_a_changed_entry_or_cover_is_named(log, kind, field):
    for leaf, body in enumerate(log):
        if body.get("kind") == kind and field in body["data"]:
            forged = copy.deepcopy(log)
            value = body["data"][field]
            forged[leaf]["data"][field] = not value if field == "ordered" else changed(value)
            said = [f.leaf for f in run(forged)[0]]
            # An order that covers nothing may be told as a wish: nothing that is owed is another.
            assert said == [leaf] or (
                field == "ordered" and said == [] and body["data"]["covered_by"] is None
            )


@pytest.mark.parametrize("kind", ["clock_stopped", "clock_started"])
@pytest.mark.parametrize("field", ["at", "recorded_at"])
def test_a_changed_time_of_a_stop_is_named(log, kind, field):
    (leaf,) = [leaf for leaf, body in enumerate(log) if body.get("kind") == kind]
    log[leaf] = log[leaf] | {field: later(log[leaf][field])}
    assert leaf in [f.leaf for f in run(log)[0]]
    if field == "at":
        assert [(f.code, f.leaf) for f in run(log)[0]] == [("clock_differs", leaf)]


def test_a_stop_that_says_to_have_begun_at_another_time_is_named(log):
    (leaf,) = [leaf for leaf, body in enumerate(log) if body.get("kind") == "clock_started"]
    log[leaf]["data"]["stopped_at"] = later(log[leaf]["data"]["stopped_at"])
    assert [(f.code, f.leaf) for f in run(log)[0]] == [("clock_differs", leaf)]


def test_a_stop_that_was_left_out_is_named_by_its_end(log):
    (leaf,) = [leaf for leaf, body in enumerate(log) if body.get("kind") == "clock_stopped"]
    del log[leaf]
    assert [(f.code, f.record.split()[0]) for f in run(log)[0]] == [("clock_differs", "table")]


def test_a_charge_that_was_left_out_is_missed_once(log):
    for leaf, body in enumerate(log):
        if body["record"] == "charge":
            said = run(log[:leaf] + log[leaf + 1 :])[0]
            late = body["round_id"] is not None and any(
                other.get("kind") == "round_started" and other["data"]["round_id"] == body["round_id"]
                for other in log[:leaf]
            )
            taken = any(
                other.get("kind") == "collection" and other["evidence"]["charge"] == body["id"]
                for other in log
            )
            assert [f.code for f in said] == ["charge_missing"] or (late and not taken), (body, said)


def test_a_down_that_was_left_out_is_missed_once(log):
    for leaf, body in enumerate(log):
        if body["record"] == "down":
            assert len(run(log[:leaf] + log[leaf + 1 :])[0]) == 1, (
                body,
                run(log[:leaf] + log[leaf + 1 :]),
            )


def test_a_charge_or_collection_that_stands_there_twice_is_named(log):
    for leaf, body in enumerate(log):
        if body["record"] == "charge":
            for again in (body, body | {"id": 10_000 + body["id"]}):
                said = run([*log[: leaf + 1], again, *log[leaf + 1 :]])[0]
                assert [(f.code, f.leaf) for f in said] == [("charge_twice", leaf + 1)], body
        if body.get("kind") == "collection":
            said = run([*log[: leaf + 1], body, *log[leaf + 1 :]])[0]
            assert [(f.code, f.leaf) for f in said] == [("collection_twice", leaf + 1)]


def fields(log):
    """Every field of every record: (leaf, where it lies or None, its name)."""
    for leaf, body in enumerate(log):
        yield from ((leaf, None, name) for name in body)
        yield from (
            (leaf, part, name)
            for part in ("data", "evidence")
            if isinstance(body.get(part), dict)
            for name in body[part]
        )


def kind_of_field(log):
    """By which two fields are alike: the same name in records of one kind."""
    return lambda field: (log[field[0]]["record"], log[field[0]].get("kind"), *field[1:])


def test_records_that_are_not_what_they_say_never_stop_the_check(log):
    wrong_values = (None, [], 10**30)
    for number, (leaf, part, name) in enumerate(one_of_each(fields(log), kind_of_field(log))):
        body = log[leaf]
        for value in wrong_values if LONG else (wrong_values[number % 3],):
            wrong = {name: value} if part is None else {part: body[part] | {name: value}}
            run([*log[:leaf], body | wrong, *log[leaf + 1 :]])


def test_a_charge_that_names_no_rate_is_unreadable(log):
    for leaf, body in enumerate(log):
        if body["record"] == "charge":
            gone = {name: value for name, value in body.items() if name != "rate"}
            said = run([*log[:leaf], gone, *log[leaf + 1 :]])[0]
            assert ("bad_record", leaf) in [(f.code, f.leaf) for f in said]


def test_a_log_that_begins_in_the_middle_accuses_nobody(log):
    for start in range(0, len(log), 3):
        said, checked = run(log[start:], whole=False)
        assert said == [], (start, log[start])
    assert any("before this part of the log" in words for words in checked)


def test_the_fees_of_closed_days_are_dated_later(game, floor2, counter1, counter2, cashier):
    house_events.note_particulars(
        game.site, act=Act(actor=None, now=OPENING - timedelta(hours=9)), opened=False
    )
    six = 17 * 60
    game.minute(six - 15).seat("Ann", "Bob")
    game.minute(six - 10).play()
    game.minute(six + 8).buy_in("Dan", 4)
    opening.change_box(
        session_id=game.session.pk, second=floor2, act=Act(key=game.key(), actor=game.floor, now=game.now)
    )
    for box in DropBox.objects.filter(pulled_at__isnull=False):
        count_box(box, (counter1, counter2), game.now)
        boxes.sign_off(box=box, cause="", act=Act(actor=cashier, key=game.key(), now=game.now))
    game.minute(six + 20)
    act = Act(actor=cashier, approver=floor2, now=game.now, key="close")
    close_cage(game.site, act.now)
    closing.close_day(site=game.site, day=date(2026, 3, 7), act=act)
    game.minute(six + 25).play()
    log = bodies()
    assert {body["gaming_day"] for body in log if body["record"] == "charge"} == {"2026-03-07", "2026-03-08"}
    assert run(log)[0] == []
    leaf = max(leaf for leaf, body in enumerate(log) if body["record"] == "charge")
    log[leaf]["gaming_day"] = "2026-03-07"
    assert [(f.code, f.leaf) for f in run(log)[0]] == [("charge_differs", leaf)]


@given(seed=st.integers(0, 10_000))
@settings(max_examples=tries(1), suppress_health_check=list(HealthCheck))
def test_any_honest_night_works_out(site, seed):
    with transaction.atomic():
        play_a_night(site, tables=2, hours=2, seed=seed)
        said, checked = run(bodies())
        transaction.set_rollback(True)
    assert said == []
    assert checked["charges"] > 10
