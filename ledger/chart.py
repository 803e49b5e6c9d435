"""The chart: kinds of accounts, and every kind of event with its possible and required transfers. Pure.
`posting` refuses whatever is not listed here, and docs/ledger.md prints the same table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from ledger.money import dollars


class Asset(StrEnum):
    CHIPS = "chips"
    CASH = "cash"


class AccountKind(StrEnum):
    VAULT = "vault"
    DRAWER = "drawer"
    TABLE_BANK = "table_bank"
    STACK = "stack"
    DROP_BOX = "drop_box"
    OVER_SHORT = "over_short"
    TOKES = "tokes"
    PATRONS = "patrons"
    PUBLIC = "public"
    BANK = "bank"
    CHIP_MAKER = "chip_maker"
    TRANSIT = "transit"
    UNCLAIMED = "unclaimed"
    RESERVE = "reserve"


TITLES: Final = {
    AccountKind.VAULT: "Vault",
    AccountKind.DRAWER: "Drawers",
    AccountKind.TABLE_BANK: "Table banks",
    AccountKind.STACK: "Stacks of players",
    AccountKind.DROP_BOX: "Drop boxes",
    AccountKind.OVER_SHORT: "Over/short",
    AccountKind.TOKES: "Tokes of dealers",
    AccountKind.PATRONS: "Patrons",
    AccountKind.PUBLIC: "The public",
    AccountKind.BANK: "The bank",
    AccountKind.CHIP_MAKER: "The chip maker",
    AccountKind.TRANSIT: "Under way",
    AccountKind.UNCLAIMED: "Unclaimed chips",
    AccountKind.RESERVE: "Reserve sets",
}
"""The name of each kind on papers and screens. An account of which a house has only one is labelled with its
kind's."""

BEYOND_THE_HOUSE: Final = {
    AccountKind.PATRONS: Asset.CHIPS,
    AccountKind.PUBLIC: Asset.CASH,
    AccountKind.BANK: Asset.CASH,
    AccountKind.CHIP_MAKER: Asset.CHIPS,
}
"""Kinds of account on the other side of the house's places, with their assets. Patrons hold chips that the
house owes them for, never fewer than none: nobody redeems or plays chips that were never handed out."""

SOURCES: Final = (AccountKind.CHIP_MAKER, AccountKind.BANK, AccountKind.PUBLIC)
"""Where chips and cash come from. All other kinds are places that have them, and over/short is what is
missing there. So both sides are equal: every chip that was made has a place, and so has every dollar that
came in."""

MAY_BE_NEGATIVE = frozenset(
    {AccountKind.PUBLIC, AccountKind.BANK, AccountKind.CHIP_MAKER, AccountKind.OVER_SHORT}
)
"""The public, the bank, the chip maker and over/short are no places of the house: their balance is what the
others gained or lost."""

ONE_PER_SITE = frozenset(
    {AccountKind.VAULT, AccountKind.OVER_SHORT, AccountKind.UNCLAIMED, AccountKind.RESERVE, *BEYOND_THE_HOUSE}
)


class EntryKind(StrEnum):
    FLOAT_ISSUE = "float_issue"
    FLOAT_RETURN = "float_return"
    DRAWER_ISSUE = "drawer_issue"
    DRAWER_RETURN = "drawer_return"
    DRAWER_CLOSE = "drawer_close"
    VAULT_COUNT = "vault_count"
    UNCLAIMED_COUNT = "unclaimed_count"
    RESERVE_COUNT = "reserve_count"
    CHIP_SALE = "chip_sale"
    CHIP_REDEMPTION = "chip_redemption"
    CHIP_CHANGE = "chip_change"
    CHIPS_BEYOND_BOOKS = "chips_beyond_books"
    DOCUMENT_SENT = "document_sent"
    DOCUMENT_RECEIVED = "document_received"
    BANK_COUNT = "bank_count"
    BUY_IN = "buy_in"
    ADD_ON = "add_on"
    TABLE_MOVE = "table_move"
    CASH_OUT = "cash_out"
    COLLECTION = "collection"
    WAIVER = "waiver"
    TOKE = "toke"
    TOKE_PAYOUT = "toke_payout"
    ROUND = "round"
    REVERSAL = "reversal"
    UNDO = "undo"
    CORRECTION = "correction"
    HAND_SETTLEMENT = "hand_settlement"
    DROP = "drop"


@dataclass(frozen=True)
class AllowedTransfer:
    source: AccountKind
    target: AccountKind
    asset: Asset
    meaning: str


