"""The cage's window: chips for cash out of the acting cashier's drawer, by denomination; and change. The
vault is in stocking.py."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import transaction

from ledger.cage import drawers, exclusions, receipts, stocking
from ledger.chart import AccountKind, Asset, EntryKind
from ledger.errors import BadAmount, PatronMissing, PiecesDiffer, PiecesMissing
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.journal.cash_of_day import cash_of_day
from ledger.journal.days import gaming_day
from ledger.journal.particulars import limits_of
from ledger.jurisdiction import Jurisdiction
from ledger.models import JournalEntry, Site
from ledger.money import checked_cents, dollars
from ledger.rights import WORK_CAGE, require
from ledger.rules.denominations import Pieces, checked_pieces
from ledger.rules.refusals import NotIdentified, NotSeen
from ledger.rules.window import lacks_patron, require_meant, wrong_patron, wrong_pieces

Names = Iterable[tuple[str, str]]
"""Pairs of name and card number of one person."""
_EXCHANGES = {
    EntryKind.CHIP_SALE: ("selling chips", Asset.CASH, Asset.CHIPS),
    EntryKind.CHIP_REDEMPTION: ("redeeming chips", Asset.CHIPS, Asset.CASH),
    EntryKind.CHIP_CHANGE: ("changing chips", None, None),
}
"""For each kind: the occasion of the exclusion look-up, the asset that comes in, the asset that goes out."""

_PATRONS_AND_PUBLIC = {Asset.CHIPS: AccountKind.PATRONS, Asset.CASH: AccountKind.PUBLIC}


@dataclass(frozen=True, slots=True)
class Patron:
    """Who is at the window. `names` are looked up in the exclusion list. `enter` finds or enters the person
    in the register of players and returns their number there; it is None if nobody was given. `seen` is the
    receipt of something they did earlier on this gaming day. `merged` maps other numbers of the register to
    the one of the person. `identified`: the cashier saw their identification."""

    names: tuple[tuple[str, str], ...] = ()
    enter: Callable[[], int] | None = None
    seen: int | None = None
    identified: bool = False
    merged: Callable[[], Mapping[int, int]] = field(default=dict)


NOBODY = Patron()


def sell_chips(
    *,
    site: Site,
    cents: int,
    pieces: Pieces | None,
    patron: Patron = NOBODY,
    confirmed: int | None = None,
    act: Act,
) -> JournalEntry:
    """Sell these chips for cash, after the exclusion list. `confirmed` is the amount, if it was asked for
    again. Raises ConfirmAmount, PiecesMissing, PiecesDiffer, PatronMissing, NotSeen, NotIdentified, SeeFloor,
    NoDrawer, InsufficientFunds."""
    return _exchange(_Exchange(EntryKind.CHIP_SALE, site, cents, pieces), patron, confirmed, act)


def redeem_chips(
    *,
    site: Site,
    cents: int,
    pieces: Pieces | None,
    patron: Patron = NOBODY,
    confirmed: int | None = None,
    act: Act,
) -> JournalEntry:
    """Redeem these chips for cash, as `sell_chips` sells them."""
    return _exchange(_Exchange(EntryKind.CHIP_REDEMPTION, site, cents, pieces), patron, confirmed, act)


def change_chips(
    *,
    site: Site,
    pieces: Pieces,
    given: Pieces,
    patron: Patron = NOBODY,
    confirmed: int | None = None,
    act: Act,
) -> JournalEntry:
    """Give chips or cash (`given`) for others that came in and are worth as much. No balance moves. Raises as
    `sell_chips` does."""
    cents = pieces.chips_cents + pieces.cash_cents
    asked = _Exchange(EntryKind.CHIP_CHANGE, site, cents, pieces, given)
    return _exchange(asked, patron, confirmed, act)


def redeem_tokes(*, site: Site, cents: int, pieces: Pieces | None, act: Act) -> JournalEntry:
    """Pay cash for these chips of a payout of tokes, whose dealer signs for them. Raises PiecesMissing,
    PiecesDiffer, and as `post` does."""
    return _post(_with_pieces(_Exchange(EntryKind.CHIP_REDEMPTION, site, cents, pieces)), NOBODY, act)


@dataclass(frozen=True, slots=True)
class _Exchange:
    """An exchange: these `pieces` come in or go out; for change, `given` goes out for them."""

    kind: EntryKind
    site: Site
    cents: int
    pieces: Pieces | None = None
    given: Pieces | None = None

    @property
    def content(self) -> dict[str, Any]:
        said = {"pieces": self.pieces, "given": self.given}
        return {"cents": self.cents} | {name: one.data for name, one in said.items() if one is not None}


def _exchange(asked: _Exchange, patron: Patron, confirmed: int | None, act: Act) -> JournalEntry:
    """Check the entry, then the exclusion list, unless the act was done before; post under the next
    receipt."""
    require(act.actor, WORK_CAGE)
    if not checked_cents(asked.cents):
        raise BadAmount("The amount is zero.", field="amount")
    limits = limits_of(asked.site)
    require_meant(asked.cents, confirmed, limits.confirm_from)
    asked = _with_pieces(asked)
    if lacks_patron(asked.cents, limits.patron_from, 0 if patron.enter else None):
        raise PatronMissing(
            f"From {dollars(limits.patron_from)} on, say who it is: a name, a card number or a description.",
            field="name",
        )
    names = [(name, card) for name, card in patron.names if name.strip() or card.strip()]
    if names and not posting.sent_before(asked.site, act.key):
        for name, card in names:
            exclusions.require_welcome(asked.site, name, card, act, _EXCHANGES[asked.kind][0])
    return _post(asked, patron, act, limits)


def _with_pieces(asked: _Exchange) -> _Exchange:
    """Return it with its pieces checked: the house has them, and they come to the amount."""
    if asked.pieces is None:
        raise PiecesMissing("Which chips? Enter how many of each.", field="amount")
    values = stocking.denominations(asked.site)
    pieces = checked_pieces(asked.pieces, **values)
    given = None if asked.given is None else checked_pieces(asked.given, **values)
    if wrong := wrong_pieces(asked.cents, pieces, given):
        raise PiecesDiffer(wrong)
    return replace(asked, pieces=pieces, given=given)


def _post(asked: _Exchange, patron: Patron, act: Act, limits: Jurisdiction | None = None) -> JournalEntry:
    """Post both sides under the next receipt, or return what this request did before. A named person is
    written down however small the amount is: only so does their cash of the day add up."""
    site, content = asked.site, asked.content
    with transaction.atomic():
        number = receipts.next_number(site)
        if earlier := posting.earlier(site=site, kind=asked.kind, content=content, act=act):
            return earlier
        evidence = content | {"receipt": number}
        if limits is not None:
            evidence |= {
                name: getattr(limits, name) for name in ("patron_from", "report_above", "report_days")
            }
            evidence |= _who(patron)
            _require_patron(asked, patron, evidence, act)
        draft = posting.EntryDraft(
            kind=asked.kind, moves=_moves(asked, act), evidence=evidence, content=content, act=act
        )
        posted = posting.post(site=site, draft=draft)
        receipts.write(site, [posted], number)
        return posted


def _who(patron: Patron) -> dict[str, Any]:
    said = {"player": patron.enter and patron.enter(), "seen": patron.seen, "identified": patron.identified}
    return {name: value for name, value in said.items() if value}


_REFUSALS = {
    one.code: (one, field)
    for one, field in ((PatronMissing, "name"), (NotSeen, "seen"), (NotIdentified, "identified"))
}
"""The refusals about the patron's identity, and the field of each."""


