"""Stocking the cage: chips and cash that enter or leave its float are counted by two people, each blind.

A cage slip has a number. A cashier counts first; a second person counts without seeing that count. If both
agree by denomination, the slip is posted; if not, both are kept and nothing is posted. A slip that waits can
be withdrawn."""

from typing import Any

from django.db import transaction
from django.db.models import Max

from ledger import lengths
from ledger.cage import window
from ledger.cage.taking_back import SECOND
from ledger.chart import Asset, EntryKind
from ledger.errors import InsufficientFunds, KeyReused, NotYourSlip, SecondPerson, SlipClosed
from ledger.journal import keys, posting, records
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day
from ledger.jurisdiction import jurisdiction
from ledger.models import CageSlip, CageSlipResult, JournalEntry, Site
from ledger.money import dollars
from ledger.rights import WORK_CAGE, require
from ledger.rules.denominations import Pieces, checked_pieces, parse_values, pieces_of

IN, OUT = CageSlip.Way.IN, CageSlip.Way.OUT
KINDS = {IN: EntryKind.FLOAT_ISSUE, OUT: EntryKind.FLOAT_RETURN}


def denominations(site: Site) -> dict[str, tuple[int, ...]]:
    """Return the house's denominations in cents by asset, the smallest first."""
    usual = jurisdiction(site.jurisdiction)
    own = site.chip_values.strip()
    return {"chips": parse_values(own) if own else usual.chips, "cash": usual.cash}


def count_first(*, site: Site, way: str, pieces: Pieces, act: Act) -> CageSlip:
    """Record the cashier's count on a new slip; `way` is "in" or "out". The same request again returns the
    first slip. Raises BadAmount, KeyReused, InsufficientFunds if the cage has less than is to leave it."""
    require(act.actor, WORK_CAGE)
    posting.checked_text(act.key, posting.KEY_LENGTH, "key")
    posting.checked_text(act.terminal, posting.LABEL_LENGTH, "terminal", empty=True)
    pieces = checked_pieces(pieces, **denominations(site))
    with transaction.atomic():
        posting.lock_house(site)
        same = {"way": way, "counted_by_id": act.actor.pk, "pieces": pieces.data}
        if earlier := keys.made_before(CageSlip, site.pk, act.key, **same):
            return earlier
        if way == OUT:
            _require_held(site, pieces)
        slip = CageSlip.objects.create(
            site=site,
            number=(CageSlip.objects.filter(site=site).aggregate(last=Max("number"))["last"] or 0) + 1,
            way=CageSlip.Way(way),
            gaming_day=gaming_day(site, act.now),
            **_counted(pieces),
            counted_by=act.actor,
            counted_at=act.now,
            terminal=act.terminal,
            key=act.key,
        )
        records.keep(site.pk, act.now, slip)
    return slip


def count_second(*, slip: CageSlip, pieces: Pieces, act: Act) -> CageSlipResult:
    """Record the count of `act.approver`, and post the slip if both counts agree. If they differ, both are
    kept, nothing is posted, and the slip has ended. The same request again returns the first result. Raises
    SecondPerson, NotAllowed, NotYourSlip unless the first counter acts, SlipClosed, KeyReused, BadAmount,
    InsufficientFunds."""
    require(act.actor, WORK_CAGE)
    second = act.approver
    if second is None or second.pk in (act.actor.pk, slip.counted_by_id):
        raise SecondPerson("Somebody else must make the second count.", field="second")
    require(second, *SECOND)
    pieces = checked_pieces(pieces, **denominations(slip.site))
    with transaction.atomic():
        posting.lock_house(slip.site)
        if earlier := _result(slip):
            return _same_result(earlier, pieces, act)
        if act.actor.pk != slip.counted_by_id:
            raise NotYourSlip(f"{slip} was counted first by {slip.counted_by}, who must be signed in for it.")
        keys.require_new(slip.site_id, act.key)
        agreed = pieces == pieces_of(slip.pieces)
        entry = _posted(slip, pieces, act) if agreed else None
        outcome = CageSlipResult.Outcome.POSTED if agreed else CageSlipResult.Outcome.DIFFERED
        return _end(slip, outcome, pieces, entry, act)


