"""The controls that the floor's records show: fees, rates, clocks and disputes. Data, one declaration each;
those of the books are in `ledger/papers/controls_of_books.py`."""

from ledger.papers.controls import Area, Control, declare_controls, empty, filled, says

declare_controls(
    Control(
        *("fee_accounted", Area.FEES, "Every fee is taken, waived or noted as uncollected"),
        *("Penal Code 337j(f)", "collections.csv"),
        against=((says("taken_by", "open"),),),
        shows=("table", "down", "charge"),
    ),
    Control(
        *("fee_of_a_rate", Area.FEES, "Every fee is of a published rate", "Penal Code 337j(f)"),
        evidence="collections.csv",
        against=((empty("option"),), (empty("version"),)),
        shows=("table", "down", "charge"),
    ),
    Control(
        *("rate_approved", Area.FEES, "A new rate names its approval", "Penal Code 337j(f)"),
        evidence="exceptions.csv",
        of=(says("kind", "settings"), says("record", "rate")),
        against=((empty("reason"),),),
        shows=("object",),
    ),
    Control(
        *("waiver_numbered", Area.FEES, "A waived fee has its number", "Penal Code 337j(f)"),
        evidence="collections.csv",
        of=(says("taken_by", "waived"),),
        against=((empty("waiver"),),),
        shows=("table", "down", "charge"),
    ),
    Control(
        *("uncollected_reason", Area.FEES, "A fee that nobody paid has its number and its reason"),
        *("Penal Code 337j(f)", "uncollected.csv"),
        against=((empty("uncollected"),), (empty("reason"),)),
        shows=("table", "charge"),
    ),
    Control(
        *("clock_stop_reason", Area.FEES, "A table's clock stops for a reason that is written down"),
        *("4 CCR 12396", "exceptions.csv"),
        of=(says("kind", "clock_stop"), says("new", "stopped")),
        against=((empty("reason"),),),
        shows=("session",),
    ),
    Control(
        *("cash_has_a_name", Area.CAGE, "Large cash at the window has its patron", "31 CFR 1021.410"),
        evidence="cash_log.csv",
        against=((empty("player"),),),
        shows=("receipt", "cash_in", "cash_out"),
    ),
    Control(
        *("dispute_decided", Area.CORRECTIONS, "A decided dispute has its outcome and who decided"),
        *("4 CCR 12392", "disputes.csv"),
        of=(says("step", "decided"),),
        against=((empty("outcome"),), (empty("person"),)),
        shows=("kind", "number"),
    ),
    Control(
        *("dispute_told", Area.CORRECTIONS, "A dispute about a round names the round", "4 CCR 12392"),
        evidence="disputes.csv",
        of=(says("step", "taken"), says("what", "cards"), filled("session")),
        against=((empty("round_id"),),),
        shows=("kind", "number"),
    ),
)
