"""The state that a verification leaves for the next: trusted only if signed here, for this log as it is
now."""

import re
from contextlib import redirect_stdout
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.models import JournalEntry
from ledger.proof.audit.kept import folder_of
from ledger.proof.log import continuing, keys, sealing, verifying
from ledger.proof.log.continuing import OlderRecords
from tests.support.behind import behind_the_triggers
from tests.support.kept import kept
from tests.support.unsealing import files_of_the_log, put_back

pytestmark = pytest.mark.usefixtures("books_alone")


@kept
def verified(stocked, sell):
    """A first verification, after which there was another sale; and the log's files."""
    sell("first")
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(StringIO()) as said:
        for tables in ("_checks", "_rows"):
            patched.setattr(verifying, tables, [])
        call_command("audit", "verify")
    assert "No verification before this one has left its state." in said.getvalue()
    sell("second")
    return files_of_the_log()


@pytest.fixture
def path(stocked, verified, settings):
    """The state that the first verification has left."""
    put_back(verified)
    (found,) = states(stocked, settings)
    return found


def states(site, settings):
    return sorted(folder_of(settings.CHECKPOINTS, sealing.log_of(site).origin).glob("verified-*"))


def test_the_next_verification_goes_on_and_leaves_its_own_state(path, verify, stocked, settings):
    said = verify()
    assert "leaves were verified on" in said
    assert "        2  leaves\n" in said  # of the second sale, and of the first verification
    assert states(stocked, settings)[0] == path
    assert len(states(stocked, settings)) == 2


def test_a_full_verification_begins_at_the_first_leaf(path, verify):
    said = verify("--full")
    assert "were verified on" not in said
    assert "        2  leaves\n" not in said


def flipped(at):
    return lambda data: data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (flipped(5), "is not signed by the key of this log"),
        (flipped(300), "is not signed by the key of this log"),
        (flipped(-9), "is not what was signed"),
        (lambda data: data[:-1], "is not what was signed"),
        (lambda data: b"", "is not signed by the key of this log"),
    ],
)
def test_a_state_that_was_changed_is_not_gone_on_from(path, verify, change, why):
    path.write_bytes(change(path.read_bytes()))
    said = verify()
    assert why in said
    assert "Everything is verified." in said
    assert "were verified on" not in said


def test_a_state_that_another_key_has_signed_is_not_gone_on_from(path, verify, stocked, settings, now):
    log = sealing.log_of(stocked)
    state = continuing.newest(settings.CHECKPOINTS, log, keys.known_keys(log))
    continuing.write(settings.CHECKPOINTS, log, state, keys.Signer(log.origin, b"t" * 32), now=now)
    assert "is not signed by the key of this log" in verify()


def test_without_the_key_here_no_state_is_believed_but_by_the_fingerprint(path, verify, stocked, settings):
    key = keys.known_keys(sealing.log_of(stocked))[-1]
    settings.AUDIT_KEY_FILE.unlink()
    assert "is not signed by the key of this log" in verify()
    assert "were verified on" in verify("--key", key.fingerprint)


@pytest.mark.parametrize("mark", ["program", "database", "houses", "form"])
def test_a_state_of_another_program_database_or_house_is_not_gone_on_from(
    path, verify, stocked, settings, now, mark
):
    log = sealing.log_of(stocked)
    state = continuing.newest(settings.CHECKPOINTS, log, keys.known_keys(log))
    other = continuing.State(state.size, state.root, {**state.told, mark: "another"})
    continuing.write(settings.CHECKPOINTS, log, other, keys.own_signer(log), now=now)
    assert "Another version of the program" in verify()


@pytest.mark.parametrize(("size", "root"), [(1, b""), (0, b"r" * 32)])
def test_a_state_newer_than_the_log_or_of_another_history_is_not_gone_on_from(
    path, verify, stocked, settings, now, size, root
):
    log = sealing.log_of(stocked)
    state = continuing.newest(settings.CHECKPOINTS, log, keys.known_keys(log))
    path.unlink()
    other = continuing.State(state.size + 9 * size, root or state.root, state.told)
    continuing.write(settings.CHECKPOINTS, log, other, keys.own_signer(log), now=now)
    assert "does not continue the state" in verify()


def test_a_line_of_the_folder_that_was_changed_is_named_by_verifying_everything(path, verify):
    (lines,) = path.parent.glob("*.jsonl")
    lines.write_bytes(lines.read_bytes().replace(b"after 0", b"after 1", 1))
    said = verify()
    assert "The folder of checkpoints has changed. Everything was verified again." in said
    assert f"WRONG  {lines.name} line 1" in said


def test_a_folder_whose_older_files_were_moved_away_is_gone_on_from(path, verify):
    (lines,) = path.parent.glob("*.jsonl")
    lines.unlink()
    assert "were verified on" in verify()


def test_an_older_state_is_gone_on_from_too(path, verify, stocked, settings):
    old = path.read_bytes()
    verify()
    for state in states(stocked, settings):
        state.unlink()
    path.write_bytes(old)
    assert "        2  leaves\n" in verify()


def test_a_row_that_was_changed_since_is_named_by_verifying_everything(path, verify):
    entry = JournalEntry.objects.get(key="first")
    with behind_the_triggers("ledger_journalentry"):
        JournalEntry.objects.filter(pk=entry.pk).update(reason="another")
    said = verify()
    assert f"entry {entry.pk}: row and record differ: reason" in said
    (last,) = map(int, re.search(r"a row of ledger_journalentry up to (\d+)", said).groups())
    assert entry.pk <= last


def test_older_records_are_found_by_their_rows_without_going_through_the_leaves(stocked, sell):
    """Asked by number as well, SQLite would read every earlier leaf."""
    sold = [sell(name).pk for name in ("first", "second", "third")]
    log = sealing.log_of(stocked)
    with CaptureQueriesContext(connection) as asked:
        found = [
            body["id"] for body in OlderRecords(log, sealing.size_of(log) - 1).of([("entry", "chip_sale")])
        ]
    assert found == sold[:-1]
    of_leaves = [one["sql"] for one in asked if "ledger_leaf" in one["sql"]]
    assert of_leaves
    assert not [sql for sql in of_leaves if '"number" <' in sql or "ledger_auditrecord" in sql]
