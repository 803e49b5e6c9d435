"""Custody of drop boxes: installed empty, pulled by two people, counted twice and blind, signed off by a
third. The verbs that take fees post what goes into a box at its table. A counter sees neither what the
books expect nor what the other counter found; the signer sees both, but only after the two counters have
signed the count sheet (ledger/cage/count_sheets.py)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from operator import attrgetter
from typing import Any

from django.db import transaction
from django.db.models import Prefetch, QuerySet

from ledger import errors, lengths
from ledger.cage.seals import SEAL_LENGTH, Pulling, checked_pulling, require_free_seal
from ledger.cage.signing import checked_evidence, ran_box, require_signers
from ledger.cage.stocking import denominations, meant, moves_as_counted
from ledger.chart import AccountKind, Asset, EntryKind
from ledger.db.compiled import Compiled
from ledger.journal import house_events, keys, posting, records
from ledger.journal.acts import Act
from ledger.journal.closing import unsigned_boxes
from ledger.journal.days import gaming_day
from ledger.models import (
    Account,
    BoxReceipt,
    Count,
    CountSheet,
    CountSheetReceipt,
    CountSheetSignature,
    DropBox as DropBox,
    DropSignOff,
    HouseEvent,
    Site,
)
from ledger.rights import COUNT_BOXES, DEAL, RUN_FLOOR, SIGN_OFF_DROPS, require
from ledger.rules import box_custody
from ledger.rules.count_sheets import CALLED_AT, CountAttempt, agreed, calls_supervisor
from ledger.rules.denominations import Pieces, checked_pieces, pieces_of


@dataclass(frozen=True)
class CountState:
    """How far the counting of a box is, without figures, so that every screen may show it. `attempt` is the
    current or agreed attempt, from 1; `counted_by` are the ids of the people who counted in it. If an attempt
    above 1 has no counts yet, the counts before differed and both people count again."""

    box: DropBox
    pulled: bool
    attempt: int
    counted_by: tuple[int, ...]
    agreed: bool
    signed: bool

    @property
    def again(self) -> bool:
        return self.attempt > 1 and not self.agreed

    @property
    def calls_supervisor(self) -> bool:
        return calls_supervisor(self.attempt, agree=self.agreed)

    def waits_for(self, counter: Any) -> bool:
        """Return whether this person may enter a count now; False if it is the other counter's turn."""
        return self.pulled and not self.agreed and not self.signed and counter.pk not in self.counted_by


@dataclass(frozen=True)
class BoxesOfDay:
    """The boxes that were installed on a gaming day, by number: those still at a table, and the counting
    state of the others. `sheets` are the ids of their count sheets, by box; `closed` are the signed ones."""

    boxes: tuple[DropBox, ...]
    states: tuple[CountState, ...]
    sheets: dict[int, int]
    closed: frozenset[int]

    @property
    def waiting(self) -> list[CountState]:
        """Return the pulled boxes that are on no signed sheet: one sheet takes all of them."""
        return [state for state in self.states if self.sheets.get(state.box.pk) not in self.closed]

    def on(self, sheet: CountSheet) -> list[CountState]:
        """Return the boxes of a sheet; for an open one, also those that it still has to take."""
        if sheet.pk not in self.closed:
            return self.waiting
        return [state for state in self.states if self.sheets.get(state.box.pk) == sheet.pk]


Figures = dict[str, tuple[int, int]]
"""Expected and counted cents by asset, for the person who signs the box off."""


