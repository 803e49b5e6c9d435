"""`manage.py make_paper`: make one paper that was asked for. The server starts it; nobody else needs to."""

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ledger.models import KeptPaper
from ledger.proof.log import making_papers


class Command(BaseCommand):
    help = "Make a paper that the server has taken up (it starts this itself)."
    requires_system_checks: tuple[str, ...] = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("paper", type=int, help="its row")

    def handle(self, *, paper: int, **options: Any) -> None:
        """Make it; whatever goes wrong is noted with the paper."""
        found = KeptPaper.objects.select_related("asked__actor", "site").filter(pk=paper).first()
        if found is None or found.state != KeptPaper.State.MAKING:
            raise CommandError("This paper is not being made (paper_ended)")
        making_papers.make(found)
