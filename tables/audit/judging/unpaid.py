"""Fees that nobody paid: waivers, uncollected fees and recoveries, their numbers, reasons and amounts in the log. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from tables.audit.floor.floor import Floor, Problem, Problems
from tables.audit.floor.sitting import Body, ReplayedSitting
from tables.audit.floor.table import ReplayedCharge, ReplayedTable
from tables.audit.judging.charges import wrong_day
from tables.audit.judging.moments import wrong_moment

REASONS: Final = frozenset(("waiver_reason_published", "waiver_reason_withdrawn"))
_WAIVERS, _UNCOLLECTED, _RECOVERIES = "waiver", "uncollected fee", "recovery"


@dataclass(slots=True)
class Serials:
    """The three series of numbers, and the reasons for which fees may be waived. `whole`: the log is read from its start.

    `_next` are the numbers that may come next: after a gap also the one that would have come without it.
    """

    whole: bool
    _next: dict[str, set[int]] = field(default_factory=dict)
    _reasons: dict[str, tuple[str, str, str]] = field(default_factory=dict)

    def reason(self, body: Body) -> None:
        """A reason is published or withdrawn."""
        data = body["data"]
        text, since, _ = self._reasons.get(data["code"], ("", "", ""))
        if body["kind"] == "waiver_reason_published":
            self._reasons[data["code"]] = (data["text"], data["effective_from"], "9999")
        else:
            self._reasons[data["code"]] = (text, since, data["withdrawn_on"])

    def gap_of_entry(self, body: Body) -> str:
        """Why the number of a waiver or of a recovery does not come next, or nothing."""
        told = body["evidence"]
        if body["kind"] == "waiver":
            return self._gap(_WAIVERS, told["waiver"]["number"])
        return self._gap(_RECOVERIES, told["recovery"]) if "recovery" in told else ""

    def gap_of_uncollected(self, body: Body) -> str:
        """Why the number of an uncollected fee does not come next, or nothing."""
        return self._gap(_UNCOLLECTED, body["data"]["number"])

    def _gap(self, series: str, number: Any) -> str:
        if type(number) is not int:
            raise TypeError("a number is a whole number")
        awaited = self._next.get(series) or ({1} if self.whole else {number})
        fits = number in awaited
        self._next[series] = {number + 1} if fits else {number + 1, min(awaited) + 1}
        return "" if fits else f"It is {series} {number}; {min(awaited)} comes next."

    def wrong_waiver(self, body: Body, days: set[str]) -> str:
        """What is wrong with the reason of a waiver that was recorded on one of these gaming days, where that is known."""
        said = body["evidence"]["waiver"]
        if body["reason"] != said["text"]:
            return "Its reason is not the one that its evidence has."
        known = self._reasons.get(said["code"])
        if known is None:
            return f"No reason {said['code']} had been published." if self.whole else ""
        text, since, until = known
        if text and text != said["text"]:
            return f"The reason {said['code']} is published in other words."
        if self.whole and days and not any(since <= day < until for day in days):
            return f"The reason {said['code']} was not in force."
        return ""


def wrong_recovery(charge: ReplayedCharge, told: Body) -> str:
    """A fee that was recorded as uncollected is taken as a recovery of just that, and no other fee is."""
    lost = None if told["method"] == "waived" else charge.uncollected
    if told.get("uncollected") != lost or ("recovery" in told) != (lost is not None):
        said, known = told.get("uncollected"), "none" if lost is None else f"number {lost}"
        return f"It recovers uncollected fee {said}; of {charge.name} there is {known}."
    return ""


def uncollected(gap: str, floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    """A fee that somebody left unpaid: numbered, once, of a charge that is open and that the stack cannot pay (R63).

    `gap` says why its number does not come next, if it does not.
    """
    data = body["data"]
    charge = floor.charges.get(data["charge"])
    sitting, known = table.sittings.get(data["sitting"]), charge if charge and charge.sure else None
    floor.count("uncollected fees")
    if table.awaits is not None and table.awaits.code == "uncollected_missing":
        table.awaits = None
    wrong = _wrong_uncollected(floor, charge, table, sitting, body)
    _mark_uncollected(charge, table, sitting, data, sure=not (wrong or gap))
    if known and sitting is not None and sitting.counted and known.body["cents"] <= sitting.cents:
        yield Problem("unpaid_fees", "A fee is given up that the stack could pay (R63).")
    if wrong:
        yield Problem("uncollected_differs", wrong)
    yield from wrong_moment(body)


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
