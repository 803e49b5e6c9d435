"""Close gaming days: once its boxes are signed off, a day's papers are final and later entries get a later
date. Days are closed in order, so closing a day closes every day before it."""

import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from operator import attrgetter
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Sum

from ledger import errors
from ledger.chart import AccountKind
from ledger.db.compiled import Compiled
from ledger.journal import keys, posting, records
from ledger.journal.acts import Act
from ledger.journal.bank_differences import BankDifference, bank_differences, uncounted_banks
from ledger.journal.days import clock_of, day_bounds, last_closed, open_shift
from ledger.journal.vault_counts import counted_since_moved, unclaimed_counted
from ledger.models import (
    Account,
    ClosedDay,
    ClosedShift,
    Document,
    DocumentStep,
    Drawer,
    DropBox,
    DropSignOff,
    JournalEntry,
    Site,
    Transfer,
)
from ledger.records import canonical
from ledger.rights import MANAGE_HOUSE, RUN_FLOOR, SIGN_OFF_DROPS, require
from ledger.rules.bank_signing import wrong_second
from ledger.rules.closing_balances import Balances, balances_after
from ledger.rules.documents import KINDS, holds_day, unconfirmed
from ledger.rules.refusals import BankNotCounted, UnclaimedNotCounted
from ledger.rules.shifts import not_closed, shift_name

Closing = TypeVar("Closing", ClosedDay, ClosedShift)
Ready = Callable[[Site], dict[str, Any]]
"""Raises if something keeps a day or a shift of the locked house open; returns what else its closing
records."""
GRACE = timedelta(minutes=5)
"""How long a day stays open after its end, so that acts begun just before the end can finish writing."""
SECOND = (SIGN_OFF_DROPS, RUN_FLOOR, MANAGE_HOUSE)
"""The second person needs one of these rights, so that a house with one cashier can close its night."""


@dataclass(frozen=True)
class DayState:
    """How far a gaming day is from being closed. `closed` is the closing that covers it, possibly of a later
    day; `from_` the earliest time to close it; `earlier` the first open day with entries before it. Not
    signed off yet are `boxes`, by number, and `banks`, the differences in tables' banks. `documents` are
    those of custody that wait for a step; those in `away` wait for somebody beyond the house and keep no day
    open. `drawers` are the open ones. `vault_counted`: by two people, after everything of the day that moved
    it; `unclaimed_counted`: the chips that wait for their owners. `shift` is the first shift, apart from the
    last, with an entry and not closed, `shift_name` its name. `uncounted` are the banks of open tables that
    nobody has counted on the day or later."""

    day: date
    closed: ClosedDay | None
    over: bool
    from_: datetime
    earlier: date | None
    boxes: tuple[DropBox, ...]
    banks: tuple[BankDifference, ...] = ()
    documents: tuple[Document, ...] = ()
    drawers: tuple[Drawer, ...] = ()
    vault_counted: bool = True
    unclaimed_counted: bool = True
    away: tuple[Document, ...] = ()
    shift: int | None = None
    shift_name: str = ""
    uncounted: tuple[Account, ...] = ()

    @property
    def ready(self) -> bool:
        waits = self.earlier or self.shift or self.boxes or self.banks or self.documents or self.drawers
        counted = self.vault_counted and self.unclaimed_counted and not self.uncounted
        return self.closed is None and self.over and counted and not waits


def day_state(site: Site, day: date, now: datetime) -> DayState:
    """Return what keeps a gaming day open, or its closing. Seventeen queries at most, and some for each bank
    that differs."""
    from_ = day_bounds(site, day)[1] + GRACE
    closed = closing_of(site, day)
    if closed is not None:
        return DayState(day, closed, True, from_, None, ())
    boxes = unsigned_boxes().filter(site=site, gaming_day__lte=day).order_by("number")
    differences = bank_differences(site, gaming_day__gt=last_closed(site), gaming_day__lte=day)
    banks = tuple(one for one in differences if one.open)
    waiting: dict[bool, list[Document]] = {True: [], False: []}
    for last in last_steps(site):
        document = last.document
        if document.gaming_day <= day:
            waiting[holds_day(KINDS[document.kind], last.step)].append(document)
    documents, away = tuple(waiting[True]), tuple(waiting[False])
    drawers = tuple(open_drawers(site).filter(gaming_day__lte=day))
    earlier, vault = earlier_open(site, day), counted_since_moved(site, day)
    unclaimed = unclaimed_counted(site, day)
    facts = (earlier, tuple(boxes), banks, documents, drawers, vault, unclaimed, away)
    _, shift = open_shift(site, day)
    name = "" if shift is None else shift_name(shift, clock_of(site))
    return DayState(day, None, now >= from_, from_, *facts, shift, name, uncounted_banks(site, day))


