"""Fees, waivers and tokes taken back under a slip: its evidence, and what must not have come between. Pure.

Its number, its day, and who may undo alone are judged by the books (`ledger/proof/audit/checks`)."""

from typing import Final

from ledger.records.books import EntryRecord
from ledger.rules.undoing import key_of_act
from tables.audit.floor.fees import ReplayedCharge, ReplayedPayment
from tables.audit.floor.floor import Floor
from tables.audit.floor.house import moment
from tables.audit.floor.sitting import ReplayedSitting
from tables.audit.floor.table import Awaited, ReplayedTable
from tables.audit.judging.chip_corrections import TOKE, of_entry, taken_back
from tables.audit.judging.collections import charge_of
from tables.audit.judging.contradiction import Contradiction
from tables.audit.judging.moments import between_rounds, happened_when_recorded
from tables.audit.records.entries import FeeTakenBack, TokeTakenBack
from tables.rules.table.corrections import why_not_undone
from tables.rules.table.paying import Method

_OWN: Final = frozenset(("of", "reverses", "slip", "charged_at", "charge_day"))
"""The evidence of a slip beyond that of its payment."""
_BUILT_ON: Final = {
    "left": "The player had left",
    "round_started": "A round had started",
    "stack_changed": "Another entry had moved the player's stack",
}
_UNPAID: Final = frozenset(("down", "table_event fee_uncollected"))


def fee(floor: Floor, table: ReplayedTable, entry: EntryRecord, evidence: FeeTakenBack) -> None:
    """Judge a fee taken back at the table where it was paid. If its player has left, it is uncollected."""
    charge = charge_of(floor, entry, evidence)
    if charge is None:
        return
    payer, paid = table.sittings.get(evidence["sitting"]), charge.paid
    if paid is None or paid.entry != entry["reverses"]:
        raise Contradiction("other_entry", f"It does not take back what {charge.name} was paid by.")
    if wrong := _wrong_words(charge, paid, evidence):
        raise Contradiction("other_entry", wrong)
    happened_when_recorded(entry)
    if evidence["method"] == Method.COVERED:
        raise Contradiction("not_taken_back", "Nothing was paid for a covered fee.")
    if any(charge.id == one.covered_by for there in floor.every() for one in there.sittings.values()):
        raise Contradiction("built_on", f"{charge.name} covers a fee at another table (R62).")
    if payer is not None:
        if evidence["method"] == Method.STACK:
            if payer.left:
                raise Contradiction("not_seated", "The player had left the table, and the stack was gone.")
            between_rounds(table, payer)
        _not_built_on(table, paid.at, payer, entry)
    floor.reopen_fee(charge)
    if payer is not None and payer.left and charge.uncollected is None and floor.owes(charge):
        sentence = "The player had left, and it was not recorded as uncollected (R63)."
        table.awaits = Awaited(floor.mark(entry), "uncollected_missing", sentence, _UNPAID)


def _wrong_words(charge: ReplayedCharge, paid: ReplayedPayment, evidence: FeeTakenBack) -> str:
    due = charge.body
    if evidence["of"] != paid.kind:
        return f"It says of {evidence['of']}; of {charge.name} it is {paid.kind}."
    if evidence["charge_day"] != due["gaming_day"]:
        return f"It says charge_day {evidence['charge_day']}; of {charge.name} it is {due['gaming_day']}."
    if moment(evidence["charged_at"]) != moment(due["charged_at"]):
        return f"It says charged_at {evidence['charged_at']}; {charge.name} says {due['charged_at']}."
    same = paid.evidence == {name: value for name, value in evidence.items() if name not in _OWN}
    return "" if same else f"Its fee is not recorded as in entry {paid.entry}."


def toke(floor: Floor, table: ReplayedTable, entry: EntryRecord, evidence: TokeTakenBack) -> None:
    chips = taken_back(table, entry)
    _not_built_on(table, chips.at, chips.sitting, entry)
    of_entry(table, chips, evidence)
    if (evidence["cents"], evidence["dealer"], evidence["account"]) != (
        chips.cents,
        chips.dealer,
        chips.account,
    ):
        raise Contradiction("other_entry", "Its cents, its dealer or its account is not that of the entry.")
    happened_when_recorded(entry)
    between_rounds(table, chips.sitting)
    if chips.kind != TOKE:
        raise Contradiction("other_entry", f"It undoes entry {entry['reverses']}, which is not a toke.")


def _not_built_on(table: ReplayedTable, done_at: str, sitting: ReplayedSitting, entry: EntryRecord) -> None:
    """Nobody alone undoes what something was built on."""
    if entry["kind"] != "undo":
        return
    last, moved, number = table.last, sitting.moved, entry["reverses"] or 0
    why = why_not_undone(
        left=sitting.left,
        round_started=last is not None and moment(last.started_at) >= moment(done_at),
        stack_changed=moved is not None and moved.entry > number and moved.act != key_of_act(entry["key"]),
    )
    if why is not None:
        raise Contradiction("built_on", f"{_BUILT_ON[why]} before it was undone.")
