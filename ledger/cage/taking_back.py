"""Take back mistakes: each entry is reversed under a numbered slip that names it.

For ten seconds the person who made the entry can do so alone at the same terminal (an `undo`); after that it
takes two people and a reason (a `reversal`). Both stay on the papers of the first entry's day. The caller
checks what else must not have happened since; at the window nothing, because the books do not know which
chips are whose."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Q

from ledger import errors
from ledger.cage import drawers
from ledger.chart import EntryKind
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.journal.days import is_closed
from ledger.models import DropBox, JournalEntry, ReversalSlip, Site, record_of
from ledger.rights import RUN_FLOOR, WORK_CAGE, require
from ledger.rules.undoing import Doing, why_not_alone
from ledger.rules.window import AT_THE_WINDOW

WINDOW = (*AT_THE_WINDOW, *(EntryKind.CHIPS_BEYOND_BOOKS, EntryKind.TOKE_PAYOUT))
SECOND = (WORK_CAGE, RUN_FLOOR)
"""The second person at the cage needs one of these rights."""
CASH_OF_TOKES = "/cash"
"""Suffix of a toke payout's key for the entry of the cash paid."""
_ENTRY = "entry"
_ENOUGH = 50  # acts of the window that a page shows


def take_back(
    *, site: Site, entries: Sequence[JournalEntry], evidence: Mapping[int, Mapping[str, Any]], act: Act
) -> list[ReversalSlip]:
    """Reverse the entries of one act, each under the next slip; return the slips. Repeating a key changes
    nothing. `evidence` has additional evidence of the reversals, by entry. With an approver it needs a
    reason; without one it is an undo. The caller has checked rights. Raises AlreadyReversed, DayClosed,
    BoxPulled, DrawerClosed, NotYourAct, UndoTooLate, ReasonRequired, SecondPerson, and InsufficientFunds if
    the chips or cash are gone."""
    act = act.stated("Enter what was wrong.") if act.approver is not None else act.because("")
    with transaction.atomic():
        posting.lock_house(site)
        if not taken_back_before(site, entries, act):
            _require_possible(site, entries, act)
            _post(site, entries, evidence, act)
        return slips_of(entries)


def slips_of(entries: Sequence[JournalEntry]) -> list[ReversalSlip]:
    slips = ReversalSlip.objects.filter(entry__reverses__in=entries).select_related("entry__reverses")
    return list(slips.order_by("number"))


def taken_back_before(site: Site, entries: Sequence[JournalEntry], act: Act) -> bool:
    return posting.earlier(site=site, kind=_kind(act), content=_content(entries, act), act=act) is not None


def require_in_force(entries: Sequence[JournalEntry]) -> None:
    if (reversal := JournalEntry.objects.filter(reverses__in=entries).first()) is not None:
        raise errors.AlreadyReversed(
            f"Entry {reversal.reverses_id} has already been taken back.", field=_ENTRY
        )


def take_back_at_window(*, entry: JournalEntry, act: Act) -> list[ReversalSlip]:
    """Take back a sale, redemption or toke payout. Raises NotTakenBack, and as `take_back` does."""
    require(act.actor, WORK_CAGE)
    if entry.kind not in WINDOW:
        raise errors.NotTakenBack("Only what was done at the window is taken back here.", field=_ENTRY)
    if act.approver is not None and act.approver.pk != act.actor.pk:
        require(act.approver, *SECOND)
    site, pair = entry.site, [entry]
    if entry.kind == EntryKind.CHIP_REDEMPTION and entry.key.endswith(CASH_OF_TOKES):
        payout = site.entries.filter(
            kind=EntryKind.TOKE_PAYOUT, key=entry.key.removesuffix(CASH_OF_TOKES)
        ).first()
        if payout is not None:
            raise errors.NotTakenBack(
                f"It is the cash for tokes: take back their payout, entry {payout.pk}.", field=_ENTRY
            )
    elif entry.kind == EntryKind.TOKE_PAYOUT:
        pair.append(site.entries.get(key=f"{entry.key}{CASH_OF_TOKES}"))
    return take_back(site=site, entries=pair, evidence={}, act=act)


