"""The live books of a played table verify, and whatever is changed behind the triggers' back is named,
and nothing else."""

import base64
import contextlib
from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest
from django.apps import apps
from django.db import connection, models, transaction

from ledger.cage import banks, boxes
from ledger.db import append_only, sheet_order
from ledger.journal import closing, records
from ledger.journal.acts import Act
from ledger.models import AuditRecord, Checkpoint, Leaf
from ledger.proof.audit.tree import log_keys
from ledger.proof.log import keys, sealing, tree as log_tree, verifying
from tables.log import table_rows
from tables.seats.player_entries import merge_players
from tables.seats.players import enter_player
from tests.support.behind import behind_the_triggers
from tests.support.cage import close_cage
from tests.support.counting import count_box
from tests.support.game import HANDS, OPENING
from tests.support.kept import kept

RECORDED = {
    "ledger.JournalEntry": "entry",
    "ledger.HouseEvent": "house event",
    "ledger.Count": "count",
    "ledger.DropSignOff": "sign off",
    "ledger.BankSignOff": "bank sign off",
    "ledger.ClosedDay": "closed day",
    "ledger.WithheldBatch": "withheld",
    "tables.Charge": "charge",
    "tables.Claim": "claim",
    "tables.Down": "down",
    "tables.PlayerChange": "player change",
    "tables.PlayerMerge": "player merge",
    "tables.Rate": "rate",
    "tables.TableEvent": "table event",
}
UNIQUE = {"key", "number", "attempt", "entry", "box", "gaming_day", "player", "version", "merged"}


@kept
def played(game, beside, floor, floor2, counter1, counter2, cashier):
    """Two tables and a night's whole course: corrections, claims, voids, a move, a box that comes out short,
    a closed day."""
    sealing.seal(game.site, now=game.now)
    game.seat("Ann", "Bob", "Cat", "Dan", "Eve")
    twice = enter_player(site=game.site, name="Anna", act=Act(actor=floor, now=game.now))
    act = Act(floor, game.now, "a-merge-of-two", approver=floor2, reason="the same licence")
    merge_players(merged_id=twice.pk, into_id=game.players["Ann"].pk, act=act)
    first = game.play()
    game.minute(15)
    game.cash_out(2)
    game.approve(game.ask(first, HANDS[::-1]), actor=floor2)
    game.void(game.start())
    game.minute(30).move(5, beside, 2, ordered=True)
    game.minute(45).play()
    now = game.now + timedelta(minutes=5)
    for short, table in ((500, game), (0, beside)):
        table.now = now
        close(table, (floor, floor2), (counter1, counter2), cashier, short)
    entry = game.site.entries.get(kind="bank_count", transfers__source__kind="over_short").pk
    act = Act(actor=cashier, now=now, key="sign the bank")
    banks.sign_off_bank(site=game.site, entry_id=entry, cause="a chip rolled away", act=act)
    act = Act(actor=cashier, approver=floor, now=now + timedelta(days=1), key="close")
    close_cage(game.site, act.now)
    closing.close_day(site=game.site, day=date(2026, 3, 7), act=act)
    sealing.seal(game.site, now=now)
    return game


def close(table, floors, counters, cashier, short):
    """Break a table; its box is counted and signed off, so many cents short."""
    for seat in table.stacks():
        table.cash_out(seat)
    box, now = table.fresh_session().box, table.now
    table.close(floors[1], actor=floors[0], chips_over=short)
    box = type(box).objects.select_related("chips", "cash").get(pk=box.pk)
    count_box(box, counters, now, chips=box.chips.balance_cents - short)
    cause = "a chip is missing" if short else ""
    boxes.sign_off(box=box, cause=cause, act=Act(actor=cashier, key=table.key(), now=now))


@contextlib.contextmanager
def tampering(*tables):
    """Behind the triggers' back, and undone afterwards."""
    with transaction.atomic():
        with behind_the_triggers(*tables):
            lift_order_of_sheets(tables)
            yield
        transaction.set_rollback(True)


def lift_order_of_sheets(tables):
    """Drop on SQLite what holds count sheets to their order; PostgreSQL has switched all triggers off."""
    with connection.cursor() as cursor:
        for script in sheet_order.HELD.scripts(connection) if connection.vendor == "sqlite" else ():
            drop = script.splitlines()[0]
            if any(f" {table}_" in drop for table in tables):
                cursor.execute(drop)


