"""`manage.py backup DIR`: copy the house while it is open."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from casino.backups.copies import make_backup
from casino.serving.system import program


class Command(BaseCommand):
    help = (
        "Copy the database, the house's sheets and its papers into a new folder, while the house is "
        "open. No key is copied."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR")

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:
        version = program()["version"]
        made = make_backup(folder, version=version, now=timezone.now(), say=self.stdout.write)
        key = "AUDIT_KEY" if settings.AUDIT_KEY else settings.AUDIT_KEY_FILE
        self.stdout.write(f"Keep elsewhere: the signing key ({key}) and SECRET_KEY. They are not in\n{made}")