def install_box(*, site: Site, place: str, seal: str = "", act: Act) -> DropBox:
    """Install an empty box with accounts for chips and cash, numbered without gaps; in a house with seals,
    under the number of its seal. Raises BoxInstalled, SealRequired, SealInUse, BadText."""
    require(act.actor, RUN_FLOOR, COUNT_BOXES)
    posting.checked_text(place, 60, "place")
    seal = posting.checked_text(seal.strip(), SEAL_LENGTH, "new_seal", empty=True)
    with transaction.atomic():
        # Numbers are assigned under the site's lock; a number whose act fails is free again.
        posting.lock_house(site)
        if DropBox.objects.filter(site=site, place=place, pulled_at=None).exists():
            raise errors.BoxInstalled(f"There is already a drop box at {place}.", field="place")
        require_free_seal(site, seal)
        number = posting.next_number(DropBox.objects.filter(site=site))
        kind, label = AccountKind.DROP_BOX, f"Box {number}, {place}"
        accounts = posting.open_accounts(site=site, kind=kind, label=label, now=act.now)
        box = DropBox.objects.create(
            site=site,
            number=number,
            place=place,
            gaming_day=gaming_day(site, act.now),
            **accounts,
            installed_by=act.actor,
            installed_at=act.now,
            seal=seal,
        )
        sealed: dict[str, Any] = {"seal": seal} if seal else {}
        house_events.note(
            site,
            HouseEvent.Kind.BOX_INSTALLED,
            box=box.pk,
            number=number,
            place=place,
            gaming_day=box.gaming_day.isoformat(),
            chips=box.chips_id,
            cash=box.cash_id,
            **sealed,
            act=act,
        )
    return box


def pull_box(*, box: DropBox, second: Any, noted: Pulling | None = None, act: Act) -> DropBox:
    """Two people pull the box, who also carry it; nothing goes in or out until it is signed off. Raises
    SecondPerson if they are the same person, NotAllowed if either has no right, BoxPulled if already pulled,
    SealDiffers, EmergencyDrop outside the filed times without a reason."""
    require(act.actor, RUN_FLOOR, COUNT_BOXES)
    if second is None or second.pk == act.actor.pk:
        raise errors.SecondPerson("Two different people must pull a box.", field="second")
    require(second, RUN_FLOOR, COUNT_BOXES, DEAL)
    with transaction.atomic():
        box = _locked(box)
        if box.pulled_at is not None:
            raise errors.BoxPulled(f"{box} has already been pulled.")
        noted = checked_pulling(box, noted or Pulling(), act)
        for account in _lock_accounts(box):
            account.sealed_at = act.now
            account.save(update_fields=["sealed_at"])
        box.pulled_by, box.pulled_with, box.pulled_at = act.actor, second, act.now
        box.pulled_seal, box.seal_reason, box.emergency = noted.seal, noted.seal_reason, noted.emergency
        said = ["pulled_seal", "seal_reason", "emergency"]
        box.save(update_fields=["pulled_by", "pulled_with", "pulled_at", *said])
        data: dict[str, Any] = {"box": box.pk, "number": box.number, "second": second.pk, **noted.said}
        house_events.note(box.site, HouseEvent.Kind.BOX_PULLED, act=act, **data)
    return box


def enter_count(*, box: DropBox, pieces: Pieces, act: Act) -> Count:
    """Record one counter's count on the open sheet of the box's day. An empty box is counted as well. The
    same request again returns the first count. Raises SheetNotBegun, BoxNotPulled, BoxSigned, CountClosed if
    both counts agree already, AlreadyCounted while the other counter's is missing, BadAmount, KeyReused.
    `count_state` tells whether the counts agree."""
    require(act.actor, COUNT_BOXES)
    found_some = any((*pieces.chips.values(), *pieces.cash.values()))
    pieces = checked_pieces(pieces, **denominations(box.site)) if found_some else Pieces()
    pieces = meant(pieces, box.site, AccountKind.DROP_BOX)
    posting.check_texts(act)
    with transaction.atomic():
        box = _locked(box)
        if keys.known(box.site_id, [act.key]):
            said = {"box": box, "counter": act.actor}
            earlier = Count.objects.filter(site=box.site_id, key=act.key, **said).first()
            if earlier is None or earlier.pieces != pieces.data:
                raise errors.KeyReused("This key was used for another count.", field="key")
            return earlier
        state = count_state(box)
        if state.signed:
            raise errors.BoxSigned(f"{box} has been signed off.")
        if not state.pulled:
            raise errors.BoxNotPulled(f"{box} is still at its table.")
        if not in_count_room(box):
            raise errors.BoxNotReceived(f"{box} has not been received in the count room.")
        if state.agreed:
            raise errors.CountClosed(f"{box} has been counted twice with the same result.")
        if act.actor.pk in state.counted_by:
            raise errors.AlreadyCounted(
                f"You have already counted {box}. Somebody else makes the second count."
            )
        count = Count.objects.create(
            site_id=box.site_id,
            box=box,
            sheet=_require_sheet(box),
            counter=act.actor,
            attempt=state.attempt,
            **pieces.columns,
            key=act.key,
            counted_at=act.now,
        )
        records.keep(box.site_id, act.now, count)
    return count


