"""The day at the cage: what its pages share, signing off boxes and counts that differ, closing the day."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from ledger.cage import banks, boxes, deposits, documents, drawers, taking_back
from ledger.cage.signing import ran_box, ran_session
from ledger.errors import BadText, LastShift, NoSuchShift
from ledger.journal import closing, closing_shifts
from ledger.journal.bank_differences import bank_differences, counts_of_banks, difference_of
from ledger.journal.closing import SECOND, unconfirmed_on
from ledger.journal.house_events import last_verified
from ledger.journal.vault_counts import reserve_counted_on
from ledger.jurisdiction import jurisdiction
from ledger.money import dollars
from ledger.reports import box_log, cage_slips, custody, traces
from ledger.reports.cage_slips import sheets_of
from ledger.reports.count_sheets import sheets_of_day
from ledger.reports.over_short import OverShort, differed_on
from ledger.rights import READ_BOOKS, RUN_FLOOR, SIGN_OFF_DROPS
from ledger.rules.bank_signing import needs_two
from ledger.rules.slip_ways import recount_due
from ledger.views.day import Day, asked_day
from ledger.views.forms import CauseField, EvidenceField
from ledger.views.pages import FormPage, found_or_404
from tables.floor.disputes import open_disputes
from tables.models import CorrectionRequest, TableSession
from tables.reports import reconciliation
from tables.reports.day_lines import shifts_of
from tables.reports.day_reconciliation import box_sums
from tables.reports.downs import name_rates
from tables.seats.chip_counts import variances_between
from tables.views.fields import UNREADABLE, TwoPeopleForm


@dataclass(frozen=True)
class ClosingItem:
    """`waits`: somebody must still see to it. `href` is empty if the reader may not open its page."""

    title: str
    says: str
    href: str
    waits: bool = False


def closing_list(facts: Mapping[str, Any], person: Any) -> dict[str, Any]:
    """Return the context of `cage/_checklist.html`, from that of a closing page."""
    site, day, state = facts["site"], facts["day"], facts["state"]
    of_day = f"?{urlencode({'day': str(day.day)})}"
    vault, desk = reverse("cashier-vault") + of_day, reverse("cashier-day") + of_day
    boxes, banks = facts["boxes"], facts["banks"]
    signed = sum(row.state == "signed" for row in boxes)
    unsigned = [bank for bank in banks if bank.open]
    differ = len(banks) + len(facts["differed"]) + sum(bool(row.difference) for row in boxes)
    counts = variances_between(site, *day.bounds)
    books = reverse("audit-day", args=[day.day]) if person.has_perm(READ_BOOKS) else ""
    drawers, papers = state.drawers, (*state.documents, *state.away)
    items = [
        ClosingItem(
            "Drawers", _said(drawers, "{count} open", "all closed"), f"{vault}#drawers-heading", bool(drawers)
        ),
        ClosingItem(
            "Banks, drawers, vault",
            _said(unsigned, "{count} with a difference not signed off", "every difference is signed off"),
            f"{vault}#banks-heading" if banks else vault,
            bool(unsigned),
        ),
        *_playing(day, *_time_of(state, day), person),
        ClosingItem(
            *("Drop boxes", f"{signed} of {len(boxes)} signed off", f"{desk}#boxes-heading"),
            signed < len(boxes),
        ),
        ClosingItem(
            "Documents", _said(papers, "{count} under way", "none is under way"), vault, bool(papers)
        ),
        ClosingItem(
            "Over/short",
            f"{differ} counted otherwise than the books" if differ else "nothing so far",
            reverse("reconciliation", args=[day.day]),
        ),
        *_received_otherwise(facts["differed"], day.day),
        ClosingItem(
            "Variances of stacks",
            _said(counts, "{count} chip counts that differ", "no chip count differs"),
            books,
        ),
        ClosingItem(
            "Corrections",
            _said(facts["corrections"], "{count} waiting for the floor", "none waits"),
            "#look-first" if facts["corrections"] else "",
            bool(facts["corrections"]),
        ),
    ]
    items += [*_unconfirmed(site, day.day), *_reserve(site, day.day)]
    return {"items": items, "verified": last_verified(site)}


def _received_otherwise(steps: Iterable[Any], day: date) -> Iterator[ClosingItem]:
    """Yield the people whose count on receipt differed from what was sent: how often, and by how much."""
    found: dict[Any, list[int]] = {}
    for step in steps:
        found.setdefault(step.person, []).append(abs(step.over_chips) + abs(step.over_cash))
    if found:
        says = "; ".join(f"{person} {len(cents)}, {dollars(sum(cents))}" for person, cents in found.items())
        yield ClosingItem("Received otherwise", says, reverse("reconciliation", args=[day]))


def _unconfirmed(site: Any, day: date) -> Iterator[ClosingItem]:
    for last in unconfirmed_on(site, day):
        says = f"handed to the carrier on gaming day {last.gaming_day}, and not confirmed"
        yield ClosingItem(str(last.document), says, reverse("document", args=[last.document_id]), waits=True)


def _reserve(site: Any, day: date) -> Iterator[ClosingItem]:
    if (counted_on := reserve_counted_on(site)) is not None:
        due = recount_due(counted_on, day)
        says = f"counted last on gaming day {counted_on}"
        if due:
            says = f"counted last on gaming day {counted_on}, more than a month ago"
        yield ClosingItem("Reserve sets", says, reverse("reserve-count"), due)


def _time_of(state: Any, day: Any) -> tuple[datetime, datetime]:
    return getattr(state, "start", day.bounds[0]), getattr(state, "end", day.bounds[1])


def _playing(day: Any, start: datetime, end: datetime, person: Any) -> list[ClosingItem]:
    """Return the open tables whose banks have not been counted since the day or shift began: a line each for
    people who may count them, or one line that there are none."""
    counted = {count["session"] for at, count in counts_of_banks(day.site, day.day) if at >= start}
    playing = TableSession.objects.filter(table__site=day.site, opened_at__lt=end, closed_at__isnull=True)
    waits = playing.exclude(pk__in=counted).select_related("table").order_by("table__number")
    title, places = "Tables that play on", reverse("house-places")
    if not waits:
        return [ClosingItem(title, _said(playing, "{count} with a bank that was counted", "none"), places)]
    if not person.has_perm(RUN_FLOOR):
        named = ", ".join(str(one.table) for one in waits)
        says = f"nobody has counted the bank of {named} in this time"
        return [ClosingItem(title, says, places, True)]
    says = "nobody has counted its bank in this time"
    return [
        ClosingItem(f"{one.table} plays on", says, reverse("count-bank", args=[one.pk]), True)
        for one in waits
    ]


def _said(found: Sized, some: str, none: str) -> str:
    return some.format(count=len(found)) if len(found) else none


class SigningForm(TwoPeopleForm):
    """`two`: a second person signs. The verb requires the cause; `require_cause` only changes the label."""

    codes = UNREADABLE | dict.fromkeys(("max_length", "null_characters_not_allowed"), BadText.code)
    signers = SECOND

    cause = CauseField(required=False)
    evidence = EvidenceField(help_text=EvidenceField.what)

    field_order = ("cause", "evidence", "second", "second_pin")

    def __init__(self, *args: Any, two: bool, barred: Collection[int | None], **options: Any) -> None:
        self.second_needed, self.barred = two, barred
        super().__init__(*args, **options)
        self.fields["evidence"].required = two

    def require_cause(self, differs: bool = True) -> None:
        self.fields["cause"].required = differs


def asks_for_two(site: Any, chips_cents: int, cash_cents: int) -> bool:
    return needs_two(chips_cents, cash_cents, jurisdiction(site.jurisdiction).signed_by_two)


ROOM = "cage"


def day_facts(day: Day, person: Any) -> dict[str, Any]:
    """Return the context of pages about a day's money. `told`: this person sees what boxes should hold."""
    collections = reconciliation.collections_of(day.site, day.day)
    name_rates([row.session for row in collections.sessions])
    rows = box_log.boxes_of_day(day.site, day.day)
    own = [row for row in rows if row.box.gaming_day == day.day]
    banks = bank_differences(day.site, gaming_day=day.day)
    taken, now = box_log.taken_on(day.site, day.day), timezone.now()
    state, differed = closing.day_state(day.site, day.day, now), differed_on(day.site, gaming_day=day.day)
    return {
        "site": day.site,
        "day": day,
        "state": state,
        "collections": collections,
        "boxes": own,
        "waiting": [row for row in own if row.state != "signed"],
        "told": box_log.may_be_told(rows, person),
        "count_sheets": sheets_of_day(day.site, day.day),
        "shifts": shifts_of(day.site, collections, own, state.closed, now),
        "banks": banks,
        "differed": differed,
        "uncounted": _sessions_of(state.uncounted),
        "over": OverShort.of(own, banks, differed),
        "elsewhere": [(row.box, row.fees[day.day]) for row in rows if row.box.gaming_day != day.day],
        "reversals": taking_back.slips_of_day(day.site, day.day),
        "receipts": reconciliation.receipts_of(day.site, day.day),
        "disputes": () if state.closed else open_disputes(day.site),
        "proof": reconciliation.proof(collections, taken, rows),
    }


