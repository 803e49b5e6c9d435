"""Players sit down, add on and sit out: seats, and chips that are brought (R51, R52, R61, R62). Pure."""

from typing import Final

from ledger.records.books import EntryRecord
from tables.audit.floor.floor import Floor
from tables.audit.floor.house import moment, same_moment
from tables.audit.floor.sitting import ReplayedSitting, transfers_of
from tables.audit.floor.table import Awaited, ReplayedTable
from tables.audit.judging.charges import cover_is_right
from tables.audit.judging.chip_corrections import remember
from tables.audit.judging.contradiction import Contradiction
from tables.audit.judging.moments import between_rounds, sits_there
from tables.audit.records.entries import AddOnEvidence, BuyInEvidence
from tables.audit.records.events import SatOut, SeatChanged, Seated
from tables.audit.records.rows import TableEventRecord
from tables.rules.table import buy_ins
from tables.rules.table.dealing import SEATS
from tables.rules.table.downs import owed
from tables.rules.table.moves import wrong_seat_change

DOWNS: Final = ("table_event rate_changed", "down")
_TO_BE_SEATED: Final = frozenset({*DOWNS, "charge", "table_event seated"})


# -- the first buy-in ----------------------------------------------------------------------------------------


def buy_in(floor: Floor, table: ReplayedTable, entry: EntryRecord, evidence: BuyInEvidence) -> None:
    """Judge a first buy-in. The event after it repeats who sits where."""
    mark, lines = floor.mark(entry), transfers_of(entry)
    stack = lines[-1][1] if lines else None
    _right_chips(table, entry, evidence["source"], evidence["cents"], stack)
    free_place(floor, table, evidence["sitting"], evidence["seat"], stack)
    if evidence["player"] in floor.persons:
        sentence = f"Player {evidence['player']} had been merged into another entry."
        raise Contradiction("player_merged", sentence)
    if evidence["player"] in floor.players:
        raise Contradiction("player_seated", f"Player {evidence['player']} sat somewhere already.")
    # The player sat down when it was recorded, or before it at a free seat (R61).
    occurred, recorded, claimed = entry["occurred_at"], entry["recorded_at"], evidence["entered_at"]
    if not same_moment(evidence["recorded_at"], recorded):
        raise Contradiction("other_time", "Its evidence says another time of recording.")
    if claimed is None:
        if occurred != recorded:
            sentence = "It happened at another time than it was recorded, which nobody claimed."
            raise Contradiction("other_time", sentence)
    elif not same_moment(claimed, occurred):
        raise Contradiction("other_time", "It happened at another time than was claimed (R61).")
    elif not table.opened_at <= occurred <= recorded or _overlaps(table, evidence, occurred):
        sentence = "At the time that was claimed, the seat or the player was not free (R61)."
        raise Contradiction("bad_time", sentence)
    in_bounds(floor, table, evidence["player"], evidence["cents"], entry["recorded_at"])
    sitting = ReplayedSitting(
        id=evidence["sitting"],
        session=table.session,
        seat=evidence["seat"],
        player=evidence["player"],
        stack=stack,
        entered_at=entry["occurred_at"],
        mark=mark,
        claimed=evidence["entered_at"] is not None,
        approved=entry["approver"] is not None,
    )
    floor.sit(table, sitting)
    remember(table, entry, sitting)
    table.awaits = Awaited(mark, "not_seated", "Nobody sat down with it.", _TO_BE_SEATED, sitting)
    table.late_fee = False


def free_place(floor: Floor, table: ReplayedTable, number: int, seat: int, stack: int | None) -> None:
    """Judge that a new sitting has an id, a stack and a seat that no other sitting has."""
    if stack in floor.stacks:
        raise Contradiction("other_stack", "Its chips go to a stack that belongs to somebody else.")
    if number in table.sittings:
        raise Contradiction("other_stack", f"Sitting {number} had begun before.")
    if seat not in SEATS:
        raise Contradiction("unknown_seat", "A table has seats 1 to 5.")
    if seat in table.seats:
        raise Contradiction("seat_taken", f"Seat {seat} was taken (R51).")


def _overlaps(table: ReplayedTable, evidence: BuyInEvidence, entered_at: str) -> bool:
    """Return whether the seat was still taken then, or the player still in another one of the table."""
    return any(seat == evidence["seat"] and at > entered_at for seat, at in table.vacated) or any(
        (sitting.left_at or "") > entered_at
        and (sitting.seat == evidence["seat"] or sitting.player == evidence["player"])
        for sitting in table.sittings.values()
    )


def _right_chips(
    table: ReplayedTable, entry: EntryRecord, source: str, cents: int, stack: int | None
) -> None:
    """Judge the chips: from the table's bank for as much cash, or from what patrons hold, onto a stack."""
    lines, kinds = transfers_of(entry), entry["transfers"]
    match source:
        case "cash":
            if len(lines) == 2 and lines[0][1] != table.bank_cash:
                raise Contradiction("other_bank", "The cash does not go to the table's bank.")
            moved = [line[1:] for line in lines]
            right = moved == [(table.bank_cash, cents), (stack, cents)] and lines[1][0] == table.bank_chips
        case "chips":
            right = [line[1:] for line in lines] == [(stack, cents)] and kinds[0]["from_kind"] == "patrons"
        case _:
            right = False
    if not right or kinds[-1]["to_kind"] != "stack":
        sentence = f"It does not bring {cents} cents of chips, for as much money, from where it says."
        raise Contradiction("wrong_amount", sentence)


