"""Make a backup of the house while it is open, and put one back into an empty place: the database at one moment, its checkpoints,
its own sheets and its papers. Both stay in the log.

The signing key, SECRET_KEY and passwords of databases are not in it: whoever had both could write another past.
"""

import os
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management.base import CommandError
from django.db import connection

from casino.backups import databases, manifest
from ledger.audit.kept import tree_in
from ledger.db import snapshots
from ledger.errors import CheckpointsUnreadable
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.journal.particulars import houses
from ledger.log import outside, sealing, tree, verifying

UNFINISHED = ".unfinished-"
TERMINAL = "command line"
STAYS = "The backup was put back as it is, to be looked at: let nobody work in it."


def _folders() -> tuple[tuple[str, Path], ...]:
    """What of the house lies beside its database: the name in a backup, and where it is."""
    return (("sheets", settings.HOUSE_SHEETS), ("papers", settings.PAPERS))


def make_backup(into: Path, *, now: datetime, say: Callable[[str], None]) -> Path:
    """Write a backup into a new folder below `into`, readable by its owner alone; return the folder, which is there once it is
    complete. That it was made is noted in the log. Whatever was not there to be copied is said."""
    os.umask(0o077)
    name = f"house-{now:%Y%m%dT%H%M%SZ}"
    making, made = into / f"{UNFINISHED}{name}", into / name
    if made.exists():
        raise CommandError(f"{made} is there already.")
    try:
        making.mkdir(parents=True)
        sizes = _checkpoints(making)
        databases.copy_to(making)
        for folder, source in _folders():
            if source.is_dir():
                _copy_folder(source, making / folder)
            else:
                say(f"No {folder} are in it: there is no folder {source}.")
        files = manifest.hashes(making)
        said = manifest.BackupManifest(
            now.isoformat(), connection.vendor, sizes, manifest.migrations(), files
        )
        said.write(making)
        making.rename(made)
    except OSError as error:
        raise CommandError(f"{making}: {error.strerror}") from None
    finally:
        shutil.rmtree(making, ignore_errors=True)
    act = Act(actor=None, now=now, terminal=TERMINAL)
    for site in houses():
        house_events.note(
            site, "backed_up", folder=name, database=files[databases.FILES[connection.vendor]], act=act
        )
    return made


def _checkpoints(folder: Path) -> dict[str, int]:
    """Write the newest checkpoint of each house beside its database, which then has it too; return the size of each log. Refuse
    (CommandError) where there is none yet: nothing could be said of such a backup once it is restored."""
    sizes = {}
    for site in houses():
        latest = sealing.latest(sealing.log_of(site))
        if latest is None:
            raise CommandError(f"The log of {site} has no checkpoint yet: run `manage.py audit seal` first.")
        sizes[site.name] = latest.size
        (folder / _checkpoint_of(site)).write_text(latest.note)
    return sizes


def _checkpoint_of(site: Any) -> str:
    """Return the name of the file in a backup that has the checkpoint of this house."""
    return f"checkpoint-{site.pk}.txt"


def _copy_folder(source: Path, target: Path) -> None:
    """Copy a folder's finished files, readable by their owner alone. A folder that is still being written is not looked into: it
    gets its name at any moment, and would not be found."""
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.iterdir()):
        if path.name.startswith(UNFINISHED):
            continue
        if path.is_dir():
            _copy_folder(path, target / path.name)
        elif path.is_file():
            shutil.copyfile(path, target / path.name)


def restore_backup(folder: Path, *, now: datetime, say: Callable[[str], None]) -> None:
    """Restore a backup: check its files, put them back, verify the books against the checkpoint that lies beside them, sign
    everybody out, and note it in the log. CommandError with whatever is wrong; what was put back then stays."""
    os.umask(0o077)
    said = manifest.read(folder)
    _require_fitting(folder, said)
    databases.require_empty()
    databases.require_may_create()
    databases.put_back(folder)
    for name, target in _folders():
        if (folder / name).is_dir():
            _copy_folder(folder / name, target)
    Session.objects.all().delete()
    sites = list(houses())
    if {site.name for site in sites} != said.houses.keys():
        raise CommandError(f"{folder}: its manifest names other houses than its database. {STAYS}")
    for site in sites:
        _verify(site, folder / _checkpoint_of(site), said.houses[site.name], say)
    act = Act(actor=None, now=now, terminal=TERMINAL)
    for site in sites:
        _note_restored(site, said, act, say)


def _note_restored(site: Any, said: manifest.BackupManifest, act: Act, say: Callable[[str], None]) -> None:
    """Note it in the log of a house, and say where kept checkpoints are newer than what was put back."""
    log = sealing.log_of(site)
    leaves = sealing.size_of(log)
    size = said.houses[site.name]
    house_events.note(site, "restored", made_at=said.made_at, checkpoint=size, leaves=leaves, act=act)
    try:
        newest = outside.folder(log).newest()
    except CheckpointsUnreadable as error:
        say(error.message)
        return
    if newest is not None and tree_in(newest, log.origin).size > leaves:
        say(
            f"{settings.CHECKPOINTS} has checkpoints of {site} that are newer than this backup. Nothing is sealed until"
            " `manage.py audit set-aside` has moved them aside."
        )


def _require_fitting(folder: Path, said: manifest.BackupManifest) -> None:
    """Refuse a backup that has changed, or that another database or version made."""
    if manifest.hashes(folder) != said.files:
        raise CommandError(f"{folder}: its files are not those that its manifest names. Take another backup.")
    if said.database != connection.vendor:
        raise CommandError(
            f"This is a backup of {said.database}, and DATABASE_URL names {connection.vendor}."
        )
    if said.migrations != manifest.migrations():
        raise CommandError(
            "Another version of the program made this backup: restore it with that one, then upgrade."
        )


def _verify(site: Any, checkpoint: Path, size: int, say: Callable[[str], None]) -> None:
    """Verify the books of a house as they are now, and that they continue the checkpoint of the backup, which has to be there and
    is one of their own. CommandError where anything is wrong."""
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
            f"WRONG  {checkpoint.name}: it is not the log's own checkpoint over {size} leaves (other_checkpoint)"
        )
    for line in found:
        say(line)
    if found:
        raise CommandError(f"{len(found)} wrong in {site}. {STAYS}")
