"""Make a backup of the open house, or restore one: database, checkpoints, own sheets and papers. Both are
logged. Signing key, SECRET_KEY and passwords are not in it: with both, anybody could write another past."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import datetime
from hashlib import file_digest
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from ledger.db import snapshots
from ledger.errors import CheckpointsUnreadable
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.journal.particulars import houses
from ledger.proof.audit.kept import tree_in
from ledger.proof.log import outside, sealing, tree, verifying

FILES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
# PostgreSQL's tools read these instead of arguments, which everybody on the machine could see.
_ENVIRONMENT = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
}
NOBODYS = ("--no-owner", "--no-privileges")


def copy_to(folder: Path) -> None:
    """Write a consistent copy of the database into the folder, while others write."""
    target = folder / FILES[connection.vendor]
    if connection.vendor == "postgresql":
        _run("pg_dump", *NOBODYS, "--format=custom", f"--file={target}")
        return
    connection.ensure_connection()
    with contextlib.closing(sqlite3.connect(target)) as copy:
        connection.connection.backup(copy)  # in one step, so that it is one state
        copy.execute("PRAGMA journal_mode=DELETE")
        (found,) = copy.execute("PRAGMA integrity_check").fetchone()
    if found != "ok":
        raise CommandError(f"The copy of the database is damaged: {found}")


def require_empty() -> None:
    if connection.introspection.table_names():
        name = connection.settings_dict["NAME"]
        raise CommandError(
            f"{name} has tables already: a backup is restored into an empty place. Move it away first."
        )


def require_may_create() -> None:
    """Raise CommandError if this role may not create tables: roles are set up before a restore."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, has_schema_privilege(current_schema(), 'CREATE')")
        role, may = cursor.fetchone()
    if not may:
        raise CommandError(
            f"{role} may create no tables here: run the SQL of `manage.py audit roles` in this database "
            "first, and restore as the owner of its tables (docs/operations.md, Database roles)."
        )


def put_back(folder: Path) -> None:
    source = folder / FILES[connection.vendor]
    connection.close()
    if connection.vendor == "postgresql":
        name = str(connection.get_connection_params()["dbname"])
        once = ("--exit-on-error", "--single-transaction")
        _run("pg_restore", *NOBODYS, *once, f"--dbname={name}", str(source))
    else:
        path = Path(connection.settings_dict["NAME"])
        for more in ("", "-wal", "-shm"):  # left by the empty database that the connection made
            path.with_name(path.name + more).unlink(missing_ok=True)
        shutil.copyfile(source, path)
        path.chmod(0o600)


def _run(program: str, *arguments: str) -> None:
    params = connection.get_connection_params()
    given = {name: str(params[key]) for key, name in _ENVIRONMENT.items() if params.get(key)}
    try:
        done = subprocess.run(  # noqa: S603  (a program of PostgreSQL, whose arguments are ours)
            [program, *arguments], env=os.environ | given, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise CommandError(f"{program} is missing: install the client programs of PostgreSQL.") from None
    if done.returncode:
        raise CommandError(f"{program}: {' '.join(done.stderr.split())}")


NAME = "manifest.json"
FORM = 2


@dataclass(frozen=True, slots=True)
class BackupManifest:
    """`houses`: size of the log by house. `version`, `migrations`: of the program that wrote it."""

    made_at: str
    database: str
    houses: dict[str, int]
    version: str
    migrations: list[str]
    files: dict[str, str] = field(default_factory=dict)
    form: int = FORM

    def write(self, folder: Path) -> None:
        (folder / NAME).write_text(json.dumps(asdict(self), indent=1, sort_keys=True) + "\n")


def read(folder: Path) -> BackupManifest:
    """Read a folder's manifest. CommandError if there is none of this form."""
    try:
        fields: Any = json.loads((folder / NAME).read_text())
        if fields["form"] != FORM:
            raise ValueError(fields["form"])
        return BackupManifest(**fields)
    except (OSError, ValueError, TypeError, KeyError):
        raise CommandError(
            f"{folder} has no {NAME} that this program understands: it is no backup."
        ) from None


def hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file below the folder but the manifest, by its path."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != NAME)
    found = {}
    for path in files:
        with path.open("rb") as file:
            found[path.relative_to(folder).as_posix()] = file_digest(file, "sha256").hexdigest()
    return found


def migrations() -> list[str]:
    return sorted(f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations or ())


UNFINISHED = ".unfinished-"
TERMINAL = "command line"
STAYS = "The backup was put back as it is, to be looked at: let nobody work in it."


def _folders() -> tuple[tuple[str, Path], ...]:
    return (("sheets", settings.HOUSE_SHEETS), ("papers", settings.PAPERS))


def make_backup(into: Path, *, version: str, now: datetime, say: Callable[[str], None]) -> Path:
    """Write a backup into a new folder below `into`, readable by its owner alone, and note it in the log. The
    folder gets its name once it is complete. Missing folders are reported through `say`."""
    os.umask(0o077)
    name = f"house-{now:%Y%m%dT%H%M%SZ}"
    making, made = into / f"{UNFINISHED}{name}", into / name
    if made.exists():
        raise CommandError(f"{made} is there already.")
    try:
        making.mkdir(parents=True)
        sizes = _checkpoints(making)
        copy_to(making)
        for folder, source in _folders():
            if source.is_dir():
                _copy_folder(source, making / folder)
            else:
                say(f"No {folder} are in it: there is no folder {source}.")
        files = hashes(making)
        backup = BackupManifest(now.isoformat(), connection.vendor, sizes, version, migrations(), files)
        backup.write(making)
        making.rename(made)
    except OSError as error:
        raise CommandError(f"{making}: {error.strerror}") from None
    finally:
        shutil.rmtree(making, ignore_errors=True)
    act = Act(actor=None, now=now, terminal=TERMINAL)
    for site in houses():
        house_events.note(site, "backed_up", folder=name, database=files[FILES[connection.vendor]], act=act)
    return made


def _checkpoints(folder: Path) -> dict[str, int]:
    """Write each house's newest checkpoint beside the database; return the size of each log by house.
    CommandError if there is none yet: such a backup could not be verified once it is restored."""
    sizes = {}
    for site in houses():
        latest = sealing.latest(sealing.log_of(site))
        if latest is None:
            raise CommandError(f"The log of {site} has no checkpoint yet: run `manage.py audit seal` first.")
        sizes[site.name] = latest.size
        (folder / _checkpoint_of(site)).write_text(latest.note)
    return sizes


def _checkpoint_of(site: Any) -> str:
    return f"checkpoint-{site.pk}.txt"


def _copy_folder(source: Path, target: Path) -> None:
    """Copy a folder's finished files, readable by their owner alone. Others are renamed at any moment."""
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.iterdir()):
        if path.name.startswith(UNFINISHED):
            continue
        if path.is_dir():
            _copy_folder(path, target / path.name)
        elif path.is_file():
            shutil.copyfile(path, target / path.name)


