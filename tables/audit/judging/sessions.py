"""Tables open and close and change boxes: what a session is bound to while it is open (R60, R64). Pure."""

from __future__ import annotations

from tables.audit.floor.floor import Floor, Problem, Problems
from tables.audit.floor.round import REVERSED, RUNNING
from tables.audit.floor.sitting import Body
from tables.audit.floor.table import ReplayedTable
from tables.audit.judging.charges import never_dealt
from tables.audit.judging.moments import wrong_moment
from tables.audit.judging.rates import rates_of, wrong_rate

COUNTED = (
    "opener_cents",
    "closer_cents",
    "closer_cash_cents",
    "over_chips_cents",
    "over_cash_cents",
    "second",
    "cause",
)
"""The fields about the bank in the entry and the event of a closing."""


def opened(floor: Floor, body: Body) -> Problems:
    """Judge the opening of a table. If it is wrong, later records say what the session is bound to."""
    data, session = body["data"], body["session"]
    sheet, rates, wrong = data["sheet"], rates_of(floor, data), list(_wrong_opening(floor, body))
    yield from wrong
    floor.count("sessions opened")
    floor.fills.pop(session, None)
    if floor.find(session) is not None:
        return
    table = floor.tables[session] = ReplayedTable(
        session,
        body["at"],
        body["recorded_at"],
        floor.sheets.get((sheet["code"], sheet["version"])),
        rates if wrong else rates[:1],
        persons=floor.persons,
    )
    if not wrong:
        table.number, table.box = data["table"], data["box"]
        table.bank_chips, table.bank_cash = data["bank_chips"], data["bank_cash"]
        table.box_chips, table.box_cash = {data["box_chips"]}, {data["box_cash"]}


def _wrong_opening(floor: Floor, body: Body) -> Problems:
    data, sheet = body["data"], body["data"]["sheet"]
    yield from wrong_moment(body)
    if floor.find(body["session"]) is not None:
        yield Problem("opened_twice", "This session of the table had been opened before.")
    if any(table.number == data["table"] for table in floor.tables.values()):
        yield Problem("table_open", f"Table {data['table']} was open already.")
    key = sheet["code"], sheet["version"]
    known = floor.sheets.get(key)
    if (
        (known is None)
        if key not in floor.sheets
        else (known is not None and known.sha256 != sheet["sha256"])
    ):
        here = f"The sheet {sheet['code']} version {sheet['version']} is not the one that is here."
        yield Problem("sheet_differs", here)
    yield from wrong_rate(floor, body)
    most = floor.house.authorised_tables
    if most is not None and floor.whole and len(floor.tables) >= most:
        yield Problem("tables_authorised", f"No more than {most} tables were authorised.")
    yield from _wrong_box(floor, data["box"], data["box_chips"], data["box_cash"])
    fill = floor.fills.get(body["session"])
    if fill != (data["bank_chips"], data["opener_cents"], data["table"]) and (
        fill is not None or floor.whole
    ):
        yield Problem("other_bank", "Its bank is not the one that the cage filled.")


def _wrong_box(floor: Floor, number: int, chips: int, cash: int) -> Problems:
    box = floor.house.boxes.get(number)
    if box != (chips, cash) and (box is not None or floor.whole):
        yield Problem("other_box", f"Box {number} was not installed with these accounts.")


def bank_fill(floor: Floor, body: Body) -> Problems:
    said, lines = body["evidence"], body["transfers"]
    table = floor.find(said["session"])
    if table is None:
        if len(lines) == 1:
            floor.fills[said["session"]] = (lines[0]["to"], lines[0]["cents"], said["table"])
            if lines[0]["cents"] != said["cents"]:
                yield Problem("other_bank", "It does not fill the bank with what it says.")
        return
    bank = table.bank_chips
    if len(lines) != 1 or lines[0]["to"] != (bank or lines[0]["to"]) or lines[0]["cents"] != said["cents"]:
        yield Problem("other_bank", "It does not fill the bank of its table with what it says.")
    yield from _wrong_number(table, said["table"])


def _wrong_number(table: ReplayedTable, number: object) -> Problems:
    if number != table.number and table.number is not None:
        yield Problem("other_bank", f"The session is that of table {table.number}.")


def box_changed(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    data = body["data"]
    if data["pulled"] != table.box and table.box is not None:
        yield Problem("other_box", f"Box {table.box} stood at the table.")
    if data["second"] == body["actor"]:
        yield Problem("second_person", "A box is pulled by two people.")
    wrong = list(_wrong_box(floor, data["installed"], data["box_chips"], data["box_cash"]))
    yield from wrong
    table.box = None if wrong else data["installed"]
    table.box_chips, table.box_cash = (set(), set()) if wrong else ({data["box_chips"]}, {data["box_cash"]})


def pushed(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    data = body["data"]
    if data["previous"] != table.dealer:
        yield Problem("other_dealer", "Another dealer was at the table until then.")
    table.dealer = data["dealer"]


def bank_return(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    """Judge the bank's return as counted by two people; a difference goes to over/short, with a cause."""
    said = body["evidence"]
    for account, name, asset in (
        (table.bank_chips, "closer_cents", "chips"),
        (table.bank_cash, "closer_cash_cents", "cash"),
    ):
        counted, over = said[name], said[f"over_{asset}_cents"]
        lines = [line for line in body["transfers"] if line["asset"] == asset]
        if account is not None and any(
            account not in (line["from"], line["to"]) and line["from_kind"] == "table_bank" for line in lines
        ):
            yield Problem("other_bank", "It returns another table's bank.")
        came = sum(line["cents"] for line in lines if line["to_kind"] == "cage")
        missing = sum(line["cents"] for line in lines if line["to_kind"] == "over_short")
        too_much = sum(line["cents"] for line in lines if line["from_kind"] == "over_short")
        if (came, too_much - missing) != (counted, over):
            yield Problem("other_count", f"What moved is not what was counted in {asset}.")
        if over and not said["cause"]:
            yield Problem("no_cause", "The bank was counted with a difference, and nobody said why.")
    if said["second"] == body["actor"]:
        yield Problem("second_person", "A bank is counted by two people.")
    yield from _wrong_number(table, said["table"])
    table.counted = {name: said[name] for name in COUNTED}


def must_move_set(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    """Judge a table's new main game, or none (R55)."""
    to = body["data"]["to_session"]
    if to is None:
        return
    main = floor.tables.get(to)
    if main is None:
        if floor.whole or to in floor.closed:
            yield Problem("unknown_table", "Its main game was not open (R55).")
    elif main is table:
        yield Problem("same_table", "A table cannot be its own main game (R55).")
    elif main.limit_cents != table.limit_cents or (
        main.sheet is not None and table.sheet is not None and main.sheet.code != table.sheet.code
    ):
        yield Problem("other_game", "Its main game plays another game or limit (R55).")


def closed(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    """Judge a closing: nobody seated, no round running, and the bank as it was counted."""
    told = {name: body["data"][name] for name in COUNTED}
    if table.counted is None:
        yield Problem("other_count", "The bank was not returned before.")
    elif told != table.counted:
        yield Problem("other_count", "It does not say what was counted in the bank.")
    if any(sitting.sure for sitting in table.seats.values()):
        yield Problem("table_open", "Players still sat there.")
    left = next((one for one in table.rounds.values() if one.state in (RUNNING, REVERSED)), None)
    if left is not None:
        yield Problem("not_settled", f"Round {left.number} was left {left.state}.")
    yield from never_dealt(table, None)
    floor.close(table)
