"""The controls that the books show: drop and count, cage, corrections, people, log and program. Data, one
declaration each. Another app adds its own in the same way (`tables/audit/controls.py`)."""

from ledger.papers.controls import (
    Area,
    Control,
    Passes,
    declare_controls,
    empty,
    filled,
    same,
    says,
    says_not,
    unlike,
)

_DROP, _CAGE, _RIGHT = Area.DROP, Area.CAGE, Area.CORRECTIONS
_NO_CAUSE = ((empty("cause"),), (empty("signed_by"),))
_DIFFERS = says_not("over_short", "0.00")

declare_controls(
    Control(
        *("box_pulled_by_two", _DROP, "Two people pull each drop box", "4 CCR 12384", "box_log.csv"),
        of=(filled("pulled_by"),),
        against=((empty("pulled_with"),), (same("pulled_with", "pulled_by"),)),
        shows=("box", "table"),
    ),
    Control(
        *("box_brought", _DROP, "A sealed box reaches the count room before it is counted", "4 CCR 12384"),
        evidence="box_log.csv",
        of=(filled("seal"), filled("counted_by")),
        against=((empty("received_at"),),),
        shows=("box", "table"),
    ),
    Control(
        *("seal_unbroken", _DROP, "A pulled box has the seal it was installed with, or a reason"),
        evidence="box_log.csv",
        of=(filled("seal"), filled("pulled_by")),
        against=((unlike("seal", "seal_read"), empty("reason")),),
        shows=("box", "table", "seal", "seal_read"),
    ),
    Control(
        *("box_counted_by_two", _DROP, "Two people count each box, blind", "4 CCR 12385", "box_log.csv"),
        of=(filled("counted_by"),),
        against=((empty("counted_with"),), (same("counted_with", "counted_by"),)),
        shows=("box", "table"),
    ),
    Control(
        *("counter_did_not_pull", _DROP, "Nobody counts a box that they pulled", "4 CCR 12384, 12385"),
        evidence="box_log.csv",
        of=(filled("counted_by"),),
        against=tuple(
            (same(counted, pulled),)
            for counted in ("counted_by", "counted_with")
            for pulled in ("pulled_by", "pulled_with")
        ),
        shows=("box", "table"),
    ),
    Control(
        *("sheet_signed_by_two", _DROP, "Two counters sign each count sheet", "4 CCR 12385"),
        evidence="count_sheets.csv",
        of=(says("line", "signed"),),
        against=((empty("second"),), (same("second", "person"),)),
        shows=("sheet",),
    ),
    Control(
        *("sheet_is_whole", _DROP, "A count sheet has every box that was pulled", "4 CCR 12385"),
        evidence="count_sheets.csv",
        of=(says("line", "signed"),),
        against=((unlike("counted", "pulled"),),),
        shows=("sheet", "pulled", "counted"),
    ),
    Control(
        *("box_variance", _DROP, "A difference in a box has its cause and a signature", "4 CCR 12386"),
        evidence="over_short.csv",
        of=(says("what", "drop_box"), _DIFFERS),
        against=_NO_CAUSE,
        shows=("number", "over_short"),
    ),
    Control(
        *("drop_keys", _DROP, "Keys of boxes and of the count room are signed out", "4 CCR 12384"),
        why="A key register is kept on paper, beside the program",
    ),
    Control(
        *("bank_variance", _CAGE, "A difference in a table's bank has its cause and a signature"),
        *("4 CCR 12386", "over_short.csv"),
        of=(says("what", "table_bank"), _DIFFERS),
        against=_NO_CAUSE,
        shows=("number", "over_short"),
    ),
    Control(
        *("drawer_counted_by_two", _CAGE, "Two people count each drawer as it closes", "4 CCR 12360"),
        evidence="drawers.csv",
        of=(filled("closed_at"),),
        against=((empty("first"),), (empty("second"),), (same("second", "first"),)),
        shows=("number",),
    ),
    Control(
        *("vault_counted", _CAGE, "The vault is counted every gaming day", "4 CCR 12386"),
        evidence="cage_accountability.csv",
        of=(says("what", "counted"),),
        passes=Passes.DAILY,
    ),
    Control(
        *("slip_between_two", _CAGE, "What one sends under a slip another receives", "4 CCR 12386"),
        evidence="slips.csv",
        of=(says("state", "received"),),
        against=((empty("sent_by"),), (empty("received_by"),), (same("received_by", "sent_by"),)),
        shows=("kind", "number", "table"),
    ),
    Control(
        *("fill_authorised", _CAGE, "A fill is authorised by somebody else than asks for it"),
        *("4 CCR 12386", "slips.csv"),
        of=(says("kind", "fill"), says("state", "received")),
        against=((empty("authorised_by"),), (same("authorised_by", "requested_by"),)),
        shows=("number", "table"),
    ),
    Control(
        *("slip_void", _CAGE, "A void slip has its reason and a second person", "4 CCR 12386", "slips.csv"),
        of=(says("state", "voided"),),
        against=((empty("reason"),), (empty("second"),), (same("second", "voided_by"),)),
        shows=("kind", "number", "table"),
    ),
    Control(
        *("deposit_confirmed", _CAGE, "A deposit names its carrier and the bank's slip", "4 CCR 12386"),
        evidence="deposits.csv",
        of=(says("state", "received"), says_not("kind", "cash_order")),  # no slip comes with ordered cash
        against=((empty("carrier"),), (empty("reference"),)),
        shows=("number",),
    ),
    Control(
        *("chip_stock_papers", _CAGE, "Chips bought or destroyed have their delivery note or certificate"),
        evidence="chip_stock.csv",
        of=(says("state", "received"),),
        against=((empty("reference"),),),
        shows=("kind", "number"),
    ),
    Control(
        *("unclaimed_released", _CAGE, "Unclaimed chips are released by two, with the report's number"),
        evidence="unclaimed_chips.csv",
        of=(says("state", "released"),),
        against=((empty("reference"),), (empty("second"),), (same("second", "released_by"),)),
        shows=("number",),
    ),
    Control(
        *("beyond_by_two", _CAGE, "Chips beyond the books are accepted by two, with a reason"),
        evidence="beyond_books.csv",
        against=((empty("approver"),), (same("approver", "actor"),), (empty("reason"),)),
        shows=("number", "amount"),
    ),
    Control(
        *("day_closed_by_two", _CAGE, "Two people close a gaming day"),
        evidence="closed_day",
        against=((empty("closed_with"),), (same("closed_with", "closed_by"),)),
    ),
    Control(
        *("correction_by_two", _RIGHT, "A correction has its reason and a second person", "4 CCR 12386"),
        evidence="exceptions.csv",
        of=(says("kind", "correction"), says("record", "entry")),
        against=((empty("approver"),), (same("approver", "actor"),), (empty("reason"),)),
        shows=("object",),
    ),
    Control(
        *("taken_back_by_two", _RIGHT, "What is taken back after ten seconds has a reason and two people"),
        evidence="exceptions.csv",
        of=(says("kind", "taken_back"), says("new", "taken back")),
        against=((empty("approver"),), (same("approver", "actor"),), (empty("reason"),)),
        shows=("object",),
    ),
    Control(
        *("void_reason", _RIGHT, "Whatever is declared void has its reason"),
        evidence="exceptions.csv",
        of=(says("kind", "void"),),
        against=((empty("reason"),),),
        shows=("object",),
    ),
    Control(
        *("no_gaps", _RIGHT, "No number of a series is missing"),
        evidence="exceptions.csv",
        of=(says("kind", "gap"),),
        passes=Passes.NONE,
        shows=("object",),
    ),
)

