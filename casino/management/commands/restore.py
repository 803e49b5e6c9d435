"""`manage.py restore DIR`: put a backup back into an empty place."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from casino.backups.copies import restore_backup
from casino.serving.starting import only_server


class Command(BaseCommand):
    help = "Restore a backup into the empty database of DATABASE_URL, verify it, and record that in the log."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR")

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:
        with only_server():
            restore_backup(folder, now=timezone.now(), say=self.stdout.write)
        self.stdout.write("Restored and verified. The log says so; everybody signs in again.")
