"""Waivers, uncollected fees and recoveries in the log and in their rows:
whatever is changed about one is named."""

import copy
from datetime import date, timedelta

import pytest

from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.proof.log import sealing
from tables.collection import waivers
from tables.models import FeePayment, Recovery, Uncollected, Waiver, WaiverReason
from tests.support.game import OPENING
from tests.support.kept import kept
from tests.support.remembered import remembered
from tests.support.replayed import bodies, replayed
from tests.tables.collection.test_uncollected import declare, lose_everything, pay_later
from tests.tables.log.test_verifying import findings, tampering

pytestmark = pytest.mark.django_db


@kept
def night(game, manager, cashier):
    """Bob and Dan leave with nothing and owe down 2 and 3; Bob pays at the cage. Two fees are waived,
    a reason withdrawn."""
    house_events.note_particulars(
        game.site, act=Act(actor=None, now=OPENING - timedelta(hours=9)), opened=False
    )
    for code in ("equipment", "gone-by"):
        reason = waivers.publish_waiver_reason(
            site=game.site,
            code=code,
            text=f"Because of {code}",
            approval_reference="BGC-7",
            effective_from=date(2026, 1, 1),
            act=Act(key=f"publish-{code}", actor=manager, now=OPENING),
        )
    waivers.withdraw_waiver_reason(
        reason_id=reason.pk, act=Act(key="withdraw-it", actor=manager, now=OPENING)
    )
    game.seat("Ann", "Bob", points=35)
    lose_everything(game, 2)
    game.minute(41).buy_in("Cat", 3)
    game.play()
    pay_later(game, game.cash_out(2), cashier)
    game.buy_in("Dan", 4, points=37)
    game.pay(4)
    game.sit_out(3)
    lose_everything(game, 4)
    game.sit_out(3, out=False)
    game.minute(81)
    waive(game, 1)
    game.play()
    declare(game, 4)
    game.cash_out(4)
    waive(game.minute(121), 3)
    game.play()
    return game


@pytest.fixture
def log(request):
    """What is written of the night, played once for all tests that only read it."""
    return remembered(request, "night", bodies)


def waive(game, seat):
    return waivers.waive_fee(
        sitting_id=game.sitting(seat).pk,
        reason=WaiverReason.objects.get(code="equipment"),
        act=Act(key=game.key(), actor=game.floor, now=game.now),
    )


def run(log, *, whole=True):
    return replayed(log, whole=whole)[0]


def leaves_of(log, kind):
    return [leaf for leaf, body in enumerate(log) if body.get("kind") == kind]


def changed(log, leaf, part, **values):
    forged = copy.deepcopy(log)
    forged[leaf][part] = {**forged[leaf][part], **values}
    return forged


def test_an_honest_night_of_unpaid_fees_works_out(night):
    assert (Waiver.objects.count(), Uncollected.objects.count(), Recovery.objects.count()) == (2, 2, 1)
    assert run(bodies()) == []
    sealing.seal(night.site, now=night.now)
    assert [str(finding) for finding in findings(night.site)] == []


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"number": 7}, "number_gap"),
        ({"code": "never-published"}, "collection_differs"),
        ({"code": "gone-by", "text": "Because of gone-by"}, "collection_differs"),
        ({"text": "Because I say so"}, "collection_differs"),
    ],
)
def test_a_waiver_with_another_number_or_reason_is_named_alone(log, values, code):
    for leaf in leaves_of(log, "waiver"):
        told = {**log[leaf]["evidence"]["waiver"], **values}
        forged = changed(log, leaf, "evidence", waiver=told)
        assert [(f.code, f.leaf) for f in run(forged)] == [(code, leaf)]


@pytest.mark.parametrize(("kind", "serial"), [("waiver", "waiver"), ("fee_uncollected", "data")])
def test_numbers_are_counted_at_a_table_that_opened_before_the_part_as_well(log, kind, serial):
    """Waivers, uncollected fees and recoveries are numbered across the house."""
    first, second = leaves_of(log, kind)
    older, later = copy.deepcopy(log[first]), copy.deepcopy(log)
    said = older["evidence"] if kind == "waiver" else older["data"]
    (older if kind == "fee_uncollected" else said)["session"] = 999
    said["charge"] = 999
    numbered(older, serial)["number"], numbered(later[second], serial)["number"] = 2, 3
    assert run([*later[:second], older, *later[second:]], whole=False) == []