@dataclass(frozen=True)
class Event:
    """One kind of event; without lines it records that nothing moved. `approved`: needs a reason and a second
    person. `mirror`: moves back an earlier entry. `counted`: counted by two people, so it needs a second
    person. `moves`: never without a transfer. `sides`: what comes in and what goes out in return, of the same
    amount. `signed_by`: the field of the evidence that names the second person."""

    kind: EntryKind
    title: str
    lines: tuple[AllowedTransfer, ...]
    approved: bool = False
    mirror: bool = False
    counted: bool = False
    moves: bool = False
    sides: tuple[AllowedTransfer, ...] = ()
    signed_by: str = ""


_C, _B, _S = AccountKind.VAULT, AccountKind.TABLE_BANK, AccountKind.STACK
_DRAWER = AccountKind.DRAWER
_D, _V, _T = AccountKind.DROP_BOX, AccountKind.OVER_SHORT, AccountKind.TOKES
_PATRONS, _PUBLIC = AccountKind.PATRONS, AccountKind.PUBLIC
_BANK, _MAKER = AccountKind.BANK, AccountKind.CHIP_MAKER
_UNDER_WAY, _UNCLAIMED = AccountKind.TRANSIT, AccountKind.UNCLAIMED
_RESERVE = AccountKind.RESERVE


def _chips(source: AccountKind, target: AccountKind, meaning: str) -> AllowedTransfer:
    return AllowedTransfer(source, target, Asset.CHIPS, meaning)


def _cash(source: AccountKind, target: AccountKind, meaning: str) -> AllowedTransfer:
    return AllowedTransfer(source, target, Asset.CASH, meaning)


def _both(source: AccountKind, target: AccountKind, chips: str, cash: str) -> tuple[AllowedTransfer, ...]:
    return _chips(source, target, chips), _cash(source, target, cash)


_TOO_MUCH = _both(_V, _C, "chips too many", "cash too much")


def _counted_into_vault(place: AccountKind) -> tuple[AllowedTransfer, ...]:
    return (
        *_both(place, _C, "chips as counted", "cash as counted"),
        *_both(place, _V, "chips missing", "cash missing"),
        *_TOO_MUCH,
    )


_BOUGHT = (_cash(_PUBLIC, _B, "cash paid at the table"), _chips(_B, _S, "chips sold from the table bank"))
_BUYING = (*_BOUGHT, _chips(_PATRONS, _S, "chips brought from the cage"))
_SOLD = (_cash(_PUBLIC, _DRAWER, "cash paid at the window"), _chips(_DRAWER, _PATRONS, "chips handed out"))
_REDEEMED = (_chips(_PATRONS, _DRAWER, "chips handed in"), _cash(_DRAWER, _PUBLIC, "cash paid out"))


def _event(kind: EntryKind, title: str, *lines: AllowedTransfer, **said: Any) -> Event:
    return Event(kind, title, lines, **said)