def unsigned_boxes() -> QuerySet[DropBox]:
    """Return the boxes not signed off yet. Searching by open accounts is cheap, since they are few."""
    return DropBox.objects.filter(sign_off__isnull=True, chips__closed_at__isnull=True)


def open_documents(site: Site) -> QuerySet[Document]:
    """Return the custody documents that wait for a step, in no order: those with open accounts."""
    under_way = Account.objects.filter(site=site, kind=AccountKind.TRANSIT, closed_at__isnull=True)
    return Document.objects.filter(transit_chips__in=under_way)


def _last_steps(site: int) -> QuerySet[DocumentStep]:
    under_way = Account.objects.filter(site=site, kind=AccountKind.TRANSIT, closed_at__isnull=True)
    followed = DocumentStep.objects.filter(after=OuterRef("pk"))
    return DocumentStep.objects.filter(~Exists(followed), document__transit_chips__in=under_way)


_LAST_STEPS: Compiled[DocumentStep] = Compiled(_last_steps, joined="document")


def last_steps(site: Site) -> list[DocumentStep]:
    """Return the last step of each waiting document, with the document; one query, for every board."""
    return sorted(_LAST_STEPS.rows(site.pk), key=attrgetter("document_id"))


def unconfirmed_on(site: Site, day: date) -> list[DocumentStep]:
    """Return the steps that handed something to a carrier before a gaming day and are still not confirmed."""
    return [
        last
        for last in last_steps(site)
        if unconfirmed(KINDS[last.document.kind], last.step, last.gaming_day, day)
    ]


def open_drawers(site: Site) -> QuerySet[Drawer]:
    """Return the drawers that cashiers work from now, by their open accounts, in order."""
    in_use = Account.objects.filter(site=site, kind=AccountKind.DRAWER, closed_at__isnull=True)
    return Drawer.objects.filter(chips__in=in_use).select_related("cashier").order_by("pk")


def closing_of(site: Site, day: date) -> ClosedDay | None:
    """Return the closing that covers a gaming day, its own or a later one; None while it is open."""
    closed = ClosedDay.objects.filter(site=site, gaming_day__gte=day).select_related(
        "closed_by", "closed_with"
    )
    return closed.order_by("gaming_day").first()


def close_day(*, site: Site, day: date, act: Act) -> ClosedDay:
    """Close a gaming day and store its totals and balances. The act's approver has one of the rights SECOND
    and signed off no box of the days that are closed. A repeated request returns the first closing. Raises
    SecondPerson, NotAllowed, DayNotOver, DayAlreadyClosed, EarlierDayOpen, ShiftNotClosed, BoxNotSigned,
    BankNotSigned, DocumentUnderWay, DrawerOpen, VaultNotCounted, UnclaimedNotCounted, BankNotCounted (they
    name what is missing), KeyReused."""

    def ready(locked: Site) -> dict[str, Any]:
        _require_ready(day_state(locked, day, act.now))
        return {
            "entries": JournalEntry.objects.filter(site=locked, gaming_day=day).count(),
            "totals": canonical.text(day_sums(locked, day)),
            "balances": canonical.text(balances_at_end(locked, day)),
        }

    return write_closing(ClosedDay, "gaming day", ready, site=site, act=act, gaming_day=day)


def write_closing(
    model: type[Closing], what: str, ready: Ready, *, site: Site, act: Act, **of: Any
) -> Closing:
    """Write the closing of a day or a shift, named by `of`. Raises what `close_day` does."""
    require(act.actor, SIGN_OFF_DROPS)
    require_second(act, signers=(), what=what)
    require(act.approver, *SECOND)
    posting.check_texts(act)
    with transaction.atomic():
        # The strongest lock on the site: it waits for entries being written now, and later entries wait for
        # it.
        site = Site.objects.select_for_update().get(pk=site.pk)
        same = {**of, "closed_by_id": act.actor.pk, "closed_with_id": act.approver.pk}
        if earlier := keys.made_before(model, site.pk, act.key, **same):
            return earlier
        figures = ready(site)
        require_second(act, signers=signers(site, of["gaming_day"]), what=what)
        people = {"closed_by": act.actor, "closed_with": act.approver}
        sent = {"closed_at": act.now, "key": act.key, "terminal": act.terminal}
        closed = model._default_manager.create(site=site, **of, **people, **sent, **figures)
        records.keep(site.pk, act.now, closed)
    return closed