@pytest.mark.parametrize("kind", ["waiver", "collection", "fee_uncollected"])
def test_an_event_of_the_house_takes_no_number_of_another_series(log, kind):
    decoy = {"record": "house_event", "id": 999, "kind": kind, "recorded_at": log[0]["recorded_at"]}
    decoy |= {"data": {"number": 1}, "evidence": {"waiver": {"number": 1}, "recovery": 1}}
    assert run([log[0], decoy, *log[1:]]) == []


def numbered(body, serial):
    return body[serial] if serial in body else body["evidence"][serial]


def test_a_waiver_of_a_withdrawn_reason_is_named_even_where_its_entry_agrees(log):
    leaf = leaves_of(log, "waiver")[0]
    said = {"number": 1, "code": "gone-by", "text": "Because of gone-by"}
    forged = changed(log, leaf, "evidence", waiver=said)
    forged[leaf]["reason"] = "Because of gone-by"
    assert [(f.code, f.leaf) for f in run(forged)] == [("collection_differs", leaf)]


def test_a_waiver_of_a_fee_that_was_taken_or_that_stands_there_twice_is_named(log):
    for leaf in leaves_of(log, "waiver"):
        again = copy.deepcopy(log[leaf])
        again["evidence"]["waiver"]["number"] = 3
        said = run([*log, again])
        assert [(f.code, f.leaf) for f in said] == [("collection_twice", len(log))]
    taken = next(body for body in log if body.get("kind") == "collection")
    said = {"number": 3, "code": "equipment", "text": "Because of equipment"}
    forged = {**taken, "kind": "waiver", "transfers": [], "reason": said["text"]}
    forged["evidence"] = {**taken["evidence"], "method": "waived", "waiver": said}
    assert [f.code for f in run([*log, forged])] == ["collection_twice"]


def test_a_fee_that_is_called_waived_without_a_waiver_is_named(log):
    leaf = next(p for p in leaves_of(log, "collection") if log[p]["evidence"]["cents"])
    forged = changed(log, leaf, "evidence", method="waived")
    forged[leaf]["transfers"] = []
    assert [(f.code, f.leaf) for f in run(forged)] == [("collection_differs", leaf)]


@pytest.mark.parametrize(
    ("field", "code"),
    [
        ("number", "number_gap"),
        *((name, "uncollected_differs") for name in ("charge", "sitting", "seat", "player", "cents")),
        *(("gaming_day", "uncollected_differs"), ("reason", "uncollected_differs")),
    ],
)
def test_an_uncollected_fee_of_which_something_is_changed_is_named_alone(log, field, code):
    wrong = {"gaming_day": "2026-03-01", "reason": " "}
    for leaf in leaves_of(log, "fee_uncollected"):
        value = wrong.get(field, 10_000 + log[leaf]["data"][field] if field not in wrong else None)
        forged = changed(log, leaf, "data", **{field: value})
        assert [(f.code, f.leaf) for f in run(forged)] == [(code, leaf)]


def test_another_time_never_hides_what_else_is_wrong(log):
    for leaf in leaves_of(log, "fee_uncollected"):
        late = [*log[:leaf], {**log[leaf], "at": log[0]["recorded_at"]}, *log[leaf + 1 :]]
        assert [(f.code, f.leaf) for f in run(late)] == [("other_time", leaf)]
        found = run(changed(late, leaf, "data", reason=" "))
        assert [(f.code, f.leaf) for f in found] == [("uncollected_differs", leaf)]


def test_an_uncollected_fee_that_was_left_out_is_missed_where_its_player_leaves(log):
    leaf = leaves_of(log, "fee_uncollected")[-1]
    said = run(log[:leaf] + log[leaf + 1 :])
    assert [f.code for f in said] == ["uncollected_missing"]
    leaf = leaves_of(log, "fee_uncollected")[0]
    assert {f.code for f in run(log[:leaf] + log[leaf + 1 :])} >= {"uncollected_missing", "number_gap"}