def findings(site, **asked):
    return list(verifying.Verification(site, **asked).run())


def other(field, value):
    """A value of this column that is another one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, Decimal)):
        return value + 1
    if isinstance(value, datetime):
        return value + timedelta(microseconds=1)
    if isinstance(value, date):
        return value + timedelta(days=1)
    if isinstance(value, dict):
        return {**value, "seat": 9}
    if isinstance(value, str) and isinstance(field, models.TextField) and value.startswith("{"):
        return value.replace("1", "2", 1) if "1" in value else f"{value} "
    if isinstance(value, str):
        return (value + "x")[-max(field.max_length or 99, 1) :]
    return OPENING if isinstance(field, models.DateTimeField) else 1


def test_a_played_table_verifies(played):
    assert [str(finding) for finding in findings(played.site)] == []


@pytest.mark.parametrize("label", RECORDED)
def test_a_row_that_is_gone_is_missed(played, label):
    model = apps.get_model(label)
    row = model.objects.order_by("-pk").first()
    with tampering(model._meta.db_table):
        model.objects.filter(pk=row.pk)._raw_delete("default")
        names = {finding.record for finding in findings(played.site)}
    assert f"{RECORDED[label]} {row.pk}" in names


@pytest.mark.parametrize("label", RECORDED)
def test_a_row_written_past_the_log_is_seen(played, label):
    model = apps.get_model(label)
    row = model.objects.order_by("-pk").first()
    with tampering(model._meta.db_table):
        row.pk = 99_999
        for field in model._meta.concrete_fields:
            if field.name in UNIQUE:
                setattr(row, field.attname, other(field, getattr(row, field.attname)))
        row.save(force_insert=True)
        found = findings(played.site)
    assert f"{RECORDED[label]} 99999" in {finding.record for finding in found}
    assert {finding.code for finding in found} >= {"no_record"}


@pytest.mark.parametrize(
    ("label", "change", "name"),
    [
        ("ledger.Transfer", {"cents": 1}, "entry"),
        ("ledger.Transfer", {"line": 9}, "entry"),
        ("ledger.Transfer", {"asset": "cash"}, "entry"),
        ("tables.Settlement", {"ordinal": 7}, "settlement"),
        ("tables.Settlement", {"round_id": 2}, "settlement"),
        ("tables.FeePayment", {"method": "cash"}, "fee payment"),
        ("tables.Hand", {"stack_cents": 1}, "hand"),
        ("tables.Hand", {"seat": 5}, "hand"),
        ("tables.Round", {"button_seat": 5}, "round"),
        ("tables.Round", {"state": "void"}, "round"),
        ("tables.Sitting", {"entered_at": OPENING - timedelta(hours=1)}, "sitting"),
        ("tables.Sitting", {"left_at": None}, "sitting"),
        ("tables.TableSession", {"limit_cents": 100}, "table session"),
        ("tables.TableSession", {"closed_at": None}, "table session"),
        ("ledger.Account", {"kind": "drop_box"}, "account"),
        ("ledger.Account", {"balance_cents": 1, "closed_at": None}, "account"),
    ],
)
def test_what_follows_from_records_is_held_against_them(played, label, change, name):
    model = apps.get_model(label)
    row = model.objects.order_by("pk").first()
    if label == "ledger.Account":
        row = model.objects.filter(kind="stack").order_by("pk").first()
    named = row.entry_id if label == "ledger.Transfer" else row.pk
    with tampering(model._meta.db_table):
        model.objects.filter(pk=row.pk).update(**change)
        found = findings(played.site)
    assert {finding.record for finding in found} == {f"{name} {named}"}, found


@pytest.mark.parametrize(
    "label", ["tables.Settlement", "tables.FeePayment", "tables.Sitting", "ledger.Transfer"]
)
def test_rows_without_a_record_of_their_own_are_missed_as_well(played, label):
    model = apps.get_model(label)
    row = model.objects.order_by("pk").first()
    with tampering(model._meta.db_table):
        model.objects.filter(pk=row.pk)._raw_delete("default")
        found = findings(played.site)
    assert {finding.code for finding in found} & {"row_missing", "row_changed", "row_differs"}


def test_a_changed_sheet_is_named_with_its_game(played):
    from tables.models import SheetVersion, TableSession

    with tampering("tables_sheetversion"):
        SheetVersion.objects.update(raw=b'code = "face-up"')
        found = findings(played.site)
    unjudged = {finding.record for finding in found if finding.code == "not_judged"}
    assert unjudged == {f"table session {session.pk}" for session in TableSession.objects.all()}
    assert {finding.record for finding in found} == {"sheet face-up"} | unjudged


@pytest.mark.parametrize("sheet", [{}, {"code": "face-up", "version": 1}, {"sha256": ["0"]}, None])
def test_an_opening_that_names_no_sheet_stops_no_comparison(site, sheet):
    comparison = dict(table_rows.QUESTIONS)["game sheets against their hashes and sessions"](site)
    named = sheet and {"code": "face-up", "version": 1} | sheet
    opened = {"record": "table_event", "kind": "opened", "id": 1, "data": {"sheet": named}}
    assert not comparison.take(opened)
    assert not comparison.take({**opened, "data": None})
    assert not list(comparison.finish())


def test_two_rows_that_changed_places_are_both_named(played):
    from tables.models import Charge

    one, other_one = Charge.objects.order_by("pk")[:2]
    with tampering("tables_charge"):
        Charge.objects.filter(pk=one.pk).update(charged_by=played.floor)
        Charge.objects.filter(pk__in=[one.pk, other_one.pk]).update(gaming_day=date(2026, 1, 1))
        found = findings(played.site)
    assert [finding.record for finding in found] == [f"charge {one.pk}", f"charge {other_one.pk}"]


@pytest.mark.parametrize("value", [1.5, 2**60])
def test_a_row_that_holds_what_no_record_can_is_named_like_any_other(played, value):
    from tables.models import TableEvent

    event = TableEvent.objects.filter(kind="round_started").order_by("pk").first()
    with tampering("tables_tableevent"):
        TableEvent.objects.filter(pk=event.pk).update(data={**event.data, "button": value})
        found = findings(played.site)
    assert [(finding.code, finding.record) for finding in found] == [
        ("row_changed", f"table event {event.pk}")
    ]


@pytest.mark.parametrize("change", [{"state": "void"}, {"number": 9}, {"limit_cents": 1}])
def test_a_round_from_before_the_state_that_was_left_is_held_against_its_events_all_the_same(played, change):
    from tables.models import Round

    before = verifying.Verification(played.site, leave=True)
    assert list(before.run()) == []
    assert before.state is not None
    number = Round.objects.filter(state="settled").order_by("pk").first().pk
    with tampering("tables_round"):
        Round.objects.filter(pk=number).update(**change)
        found = findings(played.site, start=before.state)
    assert f"round {number}" in {finding.record for finding in found}


def test_a_round_and_a_settlement_that_nothing_started_or_paid_are_seen(played):
    from tables.models import Round, Settlement

    round_ = Round.objects.order_by("-pk").first()
    settlement = Settlement.objects.order_by("-pk").first()
    entry = played.site.entries.filter(kind="buy_in").first()
    with tampering("tables_round", "tables_settlement"):
        round_.pk, round_.number, round_.key, round_.state = 99_999, 999, "forged", Round.State.VOID
        round_.save(force_insert=True)
        settlement.pk, settlement.ordinal, settlement.entry = 88_888, 9, entry
        settlement.save(force_insert=True)
        found = findings(played.site)
    assert [(finding.code, finding.record) for finding in found] == [
        ("no_record", "round 99999"),
        ("no_record", "settlement 88888"),
    ]


# -- the log itself ------------------------------------------------------------------------------------------


def record_of(kind):
    return AuditRecord.objects.filter(kind=kind).order_by("-pk").first()


def test_a_changed_record_is_named(played):
    record = record_of("charge")
    with tampering("ledger_auditrecord"):
        AuditRecord.objects.filter(pk=record.pk).update(text=record.text.replace('"cents":', '"cents":1'))
        found = findings(played.site)
    assert [(f.code, f.record) for f in found] == [("record_changed", str(record))]


def test_row_and_record_changed_alike_are_named_by_the_leaf(played):
    from tables.models import Charge

    record = record_of("charge")
    charge = Charge.objects.get(pk=record.subject)
    with tampering("ledger_auditrecord", "tables_charge"):
        Charge.objects.filter(pk=charge.pk).update(fee_cents=charge.fee_cents + 1)
        record.text = records.rebuilt([record])[record.pk]
        AuditRecord.objects.filter(pk=record.pk).update(text=record.text)
        found = findings(played.site)
    assert found[0].code == "leaf_changed"
    # The fee is not what its times come to, either; so its session is judged no further.
    assert {f.record for f in found} == {str(record), f"table session {played.session.pk}"}


def test_row_record_and_leaf_changed_alike_are_found_by_the_signed_tree(played):
    from tables.models import Charge

    record = record_of("charge")
    charge = Charge.objects.get(pk=record.subject)
    with tampering("ledger_auditrecord", "tables_charge", "ledger_leaf"):
        Charge.objects.filter(pk=charge.pk).update(fee_cents=charge.fee_cents + 1)
        text = records.rebuilt([record])[record.pk]
        AuditRecord.objects.filter(pk=record.pk).update(text=text)
        Leaf.objects.filter(record=record).update(hash=sealing.hash_of(text))
        found = findings(played.site)
    *_, good, last = Checkpoint.objects.order_by("size").values_list("size", flat=True)
    unjudged = f"table session {played.session.pk}"
    assert {f.record for f in found} == {str(record), f"checkpoint {last}", unjudged}
    assert (found[1].record, found[1].code) == (f"checkpoint {last}", "other_tree")
    assert f"among the leaves {good} to {last - 1}" in found[1].sentence


@pytest.mark.parametrize("column", ["hash", "number", "recorded_at"])
def test_a_changed_leaf_is_named(played, column):
    leaf = Leaf.objects.order_by("number")[5]
    new = {"hash": bytes(32), "number": 10**12, "recorded_at": OPENING - timedelta(days=1)}[column]
    with tampering("ledger_leaf"):
        Leaf.objects.filter(pk=leaf.pk).update(**{column: new})
        found = findings(played.site)
    assert found[0].leaf == 5
    assert found[0].code in ("leaf_changed", "leaf_missing")


def test_a_leaf_or_record_that_is_gone_is_missed(played):
    leaf = Leaf.objects.order_by("number")[5]
    with tampering("ledger_leaf"):
        Leaf.objects.filter(pk=leaf.pk)._raw_delete("default")
        assert [(f.code, f.leaf) for f in findings(played.site)][:1] == [("leaf_missing", 5)]
    with tampering("ledger_auditrecord"):
        AuditRecord.objects.filter(pk=leaf.record_id)._raw_delete("default")
        assert [(f.code, f.leaf) for f in findings(played.site)][:1] == [("record_missing", 5)]


def test_a_log_whose_end_was_cut_is_found_by_a_checkpoint_that_left(played):
    log = sealing.log_of(played.site)
    left = sealing.latest(log)
    cut = list(Leaf.objects.filter(log=log).order_by("-number")[:3])
    with tampering(*append_only.PROTECTED):
        for leaf in cut:
            record = leaf.record
            Leaf.objects.filter(pk=leaf.pk)._raw_delete("default")
            AuditRecord.objects.filter(pk=record.pk)._raw_delete("default")
            records.rows_of(record.kind).filter(pk=record.subject)._raw_delete("default")
        Checkpoint.objects.filter(log=log)._raw_delete("default")
        outside = log_tree.Outside(checkpoint=left.note.encode())
        codes = {f.code for f in findings(played.site, outside=outside)}
    assert "log_cut" in codes


def test_a_log_that_was_signed_anew_with_another_key_is_found_by_the_key_that_is_known(
    played, settings, tmp_path
):
    log = sealing.log_of(played.site)
    left, key = sealing.latest(log), keys.known_keys(log)[-1]
    settings.AUDIT_KEY, settings.AUDIT_KEY_FILE = base64.b64encode(b"t" * 32).decode(), tmp_path / "stolen"
    with tampering("ledger_checkpoint"):
        tree = log_keys.opened(left.note.encode(), origin=log.origin, known=[key])
        thief = keys.Signer(log.origin, b"t" * 32)
        forged = thief.signed(tree, now=played.now).decode()
        Checkpoint.objects.filter(pk=left.pk).update(note=forged, key_fingerprint=thief.key.fingerprint)
        assert [(f.code, f.record) for f in findings(played.site)] == [
            ("bad_checkpoint", f"checkpoint {left.size}")
        ]
    pinned = log_tree.Outside(fingerprint=thief.key.fingerprint)
    assert [f.code for f in findings(played.site, outside=pinned)] == ["other_key"]
    honest = log_tree.Outside(left.note.encode(), key.fingerprint[:16])
    assert findings(played.site, outside=honest) == []
