"""What journal entries belong to: rounds, fees, stacks, tables, drop boxes.

The books do not know rounds; this leads back to the floor for a page of entries at once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from ledger.cage.documents import Document
from ledger.chart import AccountKind
from ledger.reports.statements import Among, boxes_by_account
from ledger.reports.traces import CAGE
from ledger.rules.searches import seats_text
from tables.models import Charge, FeePayment, Round, Settlement, Sitting, Table, TableSession


@dataclass(frozen=True)
class Trail:
    """What one entry belongs to: settlement, fee, stacks and banks."""

    settlement: Settlement | None = None
    charge: Charge | None = None
    sittings: tuple[Sitting, ...] = ()
    sessions: tuple[TableSession, ...] = ()
    boxes: tuple[Any, ...] = ()

    @property
    def round(self) -> Round | None:
        return self.settlement.round if self.settlement else None

    @property
    def leads_somewhere(self) -> bool:
        """Whether it belongs to the floor; entries of the cage alone do not."""
        return bool(self.settlement or self.charge or self.sittings or self.sessions or self.boxes)


def place_of(trail: Trail, entry: Any) -> str:
    """Return where an entry happened: its table and seats, else the terminal or the cage."""
    if trail.round is not None:
        return str(trail.round.session.table)
    if trail.sittings:
        return f"{trail.sittings[0].session.table}, {seats_text([one.seat for one in trail.sittings])}"
    if trail.sessions:
        return str(trail.sessions[0].table)
    return entry.terminal or CAGE


def trails_of(entries: Iterable[Any]) -> dict[int, Trail]:
    """Return entry id -> trail, for entries with transfers and accounts. Five queries, two more
    with documents among them."""
    return _trails({entry.pk: (entry, _accounts(entry)) for entry in entries})


def trails_of_lines(lines: Iterable[Any]) -> dict[int, Trail]:
    entries: dict[int, tuple[Any, dict[int, str]]] = {}
    for line in lines:
        entries.setdefault(line.entry.pk, (line.entry, {}))[1][line.other.pk] = line.other.kind
    return _trails(entries)


def _trails(found: Mapping[int, tuple[Any, Mapping[int, str]]]) -> dict[int, Trail]:
    """Return entry id -> trail, from entries and the kinds of their accounts by id."""
    everywhere = {pk: kind for _, ends in found.values() for pk, kind in ends.items()}
    original_of = {entry.reverses_id or pk: pk for pk, (entry, _) in found.items()}
    rows = Settlement.objects.select_related("round__session__table").defer("round__draft")
    settled = rows.in_bulk(list(original_of), field_name="entry_id")
    fees = FeePayment.objects.select_related(
        *("charge__down", "charge__player", "charge__session__table"),
        *("sitting__player", "sitting__session__table"),
    )
    taken = fees.in_bulk(list(original_of), field_name="entry_id")
    sittings = _sittings(_of_kind(everywhere, AccountKind.STACK))
    sessions = _sessions(_of_kind(everywhere, AccountKind.TABLE_BANK))
    sessions |= _sessions_of_documents(_of_kind(everywhere, AccountKind.TRANSIT))
    boxes = boxes_by_account(_of_kind(everywhere, AccountKind.DROP_BOX))
    trails = {}
    for pk, (entry, ends) in found.items():
        payment = taken.get(entry.reverses_id or pk)
        trails[pk] = Trail(
            settlement=settled.get(entry.reverses_id or pk),
            charge=payment.charge if payment else None,
            sittings=_each(sittings, ends) or ((payment.sitting,) if payment else ()),
            sessions=_each(sessions, ends),
            boxes=_each(boxes, ends),
        )
    return trails


def owners_of(account: Any) -> Trail:
    """Return whose stack, bank, document or box an account is. At most two queries."""
    one = [account.pk]
    match account.kind:
        case AccountKind.STACK:
            return Trail(sittings=tuple(_sittings(one).values()))
        case AccountKind.TABLE_BANK:
            return Trail(sessions=tuple(_sessions(one).values()))
        case AccountKind.TRANSIT:
            return Trail(sessions=tuple(_sessions_of_documents(one).values()))
        case AccountKind.DROP_BOX:
            return Trail(boxes=tuple(boxes_by_account(one).values()))
    return Trail()


def entries_at(table: Table) -> Among:
    """Select a table's journal entries, with rounds in which nothing moved."""
    opened = TableSession.objects.filter(table=table)
    at_table = {"session__table": table}
    documents = Document.objects.filter(chips__in=opened.values("bank_chips"))
    return Among(
        accounts=(
            Sitting.objects.filter(**at_table).values("stack"),
            opened.values("bank_chips"),
            opened.values("bank_cash"),
            documents.values("transit_chips"),
            documents.values("transit_cash"),
        ),
        entries=(
            Settlement.objects.filter(round__session__table=table).values("entry"),
            FeePayment.objects.filter(
                Q(charge__session__table=table) | Q(sitting__session__table=table)
            ).values("entry"),
        ),
        place=str(table),
    )


def _accounts(entry: Any) -> dict[int, str]:
    ends = {}
    for transfer in entry.transfers.all():
        ends[transfer.source_id] = transfer.source.kind
        ends[transfer.target_id] = transfer.target.kind
    return ends


def _of_kind(accounts: Mapping[int, str], kind: AccountKind) -> list[int]:
    return [pk for pk, its in accounts.items() if its == kind]


def _each(rows: Mapping[int, Any], accounts: Iterable[int]) -> tuple[Any, ...]:
    return tuple(
        {rows[account].pk: rows[account] for account in sorted(accounts) if account in rows}.values()
    )


def _sittings(stacks: Iterable[int]) -> dict[int, Sitting]:
    rows = Sitting.objects.select_related("player", "session__table")
    return rows.in_bulk(list(stacks), field_name="stack_id")


def _sessions(banks: Iterable[int]) -> dict[int, TableSession]:
    wanted = set(banks)
    sessions = TableSession.objects.filter(Q(bank_chips__in=wanted) | Q(bank_cash__in=wanted)).select_related(
        "table"
    )
    return {
        account: session
        for session in sessions
        for account in (session.bank_chips_id, session.bank_cash_id)
        if account in wanted
    }


def _sessions_of_documents(transit: Iterable[int]) -> dict[int, TableSession]:
    """Return the sessions whose banks the documents of these transit accounts are about."""
    wanted = set(transit)
    named = {
        account: chips
        for *accounts, chips in Document.objects.filter(
            Q(transit_chips__in=wanted) | Q(transit_cash__in=wanted)
        ).values_list("transit_chips", "transit_cash", "chips")
        for account in accounts
        if account in wanted
    }
    sessions = _sessions(named.values())
    return {account: sessions[chips] for account, chips in named.items() if chips in sessions}
