"""The data of events at tables, by kind. Pure."""

from typing import Annotated, Final, NotRequired, TypedDict

from ledger.records.declaring import (
    Amount,
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

SESSION: Final = "tables.TableSession"


class TableRateData(TypedDict):
    """a table's rate"""

    id: Annotated[Id, Column("rate_id", SESSION)]
    option: int
    version: int
    limit_cents: Cents
    fee_cents: Cents


class AtRate(TypedDict):
    """the rate of a table, and what follows from it"""

    rate: TableRateData
    limit_cents: Cents
    max_buy_in_cents: Cents


class Announced(AtRate):
    """the rate from the next down on"""

    key: str


class RateChanged(AtRate):
    """the rate of a down"""

    down: int


class SheetNamed(TypedDict):
    """a game sheet"""

    code: Annotated[str, Column("sheet__code", SESSION)]
    version: Annotated[int, Column("sheet__version", SESSION)]
    sha256: Digest


class OpenedData(AtRate):
    """a table that opens"""

    key: str
    table: Annotated[int, "its number", Column("table__number", SESSION)]
    sheet: SheetNamed
    bank_chips: Annotated[Id, "the bank's account of chips"]
    bank_cash: Id
    box: Annotated[int, "its number", Column("box__number", SESSION)]
    box_chips: Id
    box_cash: Id


class Closed(TypedDict):
    """a table that closes, and what its bank came to"""

    closer_cents: Cents
    closer_cash_cents: Cents
    over_chips_cents: Cents
    over_cash_cents: Cents
    second: Id | None


class Seated(TypedDict):
    """somebody sits down"""

    sitting: Id
    player: Id
    seat: Seat
    stack: Annotated[Id, "the account of the stack"]
    entered_at: Moment
    covered_by: Annotated[Id | None, "the charge at another table that covers the down"]
    from_sitting: Annotated[
        Id | None, "where they come from another table", Column("moved_from_id", "tables.Sitting")
    ]
    from_session: NotRequired[Id]
    from_seat: NotRequired[Seat]
    ordered: NotRequired[bool]


class Left(TypedDict):
    """somebody leaves"""

    sitting: Id
    seat: Seat
    player: NotRequired[Id]
    to_session: NotRequired[Id]
    to_seat: NotRequired[Seat]
    ordered: NotRequired[bool]


class SatOut(TypedDict):
    """a seat that is not dealt in, or is again"""

    sitting: Id
    seat: Seat
    key: NotRequired[str]


class SeatChanged(SatOut):
    """another seat at the same table"""

    to_seat: Seat


class HandData(TypedDict):
    """a seat that is dealt in"""

    seat: Seat
    sitting: Id
    position: int
    stack_cents: Cents
    fantasy_land: bool


class PairStake(TypedDict):
    """a stake of two seats"""

    seats: list[Seat]
    limit: Amount


class RoundStarted(TypedDict):
    """a round that is dealt"""

    round: Annotated[int, Column("number", "tables.Round")]
    round_id: Id
    down: int
    down_id: Id
    button: Annotated[Seat, Column("button_seat", "tables.Round")]
    limit_cents: Cents
    hands_each: int
    dealt_in: list[Seat]
    hands: list[HandData]
    waiting: Annotated[dict[str, str], "why a seat waits, by seat"]
    dealer: NotRequired[Id]
    match: NotRequired[Annotated[int, "its number", Column("match__number", "tables.Round")]]
    match_stake: NotRequired[Amount]
    pair_stakes: NotRequired[list[PairStake]]
    reserved_from: NotRequired[
        Annotated[
            int, "the round whose Fantasy Land is kept", Column("reserved_from__number", "tables.Round")
        ]
    ]


class OfRound(TypedDict):
    """which round, and why"""

    round: int
    round_id: Id
    reason: str


class ByHandAsked(OfRound):
    """a settlement by hand that somebody asks for"""

    request: Id
    points: Annotated[list[list[int]], "[from seat, to seat, points]"]


class ByHandRefused(OfRound):
    """a settlement by hand that is refused"""

    request: Id


class CorrectionAsked(TypedDict):
    """a correction that somebody asks for, or that is refused"""

    correction: Id
    round: int
    reason: str


class ClockStoppedData(TypedDict):
    """why the clock stands"""

    reason: str
    key: str


class ClockStarted(TypedDict):
    """since when it had stood"""

    stopped_at: Stamp
    key: str


class BoxChanged(TypedDict):
    """another drop box at an open table"""

    pulled: Annotated[int, "the number of the box"]
    installed: Annotated[int, "the number of the box"]
    box_chips: Id
    box_cash: Id
    second: Id
    key: str


class RoundHandedIn(TypedDict):
    """a round that one person played while the house was away, and the actor sent"""

    round: int
    round_id: Id
    played_by: Id


class MatchCalledOff(TypedDict):
    """a match that ends without a winner"""

    match: int
    points: dict[str, int]
    reason: str
    key: str


class Pushed(TypedDict):
    """another dealer"""

    dealer: Id | None
    previous: Id | None
    to_session: NotRequired[Annotated[Id, "where the dealer goes"]]
    key: NotRequired[str]


class MustMoveSet(TypedDict):
    """the main game that this table feeds"""

    to_session: Id | None
    key: str


class TimeCalledData(TypedDict):
    """a hand that has to be set by a time"""

    round: int
    round_id: Id
    seat: Seat
    ends_at: Moment
    key: str


class StackCounted(TypedDict):
    """a counted stack"""

    seat: Seat
    sitting: Id
    expected_cents: Cents
    difference_cents: Cents


class ChipsCounted(TypedDict):
    """the stacks as they were counted"""

    counted: Annotated[dict[str, int], "cents, by seat"]
    stacks: list[StackCounted]
    key: str


class FeeUncollected(TypedDict):
    """a fee that nobody paid"""

    number: int
    charge: Id
    player: Id
    sitting: Id
    seat: Seat
    cents: Cents
    gaming_day: Day
    reason: str
    key: NotRequired[str]


class ClaimPaidData(TypedDict):
    """a claim that was paid in front of the floor"""

    claim: Id
    number: int
    debtor: Id
    creditor: Id
    cents: Cents
    key: str


TABLE_EVENTS: Final = {
    "opened": OpenedData,
    "closed": Closed,
    "seated": Seated,
    "left": Left,
    "seat_changed": SeatChanged,
    "sat_out": SatOut,
    "returned": SatOut,
    "round_started": RoundStarted,
    "round_handed_in": RoundHandedIn,
    "round_voided": OfRound,
    "clock_stopped": ClockStoppedData,
    "clock_started": ClockStarted,
    "correction_asked": CorrectionAsked,
    "correction_refused": CorrectionAsked,
    "hand_settlement_asked": ByHandAsked,
    "hand_settlement_refused": ByHandRefused,
    "box_changed": BoxChanged,
    "match_called_off": MatchCalledOff,
    "pushed": Pushed,
    "rate_announced": Announced,
    "rate_withdrawn": Announced,
    "rate_changed": RateChanged,
    "must_move_set": MustMoveSet,
    "time_called": TimeCalledData,
    "chips_counted": ChipsCounted,
    "fee_uncollected": FeeUncollected,
    "claim_paid": ClaimPaidData,
}
declare_inside("table_event", "data", TABLE_EVENTS)
