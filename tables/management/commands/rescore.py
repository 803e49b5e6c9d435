"""`manage.py rescore`: settled rounds of a period, scored again and compared with what was recorded."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from tables.log.rescoring import rescore, settlements
from tables.models import Table


def day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is no day like 2026-11-20") from error


class Command(BaseCommand):
    help = "Score settled rounds again and report what comes out otherwise than recorded."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--from", dest="start", type=day, metavar="DAY", help="the first gaming day")
        parser.add_argument("--to", dest="end", type=day, metavar="DAY", help="the last gaming day, included")
        parser.add_argument("--table", type=int, metavar="N", help="the number of one table")
        parser.add_argument(
            "--every-line",
            action="store_true",
            help="compare every line and category too, by the hash of the answer, with the plain engine"
            " alone; takes longer",
        )

    def handle(
        self,
        *args: Any,
        start: date | None,
        end: date | None,
        table: int | None,
        every_line: bool,
        **options: Any,
    ) -> None:
        """Print every difference as it is found; raise CommandError (exit status 1) if there was one."""
        if start and end and end < start:
            raise CommandError(f"{start} to {end} is no period: the first day comes first.")
        if table is not None and not Table.objects.filter(number=table).exists():
            raise CommandError(f"There is no table {table}.")
        found = settlements(start, end, table)
        count = at_once = differing = of_other_rules = 0
        with tqdm(total=found.count(), unit="settlement", disable=not self.stderr.isatty()) as bar:
            for part in rescore(found, plain=every_line):
                count += part.settlements
                at_once += part.at_once
                for difference in part.differences:
                    differing += difference.settled.by_these_rules
                    of_other_rules += not difference.settled.by_these_rules
                    bar.clear()
                    self.stdout.write("\n  ".join([f"{difference.settled}:", *difference.sentences]))
                bar.update(part.settlements)
        self.stdout.write(f"{count} settlements scored again, {at_once} of them in the batch form.")
        if of_other_rules:
            self.stdout.write(
                f"{of_other_rules} that another version of the rules settled come out otherwise today,"
                " as they may."
            )
        if differing:
            raise CommandError(f"{differing} of {count} settlements come out differently than recorded.")
        self.stdout.write("All others agree." if of_other_rules else "All agree.")
