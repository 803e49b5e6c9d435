"""`manage.py rules`: the rules of games as pages of Markdown that a player can read, made from their sheets.

manage.py rules face-up               one game to the terminal; all of them where none is named
manage.py rules --sheet FILE.toml     a house's own
manage.py rules --write docs/rules    a file a game, and README.md that lists them
"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tables.management.commands.score import loaded
from tables.rules.errors import UnknownSheet
from tables.rules.game.rounds import Sheet, library
from tables.rules.words.described import described
from tables.rules.words.markdown import rules_index, rules_page


class Command(BaseCommand):
    help = "Writes the rules of games, made from their sheets, as pages to read and print."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "codes", nargs="*", metavar="CODE", help="a built-in game; all where none is named"
        )
        parser.add_argument(
            "--sheet", action="append", default=[], metavar="FILE.toml", help="a house's own sheet"
        )
        parser.add_argument("--write", metavar="FOLDER", help="a file a game, instead of the terminal")

    def handle(self, *, codes: list[str], sheet: list[str], write: str | None, **options: Any) -> None:
        """Render the named games; CommandError (exit status 1) for a missing or invalid sheet."""
        pages = [described(one) for one in _chosen(codes, sheet)]
        if write is None:
            self.stdout.write("\n".join(rules_page(page) for page in pages), ending="")
            return
        try:
            folder = Path(write)
            folder.mkdir(parents=True, exist_ok=True)
            for page in pages:
                (folder / f"{page.code}.md").write_text(rules_page(page), encoding="utf-8")
            (folder / "README.md").write_text(rules_index(pages), encoding="utf-8")
        except OSError as fault:
            raise CommandError(f"{write}: {fault.strerror}") from fault
        self.stdout.write(f"{len(pages)} games written to {write}")


def _chosen(codes: list[str], files: list[str]) -> list[Sheet]:
    _, own = loaded(files)
    try:
        named = [library().find(code) for code in codes]
    except UnknownSheet as fault:
        raise CommandError(fault.message) from fault
    return [*named, *own] or sorted(library().newest.values(), key=lambda sheet: sheet.title)
