"""Make a backup of the house while it is open: the database at one moment, its checkpoints, its own sheets and its papers.

The signing key, SECRET_KEY and passwords of databases are not in it: whoever had both could write another past.
"""

import os
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection

from casino.backups import databases, manifest
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.log import sealing

UNFINISHED = ".unfinished-"
TERMINAL = "command line"


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
        houses = _checkpoints(making)
        databases.copy_to(making)
        for folder, source in (("sheets", settings.HOUSE_SHEETS), ("papers", settings.PAPERS)):
            if source.is_dir():
                copy_folder(source, making / folder)
            else:
                say(f"No {folder} are in it: there is no folder {source}.")
        files = manifest.hashes(making)
        said = manifest.BackupManifest(
            now.isoformat(), connection.vendor, houses, manifest.migrations(), files
        )
        said.write(making)
        making.rename(made)
    except OSError as error:
        raise CommandError(f"{making}: {error.strerror}") from None
    finally:
        shutil.rmtree(making, ignore_errors=True)
    for site in apps.get_model("ledger", "Site").objects.all():
        act = Act(actor=None, now=now, terminal=TERMINAL)
        house_events.note(
            site, "backed_up", folder=name, database=files[databases.FILES[connection.vendor]], act=act
        )
    return made


def _checkpoints(folder: Path) -> dict[str, int]:
    """Write the newest checkpoint of each house beside its database, which then has it too; return the size of each log."""
    sizes = {}
    for site in apps.get_model("ledger", "Site").objects.order_by("pk"):
        latest = sealing.latest(sealing.log_of(site))
        sizes[site.name] = latest.size if latest else 0
        if latest is not None:
            (folder / f"checkpoint-{site.pk}.txt").write_text(latest.note)
    return sizes


def copy_folder(source: Path, target: Path) -> None:
    """Copy a folder's finished files, readable by their owner alone."""
    for path in sorted(source.rglob("*")):
        inside = path.relative_to(source)
        if path.is_file() and not any(part.startswith(UNFINISHED) for part in inside.parts):
            (target / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / inside)
