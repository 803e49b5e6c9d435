"""Accounts and entries of the night written by hand (log_by_hand.py), and counts of its vault."""

from collections.abc import Iterable, Iterator
from typing import Any

from ledger.rules.window import OF_RECEIPTS
from tests.support.whole_records import DAY, Body, at, whole

VAULT_CHIPS, VAULT_CASH, PATRONS, PUBLIC, OVER_CHIPS, OVER_CASH, MAKER, BANK = range(1, 9)
BANK_CHIPS, BANK_CASH, BOX_CHIPS, BOX_CASH, ANNA, BERT = range(11, 17)
WAY_CHIPS, WAY_CASH, BACK_CHIPS, BACK_CASH, TOKES = range(17, 22)
DRAWER_CHIPS, DRAWER_CASH = range(9, 11)
KINDS = {
    **dict.fromkeys((VAULT_CHIPS, VAULT_CASH), "vault"),
    PATRONS: "patrons",
    PUBLIC: "public",
    MAKER: "chip_maker",
    BANK: "bank",
    **dict.fromkeys((OVER_CHIPS, OVER_CASH), "over_short"),
    **dict.fromkeys((BANK_CHIPS, BANK_CASH), "table_bank"),
    **dict.fromkeys((BOX_CHIPS, BOX_CASH), "drop_box"),
    **dict.fromkeys((ANNA, BERT), "stack"),
    **dict.fromkeys((WAY_CHIPS, WAY_CASH, BACK_CHIPS, BACK_CASH), "transit"),
    **dict.fromkeys((DRAWER_CHIPS, DRAWER_CASH), "drawer"),
    TOKES: "tokes",
}
CASH = {VAULT_CASH, PUBLIC, BANK, OVER_CASH, BANK_CASH, BOX_CASH, WAY_CASH, BACK_CASH, DRAWER_CASH}


NEXT = 0
"""The number of a receipt written by hand that follows the one before it (`receipted`)."""


def receipted(bodies: Iterable[Body]) -> Iterator[Body]:
    """Number the receipts that have no number of their own."""
    last = 0
    for body in bodies:
        said = body.get("evidence")
        if isinstance(said, dict) and body["kind"] in OF_RECEIPTS and "receipt" in said:
            body = body | {"evidence": said | {"receipt": said["receipt"] or last + 1}}
            last = body["evidence"]["receipt"]
        yield body


def moves(*lines: tuple[int, int, int]) -> list[Body]:
    return [
        {
            "asset": "cash" if source in CASH else "chips",
            "cents": cents,
            "from": source,
            "from_kind": KINDS[source],
            "to": target,
            "to_kind": KINDS[target],
        }
        for source, target, cents in lines
    ]


def entry(
    number: int, kind: str, minute: int, *lines: tuple[int, int, int], receipt: int = NEXT, **more: Any
) -> Body:
    said = {
        "record": "entry",
        "id": number,
        "site": 1,
        "key": f"key-{number}",
        "content_hash": "0a" * 32,
        "kind": kind,
        "occurred_at": at(minute),
        "recorded_at": at(minute),
        "gaming_day": DAY,
        "actor": 3,
        "terminal": "T1",
        "approver": None,
        "reason": "",
        "reverses": None,
        "evidence": {"cents": lines[0][2], "receipt": receipt}
        if kind in ("chip_sale", "chip_redemption") and lines
        else {},
        "transfers": moves(*lines),
        **more,
    }
    return whole(said)


def other(record: str, number: int, minute: int, /, **more: Any) -> Body:
    return whole({"record": record, "id": number, "site": 1, "recorded_at": at(minute), **more})


def house_event(number: int, kind: str, minute: int, actor: int | None = 3, /, **data: Any) -> Body:
    more = {"kind": kind, "at": at(minute), "actor": actor, "terminal": "", "data": data}
    return other("house_event", number, minute, **more)


def table_event(number: int, kind: str, minute: int, /, **data: Any) -> Body:
    return other("table_event", number, minute, session=5, kind=kind, at=at(minute), actor=3, data=data)


def document_step(number: int, step: str, person: int, /, minute: int = 2, **more: Any) -> Body:
    nothing = {"pieces": {"cash": [], "chips": []}, "chips_cents": 0, "cash_cents": 0, "entry": None}
    said = {"document": 121, "step": step, "person": person, "second": None, "at": at(minute), **nothing}
    series = "closer" if more.get("document") == 122 else "opener"
    said |= {"series": series, "number": 1, "place": "Table 1", "gaming_day": DAY, "reference": ""}
    return other("document_step", number, minute, key=f"step {number}", **said | more)


LEFT: Body = {"chips": [[10_000, 93], [100, 15]], "cash": [[10_000, 52], [100, 14]]}
"""What the vault has at the end of the night."""


def vault_counted(
    pieces: Body = LEFT, *, minute: int = 61, number: int = 3, change: Body | None = None
) -> list[Body]:
    """Return a count of the vault by 3 and 4 that agrees with the books, or whose entry has a `change`."""
    sums = {f"{asset}_cents": sum(value * n for value, n in pieces[asset]) for asset in ("chips", "cash")}
    said = {"pieces": pieces, **sums}
    slip, entry_id = 211 + number, 111 + number
    named = {"number": number, "way": "count"}
    counted = {"counted_by": 3, "counted_at": at(minute), "gaming_day": DAY, "drawer": None}
    evidence = {**named, "slip": slip, "pieces": pieces, "counted_by": [3, 4]}
    ended = {"slip": slip, "outcome": "posted", "person": 4, "at": at(minute), "entry": entry_id}
    posted = entry(entry_id, "vault_count", minute, approver=4, evidence=evidence)
    return [
        other("cage_slip", slip, minute, **said, **named, **counted),
        posted | (change or {}),
        other("cage_slip_result", slip, minute, **said, **ended),
    ]
