"""Play the settled rounds of a period again, under their own sheet and limit or under others, and set the
results beside the recorded ones. Changes nothing. Each round stands by itself: it keeps the stacks that it
began with, whatever an earlier round would have paid now. One that is kept is made beside the night's work:
every seat as CSV, with progress."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import IO, Any, NamedTuple

from django.db.models import Count, Sum
from django.db.models.functions import Coalesce

from ledger.chart import EntryKind
from ledger.journal.acts import Act
from ledger.money import amount_text, exact_cents
from ledger.proof.log import keeping_papers
from ledger.reports.trial_balance import Amount, table_lines
from tables.floor.games import game
from tables.log.rescoring import AT_ONCE, Settled, parts, stored_sheet
from tables.models import Charge, Hand, Player, Settlement, Table
from tables.rules.batch.entry import won_at_once
from tables.rules.errors import RuleError
from tables.rules.game.rounds import Library, Sheet, parse_round, score
from tables.rules.table.downs import half_of

MOST_LISTED = 200
SETTLED = (EntryKind.ROUND, EntryKind.HAND_SETTLEMENT, EntryKind.CORRECTION)
_SEAT = re.compile(r"^seat \d+: ")  # what is refused alike is told once
BY_HAND = "It was settled by hand: nobody knows its cards (R58)."
OF_A_RACE = "It is of a race, which pays with its match (R42)."


class Terms(NamedTuple):
    """The terms under which rounds are played again; None leaves a term as it was. `limit_cents` is for a
    point."""

    sheet: Sheet | None = None
    limit_cents: int | None = None


class Played(NamedTuple):
    """A settled round, and what each seat won, in cents: as recorded, and again; None if the rules refuse it,
    with the sentence."""

    settled: Settled
    was: Mapping[int, int]
    again: Mapping[int, int] | None
    refusal: str = ""

    @property
    def differs(self) -> bool:
        return self.again is not None and self.again != self.was

    @property
    def seats(self) -> list[tuple[int, int, int | None]]:
        """Seat, cents as recorded, and again, by seat."""
        again = self.again or {}
        return [(seat, cents, again.get(seat)) for seat, cents in sorted(self.was.items())]


class Period(NamedTuple):
    """What is played again: the rounds of some gaming days, of one table or of all."""

    site: Any
    first: date
    last: date
    table: Table | None = None

    def settlements(self) -> list[int]:
        """Return the settlements in force of these days, of the table if there is one. They are read by the
        entries of the days, a part at a time: SQLite would read every settlement for them."""
        days = self.site.entries.filter(gaming_day__range=(self.first, self.last), kind__in=SETTLED)
        entries = list(days.filter(reversed_by__isnull=True).order_by("pk").values_list("pk", flat=True))
        at = {"round__session__table": self.table} if self.table else {}
        found: list[int] = []
        for start in range(0, len(entries), AT_ONCE):
            some = Settlement.objects.filter(entry__in=entries[start : start + AT_ONCE], **at)
            found += some.order_by("pk").values_list("pk", flat=True)
        return found


def replay(settlements: Sequence[int], terms: Terms) -> Iterator[list[Played]]:
    """Play settlements again, in parts that fit into memory."""
    sheets: dict[int, Sheet] = {}
    for start in range(0, len(settlements), AT_ONCE):
        some = settlements[start : start + AT_ONCE]
        part = next(parts(Settlement.objects.filter(pk__in=some).order_by("pk")))
        by_sheet: defaultdict[int, list[Settled]] = defaultdict(list)
        for settled in part:
            by_sheet[settled.sheet_id].append(settled)
        played: dict[int, Played] = {}
        for sheet_id, alike in by_sheet.items():
            if terms.sheet is None and sheet_id not in sheets:
                sheets[sheet_id] = stored_sheet(sheet_id)
            again = _played(terms.sheet or sheets[sheet_id], alike, terms.limit_cents)
            played |= {one.settled.round_id: one for one in again}
        yield [played[settled.round_id] for settled in part]


def _played(sheet: Sheet, part: Sequence[Settled], limit_cents: int | None) -> Iterator[Played]:
    entries = [_entry(settled, sheet, limit_cents) for settled in part]
    at_once, own = won_at_once(sheet, entries), Library.of(sheet)
    for at, (settled, entry) in enumerate(zip(part, entries, strict=True)):
        was = {int(seat): cents for seat, (_, cents) in settled.evidence["result"].items()}
        if entry is None:
            yield Played(settled, was, None, BY_HAND if settled.evidence.get("by_hand") else OF_A_RACE)
        elif at in at_once:
            yield Played(settled, was, at_once[at])
        else:
            yield _plainly(settled, was, entry, own)


def _entry(settled: Settled, sheet: Sheet, limit_cents: int | None) -> dict[str, Any] | None:
    """Return the round in the score format with its new terms; None if its cards alone do not pay."""
    evidence = settled.evidence
    if evidence.get("by_hand") or "match" in evidence:
        return None
    entry: dict[str, Any] = evidence["input"] | {"sheet": sheet.code, "version": sheet.version}
    return entry if limit_cents is None else entry | {"limit": amount_text(limit_cents)}


def _plainly(settled: Settled, was: Mapping[int, int], entry: dict[str, Any], own: Library) -> Played:
    try:
        result = score(parse_round(entry, own)).result
    except RuleError as refusal:
        return Played(settled, was, None, _SEAT.sub("", refusal.message))
    return Played(settled, was, {int(seat): cents for seat, (_, cents) in result.items()})


# -- in sum --------------------------------------------------------------------------------------------------


class PlayerSum(NamedTuple):
    """What a player won in the rounds that were played again, in cents."""

    player: Player
    was: int
    again: int

    @property
    def difference(self) -> int:
        return self.again - self.was


@dataclass
class PeriodAgain:
    """A period played again. `was` and `again` are the cents that changed hands in the rounds that could be
    scored; `listed` are the first rounds that differ."""

    rounds: int = 0
    differing: int = 0
    was: int = 0
    again: int = 0
    listed: list[Played] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    players: list[PlayerSum] = field(default_factory=list)

    @property
    def played(self) -> int:
        return self.rounds - self.refused.total()

    @property
    def refusals(self) -> list[tuple[str, int]]:
        """Why rounds were not scored again, and how many, the most first."""
        return self.refused.most_common()


def replayed(settlements: Sequence[int], terms: Terms) -> PeriodAgain:
    """Play settlements again and add them up."""
    found, sums = PeriodAgain(), dict[int, list[int]]()
    for part in replay(settlements, terms):
        found.rounds += len(part)
        again = [one for one in part if one.again is not None]
        found.refused.update(one.refusal for one in part if one.again is None)
        found.differing += sum(one.differs for one in again)
        found.was += sum(cents for one in again for cents in one.was.values() if cents > 0)
        found.again += sum(cents for one in again for cents in (one.again or {}).values() if cents > 0)
        found.listed += [one for one in again if one.differs][: MOST_LISTED - len(found.listed)]
        _add_players(sums, again)
    people = Player.objects.in_bulk(sums)
    players = [PlayerSum(people[player], *total) for player, total in sums.items()]
    found.players = sorted(players, key=lambda one: (-abs(one.difference), str(one.player)))
    return found


def _add_players(sums: dict[int, list[int]], part: Sequence[Played]) -> None:
    rounds = {one.settled.round_id: one for one in part}
    person = Coalesce("sitting__player__merged_into", "sitting__player")
    seated = Hand.objects.filter(round__in=rounds).order_by().values_list("round", "seat", person)
    for round_id, seat, player in set(seated):  # of two hands at a seat one
        one, total = rounds[round_id], sums.setdefault(player, [0, 0])
        total[0] += one.was.get(seat, 0)
        total[1] += (one.again or {}).get(seat, 0)


# -- the collection ------------------------------------------------------------------------------------------


class FeesAgain(NamedTuple):
    """The fees of one rule: how many, their cents, and the cents they would have been."""

    rule: str
    charged: int
    was: int
    again: int


def fees_again(period: Period, fee_cents: int) -> list[FeesAgain]:
    """Return what the fees of a period would have been at another fee (R60, R61)."""
    charges = Charge.objects.filter(gaming_day__range=(period.first, period.last))
    if period.table:
        charges = charges.filter(session__table=period.table)
    each = {Charge.Rule.FULL: fee_cents, Charge.Rule.HALF: half_of(fee_cents), Charge.Rule.COVERED: 0}
    sums = charges.order_by("rule").values_list("rule").annotate(Count("pk"), Sum("cents"))
    return [
        FeesAgain(Charge.Rule(rule).label, count, cents, count * each[Charge.Rule(rule)])
        for rule, count, cents in sums
    ]


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
