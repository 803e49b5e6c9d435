"""Account statements line by line, the journal of a day in pages, and single entries with all their
transfers.

Reads only. Periods refer to `recorded_at`, as balances do: a statement begins with the balance at `since`,
lists what was recorded after it up to and including `until`, and ends with the balance then. Pages are found
by id, so the cage's millionth line costs no more queries than a stack's first. Amounts are whole cents."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from heapq import merge
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from ledger.journal.balances import base_of, recorded
from ledger.models import Account, DropBox, JournalEntry, Transfer
from ledger.reports.journal_jsonl import ROWS_AT_A_TIME
from ledger.reports.trial_balance import Amount, table_lines

LINES = 100
ENTRIES = 50
CSV_COLUMNS = (
    *("entry", "line", "kind", "recorded_at", "occurred_at", "gaming_day", "actor", "approver", "reason"),
    *("reverses", "counter_account", "counter_kind", "counter_label", "amount", "balance"),
)


@dataclass(frozen=True)
class Place:
    """The ids that the previous and the next page are found by; None at either end of the list."""

    before: int | None = None
    after: int | None = None

    @property
    def alone(self) -> bool:
        return self.before is None and self.after is None


@dataclass(frozen=True, slots=True)
class AccountLine:
    """One transfer as an account sees it: `cents` above zero came in; `other` is the other account."""

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
    """A page of an account's statement, in the order of recording. Opening balance, sums and the number of
    `transfers` cover the whole period; `carried_cents` is the balance before the first line on the page."""

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
        return self.opening_cents + self.came_cents - self.went_cents

    @property
    def ends_cents(self) -> int:
        return self.lines[-1].balance_cents if self.lines else self.carried_cents


def account_of(site: Any, account_id: int) -> Account | None:
    return Account.objects.filter(site=site, pk=account_id).first()


def account_statement(
    account: Account,
    *,
    since: datetime | None = None,
    until: datetime,
    after: int | None = None,
    before: int | None = None,
) -> AccountStatement:
    """Return a page of a statement: the lines after or before a transfer, else the first. Without `since` it
    begins before the first transfer. A dozen queries at most."""
    opening = _opening(account, since)
    period = _period(account, since, until)
    ends = [
        period.filter(**{end: account}).select_related("entry__actor", "source", "target")
        for end in ("source", "target")
    ]
    went, came = (_sum(end.order_by()) for end in ends)
    rows, place = _page(ends, after, before, LINES)
    carried = opening
    if rows and place.before is not None:
        gone, in_before = (_sum(end.filter(pk__lt=rows[0].pk)) for end in ends)
        carried += in_before.cents - gone.cents
    return AccountStatement(
        account=account,
        since=since,
        until=until,
        opening_cents=opening,
        came_cents=came.cents,
        went_cents=went.cents,
        transfers=came.transfers + went.transfers,
        carried_cents=carried if rows else opening + came.cents - went.cents,
        lines=tuple(_lines(account, rows, carried)),
        place=place,
    )


def account_csv(account: Account, since: datetime | None, until: datetime) -> Iterator[str]:
    """Yield the statement as CSV in constant memory: CSV_COLUMNS, opening balance, transfers."""
    opening = _opening(account, since)
    moved = _period(account, since, until).filter(Q(source=account) | Q(target=account)).order_by("pk")
    rows = moved.values_list(*_CSV_FIELDS, "source", "target", *_ENDS, "cents").iterator(ROWS_AT_A_TIME)
    return table_lines(CSV_COLUMNS, _csv_rows(account, opening, rows))


_CSV_FIELDS = (
    *("entry", "line", "entry__kind", "entry__recorded_at", "entry__occurred_at", "entry__gaming_day"),
    *("entry__actor__username", "entry__approver__username", "entry__reason", "entry__reverses"),
)
_ENDS = ("source__kind", "source__label", "target__kind", "target__label")


def _csv_rows(account: Account, balance: int, rows: Iterable[tuple[Any, ...]]) -> Iterator[list[Any]]:
    yield ["", "", "opening", *[""] * (len(CSV_COLUMNS) - 4), Amount(balance)]
    for *entry, source, target, source_kind, source_label, target_kind, target_label, cents in rows:
        if target == account.pk:
            other, signed = (source, source_kind, source_label), cents
        else:
            other, signed = (target, target_kind, target_label), -cents
        balance += signed
        yield [*entry, *other, Amount(signed), Amount(balance)]


def _lines(account: Account, rows: Iterable[Transfer], balance: int) -> Iterator[AccountLine]:
    for row in rows:
        came = row.target_id == account.pk
        cents = row.cents if came else -row.cents
        balance += cents
        yield AccountLine(row.entry, row.line, row.source if came else row.target, cents, balance)


def _period(account: Account, since: datetime | None, until: datetime) -> QuerySet[Transfer]:
    entries = recorded(account.site, base_of(account.site, since), until)
    return entries if since is None else entries.filter(entry__recorded_at__gt=since)


def _opening(account: Account, since: datetime | None) -> int:
    if since is None:
        return 0
    base = base_of(account.site, since)
    period = recorded(account.site, base, since)
    came, went = (_sum(period.filter(**{end: account})) for end in ("target", "source"))
    return base.cents.get(account.pk, 0) + came.cents - went.cents


class _Sum(NamedTuple):
    cents: int
    transfers: int


def _sum(transfers: QuerySet[Transfer]) -> _Sum:
    return _Sum(**transfers.aggregate(cents=Coalesce(Sum("cents"), 0), transfers=Count("pk")))


def _page(
    parts: Sequence[QuerySet[Any]], after: int | None, before: int | None, most: int
) -> tuple[list[Any], Place]:
    """Return up to `most` rows of all parts, oldest first: after an id, before one, or the first. Each part
    is a single index scan; one query over all of them would not be."""
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
    parts_read = [list(part.filter(**where).order_by(order)[:most]) for part in parts]
    return list(merge(*parts_read, key=lambda row: row.pk, reverse=order.startswith("-")))[:most]


@dataclass(frozen=True)
class Among:
    """Selects one part of the house: entries that touch `accounts` or a box at `place`, those in `entries`,
    and their reversals. `accounts` and `entries` are subqueries of ids."""

    accounts: Sequence[QuerySet[Any]]
    entries: Sequence[QuerySet[Any]]
    place: str


@dataclass(frozen=True)
class JournalPage:
    """A page of a journal: entries in order, each with its transfers; `count` covers all pages."""

    entries: tuple[JournalEntry, ...]
    count: int
    place: Place


def journal_page(
    site: Any,
    day: date,
    *,
    among: Among | None = None,
    after: int | None = None,
    before: int | None = None,
    **where: Any,
) -> JournalPage:
    """Return a page of a gaming day's journal, of one part of the house, or of the entries with these fields
    (`kind`, `actor`). Three queries."""
    found = JournalEntry.objects.filter(site=site, gaming_day=day, **where)
    if among is not None:
        found = found.filter(_among(site, among))
    rows, place = _page([_whole(found)], after, before, ENTRIES)
    return JournalPage(tuple(rows), found.count(), place)


def entries_of_amount(site: Any, cents: int, first: date, last: date) -> QuerySet[JournalEntry]:
    """Return the entries of these gaming days with a transfer of exactly this amount, newest first."""
    lines = Transfer.objects.filter(entry=OuterRef("pk"), cents=cents)
    rows = JournalEntry.objects.filter(Exists(lines), site=site, gaming_day__range=(first, last))
    return rows.order_by("-gaming_day", "-pk")


def entries_within(
    entries: QuerySet[JournalEntry], since: datetime, until: datetime
) -> QuerySet[JournalEntry]:
    """Narrow entries to those that happened or were recorded in this period, half-open."""
    happened = Q(occurred_at__gte=since, occurred_at__lt=until)
    return entries.filter(happened | Q(recorded_at__gte=since, recorded_at__lt=until))


def entry_of(site: Any, entry_id: int) -> JournalEntry | None:
    return _whole(JournalEntry.objects.filter(site=site, pk=entry_id)).first()


def _whole(entries: QuerySet[JournalEntry]) -> QuerySet[JournalEntry]:
    lines = Prefetch("transfers", Transfer.objects.select_related("source", "target").order_by("line"))
    query = entries.select_related("actor", "approver", "reverses", "reversed_by", "receipt")
    return query.prefetch_related(lines)


def _among(site: Any, among: Among) -> Q:
    boxes = DropBox.objects.filter(site=site, place=among.place)
    there = Q()
    for accounts in (*among.accounts, boxes.values("chips"), boxes.values("cash")):
        there |= Q(source__in=accounts) | Q(target__in=accounts)
    where = Q(Exists(Transfer.objects.filter(there, entry=OuterRef("pk"))))
    for entries in among.entries:
        where |= Q(pk__in=entries) | Q(reverses__in=entries)
    return where


def boxes_by_account(accounts: Iterable[int]) -> dict[int, DropBox]:
    """Return account id -> drop box for these accounts. One query."""
    wanted = set(accounts)
    boxes = DropBox.objects.filter(Q(chips__in=wanted) | Q(cash__in=wanted))
    return {account: box for box in boxes for account in (box.chips_id, box.cash_id) if account in wanted}


def flows(accounts: Iterable[int]) -> dict[int, dict[str, tuple[int, int]]]:
    """Return account -> kind of entry -> (cents in, cents out). Two queries for any number of accounts."""
    accounts = list(accounts)
    moved: dict[int, dict[str, tuple[int, int]]] = {account: {} for account in accounts}
    for end, brings in (("target", True), ("source", False)):
        sums = Transfer.objects.filter(**{f"{end}__in": accounts}).order_by()
        for account, kind, cents in sums.values_list(end, "entry__kind").annotate(sum=Sum("cents")):
            came, went = moved[account].get(kind, (0, 0))
            moved[account][kind] = (cents, went) if brings else (came, cents)
    return moved
