"""Tables open and close, and their boxes are changed: what each is bound to while it is open (R60, R64). Pure."""

from __future__ import annotations

from tables.rules.proof.house import RATE
from tables.rules.proof.seatings import Body, Floor, Problem, Problems, Table


def opened(floor: Floor, place: int, body: Body) -> Problems:
    """A table is opened. One that is bound to what the house does not know is not judged any further."""
    data, session = body["data"], body["session"]
    wrong = list(_wrong_opening(floor, body))
    yield from wrong
    floor.count("tables opened")
    floor.fills.pop(session, None)
    sheet = data["sheet"]
    table = Table(
        session=session,
        number=data["table"],
        opened_at=body["at"],
        sheet=floor.sheets.get((sheet["code"], sheet["version"])),
        limit_cents=data["limit_cents"],
        max_buy_in_cents=data["max_buy_in_cents"],
        schedule=dict(data["schedule"]),
        bank_chips=data["bank_chips"],
        bank_cash=data["bank_cash"],
        box=data["box"],
        lost=bool(wrong),
    )
    if floor.find(session) is None:
        floor.tables[session] = table


def _wrong_opening(floor: Floor, body: Body) -> Problems:
    data, house = body["data"], floor.house
    rate = data["schedule"]
    if body["at"] != body["recorded_at"]:
        yield Problem("other_time", "It happened at another time than it was recorded.")
    if floor.find(body["session"]) is not None:
        yield Problem("table_open", "This session of the table had been opened before.")
    if any(table.number == data["table"] for table in floor.tables.values()):
        yield Problem("table_open", f"Table {data['table']} was open already.")
    published = house.rates.get(rate["id"])
    if published is None:
        if floor.whole:
            yield Problem("other_rate", f"No rate {rate['id']} was published (R60).")
    elif any(published[name] != rate[name] for name in RATE):
        yield Problem("other_rate", f"Rate {rate['id']} was published otherwise (R60).")
    elif (days := house.days_of(body["at"])) and published["effective_from"] > max(days):
        yield Problem("other_rate", f"Rate {rate['id']} was not in force yet (R60).")
    if data["max_buy_in_cents"] < 30 * data["limit_cents"]:
        yield Problem("bad_buy_in_maximum", "The maximum buy-in is less than thirty times the limit (R52).")
    yield from _wrong_box(floor, data["box"], data["box_chips"], data["box_cash"])
    fill = floor.fills.get(body["session"])
    if fill != (data["bank_chips"], data["opener_cents"]) and (fill is not None or floor.whole):
        yield Problem("other_bank", "Its bank is not the one that the cage filled.")


def _wrong_box(floor: Floor, number: int, chips: int, cash: int) -> Problems:
    box = floor.house.boxes.get(number)
    if box != (chips, cash) and (box is not None or floor.whole):
        yield Problem("other_box", f"Box {number} was not installed with these accounts.")


def bank_fill(floor: Floor, place: int, body: Body) -> Problems:
    """The cage fills a table's bank: before it opens, or while it is open."""
    said, lines = body["evidence"], body["transfers"]
    table = floor.find(said["session"])
    if table is None:
        if len(lines) == 1:
            floor.fills[said["session"]] = (lines[0]["to"], lines[0]["cents"])
        return
    if len(lines) != 1 or lines[0]["to"] != table.bank_chips or lines[0]["cents"] != said["cents"]:
        yield Problem("other_bank", "It does not fill the bank of its table with what it says.")
    if said["table"] != table.number:
        yield Problem("other_bank", f"The session is that of table {table.number}.")


def box_changed(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """The table's box was pulled, and an empty one stands there."""
    data = body["data"]
    if body["at"] != body["recorded_at"]:
        yield Problem("other_time", "It happened at another time than it was recorded.")
    if data["pulled"] != table.box:
        yield Problem("other_box", f"Box {table.box} stood at the table.")
    if data["second"] == body["actor"]:
        yield Problem("second_person", "A box is pulled by two people.")
    yield from _wrong_box(floor, data["installed"], data["box_chips"], data["box_cash"])
    table.box = data["installed"]


def closed(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """The table is closed: nobody sits there, and no round runs."""
    if body["at"] != body["recorded_at"]:
        yield Problem("other_time", "It happened at another time than it was recorded.")
    if any(sitting.sure for sitting in table.seats.values()):
        yield Problem("table_open", "Players still sat there.")
    floor.close(table)