declare_controls(
    Control(
        *("access_reviewed", Area.PEOPLE, "Everybody's rights are reviewed every quarter"),
        evidence="access.csv",
        passes=Passes.QUARTERLY,
    ),
    Control(
        *("lock_lifted_by", Area.PEOPLE, "Whoever lifts the lock of a sign-in is named"),
        evidence="exceptions.csv",
        of=(says("kind", "refused"), says("new", "lifted")),
        against=((empty("actor"),),),
        shows=("object",),
    ),
    Control(
        *("exclusions_opened", Area.PEOPLE, "Whoever opens looks at the exclusion list says why"),
        *("4 CCR 12463-12466", "house_event withheld_opened"),
        against=((empty("actor"),), (empty("reason"),)),
        shows=("record",),
    ),
    Control(
        *("export_named", Area.PEOPLE, "Every export of the log names who took it"),
        evidence="house_event exported",
        against=((empty("actor"),),),
        shows=("from_day", "to_day"),
    ),
    Control(
        *("currency_reported", Area.PEOPLE, "Large cash is reported within the days of the law"),
        law="31 CFR 1021.311",
        why="The paper Currency reports says who is due; the filing itself is kept by compliance",
    ),
    Control(
        *("people_trained", Area.PEOPLE, "Staff are licensed and trained for their work"),
        why="Badges are noted; licence files and training are kept in the office",
    ),
    Control(
        *("cameras_kept", Area.PEOPLE, "Camera records are kept, and agree with the house's clock"),
        law="4 CCR 12396",
        why="The times are an index into them; the camera room keeps the records",
    ),
    Control(
        *("log_verified", Area.LOG, "The log is verified every gaming day", "4 CCR 12312"),
        evidence="house_event verified",
        passes=Passes.DAILY,
    ),
    Control(
        *("log_verifies", Area.LOG, "No verification of the log finds anything", "4 CCR 12312"),
        evidence="house_event verified",
        against=((says_not("findings", "0"),),),
        shows=("recorded_at", "findings"),
    ),
    Control(
        *("log_sealed", Area.LOG, "The log is always sealed"),
        evidence="house_event sealing_refused",
        passes=Passes.NONE,
        shows=("recorded_at", "code"),
    ),
    Control(
        *("clock_trusted", Area.LOG, "The house's clock is never in doubt", "4 CCR 12396"),
        evidence="house_event clock_doubted",
        passes=Passes.NONE,
        shows=("recorded_at", "host"),
    ),
    Control(
        *("never_put_back", Area.LOG, "The house was not put back to an earlier state"),
        evidence="house_event restored",
        passes=Passes.NONE,
        shows=("recorded_at", "made_at"),
    ),
    Control(
        *("backed_up", Area.LOG, "A backup is made every gaming day", "4 CCR 12312"),
        evidence="house_event backed_up",
        passes=Passes.DAILY,
    ),
    Control(
        *("archive_verified", Area.LOG, "Kept papers and exports are verified every quarter"),
        *("4 CCR 12312", "house_event archive_verified"),
        of=(says("findings", "0"),),
        passes=Passes.QUARTERLY,
    ),
    Control(
        *("backup_restores", Area.LOG, "A backup is put back on trial every quarter"),
        why="A trial happens on another computer; whoever runs the house notes it",
    ),
)