EVENTS: dict[EntryKind, Event] = {
    event.kind: event
    for event in (
        _event(
            EntryKind.FLOAT_ISSUE,
            "The vault is opened",
            _chips(_MAKER, _C, "chips taken into the float"),
            _cash(_BANK, _C, "cash from the bank"),
            counted=True,
            moves=True,
        ),
        _event(
            EntryKind.FLOAT_RETURN,
            "Chips or cash of the float leave the house",
            _chips(_C, _MAKER, "chips taken out of the float"),
            _cash(_C, _BANK, "cash to the bank"),
            counted=True,
            moves=True,
        ),
        _event(
            EntryKind.DRAWER_ISSUE,
            "A cashier takes chips or cash into their drawer",
            *_both(_C, _DRAWER, "chips from the vault", "cash from the vault"),
            counted=True,
            moves=True,
        ),
        _event(
            EntryKind.DRAWER_RETURN,
            "A cashier gives chips or cash of their drawer back",
            *_both(_DRAWER, _C, "chips back to the vault", "cash back to the vault"),
            counted=True,
            moves=True,
        ),
        _event(
            EntryKind.DRAWER_CLOSE,
            "A drawer is closed by a count and goes back to the vault",
            *_counted_into_vault(_DRAWER),
            counted=True,
        ),
        _event(
            EntryKind.VAULT_COUNT,
            "The vault is counted",
            *_both(_C, _V, "chips missing", "cash missing"),
            *_TOO_MUCH,
            counted=True,
        ),
        _event(
            EntryKind.UNCLAIMED_COUNT,
            "Unclaimed chips are counted",
            _chips(_UNCLAIMED, _V, "unclaimed chips missing"),
            _chips(_V, _UNCLAIMED, "unclaimed chips too many"),
            counted=True,
        ),
        _event(
            EntryKind.RESERVE_COUNT,
            "The reserve sets are counted",
            _chips(_RESERVE, _V, "chips missing in the reserve"),
            _chips(_V, _RESERVE, "chips too many in the reserve"),
            counted=True,
        ),
        _event(EntryKind.CHIP_SALE, "The cage sells chips", *_SOLD, moves=True, sides=_SOLD),
        _event(EntryKind.CHIP_REDEMPTION, "The cage redeems chips", *_REDEEMED, moves=True, sides=_REDEEMED),
        _event(EntryKind.CHIP_CHANGE, "The cage changes chips or cash for others"),
        _event(
            EntryKind.CHIPS_BEYOND_BOOKS,
            "Two people accept chips beyond the books",
            _chips(_MAKER, _PATRONS, "chips that patrons hold and no entry handed out"),
            approved=True,
            moves=True,
        ),
        _event(
            EntryKind.DOCUMENT_SENT,
            "Chips or cash leave a place under a document",
            *_both(_C, _UNDER_WAY, "chips that leave the vault", "cash that leaves the vault"),
            *_both(_B, _UNDER_WAY, "chips that leave the table", "cash that leaves the table"),
            _chips(_MAKER, _UNDER_WAY, "chips that the maker has delivered"),
            _chips(_PATRONS, _UNDER_WAY, "chips picked up, left behind or found"),
            _cash(_BANK, _UNDER_WAY, "cash that the bank has delivered"),
            _chips(_RESERVE, _UNDER_WAY, "chips whose seals were broken"),
            moves=True,
        ),
        _event(
            EntryKind.DOCUMENT_RECEIVED,
            "Chips or cash of a document arrive",
            *_both(_UNDER_WAY, _B, "chips as counted at the table", "cash as counted at the table"),
            *_both(_V, _B, "chips too many at the table", "cash too much at the table"),
            *_counted_into_vault(_UNDER_WAY),
            _cash(_UNDER_WAY, _BANK, "cash as the bank confirmed it"),
            _cash(_V, _BANK, "cash too much at the bank"),
            _chips(_UNDER_WAY, _MAKER, "chips as destroyed"),
            _chips(_V, _MAKER, "chips too many where they were destroyed"),
            _chips(_UNDER_WAY, _UNCLAIMED, "unclaimed chips as counted at the cage"),
            _chips(_V, _UNCLAIMED, "unclaimed chips too many at the cage"),
            _chips(_UNCLAIMED, _PATRONS, "unclaimed chips handed to their owner"),
            _chips(_UNCLAIMED, _C, "unclaimed chips released as the law says"),
            _chips(_UNDER_WAY, _RESERVE, "chips as sealed in the reserve"),
            _chips(_V, _RESERVE, "chips too many where they were sealed"),
            moves=True,
        ),
        _event(
            EntryKind.BANK_COUNT,
            "Two people count a table bank",
            *_both(_B, _V, "chips missing", "cash missing"),
            *_both(_V, _B, "chips too many", "cash too much"),
            counted=True,
        ),
        _event(EntryKind.BUY_IN, "A player buys in", *_BUYING, moves=True, sides=_BOUGHT),
        _event(EntryKind.ADD_ON, "A player adds on", *_BUYING, moves=True, sides=_BOUGHT),
        _event(
            EntryKind.TABLE_MOVE,
            "A player moves to another table",
            _chips(_S, _S, "the whole stack, carried to the new seat"),
        ),
        _event(
            EntryKind.CASH_OUT,
            "A player leaves with all chips",
            _chips(_S, _PATRONS, "chips the patron carries to the cage"),
        ),
        _event(
            EntryKind.COLLECTION,
            "A fee is taken",
            _chips(_S, _D, "from the stack"),
            _cash(_PUBLIC, _D, "in cash at the table"),
            _cash(_PUBLIC, _DRAWER, "in cash at the cage, against a receipt"),
        ),
        _event(EntryKind.WAIVER, "A fee is waived"),
        _event(
            EntryKind.TOKE,
            "A player gives the dealer a toke",
            _chips(_S, _T, "chips for the dealer, never into the box"),
            moves=True,
        ),
        _event(
            EntryKind.TOKE_PAYOUT,
            "A dealer takes the tokes",
            _chips(_T, _PATRONS, "chips the dealer carries to the cage"),
            moves=True,
            signed_by="dealer",
        ),
        _event(EntryKind.ROUND, "A round is settled", _chips(_S, _S, "what one player pays another")),
        _event(EntryKind.REVERSAL, "An entry is reversed", approved=True, mirror=True),
        _event(EntryKind.UNDO, "Who made an entry takes it back within ten seconds", mirror=True),
        _event(
            EntryKind.CORRECTION,
            "A reversed entry is posted again, corrected",
            _chips(_S, _V, "chips recorded as taken away that the player did not take"),
            _chips(_V, _S, "chips the player took away beyond what was recorded"),
            _chips(_B, _V, "amount by which the count of chips was too high"),
            _cash(_B, _V, "amount by which the count of cash was too high"),
            _chips(_V, _B, "amount by which the count of chips was too low"),
            _cash(_V, _B, "amount by which the count of cash was too low"),
            approved=True,
        ),
        _event(
            EntryKind.HAND_SETTLEMENT,
            "A round whose cards are gone is settled by hand",
            _chips(_S, _S, "what one player pays another, by points that two people entered"),
            approved=True,
        ),
        _event(EntryKind.DROP, "A counted drop box goes to the vault", *_counted_into_vault(_D)),
    )
}


