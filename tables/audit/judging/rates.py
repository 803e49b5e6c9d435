"""The rates of tables: at opening, announced, and where changes take effect (R60, R64). Pure."""

from __future__ import annotations

from ledger.money import amount_text
from tables.audit.floor.clock import RateChange, ReplayedRate, rates_in
from tables.audit.floor.floor import Floor, Problem, Problems
from tables.audit.floor.house import RATE
from tables.audit.floor.sitting import Body
from tables.audit.floor.table import ReplayedTable
from tables.rules.table.buy_ins import smallest_buy_in


def wrong_rate(floor: Floor, body: Body) -> Problems:
    """Judge a table's rate: published by its house, in force that day, with a maximum that fits it."""
    data, house = body["data"], floor.house
    rate, limit = data["rate"], data["limit_cents"]
    if limit != rate["limit_cents"]:
        own = amount_text(rate["limit_cents"])
        yield Problem("limit_differs", f"The limit is {amount_text(limit)}; that of its rate is {own}.")
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
    if data["max_buy_in_cents"] < smallest_buy_in(limit):
        yield Problem("bad_buy_in_maximum", "The maximum buy-in is less than thirty times the limit (R52).")


def rates_of(floor: Floor, data: Body) -> tuple[ReplayedRate, ...]:
    """Return the possible rates in an event: what it says, and what the house published by that number."""
    rates = rates_in(data)
    published = floor.house.rates.get(data["rate"]["id"])
    if published is None:
        return rates
    option, version, fee, limit = (published[name] for name in RATE)
    there = ReplayedRate(rates[0].id, option, version, fee, limit, rates[0].max_buy_in_cents)
    return tuple(dict.fromkeys((*rates, there)))


def announced(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    data = body["data"]
    wrong = [*wrong_rate(floor, body)]
    if (data["rate"]["id"], data["max_buy_in_cents"]) == (table.rate.id, table.rate.max_buy_in_cents):
        wrong.append(Problem("other_rate", "The table has this rate already."))
    table.announced, table.announced_sure = rates_of(floor, data), not wrong
    yield from wrong


def withdrawn(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    yield from _not_announced(table, body)
    table.announced = ()


def changed(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    wrong, told = list(_not_announced(table, body)), rates_in(body["data"])
    table.rates = (*table.announced, *told) if wrong else told
    table.announced = ()
    table.changed = RateChange(floor.mark(body), body["data"]["down"], body["at"])
    yield from wrong


def _not_announced(table: ReplayedTable, body: Body) -> Problems:
    if not table.announced:
        yield Problem("other_rate", "No change of rate was announced (R64).")
    elif table.announced_sure and rates_in(body["data"]) != table.announced:
        yield Problem("other_rate", "Another change of rate was announced (R64).")


def wrong_down_rate(table: ReplayedTable, body: Body) -> str:
    """Return why a down has another rate than the table. It picks one of several possible ones (R64)."""
    down, named = table.clock.latest, tuple(rate for rate in table.rates if rate.id == body["rate"])
    table.rates = named or table.rates
    if down is not None:
        down.rates = table.rates
    return "" if named else f"It is of rate {body['rate']}; the table's is {table.rate.id} (R64)."


def next_record(table: ReplayedTable, body: Body) -> list[Problem]:
    """Judge whether a down begins with the change announced for it, and with nothing else (R64)."""
    change, table.changed = table.changed, None
    down = body["record"] == "down"
    if change is None:
        if not (down and table.announced):
            return []
        table.announced = ()
        without = "It begins without the change of rate that was announced for it (R64)."
        return [Problem("other_rate", without)]
    if not down:
        return [Problem("wrong_down", "No down began with it (R64).", change.mark)]
    if (change.down, change.at) != (body["number"], body["started_at"]):
        began = f"Down {body['number']} began with it, at {body['started_at']} (R64)."
        return [Problem("wrong_down", began, change.mark)]
    return []