def in_bounds(floor: Floor, table: ReplayedTable, player: int, cents: int, now: str) -> None:
    """Judge the bounds of a first buy-in; returning within the interval needs what was taken away (R52)."""
    taken, left, minutes = buy_ins.NOTHING, table.last_left(player), floor.house.return_minutes
    if left is not None:
        if minutes is None:
            return
        if moment(left.left_at or "") >= buy_ins.came_back_since(moment(now), minutes):
            if (away := _taken_away(floor, left)) is None:
                return
            taken = away
    bounds = buy_ins.buy_in_bounds(table.rate.limit_cents, table.most, taken)
    if code := buy_ins.wrong_buy_in(cents, bounds):
        between = f"at least {bounds.least} and at most {bounds.most} may be brought (R52)."
        raise Contradiction(code, f"It brings {cents} cents; {between}")


def _taken_away(floor: Floor, left: ReplayedSitting) -> buy_ins.TakenAway | None:
    """Return what a player took away, or has left of it after carrying it on; None if unknown."""
    cents, sitting = [left.taken_away], left
    while sitting.moved_to is not None:
        sitting = sitting.moved_to
        if floor.find(sitting.session) is None and sitting.session not in floor.forgotten:
            return None
        cents.append(sitting.taken_away if sitting.cashed else sitting.cents)
    return buy_ins.taken_away(cents)


# -- the event -----------------------------------------------------------------------------------------------


def seated(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: Seated) -> None:
    sitting = None if table.awaits is None else table.awaits.sitting
    if sitting is None:
        raise Contradiction("no_buy_in", "No chips were brought to this seat before.")
    if event["at"] != data["entered_at"] or not event["at"] <= event["recorded_at"]:
        raise Contradiction("other_time", "It happened at another time than the player entered.")
    if sitting.stack is None:
        sitting.stack = data["stack"]
        floor.stacks[data["stack"]] = sitting
    for name, value, right in (
        ("sitting", data["sitting"], sitting.id),
        ("seat", data["seat"], sitting.seat),
        ("player", data["player"], sitting.player),
        ("stack", data["stack"], sitting.stack),
        ("entered_at", data["entered_at"], sitting.entered_at),
        ("covered_by", data["covered_by"], sitting.covered_by),
        ("from_sitting", data["from_sitting"], sitting.from_sitting),
    ):
        if value != right:
            where = f"by {sitting.mark.record} it is {right}"
            raise Contradiction("other_seat", f"Its {name} is {value}; {where}.")
    _late_entry(table, sitting, event["recorded_at"])
    cover_is_right(floor, table, data, moment(event["at"]))
    table.awaits = None


def _late_entry(table: ReplayedTable, sitting: ReplayedSitting, recorded_at: str) -> None:
    """Judge a claimed time of entry: a second person approves it if it changes a fee (R61)."""
    if not sitting.claimed or sitting.approved:
        return
    changed = table.late_fee
    if (down := table.down) is not None:
        by_claim, by_record = (
            owed(down.rate.fee_cents, down.start, moment(at), table.stops).cents
            for at in (sitting.entered_at, recorded_at)
        )
        changed = changed or by_claim != by_record
    if changed:
        sentence = "The time of entry that was claimed changes the fee, and nobody approved it (R61)."
        raise Contradiction("second_person", sentence, sitting.mark)


# -- between rounds ------------------------------------------------------------------------------------------


def add_on(floor: Floor, table: ReplayedTable, entry: EntryRecord, evidence: AddOnEvidence) -> None:
    sitting = table.seated(evidence["sitting"])
    if sitting is None:
        raise Contradiction("not_seated", "It is for somebody who does not sit at the table.")
    _right_chips(table, entry, evidence["source"], evidence["cents"], sitting.stack)
    sits_there(sitting, evidence["seat"], evidence["player"])
    between_rounds(table, sitting)
    if code := buy_ins.wrong_add_on(sitting.cents, evidence["cents"], table.most):
        raise Contradiction(code, f"The stack is above {table.most} cents after it (R52).")
    remember(table, entry, sitting)


def sat_out(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: SatOut) -> None:
    _sits_in(table, data).out = event["kind"] == "sat_out"


def _sits_in(table: ReplayedTable, data: SatOut) -> ReplayedSitting:
    sitting = table.seated(data["sitting"])
    if sitting is None:
        raise Contradiction("not_seated", "The player does not sit at the table.")
    if sitting.seat != data["seat"]:
        raise Contradiction("other_seat", f"The player sits in seat {sitting.seat}.")
    return sitting


def seat_changed(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: SeatChanged) -> None:
    sitting, seat = _sits_in(table, data), data["to_seat"]
    running, played = table.running is not None, table.has_played_match(sitting)
    taken = table.seats.keys() - {sitting.seat}
    if code := wrong_seat_change(sitting.seat, seat, taken, round_running=running, played_match=played):
        raise Contradiction(code, f"The player could not change to seat {seat} then (R50).")
    del table.seats[sitting.seat]
    table.vacated.append((sitting.seat, event["at"]))
    table.seats[seat], sitting.seat = sitting, seat
