"""The manifest of a backup: files with hashes, time, program and migrations, and the size of each log."""

import json
from dataclasses import asdict, dataclass, field
from hashlib import file_digest
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db.migrations.loader import MigrationLoader

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
