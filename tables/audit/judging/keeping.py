"""The rates, tables, games on offer and waiver reasons that a house keeps. Pure. Each change follows from
those before it; in an export that does not begin with the first record, what the house had before is
unknown."""

from collections.abc import Iterator
from typing import Any, Final

from ledger.records.findings import Body
from tables.audit.floor.floor import Floor
from tables.audit.judging.contradiction import Contradiction

_IN_USE, _RETIRED = True, False
_TABLES: Final = {"table_added": _IN_USE, "table_retired": _RETIRED, "table_restored": _IN_USE}
"""What becomes of a table."""


def changed(floor: Floor, body: Body) -> None:
    """Judge a record of the house against those before it, then take it."""
    record, kind = body["record"], body.get("kind")
    data = body["data"] if record == "house_event" else body
    if record == "rate":
        wrong = _rate(floor, data)
    elif kind in _TABLES or kind == "table_turned":
        wrong = _table(floor, data, kind)
    elif kind == "games_offered":
        wrong = _games(floor, data)
    elif kind in ("waiver_reason_published", "waiver_reason_withdrawn"):
        wrong = _reason(floor, data, kind)
    else:
        wrong = iter(())
    sentences = [*wrong]
    floor.house.take(body)
    if sentences:
        raise Contradiction("house_differs", sentences[0])


def is_in_use(floor: Floor, number: int) -> None:
    """Judge that the house has a table of this number, and has not retired it."""
    _, in_use, _ = floor.house.tables.get(number, (None, not floor.whole, None))
    if not in_use:
        raise Contradiction("unknown_table", f"The house had no table {number} in use.")


def _rate(floor: Floor, data: Body) -> Iterator[str]:
    known = [rate for rate in floor.house.rates.values() if rate["option"] == data["option"]]
    newest = max(known, key=lambda rate: int(rate["version"]), default=None)
    if newest is None and not floor.whole:
        return
    comes = 1 if newest is None else newest["version"] + 1
    if data["version"] != comes:
        yield f"It is version {data['version']} of rate {data['option']}; {comes} comes next (R60)."
    elif newest is not None and data["limit_cents"] != newest["limit_cents"]:
        yield f"Rate {data['option']} was for another limit before (R60)."


def _table(floor: Floor, data: Body, kind: Any) -> Iterator[str]:
    number, tables = data["number"], floor.house.tables
    known = tables.get(number)
    row, in_use, side = known or (data["table"], None, None)
    if kind == "table_added":
        if known or data["table"] in floor.house.table_rows:
            yield f"Table {number} had been entered before."
    elif row != data["table"] or (known is None and floor.whole):
        yield f"Table {number} had not been entered."
    elif in_use is _TABLES.get(kind):
        yield f"Table {number} was {'in use' if in_use else 'retired'} already."
    elif kind == "table_turned" and side not in (None, data["before"]["seat_one"]):
        yield f"Seat 1 of table {number} was on the other side before."
    if kind != "table_added" and any(table.number == number for table in floor.tables.values()):
        yield f"Table {number} was open."
    tables[number] = (row, _TABLES.get(kind, in_use), data.get("seat_one", side))
    floor.house.table_rows.add(data["table"])


def _games(floor: Floor, data: Body) -> Iterator[str]:
    house = floor.house
    if not set(data["before"]["offered"]).isdisjoint(house.taken_off):
        yield "Games were on offer before it that had been taken off."
    house.taken_off = (house.taken_off | {*data["taken_off"]}) - {*data["offered"]}


def _reason(floor: Floor, data: Body, kind: Any) -> Iterator[str]:
    _, _, until = floor.house.reasons.get(data["code"], ("", "", ""))
    if kind == "waiver_reason_published":
        if until:
            yield f"The reason {data['code']} had been published before."
    elif until != "9999" and (until or floor.whole):
        yield f"The reason {data['code']} {'had ended' if until else 'had not been published'} before."
