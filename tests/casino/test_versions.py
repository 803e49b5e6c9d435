"""A house of each released version goes on with this one: its database is upgraded, says the same and
verifies, its export still does. What is kept of a version was made by it, with tools/keep_version.py."""

import contextlib
import hashlib
import shutil
import sqlite3
import subprocess
import sys
import tarfile

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from casino.backups import copies
from tables.audit import zipapp
from tests.support.changed_exports import members_of
from tests.support.elsewhere import run
from tests.support.lengths import LONG

KEPT = settings.BASE_DIR / "tests" / "versions"
VERSIONS = sorted(folder.name for folder in KEPT.iterdir() if folder.is_dir())
OWN = ("casino_", "ledger_", "tables_")
RIGHT = "The books are what was recorded, sealed and signed."


def test_there_is_a_version_to_upgrade_from():
    assert VERSIONS


@pytest.mark.parametrize("version", VERSIONS)
def test_the_migrations_of_a_released_version_stay_as_they_are(version):
    """A house ran them: what the next version changes is another migration."""
    for line in (KEPT / version / "migrations.txt").read_text().splitlines():
        digest, path = line.split(maxsplit=1)
        assert hashlib.sha256((settings.BASE_DIR / path).read_bytes()).hexdigest() == digest, path


@pytest.fixture(params=VERSIONS)
def old_house(request, elsewhere, tmp_path):
    """The database of a house of this version put into `elsewhere`; its backup."""
    with tarfile.open(KEPT / request.param / f"{connection.vendor}.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    backup = tmp_path / "house"
    if connection.vendor == "sqlite":
        database = elsewhere.folder / "room.sqlite3"
        (backup / copies.FILES["sqlite"]).rename(database)
        database.chmod(0o600)
    else:
        dump = str(backup / copies.FILES["postgresql"])
        url = f"--dbname={elsewhere.environment['DATABASE_URL']}"
        subprocess.run(["pg_restore", *copies.NOBODYS, "--exit-on-error", url, dump], check=True)
    shutil.copytree(backup / "checkpoints", elsewhere.folder / "checkpoints")
    elsewhere.environment["CASINO_DEMO"] = "1"
    elsewhere.environment["AUDIT_KEY"] = (backup / "audit_key").read_text().strip()
    return backup


@pytest.mark.django_db(transaction=True, databases=["default", "reading"])
def test_a_house_is_upgraded_and_seals_on_and_verifies(old_house, elsewhere, tmp_path):
    """Today's program reads no older tables, so before the upgrade their rows are kept: each of them says the
    same afterwards, and is verified there against the log and the checkpoint that the house had then. After
    sealing on it is verified once more as it is in the long form, in the short one with a changed payment."""
    (kept,) = old_house.glob("checkpoint-*.txt")
    verified = ("audit", "verify", "--full", "--checkpoint", str(kept))
    with opened(elsewhere) as house:
        before = rows_of(house, columns_of(house))
    assert sum(map(len, before.values())) > 1_000
    assert run(elsewhere, "prepare") == (0, "")
    with opened(elsewhere) as house:
        after = rows_of(house, before)
    assert [table for table in before if before[table] != after[table]] == []
    status, said = run(elsewhere, *verified)
    assert (status, RIGHT in said) == (0, True), said
    status, said = run(elsewhere, "audit", "export", "-o", str(tmp_path / "export.zip"))
    assert status == 0, said
    assert checked_offline(tmp_path / "export.zip", tmp_path) == 0
    assert run(elsewhere, "audit", "seal") == (0, "1 records sealed.\n")
    if LONG:
        assert run(elsewhere, *verified)[0] == 0
    change_a_payment(elsewhere)
    status, said = run(elsewhere, *verified)
    assert (status, "WRONG" in said) == (1, True), said


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("of", ["its own time", "today"])
def test_an_export_of_a_released_version_is_right_for_the_verifier(version, of, tmp_path):
    """The one that was handed out with it, before any upgrade, and that of this version."""
    export = KEPT / version / "export.zip"
    own = members_of(export.read_bytes())["verify.pyz"]
    assert own != zipapp.verifier_bytes()
    assert checked_offline(export, tmp_path, own if of == "its own time" else None) == 0


@contextlib.contextmanager
def opened(elsewhere):
    """The database of the house as it lies there, without the program."""
    if connection.vendor == "sqlite":
        with contextlib.closing(sqlite3.connect(elsewhere.folder / "room.sqlite3")) as database:
            yield database
    else:
        with psycopg.connect(elsewhere.environment["DATABASE_URL"]) as database:
            yield database


def columns_of(house):
    """The columns of each table of the house."""
    listed = "SELECT table_name, column_name FROM information_schema.columns"
    if connection.vendor == "sqlite":
        listed = (
            "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'"
        )
    columns = {}
    for table, column in house.execute(listed):
        if table.startswith(OWN):
            columns.setdefault(table, []).append(column)
    return [(table, tuple(found)) for table, found in columns.items()]


def rows_of(house, asked):
    """What these columns of each table say, row by row."""
    found = {}
    for table, columns in asked:
        listed = ", ".join(f'"{column}"' for column in columns)
        found[table, columns] = sorted(map(repr, house.execute(f'SELECT {listed} FROM "{table}"')))
    return found


def change_a_payment(elsewhere):
    """Behind the triggers, as somebody with the database's password can."""
    change = "UPDATE ledger_transfer SET cents = cents + 1 WHERE id = (SELECT max(id) FROM ledger_transfer)"
    if connection.vendor == "sqlite":
        with contextlib.closing(sqlite3.connect(elsewhere.folder / "room.sqlite3")) as database:
            database.execute("DROP TRIGGER ledger_transfer_no_update")
            database.execute(change)
            database.commit()
    else:
        with psycopg.connect(elsewhere.environment["DATABASE_URL"]) as database:
            database.execute("SET session_replication_role = replica")
            database.execute(change)


def checked_offline(export, folder, verifier=None):
    """Run a verify.pyz, today's, on an export as somebody outside the house does; return its exit status."""
    (folder / "verify.pyz").write_bytes(verifier or zipapp.verifier_bytes())
    command = [sys.executable, "-I", "-S", str(folder / "verify.pyz"), str(export)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(done.stdout[-2000:], done.stderr[-2000:])
    return done.returncode