def agreed_count(box: DropBox) -> tuple[int, int] | None:
    """Return (chips, cash) in cents if two counters agree on them, else None. Shown to nobody before
    `sheet_signed`."""
    found = _agreed(list(box.counts.all()))
    return None if found is None else (found.chips_cents, found.cash_cents)


def received_count(box: DropBox) -> tuple[int, int] | None:
    """Return the (chips, cash) in cents that a cashier received from a box: the amount on which two counters
    agreed, plus its share of any difference at the receipt of their sheet. None before that."""
    counts = list(box.counts.all())
    sheet = CountSheet.objects.filter(pk__in=[one.sheet_id for one in counts]).first()
    receipt = None if sheet is None else CountSheetReceipt.objects.filter(sheet=sheet).first()
    if sheet is None or (receipt is None and sheet.to_cashier):
        return None
    if receipt is None or not receipt.reason:
        return agreed_count(box)
    found = {one.pk: agreed_count(one) or (0, 0) for one in counted_on(sheet)}
    chips, cash = (
        box_custody.shares({pk: cents[which] for pk, cents in found.items()}, received)
        for which, received in enumerate((receipt.chips_cents, receipt.cash_cents))
    )
    return chips[box.pk], cash[box.pk]


def counted_on(sheet: CountSheet) -> list[DropBox]:
    on = DropBox.objects.filter(pk__in=Count.objects.filter(sheet=sheet).values("box"))
    return list(on.prefetch_related("counts").order_by("pk"))


def counted_together(sheet: CountSheet) -> Pieces:
    return box_custody.together(
        found for box in counted_on(sheet) if (found := _agreed(list(box.counts.all())))
    )


def receipts() -> Any:
    """Return the prefetch of boxes' receipts with their people."""
    return Prefetch("receipts", BoxReceipt.objects.select_related("person", "second").order_by("ordinal"))


def in_count_room(box: DropBox) -> bool:
    """Return whether a box may be counted: a sealed one must have been received in the count room."""
    return not box.seal or any(one.place == BoxReceipt.Place.COUNT_ROOM for one in box.receipts.all())


def sheet_signed(box: DropBox) -> bool:
    return CountSheetSignature.objects.filter(sheet__in=[one.sheet_id for one in box.counts.all()]).exists()


def open_sheet(site: Site, day: date) -> CountSheet | None:
    return CountSheet.objects.filter(site=site, gaming_day=day, signature__isnull=True).first()


def boxes_of(site: Site, day: date) -> BoxesOfDay:
    """Return the boxes of a gaming day with the state of their counting; five queries."""
    found = DropBox.objects.filter(site=site, gaming_day=day).select_related("site")
    boxes = tuple(sorted(found.prefetch_related("counts", receipts()), key=attrgetter("number")))
    signed = set(DropSignOff.objects.filter(box__in=boxes).values_list("box", flat=True))
    states = (count_state(box, signed=box.pk in signed) for box in boxes if box.pulled_at is not None)
    closed = CountSheetSignature.objects.filter(sheet__site=site, sheet__gaming_day=day)
    sheets = {box.pk: one.sheet_id for box in boxes for one in box.counts.all()}
    return BoxesOfDay(boxes, tuple(states), sheets, frozenset(closed.values_list("sheet", flat=True)))


