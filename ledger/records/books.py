"""The records of the books: entries and their evidence, boxes, slips, closed days. Pure."""

from typing import Annotated, NotRequired, TypedDict

from ledger.chart import EntryKind
from ledger.records.declaring import (
    Account,
    Cents,
    Column,
    Day,
    Digest,
    Id,
    Moment,
    Record,
    Stamp,
    declare,
    declare_inside,
)

Transfer = TypedDict(
    "Transfer",
    {
        "asset": str,
        "cents": Cents,
        "from": Account,
        "from_kind": str,
        "to": Account,
        "to_kind": str,
    },
)
Transfer.__doc__ = "Chips or cash moved from one account to another."


class CountedPieces(TypedDict):
    """What was counted of each denomination: [cents of one, how many]."""

    chips: list[list[int]]
    cash: list[list[int]]


class EntryRecord(Record):
    """something moved, or is recorded as not having moved"""

    key: Annotated[str, "the request's own: sent twice, it is done once"]
    content_hash: Annotated[
        str, "recognises the same request: SHA-256, in hex, of what it asked for; no check uses it"
    ]
    kind: str
    occurred_at: Moment
    gaming_day: Day
    actor: Id
    terminal: str
    approver: Annotated[Id | None, "the second person"]
    reason: str
    reverses: Annotated[Id | None, "the entry that is taken back"]
    evidence: Annotated[dict, "what the entry follows from, by its kind"]  # type: ignore[type-arg]
    transfers: Annotated[list[Transfer], "in the order of their lines"]


class CountSheetRecord(Record):
    """a counter began to count the pulled boxes of a gaming day"""

    number: int
    gaming_day: Annotated[Day, "that of its boxes"]
    begun_by: Id
    begun_at: Moment
    terminal: str
    key: str
    to_cashier: NotRequired[Annotated[bool, "its money is received by a cashier's own count"]]


class BoxReceivedRecord(Record):
    """two people brought a pulled box into storage or the count room"""

    box: Id
    ordinal: Annotated[int, "from 1"]
    place: Annotated[str, "`count_room` or `storage`"]
    seal: Annotated[str, "what they read; empty for a box without one"]
    reason: Annotated[str, "why it is not the box's; empty if it is"]
    person: Annotated[Id, "who received it, and was signed in"]
    second: Annotated[Id, "who brought it with them"]
    at: Moment
    terminal: str
    key: str


class StruckCountRecord(Record):
    """a count was refused: of what had arrived, since it was not what was sent or what the counters found; or
    of a table's bank at its closing or a stack that is picked up, by two people whose counts differ"""

    sheet: Annotated[Id | None, "the count sheet whose money was counted"]
    document: Annotated[Id | None, "the document that was received"]
    bank: NotRequired[Annotated[Account, "of the table's chips, or of the stack; not said before 0.3.0"]]
    place: NotRequired[Annotated[str, "what was counted: `Fill 3`, `Table 7`, `Table 7, seat 2`"]]
    attempt: Annotated[int, "at this paper, from 1"]
    pieces: CountedPieces
    chips_cents: Cents
    cash_cents: Cents
    person: Annotated[Id, "who counted"]
    second: NotRequired[Annotated[Id, "who counted a bank with them"]]
    second_pieces: NotRequired[Annotated[CountedPieces, "what the second person counted"]]
    at: Moment
    terminal: str
    request: Annotated[str, "the key of the act, which was refused and stays free"]


class CountNoteRecord(Record):
    """something happened in the count room"""

    sheet: Id
    kind: Annotated[str, "`came`, `went`, `told` (surveillance) or `empty_shown`"]
    text: str
    person: Id
    at: Moment
    key: str


