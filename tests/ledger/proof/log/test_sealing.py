"""Sealing: every record becomes one leaf, every signed tree continues the last, contradictions are not
sealed."""

import base64
import itertools
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from ledger.errors import BadAuditKey, RecordContradicted, UnknownAuditKey
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.journal.posting import post
from ledger.models import AuditLog, AuditRecord, Checkpoint, HouseEvent, JournalEntry, Leaf, Site, Tile
from ledger.proof.audit.tree import log_keys, tiles
from ledger.proof.audit.tree.merkle import (
    consistency_proof,
    inclusion_proof,
    verify_consistency,
    verify_inclusion,
)
from ledger.proof.log import keys, sealing
from tests.support.behind import behind_the_triggers


def sizes(log):
    return list(Checkpoint.objects.filter(log=log).order_by("size").values_list("size", flat=True))


def opened(log, checkpoint):
    return log_keys.opened(checkpoint.note.encode(), origin=log.origin, known=keys.known_keys(log))


def test_every_record_gets_one_leaf_and_the_tree_over_them_is_signed(stacks, stocked, now):
    sealed = sealing.seal(stocked, now=now)
    log = sealing.log_of(stocked)
    assert sealed == AuditRecord.objects.count() == Leaf.objects.count() == sizes(log)[-1]
    tree = opened(log, sealing.latest(log))
    hashes = [
        sealing.hash_of(text)
        for text in AuditRecord.objects.order_by("leaf__number").values_list("text", flat=True)
    ]
    grown = tiles.TiledTree()
    list(grown.extend(hashes))
    assert (tree.size, tree.root) == (sealed, grown.root())


def test_a_second_sealing_without_news_signs_nothing(stacks, stocked, now):
    sealing.seal(stocked, now=now)
    before = sizes(sealing.log_of(stocked))
    assert sealing.seal(stocked, now=now + timedelta(seconds=3)) == 0
    assert sizes(sealing.log_of(stocked)) == before


def plan_of(sql):
    explain = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"{explain} {sql}")
        return [line[-1] for line in cursor.fetchall()]


def test_what_was_sealed_last_is_found_without_sorting_the_log(stacks, stocked, now):
    """On SQLite it would take half a second over a million leaves, every few seconds."""
    sealing.seal(stocked, now=now)
    with CaptureQueriesContext(connection) as asked:
        assert sealing.lag(stocked).waiting == 0
    ordered = [one["sql"] for one in asked if "ledger_leaf" in one["sql"] and "ORDER BY" in one["sql"]]
    assert ordered
    assert not [plan for sql in ordered for plan in plan_of(sql) if "TEMP B-TREE" in plan or "Sort" in plan]


def test_later_trees_continue_earlier_ones_over_more_than_a_tile(stacks, stocked, draft, now, monkeypatch):
    monkeypatch.setattr(sealing, "AT_ONCE", 100)
    ann, bob = stacks
    log = sealing.log_of(stocked)
    for batch in range(3):
        for number in range(130):
            post(site=stocked, draft=draft(f"{batch}/{number}", "round", (ann.pk, bob.pk, 1)))
        sealing.seal(stocked, now=now)
    assert Tile.objects.count() >= 1
    trees = [opened(log, checkpoint) for checkpoint in Checkpoint.objects.filter(log=log).order_by("size")]
    read = sealing.reader(log)
    for old, new in itertools.pairwise(trees):
        proof = consistency_proof(old.size, new.size, tiles.subtrees(new.size, read))
        verify_consistency(
            old_size=old.size, new_size=new.size, old_root=old.root, new_root=new.root, proof=proof
        )
    last = trees[-1]
    for number in (0, 255, 256, last.size - 1):
        leaf = bytes(Leaf.objects.get(log=log, number=number).hash)
        proof = inclusion_proof(number, last.size, tiles.subtrees(last.size, read))
        verify_inclusion(leaf=leaf, index=number, size=last.size, proof=proof, root=last.root)


def test_a_record_that_commits_late_is_sealed_after_those_with_higher_numbers(stacks, stocked, now):
    event = house_events.note(stocked, HouseEvent.Kind.EXPORTED, act=Act(actor=None, now=now))
    with behind_the_triggers("ledger_auditrecord"):
        late = AuditRecord.objects.get(kind="house_event", subject=event.pk)
        AuditRecord.objects.filter(pk=late.pk).delete()
        sealing.seal(stocked, now=now)
        late.save(force_insert=True)
    assert sealing.seal(stocked, now=now) == 1
    newest = Leaf.objects.order_by("-number").first()
    assert newest.record_id == late.pk < AuditRecord.objects.order_by("-pk").first().pk


