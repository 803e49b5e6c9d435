"""The reconciliation of a gaming day, by the code of its paper: as CSV, line by line for a page, and
of one box by its rows. Reads only."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Q

from ledger.cage.boxes import DropBox
from ledger.chart import TITLES, AccountKind
from ledger.money import net_cents_of
from ledger.papers.cells import KINDS_OF_CELLS, CellKind
from ledger.reports.counted_day import lines_of_day, pages_of
from tables.audit.reconciling import OF_FEES_AHEAD, OF_TABLES, TOGETHER, ReconciliationPaper
from tables.models import Charge, FeePayment, TableEvent, TableSession
from tables.reports.reconciliation import Sums
from tables.rules.table.paying import Method
from tables.state.runners import sessions_of


def blocks(site: Any, day: date, now: datetime) -> Iterator[bytes]:
    """Yield the paper of a day as blocks of UTF-8: as of its closing, or of now."""
    bounds = list(DropBox.objects.filter(site=site, gaming_day=day).values_list("installed_at", "pulled_at"))
    since = min((installed for installed, _ in bounds), default=now)
    until = max((pulled or now for _, pulled in bounds), default=now)
    there = Q(closed_at__isnull=True) | Q(closed_at__gte=since)
    sessions = list(TableSession.objects.filter(there, table__site=site, opened_at__lte=until))
    charges = Charge.objects.filter(session__in=sessions, charged_at__gte=since, charged_at__lte=until)
    ahead = set(charges.filter(round__isnull=True).values_list("session", flat=True))
    kinds = set(OF_TABLES) - set(OF_FEES_AHEAD)
    asked = ((sessions, kinds), (ahead, OF_FEES_AHEAD))
    events = [
        event
        for of, named in asked
        for event in TableEvent.objects.filter(session__in=of, kind__in=named).values_list("pk", flat=True)
    ]
    yield from lines_of_day(
        ReconciliationPaper,
        site,
        day,
        now,
        of_floor={"charge": list(charges.values_list("pk", flat=True)), "table_event": events},
        payments=FeePayment.objects.filter(charge__in=charges).values("entry"),
    )


def lines(site: Any, day: date, now: datetime) -> list[dict[str, str]]:
    """Return the lines of the same by column."""
    text = b"".join(blocks(site, day, now)).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


@dataclass(frozen=True)
class ReconciledRow:
    """A line for a page: amounts in cents, numbers, and the rest as text, by column; None of an empty cell.
    `page` is where its entry is shown: a name and an id."""

    of: Mapping[str, Any]
    signers: tuple[str, ...]
    at: datetime | None
    page: tuple[str, int] | None

    @property
    def title(self) -> str:
        what, one = self.of["what"], self.of["number"]
        titles = {
            AccountKind.DROP_BOX: f"Box {one}",
            AccountKind.TABLE_BANK: f"Bank of table {one}",
            AccountKind.DRAWER: f"Drawer {one}",
            AccountKind.VAULT: TITLES[AccountKind.VAULT],
            AccountKind.UNCLAIMED: TITLES[AccountKind.UNCLAIMED],
            AccountKind.RESERVE: TITLES[AccountKind.RESERVE],
            "table": f"Table {self.of['table']}",
            "shift": f"Shift {self.of['shift']}",
            "boxes": "All boxes",
            TOGETHER: "Over/short of the day",
        }
        return titles.get(what) or f"{str(what).replace('_', ' ').capitalize()} {one}"

    @property
    def sums(self) -> bool:
        return self.of["entry"] is None


def rows(site: Any, day: date, now: datetime) -> list[ReconciledRow]:
    found, pages = lines(site, day, now), pages_of(site, day)
    people = get_user_model().objects.in_bulk(
        {int(one[name]) for one in found for name in ("signed_by", "second") if one[name].isdecimal()}
    )
    return [
        ReconciledRow(
            of={name: _value(name, text) for name, text in one.items()},
            signers=tuple(
                str(people.get(int(one[name]), one[name]))
                for name in ("signed_by", "second")
                if one[name].isdecimal()
            ),
            at=datetime.fromisoformat(one["at"]) if one["at"] else None,
            page=pages.get(int(one["entry"] or 0)),
        )
        for one in found
    ]


def without_banks(rows: list[ReconciledRow]) -> list[ReconciledRow]:
    """Return the rows without tables' banks, and without the sum of the day, which would tell of them."""
    return [row for row in rows if row.of["what"] not in (AccountKind.TABLE_BANK, TOGETHER)]


def _value(column: str, text: str) -> Any:
    kind = KINDS_OF_CELLS[column]
    if kind is CellKind.AMOUNT and column != "limit":
        return net_cents_of(text) if text else None
    if kind is CellKind.NUMBER and text.isdecimal():
        return int(text)
    return text or None


@dataclass(frozen=True, slots=True)
class BoxSums:
    """`charged` are the fees charged at the table while the box stood there; `elsewhere_cents` of them went
    into other boxes. `others_cents` of other fees went into this one. `recovered_cents` went into it after
    they had been recorded as uncollected."""

    charged: Sums
    elsewhere_cents: int
    others_cents: int
    recovered_cents: int

    @property
    def expected_cents(self) -> int:
        its = self.charged
        return its.expected_cents - its.cage_cents - its.due_cents - self.elsewhere_cents + self.others_cents


def box_sums(box: DropBox, fees: Iterable[FeePayment]) -> BoxSums:
    """Return the sums of a box, of which `fees` are all payments that went into it. Four queries and more."""
    here = {fee.charge_id: fee for fee in fees if fee.in_force}
    stood = {"charged_at__gte": box.installed_at}
    if box.pulled_at is not None:
        stood["charged_at__lte"] = box.pulled_at
    charges = Charge.objects.filter(session__in=sessions_of(box), **stood)
    charges = charges.select_related("uncollected").with_payments("recovery")
    charged, elsewhere, own = Sums(), 0, set()
    for charge in charges:
        if not charge.counts:
            continue
        charged += Sums.of(charge)
        own.add(charge.pk)
        paid = charge.payment
        if paid is not None and paid.method in (Method.STACK, Method.CASH) and charge.pk not in here:
            elsewhere += charge.cents
    recovered = FeePayment.objects.filter(pk__in=[fee.pk for fee in here.values()], recovery__isnull=False)
    return BoxSums(
        charged=charged,
        elsewhere_cents=elsewhere,
        others_cents=sum(fee.charge.cents for pk, fee in here.items() if pk not in own),
        recovered_cents=sum(recovered.values_list("charge__cents", flat=True)),
    )
