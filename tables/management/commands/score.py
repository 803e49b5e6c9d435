"""`manage.py score`: rounds in, settlements out, one JSON object a line, without the database.

The form of both is section 9 of docs/rules.md. Lines are read, scored and written one by one, so that a file of any
length takes the same memory. The rules themselves are `tables.rules`.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from django.core.management.base import BaseCommand, CommandError

from tables.rules.errors import BadJson, BadSheet, RuleError
from tables.rules.explanation import explain
from tables.rules.rounds import Library, library, parse_round, parse_sheet, score

# A round of four hands has some 600 characters; a line beyond this is not a round, and is not kept in memory.
LONGEST_LINE = 64 * 1024


class Command(BaseCommand):
    help = "Scores rounds, one JSON object a line, and writes their settlements."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument(
            "rounds", nargs="?", metavar="ROUNDS.jsonl", help="standard input where it is not named"
        )
        parser.add_argument(
            "--sheet", action="append", default=[], metavar="FILE.toml", help="a further sheet"
        )
        parser.add_argument("--explain", action="store_true", help="write for people instead of programs")

    def handle(self, *, rounds: str | None, sheet: list[str], explain: bool, **options: Any) -> None:
        """Score every line; raise CommandError (exit status 1) at the end if any was refused."""
        sheets = _loaded(sheet)
        answer = _explained if explain else _answered
        if rounds is None:
            refused, count = self._score_all(sys.stdin.buffer, sheets, answer)
        else:
            try:
                with Path(rounds).open("rb") as lines:
                    refused, count = self._score_all(lines, sheets, answer)
            except OSError as fault:
                raise CommandError(f"{rounds}: {fault.strerror}") from fault
        if refused:
            raise CommandError(f"{refused} of {count} rounds refused")

    def _score_all(self, lines: IO[bytes], sheets: Library, answer: Any) -> tuple[int, int]:
        refused = count = 0
        for line in _short_lines(lines):
            count += 1
            try:
                text = answer(_value(line), sheets)
            except RuleError as fault:
                refused += 1
                text = json.dumps({"error": fault.message, "code": fault.code})
            self.stdout.write(text)
        return refused, count


def _loaded(files: list[str]) -> Library:
    sheets = library()
    for name in files:
        try:
            sheets = sheets.with_sheet(parse_sheet(Path(name).read_bytes(), name))
        except OSError as fault:
            raise CommandError(f"{name}: {fault.strerror}") from fault
        except BadSheet as fault:
            raise CommandError(fault.message) from fault
    return sheets


def _short_lines(lines: IO[bytes]) -> Iterator[bytes | None]:
    """Every line that is not blank; None for one that is too long."""
    while line := lines.readline(LONGEST_LINE):
        if len(line) < LONGEST_LINE or line.endswith(b"\n"):
            if not line.isspace():
                yield line
            continue
        while line and not line.endswith(b"\n"):
            line = lines.readline(LONGEST_LINE)
        yield None


def _value(line: bytes | None) -> object:
    if line is None:
        raise BadJson(f"a round has at most {LONGEST_LINE} bytes")
    try:
        return json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as fault:  # ValueError: not UTF-8, not JSON, or a number without end
        raise BadJson("not a line of JSON") from fault


def _answered(value: object, sheets: Library) -> str:
    return score(parse_round(value, sheets)).as_text()


def _explained(value: object, sheets: Library) -> str:
    return explain(score(parse_round(value, sheets))) + "\n"
