"""Make a backup of the open house, or restore one: database, checkpoints, own sheets and papers. Both are
logged. Signing key, SECRET_KEY and passwords are not in it: with both, anybody could write another past."""

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
from ledger.db import snapshots
from ledger.errors import CheckpointsUnreadable
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.journal.particulars import houses
from ledger.proof.audit.kept import tree_in
from ledger.proof.log import outside, sealing, tree, verifying

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
        databases.copy_to(making)
        for folder, source in _folders():
            if source.is_dir():
                _copy_folder(source, making / folder)
            else:
                say(f"No {folder} are in it: there is no folder {source}.")
        files = manifest.hashes(making)
        backup = manifest.BackupManifest(
            now.isoformat(), connection.vendor, sizes, version, manifest.migrations(), files
        )
        backup.write(making)
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
    backup = manifest.read(folder)
    _require_fitting(folder, backup)
    databases.require_empty()
    databases.require_may_create()
    databases.put_back(folder)
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


def _note_restored(site: Any, backup: manifest.BackupManifest, act: Act, say: Callable[[str], None]) -> None:
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


def _require_fitting(folder: Path, backup: manifest.BackupManifest) -> None:
    if manifest.hashes(folder) != backup.files:
        raise CommandError(f"{folder}: its files are not those that its manifest names. Take another backup.")
    if backup.database != connection.vendor:
        raise CommandError(
            f"This is a backup of {backup.database}, and DATABASE_URL names {connection.vendor}."
        )
    if backup.migrations != manifest.migrations():
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
