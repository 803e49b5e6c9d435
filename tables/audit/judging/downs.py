"""Downs and clock stops, each judged against those before it, and the down of a round (R61, R64, R65).
Pure."""

from datetime import datetime

from tables.audit.floor.fees import ReplayedDown
from tables.audit.floor.floor import Floor
from tables.audit.floor.house import moment, same_moment
from tables.audit.floor.table import ReplayedTable
from tables.audit.judging.contradiction import Contradiction
from tables.audit.records.events import ClockStarted, ClockStoppedData, RoundStarted
from tables.audit.records.rows import DownRecord, TableEventRecord
from tables.rules.table.downs import Stop


def down(floor: Floor, table: ReplayedTable, body: DownRecord, _: DownRecord) -> None:
    """Judge a down: it begins where the one before ended, at the table's rate, with an announced change."""
    change, number = table.changed, body["number"]
    table.changed = None
    if change is not None and (change.down, change.at) != (number, body["started_at"]):
        began = f"Down {number} began with it, at {body['started_at']} (R64)."
        raise Contradiction("wrong_down", began, change.mark)
    if table.announced is not None:
        without = "It begins without the change of rate that was announced for it (R64)."
        raise Contradiction("other_rate", without)
    awaited = 1 if table.down is None else table.down.number + 1
    if number != awaited:
        raise Contradiction("down_differs", f"It is down {number}; down {awaited} had to follow.")
    start, recorded = moment(body["started_at"]), moment(body["recorded_at"])
    waited = None if body["waited_from"] is None else moment(body["waited_from"])
    if wrong := _wrong_start(start, waited, recorded, recorded if table.down is None else table.down_end):
        raise Contradiction("down_differs", wrong)
    if body["rate"] != table.rate.id:
        sentence = f"It is of rate {body['rate']}; the table's is {table.rate.id} (R64)."
        raise Contradiction("down_differs", sentence)
    table.downs.append(ReplayedDown(body["id"], number, start, table.rate))


def _wrong_start(start: datetime, waited: datetime | None, recorded: datetime, end: datetime | None) -> str:
    """Return why a down neither begins where the last one ended nor when it was recorded, after waiting."""
    ends = "no known moment" if end is None else end.isoformat()
    if waited is None:
        right = start == end and start <= recorded
        return "" if right else f"It begins at {start.isoformat()}; the down before ends at {ends}."
    if waited != end:
        return f"It has waited from {waited.isoformat()}; the down before ends at {ends}."
    if start == recorded and start > waited:
        return ""
    return f"It has waited and begins at {start.isoformat()}, but was recorded at {recorded.isoformat()}."


def clock_stopped(
    floor: Floor, table: ReplayedTable, event: TableEventRecord, data: ClockStoppedData
) -> None:
    if table.stopped:
        raise Contradiction("clock_differs", "The clock is stopped while it stands still already.")
    if not table.downs:
        raise Contradiction("clock_differs", "The clock is stopped before the first round has started it.")
    _at_once("clock_differs", event)
    table.stops.append(Stop(moment(event["at"])))


def clock_started(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: ClockStarted) -> None:
    if not table.stopped:
        raise Contradiction("clock_differs", "The clock goes on though it had not been stopped.")
    at, start = moment(event["at"]), table.stops[-1].start
    if at < start:
        raise Contradiction("clock_differs", "The clock goes on before it was stopped.")
    if not same_moment(data["stopped_at"], f"{start:%Y-%m-%dT%H:%M:%S.%fZ}"):
        since = f"It says that the clock was stopped at {data['stopped_at']}; it was at {start.isoformat()}."
        raise Contradiction("clock_differs", since)
    _at_once("clock_differs", event)
    table.stops[-1] = Stop(start, at)


def started_in_down(table: ReplayedTable, event: TableEventRecord, data: RoundStarted) -> ReplayedDown:
    """Judge the down of a round: it is the newest, and it runs."""
    down, at, end = table.down, moment(event["at"]), table.down_end
    if down is None:
        raise Contradiction("round_differs", "A round starts, and no down has begun.")
    if data["down"] != down.number:
        sentence = f"The round is of down {data['down']}; down {down.number} had begun."
        raise Contradiction("round_differs", sentence)
    if table.stopped:
        raise Contradiction("round_differs", "A round starts while the clock stands still.")
    if end is not None and at >= end:
        sentence = f"Down {down.number} had ended at {end.isoformat()}, and no other had begun."
        raise Contradiction("round_differs", sentence)
    _at_once("round_differs", event)
    if data["down_id"] != down.id:
        raise Contradiction("wrong_down", "It does not name the newest down.")
    down.rounds.append((at, data["round_id"]))
    return down


def _at_once(code: str, event: TableEventRecord) -> None:
    at, recorded = moment(event["at"]), moment(event["recorded_at"])
    if at != recorded:
        sentence = f"It happened at {at.isoformat()}, but was recorded at {recorded.isoformat()}."
        raise Contradiction(code, sentence)
