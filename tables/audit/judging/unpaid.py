"""Fees that nobody paid: waivers, uncollected fees and recoveries, their numbers, reasons and amounts in the log. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tables.audit.floor.floor import Floor, Problem, Problems
from tables.audit.floor.sitting import Body, ReplayedSitting
from tables.audit.floor.table import ReplayedCharge, ReplayedTable
from tables.audit.judging.charges import wrong_day

_NOT_NUMBERED: Final = object()
_SERIES: Final[dict[str, tuple[str, Callable[[Body], Any]]]] = {
    "waiver": ("waiver", lambda body: body["evidence"]["waiver"]["number"]),
    "collection": ("recovery", lambda body: body["evidence"].get("recovery", _NOT_NUMBERED)),
    "fee_uncollected": ("uncollected fee", lambda body: body["data"]["number"]),
    "player_merge": ("merge", lambda body: body["number"]),
}
"""The series of a kind of record, and its number there."""


def wrong_number(floor: Floor, body: Body) -> str:
    """Why the number of a record in its series does not come next, or nothing."""
    found = _SERIES.get(body.get("kind", body["record"]))
    if found is None:
        return ""
    series, number = found[0], found[1](body)
    if number is _NOT_NUMBERED:
        return ""
    if type(number) is not int:
        raise TypeError("a number is a whole number")
    awaited = floor.numbers.get(series) or ({1} if floor.whole else {number})
    fits = number in awaited
    floor.numbers[series] = {number + 1} if fits else {number + 1, min(awaited) + 1}
    return "" if fits else f"It is {series} {number}; {min(awaited)} comes next."


def wrong_waiver(floor: Floor, body: Body, days: set[str]) -> str:
    """What is wrong with the reason of a waiver that was recorded on one of these gaming days, where that is known."""
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
    """A fee that was recorded as uncollected is taken as a recovery of just that, and no other fee is."""
    lost = None if told["method"] == "waived" else charge.uncollected
    if told.get("uncollected") != lost or ("recovery" in told) != (lost is not None):
        said, known = told.get("uncollected"), "none" if lost is None else f"number {lost}"
        return f"It recovers uncollected fee {said}; of {charge.name} there is {known}."
    return ""


def uncollected(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    """A fee that somebody left unpaid: numbered, once, of a charge that is open and that the stack cannot pay (R63)."""
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
    """Remember it; of a wrong one nobody knows which of the player's charges it was, so none of them is held to it."""
    if sure and charge is not None:
        charge.uncollected = data["number"]
        return
    players = {table.person(data["player"]), table.person(sitting.player) if sitting else None}
    theirs = [one for (player, _), one in table.charged.items() if player in players]
    for one in (*theirs, charge):
        if one is not None and not one.taken:
            one.sure = False


def left_unpaid(table: ReplayedTable, player: int) -> Problems:
    """Nobody leaves with a charge open of which no number says that it was not collected (R63)."""
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
