"""Statements of the books: of an account line by line, the journal of a day in pages, one entry with all that it moved.

Reads only. What is asked of a moment or a period goes by `recorded_at`, as balances do: a statement begins with what
the account held at `since`, has what was recorded after it up to and including `until`, and ends with what it held then.
Pages go by id, so the cage's millionth line costs no more queries than a stack's first. Amounts are whole cents.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from heapq import merge
from typing import Any

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from ledger.models import Account, DropBox, JournalEntry, Transfer
from ledger.reports.journal_jsonl import ROWS_AT_A_TIME
from ledger.reports.trial_balance import Amount, table_lines

LINES = 100
"""Lines of an account on a page."""
ENTRIES = 50
"""Entries of a journal on a page."""

CSV_COLUMNS = (
    *("entry", "line", "kind", "recorded_at", "occurred_at", "gaming_day", "actor", "approver", "reason"),
    *("reverses", "counter_account", "counter_kind", "counter_label", "amount", "balance"),
)


@dataclass(frozen=True)
class Place:
    """Where a page stands in its list: ids to turn it by, `before` to what comes before it; None: it is an end."""

    before: int | None = None
    after: int | None = None

    @property
    def alone(self) -> bool:
        """Whether everything stands on this one page."""
        return self.before is None and self.after is None


@dataclass(frozen=True, slots=True)
class AccountLine:
    """One transfer as it concerns an account: `cents` came (above zero) or went, `other` is where from or where to."""

    entry: JournalEntry
    line: int
    other: Account
    cents: int
    balance_cents: int

    @property
    def came_cents(self) -> int | None:
        return self.cents if self.cents > 0 else None

    @property
    def went_cents(self) -> int | None:
        return -self.cents if self.cents < 0 else None


@dataclass(frozen=True)
class AccountStatement:
    """A page of the statement of an account, in the order of recording.

    Opening, came, went and how many `transfers` are those of the whole period; `carried_cents` is the balance before the
    first line that is shown.
    """

    account: Account
    since: datetime | None
    until: datetime
    opening_cents: int
    came_cents: int
    went_cents: int
    transfers: int
    carried_cents: int
    lines: tuple[AccountLine, ...]
    place: Place

    @property
    def closing_cents(self) -> int:
        """What the account held at `until`."""
        return self.opening_cents + self.came_cents - self.went_cents

    @property
    def ends_cents(self) -> int:
        """The balance after the last line that is shown."""
        return self.lines[-1].balance_cents if self.lines else self.carried_cents


def account_of(site: Any, account_id: int) -> Account | None:
    """An account of this house, or None."""
    return Account.objects.filter(site=site, pk=account_id).first()


def account_statement(
    account: Account,
    *,
    since: datetime | None = None,
    until: datetime,
    after: int | None = None,
    before: int | None = None,
) -> AccountStatement:
    """A page of an account: the lines after a transfer, those before one, else the first. Four queries at most.

    `since` None is the beginning, before anything moved.
    """
    sums = _sums(account, since, until)
    ends = [
        _period(since, until).filter(**{end: account}).select_related("entry__actor", "source", "target")
        for end in ("source", "target")
    ]
    rows, place = _page([end.defer("entry__evidence") for end in ends], after, before, LINES)
    carried = sums["opening"]
    if rows and place.before is not None:
        earlier = _period(since, until).filter(pk__lt=rows[0].pk)
        moved = earlier.aggregate(came=_cents(Q(target=account)), went=_cents(Q(source=account)))
        carried += moved["came"] - moved["went"]
    return AccountStatement(
        account=account,
        since=since,
        until=until,
        opening_cents=sums["opening"],
        came_cents=sums["came"],
        went_cents=sums["went"],
        transfers=sums["transfers"],
        carried_cents=carried if rows else sums["opening"] + sums["came"] - sums["went"],
        lines=tuple(_lines(account, rows, carried)),
        place=place,
    )


def account_csv(account: Account, since: datetime | None, until: datetime) -> Iterator[str]:
    """The whole statement as lines of CSV in constant memory: heads (CSV_COLUMNS), the opening, a line a transfer."""
    opening = _sums(account, since, until)["opening"]
    moved = _period(since, until).filter(Q(source=account) | Q(target=account)).order_by("pk")
    rows = moved.values_list(*_CSV_FIELDS, "source", "target", *_ENDS, "cents").iterator(ROWS_AT_A_TIME)
    return table_lines(CSV_COLUMNS, _csv_rows(account, opening, rows))


_CSV_FIELDS = (
    *("entry", "line", "entry__kind", "entry__recorded_at", "entry__occurred_at", "entry__gaming_day"),
    *("entry__actor__username", "entry__approver__username", "entry__reason", "entry__reverses"),
)
_ENDS = ("source__kind", "source__label", "target__kind", "target__label")


def _csv_rows(account: Account, balance: int, rows: Iterable[tuple[Any, ...]]) -> Iterator[list[Any]]:
    yield ["", "", "opening", *[""] * (len(CSV_COLUMNS) - 4), Amount(balance)]
    for *said, source, target, source_kind, source_label, target_kind, target_label, cents in rows:
        if target == account.pk:
            other, signed = (source, source_kind, source_label), cents
        else:
            other, signed = (target, target_kind, target_label), -cents
        balance += signed
        yield [*said, *other, Amount(signed), Amount(balance)]


def _lines(account: Account, rows: Iterable[Transfer], balance: int) -> Iterator[AccountLine]:
    for row in rows:
        came = row.target_id == account.pk
        cents = row.cents if came else -row.cents
        balance += cents
        yield AccountLine(row.entry, row.line, row.source if came else row.target, cents, balance)


def _period(since: datetime | None, until: datetime) -> QuerySet[Transfer]:
    found = Transfer.objects.filter(entry__recorded_at__lte=until)
    return found if since is None else found.filter(entry__recorded_at__gt=since)


def _sums(account: Account, since: datetime | None, until: datetime) -> dict[str, int]:
    """What the account held at `since`, and what came and went since, in one pass."""
    before = Q(pk=None) if since is None else Q(entry__recorded_at__lte=since)
    came, went = Q(target=account), Q(source=account)
    sums = (
        _period(None, until)
        .filter(came | went)
        .aggregate(
            came=_cents(came & ~before),
            went=_cents(went & ~before),
            transfers=Count("pk", filter=~before),
            came_before=_cents(came & before),
            went_before=_cents(went & before),
        )
    )
    return sums | {"opening": sums["came_before"] - sums["went_before"]}


def _cents(condition: Q) -> Coalesce:
    return Coalesce(Sum("cents", filter=condition), 0)


def _page(
    parts: Sequence[QuerySet[Any]], after: int | None, before: int | None, most: int
) -> tuple[list[Any], Place]:
    """So many rows of these together, oldest first: those after an id, else those before one, else the first.

    Each part is one walk along its index, which all of them together would not be.
    """
    if after is None and before is not None:
        found = _first(parts, most + 1, "-pk", pk__lt=before)
        rows, earlier, later = found[:most][::-1], len(found) > most, True
    else:
        found = _first(parts, most + 1, "pk", pk__gt=after or 0)
        rows, earlier, later = found[:most], bool(after), len(found) > most
    if not rows:
        return [], Place(before=after + 1 if earlier and after else None, after=0 if before else None)
    return rows, Place(rows[0].pk if earlier else None, rows[-1].pk if later else None)


def _first(parts: Sequence[QuerySet[Any]], most: int, order: str, **where: int) -> list[Any]:
    found = [list(part.filter(**where).order_by(order)[:most]) for part in parts]
    return list(merge(*found, key=lambda row: row.pk, reverse=order.startswith("-")))[:most]


@dataclass(frozen=True)
class Among:
    """Entries of one part of the house: what moves something into or out of `accounts` or a box at `place`, what is in
    `entries`, and what takes these back. Both hold subqueries of ids."""

    accounts: Sequence[QuerySet[Any]]
    entries: Sequence[QuerySet[Any]]
    place: str


@dataclass(frozen=True)
class JournalPage:
    """A page of a journal: entries in the order of recording, each with its transfers; `count` is of all its pages."""

    entries: tuple[JournalEntry, ...]
    count: int
    place: Place


def journal_page(
    site: Any,
    day: date,
    *,
    kind: str = "",
    among: Among | None = None,
    after: int | None = None,
    before: int | None = None,
) -> JournalPage:
    """A page of the journal of a gaming day, of one kind or part of the house if asked for. Three queries."""
    found = JournalEntry.objects.filter(site=site, gaming_day=day)
    if kind:
        found = found.filter(kind=kind)
    if among is not None:
        found = found.filter(_among(site, among))
    rows, place = _page([_whole(found).defer("evidence")], after, before, ENTRIES)
    return JournalPage(tuple(rows), found.count(), place)


def entry_of(site: Any, entry_id: int) -> JournalEntry | None:
    """One entry of this house with its transfers, its people, what it takes back and what took it back; or None."""
    return _whole(JournalEntry.objects.filter(site=site, pk=entry_id)).first()


def _whole(entries: QuerySet[JournalEntry]) -> QuerySet[JournalEntry]:
    lines = Prefetch("transfers", Transfer.objects.select_related("source", "target").order_by("line"))
    found = entries.select_related("actor", "approver", "reverses", "reversed_by")
    return found.defer("reverses__evidence", "reversed_by__evidence").prefetch_related(lines)


def _among(site: Any, among: Among) -> Q:
    boxes = DropBox.objects.filter(site=site, place=among.place)
    there = Q()
    for accounts in (*among.accounts, boxes.values("chips"), boxes.values("cash")):
        there |= Q(source__in=accounts) | Q(target__in=accounts)
    found = Q(Exists(Transfer.objects.filter(there, entry=OuterRef("pk"))))
    for entries in among.entries:
        found |= Q(pk__in=entries) | Q(reverses__in=entries)
    return found


def boxes_by_account(accounts: Iterable[int]) -> dict[int, DropBox]:
    """The drop boxes whose chips or cash these accounts are. One query."""
    wanted = set(accounts)
    boxes = DropBox.objects.filter(Q(chips__in=wanted) | Q(cash__in=wanted))
    return {account: box for box in boxes for account in (box.chips_id, box.cash_id) if account in wanted}


def flows(accounts: Iterable[int]) -> dict[int, dict[str, tuple[int, int]]]:
    """Account -> kind of entry -> the cents that such entries brought and took. Two queries, however many accounts."""
    accounts = list(accounts)
    found: dict[int, dict[str, tuple[int, int]]] = {account: {} for account in accounts}
    for end, brings in (("target", True), ("source", False)):
        sums = Transfer.objects.filter(**{f"{end}__in": accounts}).order_by()
        for account, kind, cents in sums.values_list(end, "entry__kind").annotate(sum=Sum("cents")):
            came, went = found[account].get(kind, (0, 0))
            found[account][kind] = (cents, went) if brings else (came, cents)
    return found