def _sessions_of(banks: Collection[Any]) -> Collection[TableSession]:
    found = TableSession.objects.filter(bank_chips__in=banks).select_related("table")
    return found.order_by("table__number") if banks else ()


def custody_facts(day: Day, person: Any) -> dict[str, Any]:
    return {
        "slips": cage_slips.slips_of_day(day.site, day.day),
        "sheets": sheets_of(drawers.drawers_of_day(day.site, day.day)),
        "day_documents": custody.rows_for(documents.trails(documents.of_day(day.site, day.day)), person),
    }


class Box(FormPage):
    rights = (SIGN_OFF_DROPS,)
    readers = (READ_BOOKS,)
    room = ROOM
    template = "cage/box.html"

    def form(self, data: Any = None) -> SigningForm:
        row = self.row()
        return SigningForm(data, request=self.request, two=_by_two(row), barred=self.barred(row))

    def barred(self, row: box_log.BoxRow) -> set[int | None]:
        """Return who is not offered as the second person: who handled the box, or ran its table."""
        return row.box.handlers | ran_box(row.box)

    def row(self) -> box_log.BoxRow:
        row = box_log.box_row(self.kwargs["box_id"])
        if row is None or row.box.site != self.site:
            raise Http404
        return row

    def do(self, form: SigningForm) -> str:
        box, act = self.row().box, self.act(form, approver=form.second_person)
        said = {name: form.cleaned_data[name] for name in ("cause", "evidence")}
        signed = boxes.sign_off(box=box, **said, act=act)
        return f"Box {box.number} is signed off. Entry {signed.entry_id}."

    def back(self) -> str:
        return reverse("cashier-box", kwargs=self.kwargs)

    def facts(self, form: SigningForm) -> dict[str, Any]:
        row, person = self.row(), self.request.user
        form.require_cause(row.differs)
        fees = list(
            reconciliation.collections_in((row.box.chips_id, row.box.cash_id)).select_related(
                "charge__round__dealer"
            )
        )
        handled = person.pk in self.barred(row)
        of_day = box_log.boxes_of_day(row.box.site, row.box.gaming_day)
        return {
            "row": row,
            "traces": traces.traces(self.site, person, traces.of_box(row.box, row.sign_off)),
            "told": box_log.may_be_told([row], person),
            "deposit": deposits.deposit_of(row.box) if row.sign_off else None,
            "sums": box_sums(row.box, fees) if box_log.may_be_told(of_day, person) else None,
            "fees": fees,
            "fees_in_force": sum(fee.in_force for fee in fees),
            "fees_cents": sum(fee.charge.cents for fee in fees if fee.in_force),
            "counts": row.box.counts.all(),
            "counters": row.counters,
            "handled": handled,
            "two": form.second_needed,
            "may_sign": person.has_perm(SIGN_OFF_DROPS) and not handled and row.state == "counted",
        }