class CountSheetSignedRecord(Record):
    """two counters signed a count sheet, whose boxes agree"""

    sheet: Id
    signed_by: Annotated[Id, "who was signed in"]
    signed_with: Annotated[Id, "the second counter"]
    signed_at: Moment
    installed: Annotated[int, "boxes of the gaming day until now"]
    pulled: Annotated[int, "of these"]
    counted: Annotated[int, "of these, on this sheet and earlier ones"]
    without_box: Annotated[list[str], "the tables that had no box on the gaming day"]
    terminal: str
    key: str


class CountSheetReceivedRecord(Record):
    """a cashier received the money of a signed count sheet by a count of their own"""

    sheet: Id
    pieces: CountedPieces
    chips_cents: Cents
    cash_cents: Cents
    received_by: Id
    received_with: Annotated[Id | None, "the second person, where it is not what the counters found"]
    reason: Annotated[str, "why it is not; empty if it is"]
    received_at: Moment
    terminal: str
    key: str


class CountRecord(Record):
    """one person counted a drop box"""

    box: Id
    sheet: Annotated[Id, "the count sheet on which it stands"]
    counter: Annotated[Id, "who counted"]
    attempt: Annotated[int, "1 until counts differ"]
    pieces: CountedPieces
    chips_cents: Cents
    cash_cents: Cents
    key: str
    counted_at: Moment


class SignOffRecord(Record):
    """a counted box was received"""

    box: Id
    entry: Annotated[Id, "its drop"]
    expected_chips: Cents
    expected_cash: Cents
    counted_chips: Cents
    counted_cash: Cents
    cause: Annotated[str, "why they differ; empty if they do not"]
    evidence: NotRequired[Annotated[str, "what shows it: a camera's clip, a paper; not said before 0.3.0"]]
    threshold_cents: Annotated[
        Cents, "from which a difference in chips and cash together asks for two people"
    ]
    signed_by: Id
    signed_with: Annotated[Id | None, "the second person"]
    signed_at: Moment


class BankSignOffRecord(Record):
    """the cause of a difference in a table's bank or a drawer was given"""

    entry: Annotated[Id, "the count"]
    over_chips: Annotated[Cents, "counted minus expected"]
    over_cash: Annotated[Cents, "counted minus expected"]
    cause: str
    evidence: NotRequired[Annotated[str, "what shows it: a camera's clip, a paper; not said before 0.3.0"]]
    threshold_cents: Annotated[Cents, "from which chips and cash together ask for two people"]
    signed_by: Id
    signed_with: Annotated[Id | None, "the second person"]
    signed_at: Moment


class DrawerRecord(Record):
    """a cashier opened a drawer for a shift; it is empty"""

    number: int
    cashier: Id
    chips: Account
    cash: Account
    gaming_day: Day
    opened_at: Moment
    terminal: str
    key: str


class CageSlipRecord(Record):
    """a cashier counted chips and cash that come into the vault or leave it, or all of a drawer or the
    vault"""

    number: int
    way: Annotated[
        str,
        "`in` or `out` of the house; `to_drawer`, `from_drawer`; all that is in a drawer (`closing`) or in "
        "the vault (`count`)",
    ]
    drawer: Id | None
    gaming_day: Day
    pieces: CountedPieces
    chips_cents: Cents
    cash_cents: Cents
    counted_by: Id
    counted_at: Moment
    terminal: str
    key: str


class CageSlipResultRecord(Record):
    """the second count of a cage slip, or its withdrawal"""

    slip: Id
    outcome: Annotated[str, "`posted`, `differs` or `withdrawn`"]
    pieces: CountedPieces
    chips_cents: Cents
    cash_cents: Cents
    person: Annotated[Id, "who counted or withdrew"]
    at: Moment
    reason: str
    entry: Annotated[Id | None, "the float that was posted"]
    key: str


