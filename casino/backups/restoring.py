"""Put a backup back into an empty place, and hold what came of it against the log. That there was a restore stays in the log."""

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management.base import CommandError
from django.db import connection

from casino.backups import databases, manifest
from casino.backups.writing import TERMINAL, copy_folder
from ledger.db import snapshots
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.log import tree, verifying


def restore_backup(folder: Path, *, now: datetime, say: Callable[[str], None]) -> None:
    """Restore a backup: check its files, put them back, verify the books against the checkpoint that lies beside them, sign
    everybody out, and note it in the log. CommandError with what is wrong; what was put back then stays, to be looked at."""
    os.umask(0o077)
    said = manifest.read(folder)
    _require_fitting(folder, said)
    databases.require_empty()
    databases.put_back(folder)
    for name, target in (("sheets", settings.HOUSE_SHEETS), ("papers", settings.PAPERS)):
        if (folder / name).is_dir():
            copy_folder(folder / name, target)
    for site in apps.get_model("ledger", "Site").objects.order_by("pk"):
        _verify(site, folder / f"checkpoint-{site.pk}.txt", say)
    Session.objects.all().delete()
    for site in apps.get_model("ledger", "Site").objects.order_by("pk"):
        act = Act(actor=None, now=now, terminal=TERMINAL)
        size = said.houses.get(site.name, 0)
        house_events.note(site, "restored", made_at=said.made_at, checkpoint=size, act=act)


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


def _verify(site: object, checkpoint: Path, say: Callable[[str], None]) -> None:
    """Verify the books of a house as they are now, and that they continue the checkpoint of the backup."""
    kept = checkpoint.read_bytes() if checkpoint.exists() else None
    asked = verifying.Verification(site, outside=tree.Outside(kept))  # type: ignore[arg-type]
    with snapshots.snapshot():
        found = [f"WRONG  {finding} ({finding.code})" for finding in asked.run()]
    for line in found:
        say(line)
    if found and kept is not None:
        raise CommandError(
            f"{len(found)} wrong in {site}. The backup was put back as it is; nothing was changed in it."
        )