def _by_two(row: box_log.BoxRow) -> bool:
    over = (line.difference or 0 for line in row.lines)
    return asks_for_two(row.box.site, *over)


class CloseDayForm(TwoPeopleForm):
    signers = closing.SECOND


class CloseDay(FormPage):
    """The closing of a gaming day: its totals, what is missing, and the form that two people sign."""

    rights = (SIGN_OFF_DROPS,)
    room = ROOM
    form_class = CloseDayForm
    template = "cage/close_day.html"

    def find(self, day: date) -> None:
        self.day = asked_day(self.request, day)

    def form(self, data: Any = None) -> CloseDayForm:
        return CloseDayForm(data, request=self.request)

    def do(self, form: CloseDayForm) -> str:
        act = self.act(form, approver=form.second_person)
        closing.close_day(site=self.day.site, day=self.day.day, act=act)
        return f"Gaming day {self.day.day} is closed."

    def back(self) -> str:
        return f"{reverse('cashier-day')}?{urlencode({'day': str(self.day.day)})}"

    def facts(self, form: CloseDayForm) -> dict[str, Any]:
        facts = self.closed()
        return facts | closing_list(facts, self.request.user)

    def closed(self) -> dict[str, Any]:
        asked = CorrectionRequest.objects.filter(site=self.day.site, state=CorrectionRequest.State.ASKED)
        return day_facts(self.day, self.request.user) | {
            "corrections": asked.select_related("round", "asked_by").order_by("pk"),
            "waiting_slips": cage_slips.waiting(self.day.site),
        }


