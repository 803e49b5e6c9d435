"""Every collection of a charge: taken once, to the cent, from and to the right account (R63); and fees not
paid: waivers, uncollected fees and recoveries with their numbers, reasons and amounts. Pure. A fee may be
taken at another table to which its player moved (R51); the record is of that table and names the charge's."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from tables.audit.floor.floor import Floor, Problem, Problems, kind_of
from tables.audit.floor.house import moment, same_moment
from tables.audit.floor.sitting import Body, ReplayedSitting
from tables.audit.floor.table import ReplayedCharge, ReplayedTable
from tables.audit.judging.charges import wrong_day
from tables.rules.table.paying import METHODS, WAYS, Method

FIGURES: Final = ("rule", "fee_cents", "cents", "down", "player")
_NOT_NUMBERED: Final = object()
_MERGE: Final = "merge"
_SERIES: Final[dict[str, tuple[str, Callable[[Body], Any]]]] = {
    "entry waiver": ("waiver", lambda body: body["evidence"]["waiver"]["number"]),
    "entry collection": ("recovery", lambda body: body["evidence"].get("recovery", _NOT_NUMBERED)),
    "table_event fee_uncollected": ("uncollected fee", lambda body: body["data"]["number"]),
    "player_merge": (_MERGE, lambda body: body["number"]),
}
"""The series of a kind of record, and how to read its number."""


def collected(
    floor: Floor, table: ReplayedTable | None, charge: ReplayedCharge | None, body: Body
) -> Problems:
    told = body["evidence"]
    due = _due_session(told)
    wrong = _wrong(floor, table, charge, body)
    payer = table.sittings.get(told["sitting"]) if table is not None else None
    if charge is not None and not charge.taken:
        floor.take_fee(charge, body)
        if charge.sure and table is not None:
            _take_over(floor, table, payer, body)
        elif not charge.sure:
            _note_charged(floor.find(due), payer, told)
    if wrong is not None or charge is None or not charge.sure:
        floor.doubt(body["transfers"], payer)
    if wrong is not None:
        yield wrong


def _wrong(
    floor: Floor, table: ReplayedTable | None, charge: ReplayedCharge | None, body: Body
) -> Problem | None:
    told = body["evidence"]
    if charge is None:
        payer = table.sittings.get(told["sitting"]) if table is not None else None
        unknown = followed(told) and not floor.fees_complete
        if unknown or told["charge"] in floor.charges:
            return None
        if _note_charged(floor.find(_due_session(told)), payer, told):
            return None  # its absence was reported before
        return Problem("charge_missing", f"It takes charge {told['charge']}, and no such charge is due.")
    floor.count("collections")
    if charge.taken:
        return Problem("collection_twice", f"{charge.name or 'Its charge'} had been taken already.")
    if not charge.sure:
        return None
    if table is None:
        known = floor.whole and told["session"] not in floor.unknown
        return Problem("unknown_table", "It is taken at a table that is not open.") if known else None
    wrong = _wrong_collection(floor, charge, table, body)
    return Problem("collection_differs", wrong) if wrong else None


def _wrong_collection(floor: Floor, charge: ReplayedCharge, table: ReplayedTable, body: Body) -> str:
    told, due = body["evidence"], charge.body
    days, waived = floor.house.days_of(body["recorded_at"]), body["kind"] == "waiver"
    return (
        _wrong_words(charge, told)
        or _wrong_payer(charge, table, told)
        or _wrong_transfers(charge, table, body)
        or (wrong_waiver(floor, body, days) if waived else "")
        or _wrong_turn(floor, charge, table, told)
        or wrong_recovery(charge, told)
        or wrong_day(floor, body, {due["gaming_day"]}, "collection")
    )


def _wrong_words(charge: ReplayedCharge, told: Body) -> str:
    due = charge.body
    same = {
        **{name: told[name] == due[name] for name in FIGURES},
        **{name: same_moment(told[name], due[name]) for name in ("down_started_at", "entered_at")},
        "minute_seconds": _seconds(told) == _seconds(due),
    }
    for name, right in same.items():
        if not right:
            return f"It says {name} {told[name]}; {charge.name} says {due[name]}."
    if _due_session(told) != due["session"] or told.get("due_session") == told["session"]:
        return f"It says session {_due_session(told)}; {charge.name} says {due['session']}."
    if told["rate"] != {name: due["rate"][name] for name in ("option", "version")}:
        return f"Its rate is not that of {charge.name}."
    return ""


def followed(told: Body) -> bool:
    """Return whether the fee is taken at another table than the one it fell due at (R51)."""
    return "due_session" in told


def _due_session(told: Body) -> Any:
    return told.get("due_session", told["session"])


def _seconds(said: Body) -> Decimal | None:
    return None if said["minute_seconds"] is None else Decimal(said["minute_seconds"])


def _wrong_payer(charge: ReplayedCharge, table: ReplayedTable, told: Body) -> str:
    payer, charged = table.sittings.get(told["sitting"]), charge.table.sittings.get(charge.body["sitting"])
    if charged is None:
        return ""
    same = payer is not None and table.person(payer.player) == table.person(charged.player)
    if payer is None or not same or payer.seat != told["seat"]:
        if payer is not None and not payer.sure and same:
            return ""
        return f"Sitting {told['sitting']} in seat {told['seat']} is not the one that owes {charge.name}."
    if followed(told) and payer.left:
        return f"Sitting {payer.id} had left, and {charge.name} is of another table."
    cover, covered = told.get("covered_by"), charge.body["rule"] == "covered"
    if (cover not in payer.covers) if covered else (cover is not None):
        return f"It says that charge {cover} covers it; that is not so."
    if covered != (told["method"] == Method.COVERED):
        return f"A fee of rule {charge.body['rule']} is not taken by {told['method']}."
    return ""


def _wrong_transfers(charge: ReplayedCharge, table: ReplayedTable, body: Body) -> str:
    """Judge where the fee moves: once, to the account of its method (R63); nothing for a fee of nothing."""
    told, lines, cents = body["evidence"], body["transfers"], charge.body["cents"]
    method, payer = told["method"], table.sittings.get(told["sitting"])
    if method not in METHODS:
        return f"No fee is paid by {method}."
    if (body["kind"] == "waiver") != (method == Method.WAIVED):
        return f"A fee is not {method} by an entry of the kind {body['kind']}."
    if method not in WAYS or cents == 0:
        return "Nothing is due, and yet something moves." if lines else ""
    if len(lines) != 1 or lines[0]["cents"] != cents:
        return f"It does not move the {cents} cents of {charge.name}, and nothing else."
    (line,) = lines
    asset, source, target = WAYS[method]
    if (line["asset"], line["from_kind"], line["to_kind"]) != (asset, source, target):
        return f"Paid by {method}, {asset} go from {source} to {target}."
    if method == Method.STACK and payer is not None and payer.sure and line["from"] != payer.stack:
        return f"It takes chips of account {line['from']}, which is not the stack of sitting {payer.id}."
    boxes = table.box_chips if method == Method.STACK else table.box_cash
    if method != Method.CAGE and boxes and line["to"] not in boxes:
        return f"It goes into account {line['to']}, which is not that of the table's box."
    return ""


def _wrong_turn(floor: Floor, charge: ReplayedCharge, table: ReplayedTable, told: Body) -> str:
    """Judge the turn of a fee: one not owed yet is at most paid ahead (R61); a seated player pays the oldest
    first (R51), unless the stack can only pay a smaller one."""
    payer = table.sittings.get(told["sitting"])
    if payer is None or not payer.sure or told["method"] == Method.COVERED:
        return ""
    there = charge.table
    ahead = there.down_of(charge.body) is there.clock.latest and not payer.left
    if there.owes(charge) is False and not ahead:
        return f"{charge.name} is not owed: no round of its down started with the player there (R61)."
    if told["method"] == Method.WAIVED or payer.left:
        return ""
    for other in floor.open_fees(payer.player):
        if other.sure and other.id < charge.id and other.body["cents"] <= charge.body["cents"]:
            return f"{other.name} is older, and stays open (R51)."
    return ""


def _take_over(floor: Floor, table: ReplayedTable, payer: ReplayedSitting | None, body: Body) -> None:
    for line in body["transfers"]:
        if line["to_kind"] == "drop_box":
            (table.box_chips if line["asset"] == "chips" else table.box_cash).add(line["to"])
        if line["from_kind"] == "stack" and payer is not None and not payer.sure:
            payer.stack = line["from"]
            floor.stacks[payer.stack] = payer


def _note_charged(table: ReplayedTable | None, payer: ReplayedSitting | None, told: Body) -> bool:
    """Believe a collection that its player was charged; return whether a charge was expected there. The
    charge itself is missing or disputed; if there is another one, that may have been taken."""
    if table is None or payer is None:
        return False
    meant = table.clock.down_of(None, told["down"], moment(told["down_started_at"]))
    if meant is None:
        return False
    known, charge = table.charged_for(payer.player, meant)
    if charge is not None:
        charge.sure = False
    table.mark_charged(payer.player, meant, None)
    if payer.session == table.session:
        payer.charged = True
    return known and charge is None


# -- what nobody paid ----------------------------------------------------------------------------------------


def wrong_number(floor: Floor, body: Body) -> str:
    """Return why the number of a record is not the next in its series, or ""."""
    found = _SERIES.get(kind_of(body))
    if found is None:
        return ""
    series, number = found[0], found[1](body)
    if number is _NOT_NUMBERED:
        return ""
    if type(number) is not int:
        raise TypeError("a number is a whole number")
    awaited = floor.numbers.get(series) or ({1} if floor.whole else {number})
    fits = number in awaited
    # Whatever a merge's number is, the next is the one after it: the second of two equal ones is reported
    # too.
    floor.numbers[series] = {number + 1} if fits or series == _MERGE else {number + 1, min(awaited) + 1}
    return "" if fits else f"It is {series} {number}; {min(awaited)} comes next."


def wrong_waiver(floor: Floor, body: Body, days: set[str]) -> str:
    said = body["evidence"]["waiver"]
    if body["reason"] != said["text"]:
        return "Its reason is not the one that its evidence has."
    known = floor.house.reasons.get(said["code"])
    if known is None:
        return f"No reason {said['code']} had been published." if floor.whole else ""
    text, since, until = known
    if text and text != said["text"]:
        return f"The reason {said['code']} is published in other words."
    if floor.whole and days and not any(since <= day < until for day in days):
        return f"The reason {said['code']} was not in force."
    return ""


def wrong_recovery(charge: ReplayedCharge, told: Body) -> str:
    """Judge a recovery: a fee recorded as uncollected is recovered under that number, and no other fee is."""
    lost = None if told["method"] == Method.WAIVED else charge.uncollected
    if told.get("uncollected") != lost or ("recovery" in told) != (lost is not None):
        said, known = told.get("uncollected"), "none" if lost is None else f"number {lost}"
        return f"It recovers uncollected fee {said}; of {charge.name} there is {known}."
    return ""


def uncollected(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    """Judge an uncollected fee: numbered, once, of an open charge that the stack cannot pay (R63)."""
    data = body["data"]
    charge = floor.charges.get(data["charge"])
    sitting, known = table.sittings.get(data["sitting"]), charge if charge and charge.sure else None
    if table.awaits is not None and table.awaits.code == "uncollected_missing":
        table.awaits = None
    wrong = _wrong_uncollected(floor, charge, table, sitting, body)
    _mark_uncollected(charge, table, sitting, data, sure=not (wrong or floor.gap))
    if known and sitting is not None and sitting.counted and known.body["cents"] <= sitting.cents:
        yield Problem("unpaid_fees", "A fee is given up that the stack could pay (R63).")
    if wrong:
        yield Problem("uncollected_differs", wrong)


def _wrong_uncollected(
    floor: Floor,
    charge: ReplayedCharge | None,
    table: ReplayedTable,
    sitting: ReplayedSitting | None,
    body: Body,
) -> str:
    data = body["data"]
    if charge is None:
        return f"Charge {data['charge']} is not due." if floor.whole else ""
    if charge.taken:
        return f"{charge.name} had been taken."
    if charge.uncollected is not None:
        return f"{charge.name} had been recorded as uncollected fee {charge.uncollected}."
    if not charge.sure:
        return ""
    due = charge.body
    if charge.table.owes(charge) is False:
        return f"{charge.name} is not owed: no round of its down started with the player there (R61)."
    if (
        charge.table is not table
        or sitting is None
        or (sitting.left and not charge.reopened)
        or (table.person(sitting.player) != table.person(due["player"]))
    ):
        return f"Sitting {data['sitting']} at its table does not owe {charge.name}."
    if (data["player"], data["seat"], data["cents"]) != (due["player"], sitting.seat, due["cents"]):
        return f"Its player, seat or amount is not that of {charge.name}."
    if not str(data["reason"]).strip():
        return "It gives no reason."
    dated = {"gaming_day": data["gaming_day"], "recorded_at": body["recorded_at"]}
    return wrong_day(floor, dated, {due["gaming_day"]}, "uncollected fee")


def _mark_uncollected(
    charge: ReplayedCharge | None,
    table: ReplayedTable,
    sitting: ReplayedSitting | None,
    data: Body,
    *,
    sure: bool,
) -> None:
    """Remember an uncollected fee; if it is wrong, none of the player's charges is held to it."""
    if sure and charge is not None:
        charge.uncollected = data["number"]
        return
    players = {table.person(data["player"]), table.person(sitting.player) if sitting else None}
    theirs = [one for (player, _), one in table.charged.items() if player in players]
    for one in (*theirs, charge):
        if one is not None and not one.taken:
            one.sure = False


def left_unpaid(table: ReplayedTable, player: int) -> Problems:
    """Yield charges of a leaving player that are neither paid nor recorded as uncollected (R63)."""
    for (payer, _), charge in table.charged.items():
        if (
            payer == table.person(player)
            and charge is not None
            and charge.sure
            and not charge.taken
            and charge.uncollected is None
            and table.owes(charge)
        ):
            unpaid = f"{charge.name} was left unpaid, and it is no numbered uncollected fee (R63)."
            yield Problem("uncollected_missing", unpaid)
            return
