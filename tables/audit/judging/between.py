"""Between rounds: tokes, chip counts, time called on a hand, and merged players (R52, R57, R62). Pure."""

from datetime import timedelta
from typing import Final

from ledger.records.books import EntryRecord
from tables.audit.floor.floor import Floor
from tables.audit.floor.house import moment
from tables.audit.floor.sitting import transfers_of
from tables.audit.floor.table import ReplayedTable
from tables.audit.judging.chip_corrections import remember
from tables.audit.judging.contradiction import Contradiction
from tables.audit.judging.moments import between_rounds, sits_there
from tables.audit.records.entries import TokeEvidence, TokePayout
from tables.audit.records.events import ChipsCounted, TimeCalledData
from tables.audit.records.rows import PlayerMergeRecord, TableEventRecord

CALLED_FOR: Final = timedelta(seconds=60)


def toke(floor: Floor, table: ReplayedTable, entry: EntryRecord, evidence: TokeEvidence) -> None:
    """Judge a toke: from the stack to that dealer's account, and nowhere else."""
    sitting = table.seated(evidence["sitting"])
    if sitting is None:
        raise Contradiction("not_seated", "It is from somebody who does not sit at the table.")
    sits_there(sitting, evidence["seat"], evidence["player"])
    between_rounds(table, sitting)
    if transfers_of(entry) != [(sitting.stack, evidence["account"], evidence["cents"])]:
        sentence = f"It does not bring {evidence['cents']} cents from the stack to the tokes."
        raise Contradiction("wrong_amount", sentence)
    _own_account(floor, evidence["dealer"], evidence["account"])
    remember(table, entry, sitting)


def _own_account(floor: Floor, dealer: int, account: int) -> None:
    """Judge that the account is this dealer's only one for tokes, and nobody else's."""
    known = floor.tokes.get(dealer)
    if known is None and account in floor.tokes.values():
        raise Contradiction("other_account", f"Account {account} has the tokes of another dealer (R52).")
    if floor.tokes.setdefault(dealer, account) != account:
        raise Contradiction("other_account", f"The tokes of person {dealer} are in account {known} (R52).")


def toke_payout(floor: Floor, entry: EntryRecord, evidence: TokePayout) -> None:
    lines = transfers_of(entry)
    floor.count("tokes paid out")
    if len(lines) != 1 or (lines[0][0], lines[0][2]) != (evidence["account"], evidence["cents"]):
        sentence = f"It does not bring {evidence['cents']} cents out of the tokes."
        raise Contradiction("wrong_amount", sentence)
    if entry["actor"] == evidence["dealer"]:
        raise Contradiction("second_person", "Nobody pays out their own tokes.")
    _own_account(floor, evidence["dealer"], evidence["account"])


def chips_counted(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: ChipsCounted) -> None:
    """Judge a count of all stacks, between rounds, against their balances. It changes nothing."""
    if table.running is not None:
        raise Contradiction("round_running", "A round was running: its chips were on their way.")
    counted = {int(seat): cents for seat, cents in data["counted"].items()}
    seats = [one["seat"] for one in data["stacks"]]
    if len(seats) != len(counted) or {*seats} != counted.keys() or counted.keys() != table.seats.keys():
        sentence = "The stacks that were counted are not those of who sits there."
        raise Contradiction("other_seats", sentence)
    for one in data["stacks"]:
        seat, expected, sitting = one["seat"], one["expected_cents"], table.seats[one["seat"]]
        if sitting.id != one["sitting"]:
            raise Contradiction("other_seat", f"Sitting {one['sitting']} is not in seat {seat}.")
        if sitting.cents != expected:
            raise Contradiction("stack_differs", f"Seat {seat} has {sitting.cents} cents, not {expected}.")
        if counted[seat] < 0 or counted[seat] - expected != one["difference_cents"]:
            differs = counted[seat] - expected
            raise Contradiction("wrong_difference", f"Seat {seat} differs by {differs} cents.")


def time_called(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: TimeCalledData) -> None:
    running = table.running
    if moment(data["ends_at"]) - moment(event["at"]) != CALLED_FOR:
        raise Contradiction("other_time", "The player did not have sixty seconds (R57).")
    if running is None or (running.number, running.id) != (data["round"], data["round_id"]):
        raise Contradiction("not_running", f"Round {data['round']} was not being played.")
    if data["seat"] not in running.sittings:
        raise Contradiction("other_seat", f"Seat {data['seat']} was not dealt in.")


def merged(floor: Floor, body: PlayerMergeRecord) -> None:
    """Merge a player into another one: fees and chips taken away follow the person (R52, R62)."""
    one, into = body["merged"], body["into"]
    again = [player for player in (one, into) if player in floor.persons]
    floor.count("merged players")
    if one == into:
        raise Contradiction("same_player", "It merges an entry with itself.")
    floor.merge(one, into)
    if body["actor"] == body["approver"]:
        raise Contradiction("second_person", "Nobody else approved it.")
    if again:
        raise Contradiction("player_merged", f"Player {again[0]} had been merged before.")
    if (seated := floor.players.get(one)) is not None:
        where = f"seat {seated.seat} of session {seated.session}"
        raise Contradiction("player_seated", f"Player {one} sat in {where}.")
    if not body["reason"].strip():
        raise Contradiction("reason_required", "It has no reason.")