def test_a_record_that_commits_late_is_sealed_however_many_another_house_has_written_meanwhile(
    stacks, stocked, now, monkeypatch
):
    monkeypatch.setattr(sealing, "LOOK_BACK", 3)
    busy = Site.objects.create(name="The Busy Room", licence="GEGE-2")
    event = house_events.note(stocked, HouseEvent.Kind.EXPORTED, act=Act(actor=None, now=now))
    with behind_the_triggers("ledger_auditrecord"):
        late = AuditRecord.objects.get(kind="house_event", subject=event.pk)
        AuditRecord.objects.filter(pk=late.pk).delete()
        for _ in range(2 * sealing.LOOK_BACK):
            house_events.note(busy, HouseEvent.Kind.EXPORTED, act=Act(actor=None, now=now))
        house_events.note(stocked, HouseEvent.Kind.EXPORTED, act=Act(actor=None, now=now))
        sealing.seal(stocked, now=now)
        late.save(force_insert=True)
    assert sealing.lag(stocked).waiting == 1
    assert sealing.seal(stocked, now=now) == 1


def test_nothing_is_sealed_whose_row_says_something_else(stacks, stocked, now):
    entry = JournalEntry.objects.latest("pk")
    with behind_the_triggers("ledger_journalentry"):
        JournalEntry.objects.filter(pk=entry.pk).update(reason="none of your business")
    with pytest.raises(RecordContradicted) as refused:
        sealing.seal(stocked, now=now)
    assert f"entry {entry.pk}" in refused.value.message
    assert not Leaf.objects.exists()
    assert not Checkpoint.objects.exists()


def test_the_task_signs_less_often_than_it_seals(stacks, stocked, draft, now):
    ann, bob = stacks
    log = sealing.log_of(stocked)
    for number, seconds in enumerate((0, 3, 14, 15, 12)):
        post(site=stocked, draft=draft(f"{number}", "round", (ann.pk, bob.pk, 1)))
        sealing.seal(stocked, now=now + timedelta(seconds=seconds), rest=sealing.SIGN_EVERY)
    # The second and third rest; the fifth has a clock that was set back, which makes nothing wait.
    first, *later = sizes(log)
    assert later == [first + 3, first + 4]


def test_the_lag_tells_what_waits_and_since_when(stacks, stocked, now):
    waiting = sealing.lag(stocked)
    assert (waiting.waiting, waiting.size, waiting.signed_at) == (AuditRecord.objects.count(), 0, None)
    assert waiting.since == AuditRecord.objects.order_by("recorded_at").first().recorded_at
    sealing.seal(stocked, now=now)
    done = sealing.lag(stocked)
    assert (done.waiting, done.since, done.signed_at) == (0, None, now)


def test_the_key_is_made_once_for_its_owner_alone_and_noted_in_the_log(stocked, settings, now):
    sealing.seal(stocked, now=now)
    path = settings.AUDIT_KEY_FILE
    assert path.stat().st_mode & 0o777 == 0o600
    kept = path.read_text()
    sealing.seal(stocked, now=now)
    assert path.read_text() == kept
    noted = HouseEvent.objects.get(kind="audit_key")
    assert noted.data == {"verifier_key": keys.known_keys(sealing.log_of(stocked))[0].text, "replaces": None}


def test_a_key_that_the_log_does_not_know_signs_nothing(stocked, settings, now):
    sealing.seal(stocked, now=now)
    settings.AUDIT_KEY = base64.b64encode(b"k" * 32).decode()
    house_events.note(stocked, HouseEvent.Kind.EXPORTED, act=Act(actor=None, now=now))
    with pytest.raises(UnknownAuditKey):
        sealing.seal(stocked, now=now)
    settings.AUDIT_KEY = ""
    settings.AUDIT_KEY_FILE.unlink()
    with pytest.raises(UnknownAuditKey):
        sealing.seal(stocked, now=now)
    assert not settings.AUDIT_KEY_FILE.exists()
    settings.AUDIT_KEY = "no key"
    with pytest.raises(BadAuditKey):
        sealing.seal(stocked, now=now)


def test_a_new_key_signs_on_and_the_log_says_so(stocked, settings, now):
    sealing.seal(stocked, now=now)
    log = sealing.log_of(stocked)
    first = keys.known_keys(log)[-1]
    second = sealing.rotate(stocked, act=Act(actor=None, now=now)).key
    assert keys.known_keys(log) == [first, second]
    assert sealing.latest(log).key_fingerprint == second.fingerprint
    assert opened(log, sealing.latest(log)).size == sizes(log)[-1]
    assert len(list(settings.AUDIT_KEY_FILE.parent.iterdir())) == 2
    settings.AUDIT_KEY = base64.b64encode(b"k" * 32).decode()
    assert sealing.rotate(stocked, act=Act(actor=None, now=now)).key != second
    with pytest.raises(BadAuditKey):
        sealing.rotate(stocked, act=Act(actor=None, now=now))


def test_what_is_sealed_can_be_neither_changed_nor_taken_away(stocked, now):
    sealing.seal(stocked, now=now)
    for model in (AuditLog, AuditRecord, Leaf, Checkpoint, HouseEvent):
        with (
            pytest.raises(IntegrityError, match="append-only"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(f"DELETE FROM {model._meta.db_table}")