def test_an_uncollected_fee_that_stands_there_twice_is_named(log):
    leaf = leaves_of(log, "fee_uncollected")[-1]
    again = copy.deepcopy(log[leaf])
    again["data"]["number"] = 3
    said = run([*log[: leaf + 1], again, *log[leaf + 1 :]])
    assert ("uncollected_differs", leaf + 1) in [(f.code, f.leaf) for f in said]


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"recovery": 5}, "number_gap"),
        ({"uncollected": 2}, "collection_differs"),
        ({"recovery": None, "uncollected": None}, None),
    ],
)
def test_a_recovery_that_names_something_else_is_named_alone(log, values, code):
    (leaf,) = [p for p in leaves_of(log, "collection") if "recovery" in log[p]["evidence"]]
    if code is None:
        forged = copy.deepcopy(log)
        for name in values:
            del forged[leaf]["evidence"][name]
        code = "collection_differs"
    else:
        forged = changed(log, leaf, "evidence", **values)
    assert [(f.code, f.leaf) for f in run(forged)] == [(code, leaf)]


def test_a_collection_that_pretends_to_recover_something_is_named(log):
    leaf = leaves_of(log, "collection")[-1]
    forged = changed(log, leaf, "evidence", uncollected=1, recovery=2)
    assert [(f.code, f.leaf) for f in run(forged)] == [("collection_differs", leaf)]


def test_a_log_that_begins_in_the_middle_accuses_nobody(log):
    for start in range(0, len(log), 3):
        assert run(log[start:], whole=False) == [], start


def test_records_that_are_not_what_they_say_never_stop_the_check(log):
    wanted = leaves_of(log, "waiver") + leaves_of(log, "fee_uncollected")
    wanted += leaves_of(log, "waiver_reason_published") + leaves_of(log, "waiver_reason_withdrawn")
    for leaf in wanted:
        part = "evidence" if "evidence" in log[leaf] else "data"
        for name in log[leaf][part]:
            for value in (None, [], 10**30):
                run(changed(log, leaf, part, **{name: value}))


def test_r51_a_newer_fee_that_is_taken_before_an_older_one_is_named(game):
    game.seat("Ann", "Bob", points=35)
    lose_everything(game, 2)
    game.minute(41).buy_in("Cat", 3)
    game.play()
    game.minute(81).play()
    paid = [payment.charge_id for payment in game.pay(2, "cash")]
    log = bodies()
    older, newer = leaves_of(log, "collection")[-2:]
    assert [log[leaf]["evidence"]["charge"] for leaf in (older, newer)] == paid
    assert run(log) == []
    found = run([*log[:older], *log[older + 1 :]])
    assert [(wrong.code, wrong.leaf) for wrong in found] == [("collection_differs", newer - 1)]


# -- rows without a record of their own ----------------------------------------------------------------------


@pytest.mark.parametrize("model", [Waiver, Uncollected, Recovery, WaiverReason])
def test_a_row_of_these_that_is_gone_is_missed(night, model):
    sealing.seal(night.site, now=night.now)
    pk = model.objects.order_by("-pk").first().pk
    with tampering(model._meta.db_table):
        model.objects.filter(pk=pk)._raw_delete("default")
        assert "row_missing" in {finding.code for finding in findings(night.site)}


def test_rows_written_past_the_log_are_seen(night):
    sealing.seal(night.site, now=night.now)
    free = FeePayment.objects.filter(waiver=None, recovery=None).first()
    with tampering("tables_waiver"):
        Waiver.objects.create(
            site=night.site, number=3, payment=free, reason=WaiverReason.objects.get(code="equipment")
        )
        assert [f.code for f in findings(night.site)] == ["no_record"]
    with tampering("tables_waiverreason"):
        fields = {
            "code": "mine",
            "text": "Mine",
            "approval_reference": "none",
            "effective_from": OPENING.date(),
        }
        WaiverReason.objects.create(site=night.site, **fields)
        assert [f.code for f in findings(night.site)] == ["no_record"]


def test_giving_up_a_fee_that_lies_on_the_felt_is_found_by_the_stacks(night):
    log = bodies()
    assert run(log) == []
    leaf = leaves_of(log, "fee_uncollected")[-1]
    seated = next(p for p in leaves_of(log, "charge") or range(len(log)) if log[p]["record"] == "charge")
    early = copy.deepcopy(log[leaf])
    early["data"] |= {"charge": log[seated]["id"], "sitting": log[seated]["sitting"]}
    at = log[seated]["recorded_at"]
    early |= {"at": at, "recorded_at": at}
    forged = [*log[: seated + 1], early, *log[seated + 1 :]]
    said = run(forged)
    assert ("unpaid_fees", seated + 1) in [(f.code, f.leaf) for f in said]