def _line(transfer: AllowedTransfer) -> tuple[str, str, str]:
    return transfer.source, transfer.target, transfer.asset


_LINES: dict[str, frozenset[tuple[str, str, str]]] = {
    event.kind: frozenset(map(_line, event.lines)) for event in EVENTS.values()
}

OF_DOCUMENTS = frozenset((EntryKind.DOCUMENT_SENT, EntryKind.DOCUMENT_RECEIVED))
"""Never reversed or corrected: what was sent must first be received, and is sent back under another
document."""

ANY_LINE = frozenset().union(*(lines for kind, lines in _LINES.items() if kind not in OF_DOCUMENTS))
"""A correction may move what the corrected entry could have moved, and put the effect to over/short."""

ALLOWED: dict[str, frozenset[tuple[str, str, str]]] = {
    **_LINES,
    **dict.fromkeys((EntryKind.REVERSAL, EntryKind.UNDO, EntryKind.CORRECTION), ANY_LINE),
}
"""Kind -> (source kind, target kind, asset) of its transfers. Reversals are compared with their mirror
instead."""

COUNTED = tuple(sorted(event.kind.value for event in EVENTS.values() if event.counted))
"""The kinds of entry that two people have counted, with the names of both."""

_SIGNED_BY: Final = {event.kind.value: event.signed_by for event in EVENTS.values() if event.signed_by}
SIGNED = tuple(sorted(_SIGNED_BY))
"""The kinds of entry whose evidence names the second person."""


def wrong_signer(kind: str, approver: int | None, evidence: Mapping[str, Any]) -> str:
    """Return why this second person may not sign an entry that names who does, or ""."""
    field = _SIGNED_BY.get(kind)
    if field is None or (approver is not None and approver == evidence.get(field)):
        return ""
    return f"The {field} whose money it is signs for it, and nobody in their place."


_SIDES: Final = {event.kind.value: event.sides for event in EVENTS.values() if event.moves}


def wrong_transfers(kind: str, transfers: Iterable[tuple[str, str, str, int]]) -> str:
    """Return what an entry lacks, by its (source kind, target kind, asset, cents), or ""."""
    if kind == EntryKind.CORRECTION:
        return _unlike_in_exchange(transfers)
    sides = _SIDES.get(kind)
    if sides is None:
        return ""
    moved = list(transfers)
    if not moved:
        return f"An entry of {kind} without a transfer says nothing."
    come_to = [sum(line[3] for line in moved if line[:3] == _line(side)) for side in sides]
    if len(set(come_to)) <= 1:
        return ""
    said = zip(sides, come_to, strict=True)
    amounts = ", ".join(f"{dollars(cents)} in {side.meaning}" for side, cents in said)
    return f"The two sides of a {kind} come to the same amount; here they are {amounts}."


_COUNTERS: Final = (_DRAWER, _B)
_PATRONS_OWN: Final = (_PATRONS, _S)


def _unlike_in_exchange(transfers: Iterable[tuple[str, str, str, int]]) -> str:
    """Return what is wrong with a correction in which cash and the chips sold for it differ, or "": it would
    leave the house with cash that does not match what it owes."""
    paid = given = 0
    for source, target, _, cents in transfers:
        paid += cents * (
            (source == _PUBLIC and target in _COUNTERS) - (source in _COUNTERS and target == _PUBLIC)
        )
        given += cents * (
            (source in _COUNTERS and target in _PATRONS_OWN)
            - (source in _PATRONS_OWN and target in _COUNTERS)
        )
    if paid == given:
        return ""
    said = f"{dollars(paid)} in cash and {dollars(given)} in chips"
    return f"A correction gives as much in chips as it takes in cash; here they are {said}."
