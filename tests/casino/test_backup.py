"""A backup is made while the house plays, restored into an empty place on both databases, and verifies."""

import contextlib
import errno
import io
import os
import shutil
import sqlite3
import stat
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, connections

from casino.backups import copies
from casino.serving.system import program
from ledger.models import HouseEvent, JournalEntry
from ledger.proof.log import sealing
from tests.support.elsewhere import run
from tests.support.serving import KEY

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "reading"])


@pytest.fixture(autouse=True)
def _umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def night(tonight, settings, tmp_path):
    settings.HOUSE_SHEETS, settings.PAPERS = tmp_path / "sheets", tmp_path / "papers"
    settings.HOUSE_SHEETS.mkdir()
    (settings.HOUSE_SHEETS / "own.toml").write_text("code = 'own'")
    (settings.PAPERS / "house-1" / "2026-03-07").mkdir(parents=True)
    (settings.PAPERS / "house-1" / "2026-03-07" / "journal.csv").write_text("entry\n")
    (settings.PAPERS / "house-1" / ".unfinished-x").mkdir()
    game, _ = tonight
    game.play()
    sealing.seal(game.site, now=datetime.now(UTC))
    return game


def backed_up(into):
    call_command("backup", str(into), stdout=io.StringIO())
    (made,) = into.iterdir()
    return made


def test_papers_that_get_their_name_meanwhile_stop_no_backup(night, tmp_path, monkeypatch):
    """Their folder is listed under its old name, and missing once it is read."""

    def found(look):
        def look_into(path="."):
            if ".unfinished-x" in str(path):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
            return look(path)

        return look_into

    monkeypatch.setattr(os, "scandir", found(os.scandir))
    monkeypatch.setattr(os, "listdir", found(os.listdir))
    assert (backed_up(tmp_path / "backups") / "papers/house-1/2026-03-07/journal.csv").exists()


