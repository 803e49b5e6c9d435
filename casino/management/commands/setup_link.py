"""`manage.py setup_link`: print a new address for setting up a house."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from casino.house import first_start


class Command(BaseCommand):
    help = (
        "Print a fresh address at which a new house and its first manager are set up. It holds for an "
        "hour, once."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.DEMO:
            raise CommandError("A demo sets itself up.")
        if not first_start.wanted():
            raise CommandError("This house has been set up, or has a manager already.")
        self.stdout.write(first_start.address_of(first_start.make_link(timezone.now())))
