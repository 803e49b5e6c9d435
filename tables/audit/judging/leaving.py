"""Players leave or move: with the whole stack, after the fees it can pay (R52, R55, R63). Pure."""

from typing import Final

from ledger.records.books import EntryRecord
from tables.audit.floor.floor import Floor
from tables.audit.floor.sitting import ReplayedSitting, transfers_of
from tables.audit.floor.table import Awaited, ReplayedTable
from tables.audit.judging.chip_corrections import remember
from tables.audit.judging.collections import left_unpaid
from tables.audit.judging.contradiction import Contradiction
from tables.audit.judging.moments import between_rounds, happened_when_recorded, sits_there
from tables.audit.judging.sitting_down import DOWNS, free_place, in_bounds
from tables.audit.records.entries import CashOutEvidence, TableMove
from tables.audit.records.events import Left
from tables.audit.records.rows import TableEventRecord

_TO_ARRIVE: Final = frozenset({*DOWNS, "table_event seated"})
_TO_LEAVE: Final = frozenset({*DOWNS, "table_event left"})


def cash_out(floor: Floor, table: ReplayedTable, entry: EntryRecord, evidence: CashOutEvidence) -> None:
    sitting = _who_leaves(floor, table, entry, evidence, evidence["seat"])
    if any(line["to_kind"] != "patrons" for line in entry["transfers"]):
        raise Contradiction("wrong_amount", "It does not go to the patron.")
    _takes_the_stack(floor, table, entry, sitting)


def _takes_the_stack(
    floor: Floor, table: ReplayedTable, entry: EntryRecord, sitting: ReplayedSitting
) -> None:
    sitting.taken_away, sitting.cashed = sum(line["cents"] for line in entry["transfers"]), True
    remember(table, entry, sitting)
    table.awaits = Awaited(floor.mark(entry), "not_seated", "Nobody left the table with it.", _TO_LEAVE)


def _who_leaves(
    floor: Floor, table: ReplayedTable, entry: EntryRecord, evidence: CashOutEvidence | TableMove, seat: int
) -> ReplayedSitting:
    """Judge a departure: the whole stack, at an allowed time, after the fees that it could pay (R52, R63)."""
    sitting = table.seated(evidence["sitting"])
    if sitting is None or sitting.cashed:
        raise Contradiction("not_seated", "It is for somebody who does not sit at the table.")
    sits_there(sitting, seat, evidence["player"])
    whole = [(sitting.stack, sitting.cents)] if sitting.cents else []
    if [(source, cents) for source, _, cents in transfers_of(entry)] != whole:
        sentence = f"It is not the whole stack of {sitting.cents} cents (R52)."
        raise Contradiction("wrong_amount", sentence)
    between_rounds(table, sitting)
    if table.plays_match(sitting):
        raise Contradiction("match_running", "The player plays a match, which is not over (R42).")
    _leaves_unpaid(floor, evidence["unpaid_fees"], sitting)
    return sitting


def _leaves_unpaid(floor: Floor, unpaid: list[int], sitting: ReplayedSitting) -> None:
    """Judge the unpaid fees: all that are open anywhere, and none that the stack could pay (R51, R63)."""
    owing = {charge.id: charge for charge in floor.open_fees(sitting.player)}
    strange = {*unpaid} - owing.keys()
    if not floor.fees_known:  # a fee of another table may be open too
        strange &= floor.charges.keys()
    if strange or not owing.keys() <= {*unpaid} or len({*unpaid}) != len(unpaid):
        sentence = "The fees that it leaves unpaid are others than those that are open (R63)."
        raise Contradiction("unpaid_fees", sentence)
    if any(charge.body["cents"] <= sitting.cents for charge in owing.values()):
        raise Contradiction("unpaid_fees", "A fee is left unpaid that the stack could pay (R63).")


def left(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: Left) -> None:
    sitting = table.seated(data["sitting"])
    if sitting is None or not sitting.cashed:
        sentence = "The player's chips had not left the table, or sat at another one (R52)."
        raise Contradiction("not_cashed_out", sentence)
    if data["seat"] != sitting.seat:
        raise Contradiction("other_seat", f"The player sat in seat {sitting.seat}.")
    moved = sitting.moved_to
    if moved is not None:
        there = moved.session, moved.seat, moved.player
        if (data["to_session"], data["to_seat"], data["player"]) != there:
            sentence = f"The player moved to seat {moved.seat} of session {moved.session}."
            raise Contradiction("other_seat", sentence)
    left_unpaid(floor, table, sitting.player)
    table.awaits = None
    floor.leave(table, sitting, event["recorded_at"])


def table_move(
    floor: Floor,
    old: ReplayedTable | None,
    new: ReplayedTable | None,
    entry: EntryRecord,
    evidence: TableMove,
) -> None:
    """Judge a move with the whole stack to another table (R55): each half where its table is judged."""
    lines, mark = transfers_of(entry), floor.mark(entry)
    sitting = None if old is None else _who_leaves(floor, old, entry, evidence, evidence["from_seat"])
    to_stack = all(line["to_kind"] == "stack" for line in entry["transfers"])
    if [cents for _, _, cents in lines] != ([evidence["cents"]] if evidence["cents"] else []) or not to_stack:
        sentence = f"It does not move the {evidence['cents']} cents that it says."
        raise Contradiction("wrong_amount", sentence)
    happened_when_recorded(entry)
    stack = lines[0][1] if lines else None
    arrived = ReplayedSitting(
        id=evidence["to_sitting"],
        session=evidence["to_session"],
        seat=evidence["seat"],
        player=evidence["player"],
        stack=stack,
        entered_at=entry["occurred_at"],
        mark=mark,
        covered_by=evidence["covered_by"],
        from_sitting=evidence["sitting"],
        out=None if sitting is None else sitting.out,
    )
    if new is not None:
        if new is old or new.session not in floor.tables:
            sentence = "It goes to a table that is not open, or to the same one."
            raise Contradiction("unknown_table", sentence)
        free_place(floor, new, arrived.id, arrived.seat, stack)
        if sitting is not None and not evidence["ordered"]:
            in_bounds(floor, new, sitting.player, evidence["cents"], entry["recorded_at"])
    if old is not None and sitting is not None:
        _takes_the_stack(floor, old, entry, sitting)
        sitting.moved_to = arrived
    if new is not None:
        floor.sit(new, arrived)
        new.awaits = Awaited(mark, "not_seated", "Nobody sat down with it.", _TO_ARRIVE, arrived)
