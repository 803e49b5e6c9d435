"""Acts on the books themselves are in the log: verifying, monitoring, and why sealing was refused."""

import json

import pytest
from django.core.management import CommandError, call_command

from ledger import tasks
from ledger.errors import RecordContradicted
from ledger.models import Account, AuditRecord, HouseEvent
from ledger.proof.audit.checks.books import BooksCheck
from ledger.proof.log import monitoring, sealing, verifying

pytestmark = pytest.mark.django_db


@pytest.fixture
def sealed(stocked, now):
    sealing.seal(stocked, now=now)
    return stocked


def noted(kind):
    return [event.data for event in HouseEvent.objects.filter(kind=kind).order_by("pk")]


def test_each_verification_is_recorded_with_who_how_and_what_it_found(sealed):
    size = sealing.latest(sealing.log_of(sealed)).size
    call_command("audit", "verify")
    call_command("audit", "verify")
    Account.objects.filter(kind="vault", asset="cash").update(balance_cents=1)
    with pytest.raises(CommandError):
        call_command("audit", "verify", "--full")
    first, second, third = noted("verified")
    assert (first["full"], first["size"], first["findings"], first["exit"]) == (True, size, 0, 0)
    assert (second["full"], second["findings"]) == (False, 0)
    assert (third["full"], third["findings"], third["exit"]) == (True, 1, 1)
    assert all(said["by"] for said in (first, second, third))


def test_what_the_monitor_says_is_recorded_when_it_is_new_and_once_a_day(sealed, now):
    assert monitoring.is_news(sealed, ["growth"], now=now)
    for _ in range(3):
        with pytest.raises(CommandError):  # the house was sealed long ago
            call_command("audit", "monitor")
    (said,) = noted("monitored")
    assert (said["alerts"], said["exit"]) == (["no_checkpoint"], 1)
    at = HouseEvent.objects.get(kind="monitored").recorded_at
    assert not monitoring.is_news(sealed, ["no_checkpoint"], now=at + monitoring.DAY / 2)
    assert monitoring.is_news(sealed, [], now=at + monitoring.DAY / 2)
    assert monitoring.is_news(sealed, ["no_checkpoint"], now=at + monitoring.DAY)


def test_a_refused_sealing_is_recorded_once_for_each_reason(sealed, monkeypatch):
    reasons = iter(["entry 1 differs.", "entry 1 differs.", "entry 2 differs.", "entry 1 differs."])

    def refuse(site, **asked):
        raise RecordContradicted(next(reasons))

    monkeypatch.setattr(sealing, "seal", refuse)
    for _ in range(4):
        tasks.seal_logs()
    assert noted("sealing_refused") == [
        {"code": "record_contradicted", "sentence": "entry 1 differs."},
        {"code": "record_contradicted", "sentence": "entry 2 differs."},
    ]
    monkeypatch.undo()
    tasks.seal_logs()
    assert [str(one) for one in verifying.Verification(sealed).run()] == []


WRONG = [
    ("verified", {"findings": 1}),
    ("verified", {"exit": 1}),
    ("verified", {"size": 10_000}),
    ("monitored", {"exit": 0}),
]


@pytest.mark.parametrize(("kind", "change"), WRONG, ids=str)
def test_a_record_that_contradicts_itself_is_named(sealed, monkeypatch, kind, change):
    call_command("audit", "verify")
    with pytest.raises(CommandError):
        call_command("audit", "monitor")
    tasks.record_refusal(
        sealed, RecordContradicted("entry 1 differs."), now=HouseEvent.objects.latest("pk").at
    )
    bodies = [json.loads(one.text)[1] for one in AuditRecord.objects.order_by("pk")]

    def found():
        check = BooksCheck(whole=True)
        return [one.code for leaf, body in enumerate(bodies) for one in check.take(leaf, body)]

    assert found() == []
    next(body for body in bodies if body.get("kind") == kind)["data"] |= change
    assert found() == ["upkeep_differs"]
