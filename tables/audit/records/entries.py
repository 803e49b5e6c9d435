"""The evidence of entries at tables, by kind. Pure."""

from typing import Annotated, Final, NotRequired, TypedDict

from ledger.chart import EntryKind
from ledger.records.books import CountedPieces, WindowTakenBack
from ledger.records.declaring import (
    Amount,
    Cell,
    Cents,
    Column,
    Day,
    Digest,
    Id,
    Moment,
    Seat,
    Stamp,
    declare_inside,
)
from tables.rules.table.paying import METHODS

COLLECTIONS: Final = "collections.csv"
_METHODS: Final = f"one of {', '.join(f'`{method}`' for method in METHODS)}"


class AtSeat(TypedDict):
    """who sat where"""

    session: Id
    sitting: Id
    player: Id
    seat: Seat


class BuyInEvidence(AtSeat):
    """a buy-in"""

    cents: Cents
    source: Annotated[str, "`cash`, or `chips` from the cage"]
    entered_at: Annotated[Stamp | None, "since when the player sat, if it is recorded late"]
    recorded_at: Stamp
    ordered: NotRequired[Annotated[bool, "whether the floor sent the player here"]]


class AddOnEvidence(AtSeat):
    """an add-on"""

    cents: Cents
    source: str


class CashOutEvidence(AtSeat):
    """a player leaves with the stack"""

    unpaid_fees: Annotated[list[Id], "charges that the stack did not pay"]


class TableMove(AtSeat):
    """a player takes the stack to another table"""

    cents: Cents
    from_seat: Seat
    to_session: Id
    to_sitting: Id
    ordered: bool
    covered_by: Annotated[Id | None, "the charge that covers the down there"]
    unpaid_fees: list[Id]


class TokeEvidence(AtSeat):
    """a toke"""

    cents: Cents
    dealer: Id
    account: Annotated[Id, "the dealer's"]


class TokePayout(TypedDict):
    """tokes paid out"""

    dealer: Id
    account: Id
    cents: Cents


class BankCounted(TypedDict):
    """what two people counted in a table's bank"""

    session: Id
    table: Id
    pieces: CountedPieces
    counted_by: Annotated[list[Id], "who closed the table or had it counted, and who counted with them"]
    over_chips_cents: Cents
    over_cash_cents: Cents
    closer: NotRequired[
        Annotated[
            Id | None,
            "the document on which it goes to the cage, null of an empty bank; none while the table plays on",
        ]
    ]


class RateOfFee(TypedDict):
    """which rate"""

    option: int
    version: int


class Fee(AtSeat):
    """a fee that is taken"""

    charge: Annotated[Id, Column("uncollected__charge_id", "tables.Recovery")]
    cents: Cents
    fee_cents: Cents
    down: int
    down_started_at: Stamp
    entered_at: Stamp
    minute_seconds: str | None
    rule: str
    rate: RateOfFee
    method: Annotated[str, _METHODS]
    covered_by: NotRequired[Annotated[Id, "the charge at another table that covers this down"]]
    due_session: NotRequired[Annotated[Id, "the table where it was due, if it is taken elsewhere"]]
    uncollected: NotRequired[
        Annotated[
            int,
            "the number of the uncollected fee",
            Column("uncollected__number", "tables.Recovery"),
            Cell(COLLECTIONS, "uncollected"),
        ]
    ]
    recovery: NotRequired[
        Annotated[
            int,
            "the number of its recovery",
            Column("number", "tables.Recovery"),
            Cell(COLLECTIONS, "recovery"),
        ]
    ]
    receipt: NotRequired[Annotated[int, "its number, if it is paid at the cage"]]


class WaiverSlip(TypedDict):
    """a waiver"""

    number: Annotated[int, Cell(COLLECTIONS, "waiver")]
    code: Annotated[str, "of the published reason", Column("reason__code", "tables.Waiver")]
    text: str


class WaivedFee(Fee):
    """a fee that is waived"""

    waiver: WaiverSlip


class FeeTakenBack(Fee):
    """a fee or a waiver that is taken back: all its fields, and"""

    of: Annotated[str, "the kind of entry that is taken back"]
    reverses: Id
    slip: Annotated[int, "the number of the reversal slip", Cell(COLLECTIONS, "reversal_slip")]
    charge_day: Annotated[Day, "the gaming day of the charge"]
    charged_at: Moment
    waiver: NotRequired[WaiverSlip]


class ChipsTakenBack(AtSeat):
    """a buy-in, add-on, toke or cash-out that is corrected"""

    of: str
    reverses: Id


class TokeTakenBack(TokeEvidence):
    """a toke that is undone"""

    of: str
    reverses: Id
    slip: int


class RoundTakenBack(TypedDict):
    """a settlement that is corrected"""

    reverses: Id
    round_id: Id


class ChipsCorrected(AtSeat):
    """a buy-in, add-on, toke or cash-out as it should have been"""

    of: str
    corrects: Id
    cents: Cents
    source: NotRequired[str]
    over_short_cents: NotRequired[Cents]
    dealer: NotRequired[Id]
    account: NotRequired[Id]


class Reserved(TypedDict):
    """the round whose Fantasy Land a seat kept"""

    round: int
    round_id: Id


MatchPayment = TypedDict("MatchPayment", {"from": Seat, "to": Seat, "due": Amount, "paid": Amount})
MatchPayment.__doc__ = "who pays whom"


class MatchEvidence(TypedDict):
    """the match that a round belongs to"""

    number: int
    stake: Amount
    race_to: int
    before: Annotated[dict[str, int], "points, by seat"]
    after: dict[str, int]
    stacks: dict[str, Amount]
    won_by: Seat | None
    payments: list[MatchPayment]


class SettledEvidence(TypedDict):
    """a settled round"""

    session: Id
    round: int
    round_id: Id
    ordinal: int
    started_at: Stamp
    input: Annotated[dict, "the round as it was entered, in the score format"]  # type: ignore[type-arg]
    rules_version: int
    result: Annotated[dict[str, list[int]], "[points, cents], by seat"]
    answer_hash: Digest
    match: NotRequired[MatchEvidence]
    reserved_from: NotRequired[Reserved]


class SettledByHandEvidence(SettledEvidence):
    """a round that two people settle without its cards"""

    by_hand: bool
    request: Id


Change = TypedDict("Change", {"from": Id, "to": Id, "owed": Cents, "moved": Cents})
Change.__doc__ = "what a correction moves from one player to another"


class Corrected(SettledEvidence):
    """a round settled once more"""

    corrects: Id
    changes: list[Change]
    by_hand: NotRequired[bool]
    request: NotRequired[Id]


declare_inside(
    "entry",
    "evidence",
    {
        EntryKind.BUY_IN: BuyInEvidence,
        EntryKind.ADD_ON: AddOnEvidence,
        EntryKind.CASH_OUT: CashOutEvidence,
        EntryKind.TABLE_MOVE: TableMove,
        EntryKind.TOKE: TokeEvidence,
        EntryKind.TOKE_PAYOUT: TokePayout,
        EntryKind.BANK_COUNT: BankCounted,
        EntryKind.COLLECTION: Fee,
        EntryKind.WAIVER: WaivedFee,
        EntryKind.ROUND: SettledEvidence,
        EntryKind.HAND_SETTLEMENT: SettledByHandEvidence,
        EntryKind.CORRECTION: Corrected | ChipsCorrected,
        EntryKind.REVERSAL: FeeTakenBack | ChipsTakenBack | RoundTakenBack | WindowTakenBack,
        EntryKind.UNDO: FeeTakenBack | TokeTakenBack | WindowTakenBack,
    },
)
