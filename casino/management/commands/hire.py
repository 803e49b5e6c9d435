"""`manage.py hire`: add the first manager of a real house, or anybody else."""

import getpass
import sys
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from casino import roles
from casino.models import Staff
from casino.sign_in import noting
from ledger.journal.acts import Act


class Command(BaseCommand):
    help = "Add a member of staff with roles. The password is asked for, or read from standard input."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--role", action="append", required=True, choices=sorted(roles.ROLES))

    def handle(self, *args: Any, username: str, role: list[str], **options: Any) -> None:
        if Staff.objects.filter(username__iexact=username).exists():
            raise CommandError(f"There is somebody called {username} already.")
        person = Staff(username=username)
        password = asked_password()
        try:
            person.full_clean(exclude=["password"])
            validate_password(password, person)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        person.set_password(password)
        act = Act(actor=None, now=timezone.now(), terminal=noting.command_line())
        try:
            with transaction.atomic(), noting.acting(act):
                person.save()
                for name in role:
                    roles.assign(person, name)
        except roles.RolesConflict as conflict:
            raise CommandError(conflict.message) from conflict
        self.stdout.write(f"{username} works here as {' and '.join(sorted(role))}.")


def asked_password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    password = getpass.getpass("Password: ")
    if password != getpass.getpass("Again: "):
        raise CommandError("The two passwords differ.")
    return password