def withdraw_slip(*, slip: CageSlip, act: Act) -> CageSlipResult:
    """End a waiting slip without posting. Raises ReasonRequired, SlipClosed, KeyReused."""
    require(act.actor, WORK_CAGE)
    act = act.stated("Give the reason for withdrawing the slip.")
    posting.checked_text(act.reason, lengths.POSTED_REASON, "reason")
    with transaction.atomic():
        posting.lock_house(slip.site)
        if earlier := _result(slip):
            return _same_result(earlier, Pieces(), act)
        keys.require_new(slip.site_id, act.key)
        return _end(slip, CageSlipResult.Outcome.WITHDRAWN, Pieces(), None, act)


def stock_cage(*, site: Site, way: str = IN, pieces: Pieces, act: Act) -> JournalEntry:
    """Count a slip twice with the same result, by `act.actor` and `act.approver`, and return its entry."""
    slip = count_first(site=site, way=way, pieces=pieces, act=act.under(f"{act.key}/first"))
    count_second(slip=slip, pieces=pieces, act=act)
    return JournalEntry.objects.get(cage_slip__slip=slip)


def _posted(slip: CageSlip, pieces: Pieces, act: Act) -> JournalEntry:
    evidence = {
        "slip": slip.pk,
        "number": slip.number,
        "way": str(slip.way),
        "pieces": pieces.data,
        "counted_by": [slip.counted_by_id, act.approver.pk],
    }
    kind = KINDS[CageSlip.Way(slip.way)]
    sign = 1 if slip.way == IN else -1
    amounts = {asset: sign * cents for asset, cents in _cents(pieces).items()}
    moves = window.moves_of_cage(slip.site, amounts, window.MAKER_AND_BANK)
    draft = posting.EntryDraft(kind=kind, moves=moves, evidence=evidence, content=evidence, act=act)
    return posting.post(site=slip.site, draft=draft)


def _end(
    slip: CageSlip, outcome: str, pieces: Pieces, entry: JournalEntry | None, act: Act
) -> CageSlipResult:
    result = CageSlipResult.objects.create(
        site=slip.site,
        slip=slip,
        outcome=outcome,
        **_counted(pieces),
        person=act.approver if pieces != Pieces() else act.actor,
        at=act.now,
        reason=act.reason,
        entry=entry,
        key=act.key,
    )
    records.keep(slip.site_id, act.now, result)
    return result


def _counted(pieces: Pieces) -> dict[str, Any]:
    return {"pieces": pieces.data, "chips_cents": pieces.chips_cents, "cash_cents": pieces.cash_cents}


def _cents(pieces: Pieces) -> dict[Asset, int]:
    return {Asset.CHIPS: pieces.chips_cents, Asset.CASH: pieces.cash_cents}


def _result(slip: CageSlip) -> CageSlipResult | None:
    return CageSlipResult.objects.filter(slip=slip).select_related("slip", "person").first()


def _require_held(site: Site, pieces: Pieces) -> None:
    held = window.holds(site)
    for asset, cents in _cents(pieces).items():
        if cents > held[asset]:
            raise InsufficientFunds(
                f"The cage has {dollars(held[asset])} in {asset}; this needs {dollars(cents)}."
            )


def _same_result(earlier: CageSlipResult, pieces: Pieces, act: Act) -> CageSlipResult:
    """Return the result that the same request made; any other finds the slip closed."""
    if earlier.key != act.key:
        raise SlipClosed(f"{earlier.slip} has ended: {earlier.get_outcome_display().lower()}.")
    person = act.approver if pieces != Pieces() else act.actor
    if (earlier.person_id, pieces_of(earlier.pieces)) != (person.pk, pieces):
        raise KeyReused(keys.USED, field="key")
    return earlier