class DocumentRecord(Record):
    """chips or cash are to go from one place to another, under a number"""

    kind: Annotated[
        str,
        "`opener`, `fill`, `credit`, `closer`, `deposit`, `chip_purchase`, `destruction` or `unclaimed`: its"
        " series",
    ]
    number: int
    place: Annotated[str, "the place that is not the cage"]
    chips: Annotated[
        Account, "of that place; beyond the house, the chip maker's or, of unclaimed chips, patrons'"
    ]
    cash: Annotated[Account, "of that place; beyond the house, the bank's"]
    transit_chips: Annotated[Account, "where its chips stand while they are under way"]
    transit_cash: Account
    gaming_day: Day
    pieces: Annotated[CountedPieces, "what is to go"]
    chips_cents: Cents
    cash_cents: Cents


class DocumentBoxRecord(Record):
    """the cash of a signed-off box is to go to the bank under a document"""

    document: Id
    box: Id
    attempt: Annotated[int, "1 unless a document before was voided"]


class DocumentStepRecord(Record):
    """a step of a document was taken"""

    document: Id
    series: Annotated[str, "of the document", Column("document__kind")]
    number: Annotated[int, "of the document", Column("document__number")]
    place: Annotated[str, "of the document", Column("document__place")]
    ordinal: Annotated[int, "from 0"]
    step: str
    after: Annotated[Id | None, "the step before"]
    person: Id
    second: Annotated[Id | None, "the second person, where a step needs two"]
    at: Moment
    gaming_day: Day
    terminal: str
    reason: str
    reference: Annotated[
        str, "a carrier, or the number of a paper from beyond the house, where a step needs it"
    ]
    pieces: Annotated[CountedPieces, "what was sent, or what the receiver counted"]
    chips_cents: Cents
    cash_cents: Cents
    entry: Annotated[Id | None, "what was posted"]
    player: NotRequired[Annotated[Id, "whose unclaimed chips they are; of a claim, who claimed them"]]
    due: NotRequired[Annotated[Day, "from when unclaimed chips may be released"]]
    evidence: NotRequired[Annotated[str, "of a difference, or whose ownerless chips are: a clip, a paper"]]
    threshold_cents: NotRequired[Annotated[Cents, "from which that is large; neither said before 0.3.0"]]
    key: str


class ClosedShiftRecord(Record):
    """a shift of a gaming day was closed, but the last, which is closed with its day"""

    gaming_day: Day
    number: Annotated[int, "of the shift, from 1"]
    closed_at: Moment
    closed_by: Id
    closed_with: Annotated[Id, "the second person"]
    key: str
    terminal: str


class ClosedDayRecord(Record):
    """a gaming day was closed, with its totals"""

    gaming_day: Day
    closed_at: Moment
    closed_by: Id
    closed_with: Annotated[Id, "the second person"]
    key: str
    terminal: str
    entries: Annotated[int, "how many are dated in this day"]
    totals: Annotated[
        dict[str, dict[str, dict[str, int]]],
        "by kind of account and asset, what went `in` and `out` on this day; kinds that nothing moved are"
        " left out",
    ]
    balances: Annotated[list[list], "see closing balances"]  # type: ignore[type-arg]


class WithheldRecord(Record):
    """all that was withheld since the record of this kind before: looks at the exclusion list and changes
    of it, many, one or none"""

    commitment: Digest


class HouseEventRecord(Record):
    """something in the house without money and without a table: who signs in, what is published, exported
    or verified ..."""

    kind: str
    at: Annotated[Moment, "when it happened"]
    actor: Annotated[Id | None, "null where nobody is known, or the house acts by itself"]
    terminal: str
    data: Annotated[dict, "by its kind"]  # type: ignore[type-arg]


declare(
    {
        "entry": EntryRecord,
        "count_sheet": CountSheetRecord,
        "count": CountRecord,
        "count_note": CountNoteRecord,
        "count_sheet_signed": CountSheetSignedRecord,
        "count_sheet_received": CountSheetReceivedRecord,
        "box_received": BoxReceivedRecord,
        "struck_count": StruckCountRecord,
        "sign_off": SignOffRecord,
        "bank_sign_off": BankSignOffRecord,
        "drawer": DrawerRecord,
        "cage_slip": CageSlipRecord,
        "cage_slip_result": CageSlipResultRecord,
        "document": DocumentRecord,
        "document_box": DocumentBoxRecord,
        "document_step": DocumentStepRecord,
        "closed_shift": ClosedShiftRecord,
        "closed_day": ClosedDayRecord,
        "withheld": WithheldRecord,
        "house_event": HouseEventRecord,
    }
)