def day_sums(site: Site, day: date) -> dict[str, dict[str, dict[str, int]]]:
    """Return a day's turnover: {kind of account: {asset: {"in": cents, "out": cents}}}. Two queries."""
    moved = Transfer.objects.filter(entry__site=site, entry__gaming_day=day)
    sums: dict[str, dict[str, dict[str, int]]] = {}
    for end, way in (("target__kind", "in"), ("source__kind", "out")):
        rows = moved.order_by().values_list(end, "asset").annotate(cents=Sum("cents"))
        for kind, asset, cents in rows:
            sums.setdefault(kind, {}).setdefault(asset, {"in": 0, "out": 0})[way] = cents
    return sums


def balances_at_end(site: Site, day: date) -> Balances:
    """Return each account's balance at the end of a gaming day with all its entries. Two queries."""
    before = ClosedDay.objects.filter(site=site, gaming_day__lt=day).order_by("-gaming_day").first()
    entries = Q(entry__site=site, entry__gaming_day__lte=day)
    if before is not None:
        entries &= Q(entry__gaming_day__gt=before.gaming_day)
    ends = ("asset", "source__kind", "source", "target__kind", "target")
    moves = Transfer.objects.filter(entries).order_by().values_list(*ends).annotate(cents=Sum("cents"))
    return balances_after(() if before is None else json.loads(before.balances), moves)


def signers(site: Site, day: date) -> set[int]:
    """Return the people who signed off boxes of a day and of the earlier days that it closes. One query."""
    signed = DropSignOff.objects.filter(
        box__site=site, box__gaming_day__lte=day, box__gaming_day__gt=last_closed(site)
    )
    return set(signed.values_list("signed_by", flat=True))


def require_second(act: Act, *, signers: Collection[int], what: str) -> None:
    second = act.approver and act.approver.pk
    if wrong := wrong_second(closer=act.actor.pk, second=second, signers=signers, what=what):
        raise errors.SecondPerson(wrong, field="second")


def _require_ready(state: DayState) -> None:
    if not state.over:
        raise errors.DayNotOver(f"Gaming day {state.day} is not over yet.")
    if state.closed is not None:
        later = state.closed.gaming_day
        if later == state.day:
            raise errors.DayAlreadyClosed(f"Gaming day {state.day} has been closed.")
        raise errors.DayAlreadyClosed(f"Gaming day {state.day} has been closed with {later}.")
    if state.earlier is not None:
        raise errors.EarlierDayOpen(f"Close gaming day {state.earlier} first: it is still open.")
    if state.shift is not None:
        raise errors.ShiftNotClosed(not_closed(state.day, state.shift_name))
    if state.boxes:
        raise errors.BoxNotSigned(f"Not signed off yet: {named(state.boxes)}.")
    if state.banks:
        raise errors.BankNotSigned(f"Not signed off yet: the difference in {named(state.banks)}.")
    if state.documents:
        raise errors.DocumentUnderWay(f"Still under way: {named(state.documents)}.")
    if state.drawers:
        raise errors.DrawerOpen(f"Still open: {named(state.drawers)}.")
    if not state.vault_counted:
        raise errors.VaultNotCounted(
            "Two people count the vault first: something moved it after its last count."
        )
    if not state.unclaimed_counted:
        raise UnclaimedNotCounted("Two people count the unclaimed chips first: some are held.")
    if state.uncounted:
        tables = named(one.label for one in state.uncounted)
        raise BankNotCounted(f"Two people count the bank first, where play goes on: {tables}.")


def named(several: Iterable[object]) -> str:
    return "; ".join(map(str, several))


def earlier_open(site: Site, day: date) -> date | None:
    """Return the first open day with entries if it is before `day`, else None. One query."""
    for (first,) in _FIRST_OPEN.rows(site.pk):
        return first if first < day else None
    return None


def _first_open(site: int) -> QuerySet[JournalEntry]:
    behind = JournalEntry.objects.filter(site=site, gaming_day__gt=last_closed(site))
    return behind.order_by("gaming_day")[:1]


_FIRST_OPEN: Compiled[Any] = Compiled(_first_open, plain=True, read="gaming_day")
