"""Checkpoints of a branch that a restore has ended are set aside once, whole, with a reason, and recorded."""

import json
from datetime import timedelta
from hashlib import sha256

import pytest
from django.core.management import CommandError, call_command

from ledger.errors import CheckpointNotKept, NotContinued, NothingToSetAside, ReasonRequired
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.models import HouseEvent
from ledger.proof.audit.kept import folder_of, line_of
from ledger.proof.audit.tree.checkpoints import TreeHead
from ledger.proof.log import keys, outside, sealing, setting_aside

pytestmark = pytest.mark.django_db
REASON = "The disk was lost; the owner ordered it"


@pytest.fixture
def log(site, now):
    """A log restored a moment ago, whose folder has two checkpoints over more leaves."""
    found = sealing.log_of(site)
    sealing.seal(site, now=now)
    leaves = sealing.size_of(found)
    keep(found, *(signed(found, leaves + more, now) for more in (3, 9)))
    house_events.note(
        site, "restored", made_at=now.isoformat(), checkpoint=leaves, leaves=leaves, act=act(now)
    )
    return found


def act(now):
    return Act(actor=None, now=now, terminal="command line")


def signed(log, size, now, root=b"the branch that was lost"):
    tree = TreeHead(log.origin, size, sha256(root).digest())
    return keys.own_signer(log).signed(tree, now=now).decode()


def place(log):
    return folder_of(outside.settings.CHECKPOINTS, log.origin)


def keep(log, *notes, day="2999-01-01"):
    with (place(log) / f"{day}.jsonl").open("ab") as file:
        file.writelines(map(line_of, notes))


def aside(log, now, reason=REASON):
    return setting_aside.set_aside(log, reason=reason, act=act(now))


def test_newer_checkpoints_are_kept_beside_the_folder_s_files_with_time_and_reason(log, now, site):
    before = (place(log) / "2999-01-01.jsonl").read_bytes()
    leaves = sealing.size_of(log)
    event = aside(log, now)
    assert event.data == {
        "reason": REASON,
        "lines": 2,
        "from_size": leaves + 3,
        "to_size": leaves + 9,
        "file": setting_aside.name_of_file(now),
    }
    head, _, moved = (place(log) / event.data["file"]).read_bytes().partition(b"\n")
    assert head.decode() == f"{now.isoformat()} {REASON}"
    assert moved == before
    assert sealing.seal(site, now=now + timedelta(minutes=1)) > 0  # and goes on from what was put back


def test_while_they_are_there_nothing_is_sealed(log, now, site):
    with pytest.raises(NotContinued):
        sealing.seal(site, now=now)


def test_the_lines_of_what_was_put_back_stay(log, now):
    older = [
        line
        for path in place(log).glob("*.jsonl")
        if path.name < "2999"
        for line in path.read_bytes().splitlines()
    ]
    assert older
    aside(log, now)
    left = b"".join(path.read_bytes() for path in place(log).glob("*.jsonl"))
    assert left.splitlines() == older


def test_it_is_done_after_a_restore_alone_and_not_once_the_log_goes_on(log, now, site):
    aside(log, now)
    with pytest.raises(NothingToSetAside, match="No kept checkpoint"):
        aside(log, now + timedelta(seconds=1))
    sealing.seal(site, now=now + timedelta(minutes=1))
    keep(log, signed(log, sealing.size_of(log) + 5, now))
    with pytest.raises(NothingToSetAside, match="has been signed since"):
        aside(log, now + timedelta(minutes=2))
    with pytest.raises(NotContinued):
        sealing.seal(site, now=now + timedelta(minutes=3))


def test_without_a_restore_a_log_that_was_cut_hides_nothing(site, now):
    log = sealing.log_of(site)
    sealing.seal(site, now=now)
    keep(log, signed(log, sealing.size_of(log) + 5, now))
    with pytest.raises(NothingToSetAside, match="notes no restore"):
        aside(log, now)
    assert not list(place(log).glob("*.set-aside"))


def test_an_older_line_that_contradicts_the_log_is_no_restore(log, now):
    older = min(place(log).glob("*.jsonl"))
    wrong = signed(log, sealing.size_of(log), now, root=b"another tree")
    older.write_bytes(line_of(wrong))
    with pytest.raises(NotContinued, match="which is no newer than it"):
        aside(log, now)


def test_it_wants_a_reason(log, now):
    with pytest.raises(ReasonRequired):
        aside(log, now, reason="  ")


def test_what_cannot_be_moved_is_not_noted(log, now, monkeypatch):
    def refused(path, length):
        raise PermissionError(1, "Operation not permitted", str(path))

    monkeypatch.setattr(outside.os, "truncate", refused)
    with pytest.raises(CheckpointNotKept, match="as the owner of the folder"):
        aside(log, now)
    assert not HouseEvent.objects.filter(kind="checkpoints_set_aside").exists()


def test_the_command_says_where_they_are(log, now, capsys):
    call_command("audit", "set-aside", "--reason", REASON)
    assert "2 checkpoints over" in capsys.readouterr().out
    with pytest.raises(CommandError, match=r"\(nothing_to_set_aside\)"):
        call_command("audit", "set-aside", "--reason", REASON)
    (found,) = place(log).glob("*.set-aside")
    assert [json.loads(line) for line in found.read_text().splitlines()[1:]]
