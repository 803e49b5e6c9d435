"""The rates of tables: at opening, announced, and where changes take effect (R60, R64). Pure."""

from ledger.money import amount_text
from tables.audit.floor.fees import RateChange, rate_in
from tables.audit.floor.floor import Floor
from tables.audit.floor.table import ReplayedTable
from tables.audit.judging.contradiction import Contradiction
from tables.audit.records.events import Announced, AtRate, RateChanged
from tables.audit.records.rows import TableEventRecord
from tables.rules.table.buy_ins import smallest_buy_in


def published(floor: Floor, event: TableEventRecord, data: AtRate) -> None:
    """Judge a table's rate: published by its house, in force that day, with a maximum that fits it."""
    rate, limit, house = data["rate"], data["limit_cents"], floor.house
    if limit != rate["limit_cents"]:
        own = amount_text(rate["limit_cents"])
        sentence = f"The limit is {amount_text(limit)}; that of its rate is {own}."
        raise Contradiction("limit_differs", sentence)
    known, days = house.rates.get(rate["id"]), house.days_of(event["recorded_at"])
    if known is None:
        if floor.whole:
            raise Contradiction("other_rate", f"No rate {rate['id']} was published (R60).")
    elif (known["option"], known["version"], known["fee_cents"], known["limit_cents"]) != (
        *(rate["option"], rate["version"], rate["fee_cents"], limit),
    ):
        raise Contradiction("other_rate", f"Rate {rate['id']} was published with other figures (R60).")
    elif days and known["effective_from"] > max(days):
        raise Contradiction("other_rate", f"Rate {rate['id']} was not in force yet (R60).")
    elif days and any(
        other["option"] == rate["option"]
        and other["version"] > rate["version"]
        and other["effective_from"] <= min(days)
        for other in house.rates.values()
    ):
        raise Contradiction("other_rate", f"A newer version had taken the place of rate {rate['id']} (R60).")
    if data["max_buy_in_cents"] < smallest_buy_in(limit):
        sentence = "The maximum buy-in is less than thirty times the limit (R52)."
        raise Contradiction("bad_buy_in_maximum", sentence)


def announced(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: Announced) -> None:
    published(floor, event, data)
    if (data["rate"]["id"], data["max_buy_in_cents"]) == (table.rate.id, table.rate.max_buy_in_cents):
        raise Contradiction("other_rate", "The table has this rate already.")
    table.announced = rate_in(data)


def withdrawn(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: Announced) -> None:
    _was_announced(table, data)
    table.announced = None


def changed(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: RateChanged) -> None:
    _was_announced(table, data)
    table.rate, table.announced = rate_in(data), None
    table.changed = RateChange(floor.mark(event), data["down"], event["at"])


def _was_announced(table: ReplayedTable, data: AtRate) -> None:
    if table.announced is None:
        raise Contradiction("other_rate", "No change of rate was announced (R64).")
    if rate_in(data) != table.announced or data["limit_cents"] != table.announced.limit_cents:
        raise Contradiction("other_rate", "Another change of rate was announced (R64).")
