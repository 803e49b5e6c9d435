"""The monitor's alerts: no checkpoint by the hour, a new key, a lost witness, growth out of proportion."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.models import Cosignature, HouseEvent, Leaf
from ledger.proof.log import keys, monitoring, sealing, witnessing
from ledger.proof.log.witnessing import Reply
from tests.support.witnesses import AUDITOR, BUREAU

HOUR = timedelta(hours=1)


@pytest.fixture
def house(stocked, settings, tmp_path, now):
    """A sealed log, and a policy with its key and two witnesses, both of which must sign by this hour."""
    settings.AUDIT_POLICY = str(tmp_path / "policy")
    sealing.seal(stocked, now=now)
    log = sealing.log_of(stocked)
    write(settings, *(f"log {half.text}" for half in keys.known_keys(log)[0].halves), *policy(now))
    return stocked


def policy(now):
    return (
        f"witness bureau {BUREAU.key.text} https://bureau.example",
        f"witness auditor {AUDITOR.key.text} https://auditor.example",
        "group both all bureau auditor",
        "quorum both",
        f"latest {now:%H:%M}",
    )


def write(settings, *lines):
    with open(settings.AUDIT_POLICY, "w") as file:
        file.writelines(f"{line}\n" for line in lines)


def cosign(site, at, *witnesses):
    newest = sealing.latest(sealing.log_of(site))
    for witness in witnesses:
        line = witness.line(newest.note.encode(), int(at.timestamp())).line
        Cosignature.objects.create(checkpoint=newest, witness=witness.key.short, line=line, signed_at=at)


def codes(site, now):
    return [alert.code for alert in monitoring.alerts(site, now=now)]


def test_a_log_as_its_policy_wants_it_wakes_nobody(house, now):
    cosign(house, now, BUREAU, AUDITOR)
    assert codes(house, now + HOUR) == []


@pytest.mark.parametrize("witnesses", [(), (BUREAU,)])
def test_a_day_without_a_checkpoint_that_enough_have_witnessed_is_told_after_its_hour(house, now, witnesses):
    day = timedelta(days=1)
    cosign(house, now, BUREAU, AUDITOR)
    cosign(house, now + HOUR, *witnesses)
    late = now.replace(second=0, microsecond=0) + day
    assert "no_checkpoint" not in codes(house, late - timedelta(minutes=1))
    assert "no_checkpoint" in codes(house, late)


def test_without_witnesses_the_day_s_checkpoint_is_one_that_was_signed(house, settings, now):
    settings.AUDIT_POLICY = ""
    assert codes(house, now + 23 * HOUR) == []
    assert codes(house, now + 25 * HOUR) == ["no_checkpoint"]


def test_a_key_that_the_policy_does_not_name_is_told(house, settings, now):
    cosign(house, now, BUREAU, AUDITOR)
    sealing.rotate(house, act=Act(actor=None, now=now))
    assert codes(house, now + HOUR) == ["new_key"]
    write(settings, *policy(now))
    assert codes(house, now + HOUR) == ["new_key"]
    assert "new_key" not in codes(house, now + 25 * HOUR)


def test_a_witness_that_has_not_signed_for_hours_or_contradicts_is_told_with_its_reason(house, now):
    cosign(house, now, BUREAU, AUDITOR)
    cosign(house, now + 2 * HOUR, BUREAU)
    witnessing.ask(house, now=now + 3 * HOUR, post=lambda address, body: Reply(409, b"99999\n"))
    (alert,) = monitoring.alerts(house, now=now + 3 * HOUR)
    assert alert.code == "lost_witness"
    assert "auditor has not signed since" in alert.sentence
    assert "99999 leaves" in alert.sentence


def test_growth_out_of_proportion_is_told(house, now, monkeypatch):
    cosign(house, now, BUREAU, AUDITOR)
    later, count = now + timedelta(days=1), Leaf.objects.count()
    for _ in range(3):
        house_events.note(house, HouseEvent.Kind.EXPORTED, act=Act(actor=None, now=later))
    sealing.seal(house, now=later)
    cosign(house, later, BUREAU, AUDITOR)
    assert codes(house, later) == []
    monkeypatch.setattr(monitoring, "USUAL", 2)
    assert codes(house, later) == []
    monkeypatch.setattr(monitoring, "TOO_MUCH", 2 / count)
    assert codes(house, later) == ["growth"]


def test_the_command_ends_with_1_where_somebody_has_to_see_to_it(house, now, time_machine, capsys):
    cosign(house, now, BUREAU, AUDITOR)
    time_machine.move_to(now + HOUR)
    call_command("audit", "monitor")
    assert "as the policy wants it" in capsys.readouterr().out
    time_machine.move_to(now + 50 * HOUR)
    with pytest.raises(CommandError, match="3 to be seen to"):
        call_command("audit", "monitor")
    assert "(no_checkpoint)" in capsys.readouterr().out
