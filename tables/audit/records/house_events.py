"""The data of the floor's house events: tables, games on offer, waiver reasons, waiting lists. Pure."""

from typing import Annotated, Final, NotRequired, TypedDict

from ledger.records.declaring import Cents, Column, Day, Id, Seat, Stamp, declare_inside
from tables.audit.records.events import SheetNamed


class TableNamed(TypedDict):
    """a table of the house"""

    table: Id
    number: int
    key: str


class TableAdded(TableNamed):
    """a new table"""

    seat_one: Annotated[str, "on which side of the dealer seat 1 is"]


class SideBefore(TypedDict):
    """on which side seat 1 was"""

    seat_one: str


class TableTurned(TableAdded):
    """a table whose seat 1 is on the other side"""

    before: SideBefore


class OfferedBefore(TypedDict):
    """what was on offer"""

    offered: list[str]


class GamesOffered(TypedDict):
    """the games on offer, by the codes of their sheets"""

    offered: list[str]
    taken_off: list[str]
    before: OfferedBefore
    key: str


class WaiverReasonPublished(TypedDict):
    """a reason for waivers"""

    reason: Id
    code: str
    text: str
    approval_reference: str
    effective_from: Day
    key: str


class WaiverReasonWithdrawn(TypedDict):
    """a reason for waivers that ends"""

    reason: Id
    code: str
    withdrawn_on: Day
    key: str


class PlaceChanged(TypedDict):
    """what a place on a waiting list, or a held seat, has become"""

    place: Id
    number: int
    day: Annotated[Day, Column("gaming_day", "tables.WaitingPlace")]
    player: Id
    game: Annotated[str, "of its list"]
    limit_cents: Cents
    joined: Annotated[bool, "whether it was taken just then"]
    state: Annotated[str, "`waiting`, `called`, `held`, `seated`, `left` or `expired`"]
    session: Annotated[
        Id | None, "where a seat is held or was taken, or the table that somebody wants to change to"
    ]
    seat: Seat | None
    until: Annotated[Stamp | None, "how long it is held"]
    sitting: Annotated[Id | None, "where somebody who asked for another table sits"]
    reason: str
    page_at: NotRequired[Annotated[Stamp | None, "when the player's own page was made"]]
    coming_at: NotRequired[
        Annotated[Stamp | None, "when the player said there that they come, since the last act of staff"]
    ]
    more_at: NotRequired[Annotated[Stamp | None, "when the player asked there for more time, since then"]]


class LineOrdered(TypedDict):
    """where the floor put a dealer who is at no table"""

    dealer: Id
    does: Annotated[str, "`line`: in line, `first`: before the others, `break`, or `off` for the day"]
    key: str


class NeedChanged(TypedDict):
    """what somebody did to a need of the floor"""

    need: Annotated[str, "its kind"]
    subject: Annotated[str, "what it is about: an id, or a day"]
    does: Annotated[str, "`take`, `release`, `dismiss` or `recall`"]
    session: Annotated[Id | None, "at which table"]
    key: str


class HandedItem(TypedDict):
    """one thing that was gone through"""

    need: Annotated[str, "its kind, or `dispute`"]
    subject: Annotated[str, "what it is about: an id, or a day"]
    note: str


class HandedOver(TypedDict):
    """the floor, as one person handed it to the next"""

    number: Annotated[int, "of its series, from 1"]
    items: Annotated[list[HandedItem], "what waited, in the order of the page"]
    approver: Annotated[Id, "who took over, by PIN"]
    said: NotRequired[Annotated[str, "the commitment to the sentences as signed, which are withheld"]]
    key: str


HOUSE_EVENTS: Final = {
    "table_added": TableAdded,
    "table_turned": TableTurned,
    "table_retired": TableNamed,
    "table_restored": TableNamed,
    "games_offered": GamesOffered,
    "waiver_reason_published": WaiverReasonPublished,
    "waiver_reason_withdrawn": WaiverReasonWithdrawn,
    "sheet_offered": SheetNamed,
    "place_changed": PlaceChanged,
    "line_ordered": LineOrdered,
    "need_changed": NeedChanged,
    "handed_over": HandedOver,
}
declare_inside("house_event", "data", HOUSE_EVENTS)