def days_to_count(site: Site) -> list[date]:
    """Return the gaming days with pulled boxes that are not signed off; the sheets of some may be signed."""
    pulled = unsigned_boxes().filter(chips__site=site, pulled_at__isnull=False)
    return sorted(set(pulled.values_list("gaming_day", flat=True)))


def lock_boxes(site: Site, day: date) -> None:
    """Lock the boxes of a gaming day, so that each pull comes clearly before or after what follows."""
    locked = DropBox.objects.select_for_update(of=("self",), no_key=True).order_by("pk")
    list(locked.filter(site=site, gaming_day=day).values_list("pk"))


def _counted_often(site: Site | int) -> QuerySet[DropBox]:
    return unsigned_boxes().filter(chips__site=site, counts__attempt=CALLED_AT).distinct()


_COUNTED_OFTEN: Compiled[Any] = Compiled(_counted_often, plain=True, read="id")


def disputed(site: Site) -> list[CountState]:
    """Return the boxes whose counters need a supervisor. One query where there is none, for every board."""
    if not _COUNTED_OFTEN.values(site.pk):
        return []
    often = _counted_often(site).prefetch_related("counts").order_by("pk")
    states = (count_state(box, signed=False) for box in often)
    return [state for state in states if state.calls_supervisor]


def count_state(box: DropBox, *, signed: bool | None = None) -> CountState:
    if signed is None:
        signed = DropSignOff.objects.filter(box=box).exists()
    counts = list(box.counts.all())
    agreed = _agreed(counts) is not None
    attempt = max((count.attempt for count in counts), default=1)
    counted_by = tuple(sorted(count.counter_id for count in counts if count.attempt == attempt))
    if len(counted_by) == 2 and not agreed:
        attempt, counted_by = attempt + 1, ()
    return CountState(box, box.pulled_at is not None, attempt, counted_by, agreed, signed)


def boxes_to_count(actor: Any) -> list[CountState]:
    """Return the pulled boxes whose counts do not agree yet, the first pulled first."""
    require(actor, COUNT_BOXES)
    pulled = unsigned_boxes().filter(pulled_at__isnull=False).select_related("site")
    states = (
        count_state(box, signed=False)
        for box in pulled.prefetch_related("counts").order_by("pulled_at", "pk")
    )
    return [state for state in states if not state.agreed]


def sign_off(*, box: DropBox, cause: str, evidence: str = "", act: Act) -> DropSignOff:
    """Receive a counted box at the cage, post any difference to over/short, and close its accounts. The entry
    belongs to the box's gaming day. From a difference that the jurisdiction names, the act's approver signs
    too, and evidence is given. The same request again returns the first sign-off. Raises BoxNotPulled,
    BoxSigned, CountOpen, SheetNotSigned, CountedBySigner, RanTheTable, SecondPerson, CauseRequired if counted
    and expected differ, EvidenceRequired, KeyReused."""
    require(act.actor, SIGN_OFF_DROPS)
    cause = posting.checked_text(cause.strip(), lengths.POSTED_REASON, "cause", empty=True)
    evidence = checked_evidence(evidence)
    content = {
        "box": box.pk,
        "cause": cause,
        "shown_by": evidence,
        "second": act.approver and act.approver.pk,
    }
    with transaction.atomic():
        box = _locked(box)
        if earlier := posting.earlier(site=box.site, kind=EntryKind.DROP, content=content, act=act):
            return DropSignOff.objects.get(entry=earlier)
        if DropSignOff.objects.filter(box=box).exists():
            raise errors.BoxSigned(f"{box} has been signed off.")
        accounts = _lock_accounts(box)
        figures = _reconciled(box, act.actor, accounts)
        if not cause and any(expected != counted for expected, counted in figures.values()):
            raise errors.CauseRequired("The count differs from the books. Give the cause.", field="cause")
        (chips, counted_chips), (cash, counted_cash) = (figures[asset] for asset in (Asset.CHIPS, Asset.CASH))
        over = counted_chips - chips, counted_cash - cash
        ran = ran_box(box)
        threshold = require_signers(
            site=box.site, over=over, barred=box.handlers, ran=ran, evidence=evidence, act=act
        )
        draft = posting.EntryDraft(
            kind=EntryKind.DROP,
            moves=tuple(
                move for one in accounts for move in moves_as_counted(box.site, one, figures[one.asset][1])
            ),
            evidence=_evidence(box, figures, cause),
            content=content,
            gaming_day=box.gaming_day,
            act=act.because(cause),
        )
        entry = posting.post(site=box.site, draft=draft)
        for account in accounts:
            posting.close_account(account, act.now)
        signed = DropSignOff.objects.create(
            box=box,
            entry=entry,
            **{f"expected_{asset}": expected for asset, (expected, _) in figures.items()},
            **{f"counted_{asset}": counted for asset, (_, counted) in figures.items()},
            cause=cause,
            evidence=evidence,
            threshold_cents=threshold,
            signed_by=act.actor,
            signed_with=act.approver,
            signed_at=act.now,
        )
        records.keep(box.site_id, act.now, signed)
    return signed