# -- the evidence of entries ---------------------------------------------------------------------------------


class Window(TypedDict):
    """at the window"""

    cents: Cents
    receipt: Annotated[int, "its number, from 1"]
    pieces: NotRequired[
        Annotated[CountedPieces, "chips that were handed out or in; in a change, what came in"]
    ]
    patron_from: NotRequired[Annotated[Cents, "from which the patron is named"]]
    report_above: NotRequired[Annotated[Cents, "above which a person's cash of a gaming day is reported"]]
    report_days: NotRequired[Annotated[int, "within how many days"]]
    seen: NotRequired[Annotated[int, "an earlier receipt of the gaming day, of the same person"]]
    identified: NotRequired[Annotated[bool, "whether the patron's identification was seen"]]
    player: NotRequired[Annotated[Id, "the patron, where named"]]


class Change(Window):
    """chips for other chips, or cash for other cash"""

    given: Annotated[CountedPieces, "what went out for it"]


class BeyondBooks(TypedDict):
    """chips that patrons hold and no entry handed out"""

    cents: Cents
    number: Annotated[int, "of its series, from 1"]


class Float(TypedDict):
    """chips and cash of the vault, as its slip says"""

    slip: Id
    number: int
    way: str
    pieces: CountedPieces
    counted_by: Annotated[list[Id], "who counted first, and who second"]


class OfDrawer(Float):
    """chips and cash between a drawer and the vault, as the slip says"""

    drawer: Id
    drawer_number: int


class Custody(TypedDict):
    """chips and cash that leave a place, or arrive, under a document"""

    document: Id
    kind: str
    number: int
    step: str
    pieces: CountedPieces


class ChipsAndCash(TypedDict):
    """what of each"""

    chips: Cents
    cash: Cents


class DropCount(TypedDict):
    """a count of a box"""

    counter: Id
    attempt: int
    chips: Cents
    cash: Cents
    counted_at: Stamp


class Drop(TypedDict):
    """a box that was received"""

    box: Id
    number: int
    place: str
    installed_at: Stamp
    pulled_at: Stamp
    pulled_by: Annotated[list[Id], "two people"]
    counts: Annotated[list[DropCount], "the two that agree"]
    counted: ChipsAndCash
    expected: ChipsAndCash
    cause: str


class WindowTakenBack(TypedDict):
    """something at the window that was taken back"""

    of: Annotated[str, "the kind of entry that is taken back"]
    reverses: Id
    slip: Annotated[int, "the number of the reversal slip"]


declare_inside(
    "entry",
    "evidence",
    {
        EntryKind.FLOAT_ISSUE: Float,
        EntryKind.FLOAT_RETURN: Float,
        EntryKind.DRAWER_ISSUE: OfDrawer,
        EntryKind.DRAWER_RETURN: OfDrawer,
        EntryKind.DRAWER_CLOSE: OfDrawer,
        EntryKind.VAULT_COUNT: Float,
        EntryKind.UNCLAIMED_COUNT: Float,
        EntryKind.RESERVE_COUNT: Float,
        EntryKind.CHIP_SALE: Window,
        EntryKind.CHIP_REDEMPTION: Window,
        EntryKind.CHIP_CHANGE: Change,
        EntryKind.CHIPS_BEYOND_BOOKS: BeyondBooks,
        EntryKind.DOCUMENT_SENT: Custody,
        EntryKind.DOCUMENT_RECEIVED: Custody,
        EntryKind.DROP: Drop,
    },
)
