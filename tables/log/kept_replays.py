"""A replay made beside the night's work and kept: every seat of its rounds as CSV, with progress."""

from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any

from ledger.journal.acts import Act
from ledger.money import amount_text, exact_cents
from ledger.proof.log import keeping_papers
from ledger.reports.trial_balance import Amount, table_lines
from tables.floor.games import game
from tables.log.replaying import Period, Terms, replay
from tables.models import Table

REPLAY = "replay"
COLUMNS = ("gaming_day", "table", "round", "seat", "recorded", "again", "difference", "refused")


def seat_lines(
    settlements: Sequence[int], terms: Terms, progress: Callable[[int, int], None] = lambda done, of: None
) -> Iterator[str]:
    """Yield the lines of a replay, a seat each, below the names of their columns."""
    return table_lines(COLUMNS, _rows(settlements, terms, progress))


def _rows(
    settlements: Sequence[int], terms: Terms, progress: Callable[[int, int], None]
) -> Iterator[list[Any]]:
    done = 0
    for part in replay(settlements, terms):
        for one in part:
            where = [one.settled.day, one.settled.table, one.settled.round]
            for seat, was, again in one.seats:
                known = again is not None
                cells = [Amount(again), Amount(again - was)] if again is not None else ["", ""]
                yield [*where, seat, Amount(was), *cells, "" if known else one.refusal]
        done += len(part)
        progress(done, len(settlements))


def keep_replay(*, period: Period, terms: Terms, act: Act) -> Any:
    """Put a replay into the queue of the papers that are made and kept. Raises NotAllowed."""
    table = (("table", str(period.table.number)),) if period.table else ()
    sheet = (("sheet", terms.sheet.code),) if terms.sheet else ()
    limit = (("limit", amount_text(terms.limit_cents)),) if terms.limit_cents else ()
    days = period.first, period.last
    return keeping_papers.ask_other(
        REPLAY, site=period.site, days=days, part=table, terms=(*sheet, *limit), act=act
    )


def _write(out: IO[bytes], asked: Any, *, site: Any, progress: Callable[[int, int], None]) -> int:
    """Write a replay; return its lines. Raises UnknownGame if its game has been taken away meanwhile."""
    numbers, said = dict(asked.part), dict(asked.terms)
    table = Table.objects.get(site=site, number=numbers["table"]) if numbers else None
    terms = Terms(
        game(said["sheet"]) if "sheet" in said else None,
        exact_cents(said["limit"]) if "limit" in said else None,
    )
    first, last = asked.days
    settlements, lines = Period(site, first, last, table).settlements(), -1
    for line in seat_lines(settlements, terms, progress):
        out.write(line.encode())
        lines += 1
    return lines


def register() -> None:
    keeping_papers.register(REPLAY, keeping_papers.OtherPaper("Replay", _write))