def restore_backup(folder: Path, *, now: datetime, say: Callable[[str], None]) -> None:
    """Restore a backup, verify the books against its checkpoint, sign everybody out, and log it. CommandError
    with whatever is wrong; files already put back then stay."""
    os.umask(0o077)
    backup = read(folder)
    _require_fitting(folder, backup)
    require_empty()
    require_may_create()
    put_back(folder)
    for name, target in _folders():
        if (folder / name).is_dir():
            _copy_folder(folder / name, target)
    Session.objects.all().delete()
    sites = list(houses())
    if {site.name for site in sites} != backup.houses.keys():
        raise CommandError(f"{folder}: its manifest names other houses than its database. {STAYS}")
    for site in sites:
        _verify(site, folder / _checkpoint_of(site), backup.houses[site.name], say)
    act = Act(actor=None, now=now, terminal=TERMINAL)
    for site in sites:
        _note_restored(site, backup, act, say)


def _note_restored(site: Any, backup: BackupManifest, act: Act, say: Callable[[str], None]) -> None:
    """Note it in the log of a house; warn if newer checkpoints exist outside the backup."""
    log = sealing.log_of(site)
    leaves = sealing.size_of(log)
    size = backup.houses[site.name]
    house_events.note(site, "restored", made_at=backup.made_at, checkpoint=size, leaves=leaves, act=act)
    try:
        newest = outside.folder(log).newest()
    except CheckpointsUnreadable as error:
        say(error.message)
        return
    if newest is not None and tree_in(newest, log.origin).size > leaves:
        say(
            f"{settings.CHECKPOINTS} has checkpoints of {site} that are newer than this backup. Nothing is "
            "sealed until `manage.py audit set-aside` has moved them aside."
        )


def _require_fitting(folder: Path, backup: BackupManifest) -> None:
    if hashes(folder) != backup.files:
        raise CommandError(f"{folder}: its files are not those that its manifest names. Take another backup.")
    if backup.database != connection.vendor:
        raise CommandError(
            f"This is a backup of {backup.database}, and DATABASE_URL names {connection.vendor}."
        )
    if backup.migrations != migrations():
        raise CommandError(
            f"Version {backup.version} of the program made this backup: restore it with that one, then"
            " upgrade."
        )


def _verify(site: Any, checkpoint: Path, size: int, say: Callable[[str], None]) -> None:
    """Verify a house's books, and that they extend the backup's own checkpoint (CommandError)."""
    try:
        kept = checkpoint.read_bytes()
    except OSError as error:
        raise CommandError(
            f"{checkpoint}: {error.strerror}. A backup without it proves nothing. {STAYS}"
        ) from None
    asked = verifying.Verification(site, outside=tree.Outside(kept))
    with snapshots.snapshot():
        found = [f"WRONG  {finding} ({finding.code})" for finding in asked.run()]
    signed = sealing.note_over(sealing.log_of(site), size)
    if signed is None or signed.encode() != kept:
        found.append(
            f"WRONG  {checkpoint.name}: it is not the log's own checkpoint over {size} leaves "
            "(other_checkpoint)"
        )
    for line in found:
        say(line)
    if found:
        raise CommandError(f"{len(found)} wrong in {site}. {STAYS}")