def _require_patron(asked: _Exchange, patron: Patron, evidence: dict[str, Any], act: Act) -> None:
    """Raise PatronMissing, NotSeen, NotIdentified by the same person's earlier cash of this gaming day. A
    small amount of an unnamed person needs no query. The house is locked."""
    limits = evidence["patron_from"], evidence["report_above"]
    if patron == NOBODY and asked.cents < min(limits):
        return
    cash = cash_of_day(asked.site, gaming_day(asked.site, act.now), patron.merged())
    way = ("from_kind" if _EXCHANGES[asked.kind][1] == Asset.CASH else "to_kind", AccountKind.PUBLIC)
    cash_line = dict([way]) | {"cents": asked.cents}
    body = {"kind": asked.kind, "evidence": evidence, "transfers": [cash_line]}
    if wrong := wrong_patron(cash, body):
        code, sentence = wrong
        refusal, field = _REFUSALS[code]
        raise refusal(sentence, field=field)


def _moves(asked: _Exchange, act: Act) -> tuple[posting.Move, ...]:
    """Return the moves between the cashier's drawer, patrons and the public; none for change. Raises
    NoDrawer."""
    drawer = drawers.accounts_of(drawers.require_drawer(asked.site, act.actor))
    _, comes, goes = _EXCHANGES[asked.kind]
    if comes is None or goes is None:
        return ()
    beyond = drawers.house_accounts(asked.site, _PATRONS_AND_PUBLIC)
    return (
        posting.Move(beyond[comes], drawer[comes], asked.cents),
        posting.Move(drawer[goes], beyond[goes], asked.cents),
    )
