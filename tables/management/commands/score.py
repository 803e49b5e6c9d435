"""`manage.py score`: rounds in, settlements out, one JSON object a line, without the database.

The form of both is section 9 of docs/rules.md. The lines of one read are answered before the next read, so a
file of any length takes the same memory, and a typed or piped round is answered at once."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tables.rules.errors import BadJson, BadSheet, RuleError
from tables.rules.game.rounds import Library, RoundScore, Sheet, library, parse_round, parse_sheet, score
from tables.rules.game.strict_json import BadJsonText, read_json
from tables.rules.words.explanation import explain

# A round of four hands has some 600 characters; a line beyond this is not a round, and is not kept in memory.
LONGEST_LINE = 64 * 1024
# What one read brings at most: a hundred rounds and more.
MOST_AT_ONCE = 64 * 1024


class Command(BaseCommand):
    help = "Scores rounds, one JSON object a line, and writes their settlements."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "rounds", nargs="?", metavar="ROUNDS.jsonl", help="standard input where it is not named"
        )
        parser.add_argument(
            "--sheet", action="append", default=[], metavar="FILE.toml", help="a further sheet"
        )
        parser.add_argument("--explain", action="store_true", help="write for people instead of programs")

    def handle(self, *, rounds: str | None, sheet: list[str], explain: bool, **options: Any) -> None:
        """Score every line; raise CommandError (exit status 1) at the end if any was refused."""
        (sheets, _), as_text = loaded(sheet), _explained if explain else RoundScore.as_text
        if rounds is None:
            refused, count = self._score_all(sys.stdin.buffer, sheets, as_text)  # type: ignore[arg-type]
        else:
            try:
                with Path(rounds).open("rb") as stream:
                    refused, count = self._score_all(stream, sheets, as_text)
            except OSError as fault:
                raise CommandError(f"{rounds}: {fault.strerror}") from fault
        if refused:
            raise CommandError(f"{refused} of {count} rounds refused")

    def _score_all(
        self, stream: BufferedReader, sheets: Library, as_text: Callable[[RoundScore], str]
    ) -> tuple[int, int]:
        refused = count = 0
        for lines in _lines_at_hand(stream):
            answers = []
            for line in lines:
                try:
                    answers.append(as_text(score(parse_round(_value(line), sheets))))
                except RuleError as fault:
                    refused += 1
                    answers.append(json.dumps({"error": fault.message, "code": fault.code}))
            count += len(answers)
            if answers:
                self.stdout.write("\n".join(answers))
                self.stdout.flush()
        return refused, count


def loaded(files: list[str]) -> tuple[Library, list[Sheet]]:
    """Return the built-in sheets with those of files, and these alone. Raises CommandError."""
    sheets, own = library(), []
    for name in files:
        try:
            own.append(parse_sheet(Path(name).read_bytes(), name))
            sheets = sheets.with_sheet(own[-1])
        except OSError as fault:
            raise CommandError(f"{name}: {fault.strerror}") from fault
        except BadSheet as fault:
            raise CommandError(fault.message) from fault
    return sheets, own


def _lines_at_hand(stream: BufferedReader) -> Iterator[list[bytes | None]]:
    """The lines that each read ends, without those that are blank; None for one that is too long."""
    begun, too_long = b"", False
    while read := stream.read1(MOST_AT_ONCE):
        *ended, begun = (begun + read).split(b"\n")
        lines: list[bytes | None] = []
        for line in ended:
            if too_long or len(line) >= LONGEST_LINE:
                lines.append(None)
            elif line.strip():
                lines.append(line)
            too_long = False
        if len(begun) >= LONGEST_LINE:
            begun, too_long = b"", True
        yield lines
    if too_long or begun.strip():
        yield [None if too_long else begun]


def _value(line: bytes | None) -> object:
    if line is None:
        raise BadJson(f"a round has at most {LONGEST_LINE} bytes")
    try:
        return read_json(line.decode("utf-8"))
    except UnicodeDecodeError as fault:
        raise BadJson("the line can't be read: it is not UTF-8") from fault
    except BadJsonText as fault:
        raise BadJson(f"the line can't be read: {fault}") from fault


def _explained(result: RoundScore) -> str:
    return explain(result) + "\n"
