"""Fees, waivers and tokes taken back under a slip: its evidence, and what must not have come between. Pure.

Its number, its day, and who may undo alone are judged by the books (`ledger/proof/audit/checks`)."""

from __future__ import annotations

from itertools import chain
from typing import Final

from ledger.rules.undoing import key_of_act
from tables.audit.floor.floor import Floor, Problem, Problems
from tables.audit.floor.house import moment
from tables.audit.floor.sitting import Body, ReplayedSitting
from tables.audit.floor.table import Awaited, ReplayedCharge, ReplayedPayment, ReplayedTable
from tables.audit.judging.chip_corrections import TOKE, wrong_names
from tables.audit.judging.moments import dealt_in, wrong_moment
from tables.rules.table.paying import Method
from tables.rules.table.undoing import why_not_undone

FEES: Final = frozenset(("collection", "waiver"))
_OWN: Final = frozenset(("of", "reverses", "slip", "charged_at", "charge_day"))
"""The evidence of a slip beyond that of its payment."""
_BUILT_ON: Final = {
    "left": "The player had left",
    "round_started": "A round had started",
    "stack_changed": "Another entry had moved the player's stack",
}
_UNPAID: Final = frozenset(("down", "table_event fee_uncollected"))


def fee(floor: Floor, table: ReplayedTable, charge: ReplayedCharge | None, body: Body) -> Problems:
    said = body["evidence"]
    payer = table.sittings.get(said["sitting"])
    wrong = _wrong_fee(floor, table, charge, payer, body)
    if charge is not None:
        floor.reopen_fee(charge)
        charge.sure = charge.sure and wrong is None
        if payer is not None and payer.left and charge.uncollected is None and charge.table.owes(charge):
            table.awaits = Awaited(
                floor.mark(body),
                "uncollected_missing",
                "The player had left, and it was not recorded as uncollected (R63).",
                _UNPAID,
            )
    if wrong is not None:
        floor.doubt(body["transfers"], payer)
        yield wrong


def _wrong_fee(
    floor: Floor,
    table: ReplayedTable,
    charge: ReplayedCharge | None,
    payer: ReplayedSitting | None,
    body: Body,
) -> Problem | None:
    said = body["evidence"]
    if charge is None:
        if floor.whole and said["charge"] not in floor.charges and not floor.forgotten:
            return Problem(
                "other_entry", f"It takes back the fee of charge {said['charge']}, which is unknown."
            )
        return None
    if not charge.sure:
        return None
    if charge.paid is None or charge.paid.entry != body["reverses"]:
        return Problem("other_entry", f"It does not take back what {charge.name} was paid by.")
    if wrong := _wrong_words(charge, charge.paid, body):
        return Problem("other_entry", wrong)
    if said["method"] == Method.COVERED:
        return Problem("not_taken_back", "Nothing was paid for a covered fee.")
    if any(charge.id in one.covers for there in floor.every() for one in there.sittings.values() if one.sure):
        return Problem("built_on", f"{charge.name} covers a fee at another table (R62).")
    if payer is None:
        return None
    if said["method"] == Method.STACK and payer.left:
        return Problem("not_seated", "The player had left the table, and the stack was gone.")
    busy = dealt_in(table, payer) if said["method"] == Method.STACK else ()
    return next(chain(busy, _built_on(table, charge.paid.at, payer, body)), None)


def _wrong_words(charge: ReplayedCharge, paid: ReplayedPayment, body: Body) -> str:
    said, due = body["evidence"], charge.body
    own = {"of": paid.kind, "charge_day": due["gaming_day"]}
    for name, value in own.items():
        if said[name] != value:
            return f"It says {name} {said[name]}; of {charge.name} it is {value}."
    if moment(said["charged_at"]) != moment(due["charged_at"]):
        return f"It says charged_at {said['charged_at']}; {charge.name} says {due['charged_at']}."
    same = paid.said == {name: value for name, value in said.items() if name not in _OWN}
    if not same:
        return f"It does not say of the fee what entry {paid.entry} said."
    return next((late.sentence for late in wrong_moment(body)), "")


def toke(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    said, chips = body["evidence"], table.chips.pop(body["reverses"])
    sitting = chips.sitting
    wrong = [*wrong_names(table, chips, said, "cents", "dealer", "account")]
    wrong += [*wrong_moment(body), *dealt_in(table, sitting)]
    if chips.kind != TOKE:
        wrong.append(Problem("other_entry", f"It undoes entry {body['reverses']}, which is no toke."))
    yield from _built_on(table, chips.at, sitting, body)
    yield from wrong
    if wrong:
        floor.doubt(body["transfers"], sitting)


def _built_on(table: ReplayedTable, done_at: str, sitting: ReplayedSitting, body: Body) -> Problems:
    """Judge an undo: nobody alone undoes what something was built on."""
    if body["kind"] != "undo":
        return
    last, moved = table.last, sitting.moved
    why = why_not_undone(
        left=sitting.left,
        round_started=last is not None and moment(last.started_at) >= moment(done_at),
        stack_changed=moved is not None
        and moved.entry > body["reverses"]
        and moved.act != key_of_act(body["key"]),
    )
    if why is not None:
        yield Problem("built_on", f"{_BUILT_ON[why]} before it was undone.")