class CloseShift(CloseDay):
    """The closing of a shift of a gaming day: the same, for what began before its end."""

    template = "cage/close_shift.html"

    def find(self, day: date, number: int = 0) -> None:
        super().find(day)
        self.number = number

    def do(self, form: CloseDayForm) -> str:
        act = self.act(form, approver=form.second_person)
        site, day = self.day.site, self.day.day
        closing_shifts.close_shift(site=site, day=day, number=self.number, act=act)
        return f"Shift {self.number} of gaming day {day} is closed."

    def closed(self) -> dict[str, Any]:
        facts = super().closed()
        row = next((one for one in facts["shifts"] if one.state.number == self.number), None)
        if row is None:
            raise NoSuchShift(f"Gaming day {self.day.day} has no shift {self.number}.")
        if row.state.last:
            raise LastShift(f"Shift {self.number} is the last of {self.day.day}, and is closed with the day.")
        begun = [one for one in facts["boxes"] if one.box.installed_at < row.state.end]
        playing = TableSession.objects.filter(box__in=row.state.boxes, closed_at__isnull=True)
        return facts | {
            "row": row,
            "state": row.state,
            "playing": playing.select_related("table").order_by("table__number"),
            "boxes": begun,
            "open_banks": [bank for bank in facts["banks"] if bank.open],
            "differed": [step for step in facts["differed"] if step.at < row.state.end],
            "counting": [one for one in begun if one.state not in ("installed", "signed")],
        }


class Bank(FormPage):
    rights = banks.SIGNERS
    readers = (READ_BOOKS,)
    room = ROOM
    template = "cage/bank.html"

    def find(self, entry_id: int) -> None:
        found = found_or_404(difference_of(entry_id, self.site))
        self.found, self.two = found, asks_for_two(self.site, found.chips_cents, found.cash_cents)
        self.barred = {*found.barred, *ran_session(found.session)}

    def form(self, data: Any = None) -> SigningForm:
        return SigningForm(data, request=self.request, two=self.two, barred=self.barred)

    def do(self, form: SigningForm) -> str:
        act = self.act(form, approver=form.second_person)
        said = {name: form.cleaned_data[name] for name in ("cause", "evidence")}
        banks.sign_off_bank(site=self.site, entry_id=self.found.entry.pk, **said, act=act)
        return f"The difference in {self.found} is signed off."

    def back(self) -> str:
        day = self.found.entry.gaming_day
        if not self.request.user.has_perm(SIGN_OFF_DROPS):
            return reverse("audit-day", args=[day])
        return f"{reverse('cashier-vault')}?{urlencode({'day': str(day)})}"

    def facts(self, form: SigningForm) -> dict[str, Any]:
        person = self.request.user
        form.require_cause()
        barred = person.pk in self.barred
        rights = banks.SIGNERS if self.found.session is None else (SIGN_OFF_DROPS,)
        may_sign = self.found.open and not barred and any(map(person.has_perm, rights))
        return {
            "bank": self.found,
            "traces": traces.traces(self.site, person, traces.of_bank(self.found.entry, self.found.signed)),
            "barred": barred,
            "two": self.two,
            "may_sign": may_sign,
        }
