"""The rates of tables: what they open with, changes that are announced, and the downs from which these hold (R60, R64). Pure."""

from __future__ import annotations

from typing import Final

from tables.audit.house import RATE
from tables.audit.seatings import Body, Changed, Floor, Problem, Problems, Table, mark_of

_TOLD: Final = ("schedule", "limit_cents", "max_buy_in_cents")


def wrong_rate(floor: Floor, body: Body) -> Problems:
    """A table is bound to a rate that its house has published and that holds that day, with a maximum that fits it."""
    data, house = body["data"], floor.house
    rate = data["schedule"]
    published, days = house.rates.get(rate["id"]), house.days_of(body["recorded_at"])
    if published is None:
        if floor.whole:
            yield Problem("other_rate", f"No rate {rate['id']} was published (R60).")
    elif any(published[name] != rate[name] for name in RATE):
        yield Problem("other_rate", f"Rate {rate['id']} was published otherwise (R60).")
    elif days and published["effective_from"] > max(days):
        yield Problem("other_rate", f"Rate {rate['id']} was not in force yet (R60).")
    elif days and any(
        other["option"] == rate["option"]
        and other["version"] > rate["version"]
        and other["effective_from"] <= min(days)
        for other in house.rates.values()
    ):
        yield Problem("other_rate", f"A newer version had taken the place of rate {rate['id']} (R60).")
    if data["max_buy_in_cents"] < 30 * data["limit_cents"]:
        yield Problem("bad_buy_in_maximum", "The maximum buy-in is less than thirty times the limit (R52).")


def announced(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """The floor announces another rate, limit or maximum for the next down."""
    data = body["data"]
    wrong = list(wrong_rate(floor, body))
    if body["at"] != body["recorded_at"]:
        wrong.append(Problem("other_time", "It happened at another time than it was recorded."))
    if (data["schedule"]["id"], data["max_buy_in_cents"]) == (table.schedule["id"], table.max_buy_in_cents):
        wrong.append(Problem("other_rate", "The table has this rate already."))
    yield from wrong
    floor.count("changes of rate announced")
    table.announced = {**{name: data[name] for name in _TOLD}, "sure": not wrong}


def withdrawn(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """The floor takes it back before it holds."""
    before, data = table.announced, body["data"]
    if body["at"] != body["recorded_at"]:
        yield Problem("other_time", "It happened at another time than it was recorded.")
    if before is None:
        yield Problem("other_rate", "No change of rate was announced.")
    elif before["sure"] and any(data[name] != before[name] for name in _TOLD):
        yield Problem("other_rate", "Another change of rate was announced.")
    table.announced = None


def changed(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """What was announced holds, with the down that begins (R64)."""
    before, data = table.announced, body["data"]
    if before is None:
        yield Problem("other_rate", "No change of rate was announced (R64).")
    elif before["sure"] and any(data[name] != before[name] for name in _TOLD):
        yield Problem("other_rate", "Another change of rate was announced (R64).")
        data = {**data, **before}
    table.schedule, table.announced = dict(data["schedule"]), None
    table.limit_cents, table.max_buy_in_cents = data["limit_cents"], data["max_buy_in_cents"]
    table.changed = Changed(mark_of(place, body), body["data"]["down"], body["at"])


def next_record(table: Table, body: Body) -> Problems:
    """Whatever comes next at a table: a down begins with the change that was announced for it, and with nothing else (R64)."""
    change, table.changed = table.changed, None
    down = body["record"] == "down"
    if change is None:
        if down and table.announced is not None:
            table.announced = None
            yield Problem(
                "other_rate", "It begins without the change of rate that was announced for it (R64)."
            )
    elif not down:
        yield Problem("wrong_down", "No down began with it (R64).", change.mark)
    elif (change.down, change.at) != (body["number"], body["started_at"]):
        began = f"Down {body['number']} began with it, at {body['started_at']} (R64)."
        yield Problem("wrong_down", began, change.mark)
