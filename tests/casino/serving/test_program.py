"""The log records which program works for the house, from its first start, and every upgrade."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from casino.serving import system
from ledger.models import AuditRecord, HouseEvent
from ledger.proof.audit.checks.books import BooksCheck
from tables.rules.game.rounds import RULES_VERSION

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 7, 20, 0, tzinfo=UTC)


def started():
    return [event.data for event in HouseEvent.objects.filter(kind="program_started").order_by("pk")]


def bodies():
    texts = [one.text for one in AuditRecord.objects.order_by("pk")]
    return [json.loads(text)[1] for text in texts if "program_started" in text]


def wrong(found):
    check = BooksCheck(whole=True)
    return [one.code for leaf, body in enumerate(found) for one in check.take(leaf, body)]


def test_a_start_says_the_version_its_rules_and_its_sources(site):
    system.note_start("serve", now=NOW)
    (said,) = started()
    assert (said["process"], said["before"], said["rules"]) == ("serve", None, RULES_VERSION)
    assert said["version"].count(".") == 2
    assert len(said["sources"]) == 64


def test_processes_that_start_at_once_and_again_and_again_are_one_record_for_each_kind(site):
    for minute in (0, 0, 1, 9):
        system.note_start("serve", now=NOW + timedelta(minutes=minute))
        system.note_start("worker", now=NOW + timedelta(minutes=minute))
    assert [said["process"] for said in started()] == ["serve", "worker"]
    system.note_start("serve", now=NOW + timedelta(minutes=11))
    assert [said["process"] for said in started()] == ["serve", "worker", "serve"]
    assert wrong(bodies()) == []


def test_another_version_is_recorded_at_once_with_the_one_before(site, monkeypatch):
    system.note_start("serve", now=NOW)
    older = system.program()
    newer = {**older, "version": "9.9.9", "sources": "f" * 64}
    monkeypatch.setattr(system, "program", lambda: newer)
    system.note_start("serve", now=NOW + timedelta(seconds=5))
    assert started()[-1]["before"] == older
    assert started()[-1]["version"] == "9.9.9"
    assert wrong(bodies()) == []


@pytest.mark.parametrize(
    "change",
    [
        {"before": None},
        {"before": {"version": "0", "rules": 1, "sources": ""}},
    ],
    ids=str,
)
def test_a_start_that_names_another_program_before_it_is_found(site, change):
    system.note_start("serve", now=NOW)
    system.note_start("serve", now=NOW + timedelta(hours=1))
    first, second = bodies()
    assert wrong([first, second | {"data": second["data"] | change}]) == ["upkeep_differs"]
