"""The end of the night written by hand (log_by_hand.py): a table closes, its box is counted, and the day is
closed."""

from tests.support.entries_by_hand import (
    BACK_CASH,
    BACK_CHIPS,
    BANK,
    BANK_CASH,
    BANK_CHIPS,
    BOX_CASH,
    BOX_CHIPS,
    DRAWER_CASH,
    DRAWER_CHIPS,
    MAKER,
    OVER_CASH,
    PATRONS,
    PUBLIC,
    VAULT_CASH,
    VAULT_CHIPS,
    document_step,
    entry,
    house_event,
    other,
    table_event,
    vault_counted,
)
from tests.support.whole_records import DAY, Body, at

IN_BANK: Body = {"chips": [[10_000, 18]], "cash": [[10_000, 2]]}
_BACK = {"pieces": IN_BANK, "chips_cents": 180_000, "cash_cents": 20_000}
_CLOSER = {"document": 122, "kind": "closer", "number": 1, "pieces": IN_BANK}


def bank_counted() -> list[Body]:
    """Return the count of the bank by 3, who closes the table, and 4, and its closer until it is sent."""
    accounts = {"chips": BANK_CHIPS, "cash": BANK_CASH}
    accounts |= {"transit_chips": BACK_CHIPS, "transit_cash": BACK_CASH}
    named = {"kind": "closer", "number": 1, "place": "Table 1", "gaming_day": DAY}
    differs = {"over_chips_cents": 0, "over_cash_cents": 0}
    counted = {"session": 5, "table": 1, "pieces": IN_BANK, "counted_by": [3, 4], "closer": 122, **differs}
    lines = (BANK_CHIPS, BACK_CHIPS, 180_000), (BANK_CASH, BACK_CASH, 20_000)
    return [
        other("document", 122, 40, **named, **accounts, **_BACK),
        document_step(135, "requested", 4, 40, document=122, ordinal=0, after=None),
        entry(112, "bank_count", 40, approver=4, evidence=counted),
        entry(94, "document_sent", 40, *lines, evidence=_CLOSER | {"step": "sent"}),
        document_step(136, "sent", 3, 40, document=122, ordinal=1, after=135, entry=94, **_BACK),
    ]


def closer_received() -> list[Body]:
    lines = (BACK_CHIPS, VAULT_CHIPS, 180_000), (BACK_CASH, VAULT_CASH, 20_000)
    return [
        entry(95, "document_received", 45, *lines, actor=7, evidence=_CLOSER | {"step": "received"}),
        document_step(137, "received", 7, 45, document=122, ordinal=2, after=136, entry=95, **_BACK),
    ]


_COUNT = {"box": 21, "sheet": 151, "attempt": 1, "chips_cents": 1500, "cash_cents": 1400}
_COUNT |= {"pieces": {"chips": [[500, 3]], "cash": [[1000, 1], [100, 4]]}}
COUNT_SHEET: Body = {
    "number": 1,
    "gaming_day": DAY,
    "begun_by": 5,
    "begun_at": at(45),
    "terminal": "",
    "key": "sheet",
}
COUNT_NOTE: Body = {
    "sheet": 151,
    "kind": "told",
    "text": "=the count begins",
    "person": 5,
    "at": at(46),
    "key": "told",
}
COUNT_SIGNED: Body = {
    "sheet": 151,
    "signed_by": 5,
    "signed_with": 6,
    "signed_at": at(52),
    "installed": 1,
    "pulled": 1,
    "counted": 1,
    "without_box": ["Table 2"],
    "terminal": "",
    "key": "signed",
}
_SAID = {"attempt": 1, "chips": 1500, "cash": 1400}
DROP = {
    "counts": [_SAID | {"counter": 5, "counted_at": at(50)}, _SAID | {"counter": 6, "counted_at": at(51)}],
    "expected": {"chips": 1500, "cash": 1500},
    "counted": {"chips": 1500, "cash": 1400},
    "cause": "a dollar is missing",
}
DROP |= {"box": 21, "number": 1, "place": "Table 1"}
DROP |= {"installed_at": at(2), "pulled_at": at(40), "pulled_by": [3, 4]}


def closing() -> list[Body]:
    return [
        *bank_counted(),
        house_event(4, "box_pulled", 40, box=21, number=1, second=4),
        table_event(57, "closed", 40),
        *closer_received(),
        other("count_sheet", 151, 45, **COUNT_SHEET),
        other("count_note", 152, 46, **COUNT_NOTE),
        *(other("count", 95 + n, 50 + n, counter=5 + n, counted_at=at(50 + n), **_COUNT) for n in (0, 1)),
        other("count_sheet_signed", 153, 52, **COUNT_SIGNED),
        entry(
            *(113, "drop", 60, (BOX_CHIPS, VAULT_CHIPS, 1500), (BOX_CASH, VAULT_CASH, 1400)),
            *((BOX_CASH, OVER_CASH, 100),),
            actor=7,
            evidence=DROP,
            reason="a dollar is missing",
        ),
        other(
            *("sign_off", 97, 60),
            box=21,
            entry=113,
            expected_chips=1500,
            expected_cash=1500,
            counted_chips=1500,
            counted_cash=1400,
            cause="a dollar is missing",
            threshold_cents=10_000,
            signed_by=7,
            signed_with=None,
            signed_at=at(60),
        ),
        *vault_counted(),
        other(
            *("closed_day", 98, 24 * 60),
            gaming_day=DAY,
            closed_at=at(24 * 60),
            closed_by=7,
            closed_with=8,
            entries=20,
            totals=TOTALS,
            balances=BALANCES,
        ),
    ]


TOTALS = {
    "vault": {"chips": {"in": 1_181_500, "out": 250_000}, "cash": {"in": 521_400, "out": 0}},
    "drawer": {"chips": {"in": 50_000, "out": 10_000}, "cash": {"in": 10_000, "out": 0}},
    "table_bank": {"chips": {"in": 200_000, "out": 200_000}, "cash": {"in": 20_000, "out": 20_000}},
    "stack": {"chips": {"in": 57_500, "out": 57_500}},
    "drop_box": {"chips": {"in": 1_500, "out": 1_500}, "cash": {"in": 1_500, "out": 1_500}},
    "over_short": {"cash": {"in": 100, "out": 0}},
    "patrons": {"chips": {"in": 58_500, "out": 15_000}},
    **{kind: {"cash": {"in": 0, "out": out}} for kind, out in (("public", 31_500), ("bank", 500_000))},
    "chip_maker": {"chips": {"in": 0, "out": 1_015_000}},
    "transit": {
        "chips": {"in": 380_000, "out": 380_000},
        "cash": {"in": 20_000, "out": 20_000},
    },
}
BALANCES = [
    ["cash", "bank", BANK, -500_000],
    ["cash", "drawer", DRAWER_CASH, 10_000],
    ["cash", "over_short", OVER_CASH, 100],
    ["cash", "public", PUBLIC, -31_500],
    ["cash", "vault", VAULT_CASH, 521_400],
    ["chips", "chip_maker", MAKER, -1_015_000],
    ["chips", "drawer", DRAWER_CHIPS, 40_000],
    ["chips", "patrons", PATRONS, 43_500],
    ["chips", "vault", VAULT_CHIPS, 931_500],
]
