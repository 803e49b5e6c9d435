"""The kinds of the columns of papers. A name means the same in every paper, so that a workbook and a printed
page show a value by its column alone. Pure."""

from enum import StrEnum


class CellKind(StrEnum):
    TEXT = "text"
    CODE = "code"  # a word of the records, as table_bank
    DAY = "day"  # 2026-03-07
    MOMENT = "moment"  # UTC, as 2026-03-08T05:00:16.000000Z
    LOCAL = "local"  # the house's own time, with its offset
    MINUTE = "minute"  # on the clock of a down, as 20:00.000000
    AMOUNT = "amount"  # dollars, with two decimals
    PERCENT = "percent"  # with two decimals
    NUMBER = "number"  # a count, or the number of something
    PERSON = "person"  # one of the staff, by the number that staff.csv explains
    PLAYER = "player"  # likewise by players.csv


_NAMES = {
    CellKind.DAY: "gaming_day due effective_from effective_to first_day last_day",
    CellKind.MOMENT: """occurred_at recorded_at charged_at counted_at opened_at closed_at at since
        until requested_at authorised_at sent_at received_at voided_at claimed_at released_at installed_at
        pulled_at stored_at entered_at created last_sign_in""",
    CellKind.LOCAL: "local_time",
    CellKind.AMOUNT: """amount fee limit seat_1 seat_2 seat_3 seat_4 seat_5 denomination chips cash
        chips_in cash_in chips_out cash_out expected_chips expected_cash counted_chips counted_cash
        over_chips over_cash over_short in out balance chips_held cash_held before after collected owed
        recovered paid fees_stack fees_cash fees_cage fees_taken waived fees_uncollected openers fills
        credits closers drop_chips drop_cash over_box over_bank variance total_in total_out report_above
        full_amount half_amount waived_amount uncollected_amount recovered_amount window_amount still_due
        in_other_boxes of_elsewhere expected counted_amount""",
    CellKind.NUMBER: """entry session round down line reverses table sitting option version charge
        waiver uncollected recovery reversal_slip from to number first_count second_count shift box
        attempt installed pulled counted boxes serial pieces seat transaction transactions receipt
        round_id record_id dispute shift_to full_fees half_fees waived_fees uncollected_fees
        recovered_fees window_fees tested failed""",
    CellKind.PERSON: """actor approver person counted_by counted_with second cashier first signed_by
        requested_by authorised_by sent_by received_by received_with voided_by claimed_by released_by
        installed_by pulled_by pulled_with stored_by stored_with published_by""",
    CellKind.PLAYER: "player",
    CellKind.MINUTE: "minute",
    CellKind.CODE: """kind from_kind to_kind asset rule taken_by way outcome step what account_kind
        state record game schedule control need""",
    CellKind.TEXT: """key terminal reason sheet place cause account value text reference chips_pieces
        cash_pieces given_chips given_cash without_box carrier seal seal_read emergency chain tables
        negative receipts recorded_by places object old new role players told quarter username name roles
        works_here evidence area title law passes rows part subject note said""",
    CellKind.PERCENT: "percent",
}
KINDS_OF_CELLS: dict[str, CellKind] = {name: kind for kind, names in _NAMES.items() for name in names.split()}
"""Column -> kind of cell. A test names what a paper has and this table lacks."""


def heading(column: str) -> str:
    """Return a column's heading for people: `over_cash` is `Over cash`."""
    return column.replace("_", " ").capitalize()