def test_a_backup_is_readable_by_its_owner_alone_and_has_no_key(night, tmp_path):
    made = backed_up(tmp_path / "backups")
    files = {path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()}
    assert files == {
        copies.FILES[connection.vendor],
        f"checkpoint-{night.site.pk}.txt",
        "manifest.json",
        "sheets/own.toml",
        "papers/house-1/2026-03-07/journal.csv",
    }
    for path in [made, *made.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert not any(KEY.encode() in path.read_bytes() for path in made.rglob("*") if path.is_file())
    assert copies.read(made).houses == {night.site.name: sealing.latest(sealing.log_of(night.site)).size}
    assert HouseEvent.objects.get(kind="backed_up").data["folder"] == made.name


def test_a_folder_that_is_not_there_is_named(settings, tmp_path, capsys):
    """As where a backup by hand runs in another environment than the house."""
    settings.HOUSE_SHEETS, settings.PAPERS = tmp_path / "sheets", tmp_path / "papers"
    settings.PAPERS.mkdir()
    call_command("backup", str(tmp_path / "backups"))
    said = capsys.readouterr().out
    assert f"No sheets are in it: there is no folder {settings.HOUSE_SHEETS}." in said
    assert "No papers" not in said


@contextlib.contextmanager
def there(processes):
    """A function that queries the restored database, and its file on SQLite."""
    url = processes.environment["DATABASE_URL"]
    file = Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite") else None
    with contextlib.closing(sqlite3.connect(file) if file else psycopg.connect(url)) as database:
        yield lambda sql: database.execute(sql).fetchone()[0], file


def test_a_backup_made_in_the_middle_of_play_is_restored_into_an_empty_place_and_verifies_there(
    night, tmp_path, elsewhere
):
    stop = threading.Event()

    def play():
        with contextlib.closing(connections["default"]):
            while not stop.is_set():
                night.play()

    playing = threading.Thread(target=play)
    playing.start()
    try:
        before = JournalEntry.objects.count()
        while JournalEntry.objects.count() < before + 4:
            pass
        made = backed_up(tmp_path / "backups")
    finally:
        stop.set()
        playing.join()
    status, said = run(elsewhere, "restore", str(made))
    assert status == 0, said
    assert said.endswith("Restored and verified. The log says so; everybody signs in again.\n")
    assert (elsewhere.folder / "sheets" / "own.toml").exists()
    with there(elsewhere) as (ask, file):
        assert ask("SELECT kind FROM ledger_houseevent ORDER BY id DESC LIMIT 1") == "restored"
        assert ask("SELECT count(*) FROM django_session") == 0
        assert file is None or stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_backup_that_was_changed_is_refused_before_anything_is_restored(night, tmp_path):
    made = backed_up(tmp_path / "backups")
    (made / "sheets" / "own.toml").write_text("code = 'other'")
    with pytest.raises(CommandError, match="not those that its manifest names"):
        call_command("restore", str(made))


def test_a_backup_of_another_version_or_of_nothing_is_refused(night, tmp_path, monkeypatch):
    made = backed_up(tmp_path / "backups")
    with pytest.raises(CommandError, match="has tables already"):
        call_command("restore", str(made))
    monkeypatch.setattr(copies, "migrations", lambda: ["ledger.0099_later"])
    with pytest.raises(CommandError, match=f"Version {program()['version']} of the program"):
        call_command("restore", str(made))
    with pytest.raises(CommandError, match="it is no backup"):
        call_command("restore", str(tmp_path))


def test_books_that_were_changed_in_the_backup_are_named(night, tmp_path, elsewhere):
    made = backed_up(tmp_path / "backups")
    if connection.vendor == "postgresql":
        shutil.rmtree(made)  # PostgreSQL's dump cannot be edited
        return
    change_books(made)
    sign_again(made)
    status, said = run(elsewhere, "restore", str(made))
    assert status == 1
    assert "WRONG" in said
    assert "let nobody work in it" in said
    assert Path(elsewhere.folder / "room.sqlite3").exists()


def change_books(made):
    with contextlib.closing(sqlite3.connect(made / "database.sqlite3")) as copy:
        copy.execute("DROP TRIGGER ledger_transfer_no_update")
        copy.execute("UPDATE ledger_transfer SET cents = cents + 1")
        copy.commit()


def sign_again(made, **changed):
    """Rewrite the manifest, as anybody who can change a backup can."""
    said = copies.read(made)
    replace(said, files=copies.hashes(made), **changed).write(made)


@pytest.mark.parametrize(
    "changed",
    [pytest.param(True, id="changed books"), pytest.param(False, id="true books", marks=pytest.mark.long)],
)
def test_a_backup_whose_checkpoint_was_taken_out_is_not_called_verified(night, tmp_path, elsewhere, changed):
    made = backed_up(tmp_path / "backups")
    if changed and connection.vendor == "sqlite":
        change_books(made)
    (made / f"checkpoint-{night.site.pk}.txt").unlink()
    sign_again(made)
    status, said = run(elsewhere, "restore", str(made))
    assert status == 1, said
    assert (
        f"checkpoint-{night.site.pk}.txt: No such file or directory. A backup without it proves nothing."
        in said
    )
    assert "Restored and verified" not in said
    with there(elsewhere) as (ask, _):
        assert ask("SELECT count(*) FROM ledger_houseevent WHERE kind = 'restored'") == 0
        assert ask("SELECT count(*) FROM django_session") == 0


def test_a_manifest_without_the_house_or_with_another_size_of_its_log_is_refused(night, tmp_path, elsewhere):
    made = backed_up(tmp_path / "backups")
    size = copies.read(made).houses[night.site.name]
    sign_again(made, houses={night.site.name: size - 1})
    status, said = run(elsewhere, "restore", str(made))
    assert (status, "(other_checkpoint)" in said) == (1, True), said


@pytest.mark.long
def test_a_manifest_that_names_other_houses_is_refused(night, tmp_path, elsewhere):
    made = backed_up(tmp_path / "backups")
    sign_again(made, houses={})
    status, said = run(elsewhere, "restore", str(made))
    assert (status, "names other houses" in said) == (1, True), said


def test_a_house_whose_log_was_never_signed_has_no_backup_yet(tonight, tmp_path):
    with pytest.raises(CommandError, match=r"run `manage\.py audit seal` first"):
        call_command("backup", str(tmp_path / "backups"), stdout=io.StringIO())
    assert not any((tmp_path / "backups").iterdir())


@pytest.mark.long
def test_what_a_restore_means_for_checkpoints_that_left_the_house(night, tmp_path, elsewhere, settings):
    """As in docs/operations.md: the checkpoint folder and somebody outside know more than the backup."""
    settings.CHECKPOINTS = tmp_path / "kept"
    elsewhere.environment["CASINO_CHECKPOINTS"] = str(settings.CHECKPOINTS)
    older = left_the_house(night, tmp_path / "older")
    made = backed_up(tmp_path / "backups")
    night.play()
    newer = left_the_house(night, tmp_path / "newer")
    status, said = run(elsewhere, "restore", str(made))
    assert (status, "`manage.py audit set-aside` has moved them aside" in said) == (0, True), said
    status, said = run(elsewhere, "audit", "seal")
    assert (status, "not_continued" in said) == (1, True), said
    status, said = run(elsewhere, "audit", "set-aside", "--reason", "The disk of the server was lost")
    assert status == 0, said
    status, said = run(elsewhere, "audit", "seal")
    assert status == 0, said
    status, said = run(elsewhere, "audit", "verify", "--checkpoint", str(older))
    assert status == 0, said
    for code, more in (
        ("log_cut", 0),
        ("other_tree", 3),
    ):  # the new branch is shorter at first, then longer
        for _ in range(more):
            assert run(elsewhere, "audit", "checkpoint")[0] == 0  # a record each
        assert run(elsewhere, "audit", "seal")[0] == 0
        status, said = run(elsewhere, "audit", "verify", "--checkpoint", str(newer))
        assert (status, f"({code})" in said) == (1, True), said


def left_the_house(night, file):
    sealing.seal(night.site, now=datetime.now(UTC), whole=True)
    file.write_text(sealing.latest(sealing.log_of(night.site)).note)
    return file