def acts_at_window(site: Site, day: Any) -> list[JournalEntry]:
    done = site.entries.filter(kind__in=WINDOW, gaming_day=day).exclude(
        kind=EntryKind.CHIP_REDEMPTION, key__endswith=CASH_OF_TOKES
    )
    shown = done.select_related("actor", "receipt", "reversed_by__reversal_slip")
    shown = shown.annotate(record_text=record_of("pk"))
    return list(shown.prefetch_related("transfers").order_by("-pk")[:_ENOUGH])


def slips_of_day(site: Site, day: Any) -> list[ReversalSlip]:
    slips = ReversalSlip.objects.filter(site=site, entry__gaming_day=day)
    people = ("entry__actor", "entry__approver", "entry__reverses__actor")
    return list(slips.select_related(*people).prefetch_related("entry__transfers").order_by("number"))


def _kind(act: Act) -> EntryKind:
    return EntryKind.UNDO if act.approver is None else EntryKind.REVERSAL


def _content(entries: Sequence[JournalEntry], act: Act) -> dict[str, Any]:
    return {"takes_back": [entry.pk for entry in entries], "reason": act.reason}


def _require_possible(site: Site, entries: Sequence[JournalEntry], act: Act) -> None:
    require_in_force(entries)
    for entry in entries:
        if is_closed(site, entry.gaming_day, act.now):
            raise errors.DayClosed(
                f"Gaming day {entry.gaming_day} is closed: what it took stands.", field=_ENTRY
            )
        if act.approver is None:
            _require_alone(entry, act)
        elif act.approver.pk == act.actor.pk:
            raise errors.SecondPerson("Somebody else has to approve it.", field="approver")
    _require_boxes(entries)
    drawers.require_still_open(entries)


def _require_alone(entry: JournalEntry, act: Act) -> None:
    first = Doing(entry.actor_id, entry.terminal, entry.recorded_at)
    match why_not_alone(first, Doing(act.actor.pk, act.terminal, act.now)):
        case "not_your_act":
            raise errors.NotYourAct(
                "Only the person who did it can undo it, at the same terminal. Two people can take it back,"
                " with a reason."
            )
        case "undo_too_late":
            raise errors.UndoTooLate(
                "Ten seconds have passed. Two people can still take it back, with a reason."
            )


def _require_boxes(entries: Iterable[JournalEntry]) -> None:
    """Raise BoxPulled for an entry into a box that was pulled since: the box must be counted with it."""
    moved = {move for entry in entries for move in entry.transfers.values_list("target", flat=True)}
    boxes = DropBox.objects.filter(Q(chips__in=moved) | Q(cash__in=moved), pulled_at__isnull=False)
    if (box := boxes.first()) is not None:
        raise errors.BoxPulled(
            f"Box {box.number}, which it went into, has been pulled: it is counted there, and stands."
        )


def _post(
    site: Site, entries: Sequence[JournalEntry], evidence: Mapping[int, Mapping[str, Any]], act: Act
) -> None:
    first = posting.next_number(ReversalSlip.objects.filter(site=site))
    drafts = [
        posting.EntryDraft(
            kind=_kind(act),
            moves=posting.mirror(entry),
            reverses=entry,
            evidence={**evidence.get(entry.pk, {}), "of": entry.kind, "reverses": entry.pk, "slip": number},
            content=_content(entries, act),
            gaming_day=entry.gaming_day,
            act=act.under(act.key if number == first else f"{act.key}/{number - first + 1}"),
        )
        for number, entry in enumerate(entries, first)
    ]
    posted = posting.post_all(site=site, drafts=drafts)
    ReversalSlip.objects.bulk_create(
        ReversalSlip(site=site, number=number, entry=entry) for number, entry in enumerate(posted, first)
    )
