"""kill -9 during posting or sealing: what was confirmed is there, nothing is half, every signed tree is
stored."""

import base64

import pytest
from django.utils import timezone

from ledger.models import AuditRecord, Checkpoint, JournalEntry, Transfer
from ledger.proof.log import sealing, verifying
from tests.support.lengths import KILLS
from tests.support.together import run_together


@pytest.mark.django_db(transaction=True, databases=["default", "reading"])
def test_processes_that_are_killed_lose_nothing_and_leave_nothing_half(
    stacks, stocked, dealer, now, monkeypatch, settings
):
    seed = base64.b64encode(b"s" * 32).decode()
    monkeypatch.setenv("AUDIT_KEY", seed)
    settings.AUDIT_KEY = seed
    # These rounds are the ledger's alone: no table dealt them, and the checks of the game would rightly say
    # so.
    monkeypatch.setattr(verifying, "_checks", [])
    monkeypatch.setattr(verifying, "_rows", [])
    sealing.seal(stocked, now=now)
    arguments = {
        "times": KILLS,
        "seed": 20261121,
        "site": stocked.pk,
        "stacks": [account.pk for account in stacks],
        "actor": dealer.pk,
    }
    (told,) = run_together("tests.support.killing:kill_again_and_again", [arguments])
    assert told["refused"] == []
    assert len(told["keys"]) > KILLS
    assert len(set(told["sizes"])) > KILLS / 20

    entries = dict(JournalEntry.objects.filter(kind="round").values_list("key", "pk"))
    assert set(told["keys"]) <= set(entries)
    assert Transfer.objects.filter(entry__in=entries.values()).count() == len(entries)
    assert AuditRecord.objects.filter(kind="entry", subject__in=entries.values()).count() == len(entries)
    kept = set(Checkpoint.objects.values_list("size", flat=True))
    assert set(told["sizes"]) <= kept
    assert [str(finding) for finding in verifying.Verification(stocked).run()] == []
    sealing.seal(stocked, now=timezone.now(), whole=True)  # the processes have sealed by the real time
    assert sealing.lag(stocked).waiting == 0
    assert [str(finding) for finding in verifying.Verification(stocked).run()] == []