def _locked(box: DropBox) -> DropBox:
    return DropBox.objects.select_for_update(of=("self",), no_key=True).select_related("site").get(pk=box.pk)


def _lock_accounts(box: DropBox) -> tuple[Account, Account]:
    by_id = Account.objects.select_for_update(no_key=True).order_by("pk").in_bulk([box.chips_id, box.cash_id])
    return by_id[box.chips_id], by_id[box.cash_id]


def _require_sheet(box: DropBox) -> CountSheet:
    """Return the open sheet of a box's gaming day. The caller holds the house's lock, under which sheets are
    signed."""
    posting.lock_house(box.site)
    sheet = open_sheet(box.site, box.gaming_day)
    if sheet is None:
        raise errors.SheetNotBegun(f"Begin a count sheet for gaming day {box.gaming_day}, then count {box}.")
    return sheet


def _agreed(counts: Sequence[Count]) -> Pieces | None:
    return agreed(CountAttempt(one.attempt, one.counter_id, pieces_of(one.pieces)) for one in counts)


def _reconciled(box: DropBox, actor: Any, accounts: Sequence[Account]) -> Figures:
    if box.pulled_at is None:
        raise errors.BoxNotPulled(f"{box} is still at its table.")
    if actor.pk in box.handlers:
        raise errors.CountedBySigner("You cannot sign off a box that you pulled or counted.")
    if agreed_count(box) is None:
        raise errors.CountOpen(f"{box} has not been counted twice with the same result.")
    if not sheet_signed(box):
        raise errors.SheetNotSigned(f"The count sheet of {box} has not been signed by its two counters.")
    counted = received_count(box)
    if counted is None:
        raise errors.SheetNotReceived(f"No cashier has received what was counted on the sheet of {box}.")
    return {one.asset: (one.balance_cents, cents) for one, cents in zip(accounts, counted, strict=True)}


def _evidence(box: DropBox, figures: Figures, cause: str) -> dict[str, Any]:
    counts = [
        {
            "attempt": count.attempt,
            "counter": count.counter_id,
            "chips": count.chips_cents,
            "cash": count.cash_cents,
            "counted_at": count.counted_at.isoformat(),
        }
        for count in box.counts.order_by("pk")
    ]
    return {
        "box": box.pk,
        "number": box.number,
        "place": box.place,
        "installed_at": box.installed_at.isoformat(),
        "pulled_at": box.pulled_at and box.pulled_at.isoformat(),
        "pulled_by": sorted((box.pulled_by_id, box.pulled_with_id)),
        "counts": counts,
        "cause": cause,
        "expected": {asset: expected for asset, (expected, _) in figures.items()},
        "counted": {asset: counted for asset, (_, counted) in figures.items()},
    }
