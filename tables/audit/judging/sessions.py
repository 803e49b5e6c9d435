"""Tables open, close and change boxes, and what a session is bound to while it is open (R60, R64). Pure."""

from ledger.records.books import DocumentRecord, EntryRecord
from ledger.rules.denominations import pieces_of
from ledger.rules.documents import KINDS
from tables.audit.floor.fees import rate_in
from tables.audit.floor.floor import Floor
from tables.audit.floor.round import REVERSED, RUNNING
from tables.audit.floor.table import ReplayedTable
from tables.audit.judging.charges import all_dealt
from tables.audit.judging.contradiction import Contradiction
from tables.audit.judging.keeping import is_in_use
from tables.audit.judging.moments import happened_when_recorded
from tables.audit.judging.rates import published
from tables.audit.records.entries import BankCounted
from tables.audit.records.events import BoxChanged, Closed, MustMoveSet, OpenedData, Pushed, SheetNamed
from tables.audit.records.rows import TableEventRecord
from tables.rules.game.sheet import Sheet


def opened(floor: Floor, event: TableEventRecord, data: OpenedData) -> None:
    session, number, most = event["session"], data["table"], floor.house.authorised_tables
    floor.count("sessions opened")
    if floor.find(session) is not None or session in floor.forgotten:
        raise Contradiction("opened_twice", "This session of the table had been opened before.")
    if any(table.number == number for table in floor.tables.values()):
        raise Contradiction("table_open", f"Table {number} was open already.")
    is_in_use(floor, number)
    if data["sheet"]["code"] in floor.house.taken_off:
        raise Contradiction("game_not_offered", f"The house had taken {data['sheet']['code']} off.")
    named = data["sheet"]["code"], data["sheet"]["version"]
    if floor.sheets.get(named, ...) is None:  # named where the sheets are read
        floor.stop([session], floor.mark(event))
        return
    sheet = _sheet(floor, data["sheet"])
    published(floor, event, data)
    already = len(floor.tables) + sum(one.is_open for one in floor.stopped.values())
    if most is not None and floor.whole and already >= most:
        raise Contradiction("tables_authorised", f"No more than {most} tables were authorised.")
    _is_installed(floor, data["box"], data["box_chips"], data["box_cash"])
    floor.tables[session] = ReplayedTable(
        session=session,
        number=number,
        opened_at=event["at"],
        newest_at=event["recorded_at"],
        sheet=sheet,
        rate=rate_in(data),
        bank_chips=data["bank_chips"],
        bank_cash=data["bank_cash"],
        box=data["box"],
        box_chips=data["box_chips"],
        box_cash=data["box_cash"],
        persons=floor.persons,
    )
    happened_when_recorded(event)


def _sheet(floor: Floor, named: SheetNamed) -> Sheet:
    sheet = floor.sheets.get((named["code"], named["version"]))
    if sheet is None or sheet.sha256 != named["sha256"]:
        here = f"The sheet {named['code']} version {named['version']} is not the one that is here."
        raise Contradiction("sheet_differs", here)
    return sheet


def _is_installed(floor: Floor, number: int, chips: int, cash: int) -> None:
    box = floor.house.boxes.get(number)
    if box != (chips, cash) and (box is not None or floor.whole):
        raise Contradiction("other_box", f"Box {number} was not installed with these accounts.")


def bank_document(floor: Floor, document: DocumentRecord) -> None:
    """Judge that a document's bank is an open table's, by its accounts and by its name. A document beyond the
    house has none."""
    kind = KINDS.get(document["kind"])
    if kind is not None and kind.is_beyond:
        return
    accounts = document["chips"], document["cash"]
    for table in floor.tables.values():
        banks = table.bank_chips, table.bank_cash
        if banks == accounts and document["place"] == f"Table {table.number}":
            return
        if set(banks) & set(accounts):
            raise Contradiction("other_bank", f"It is not about the bank of table {table.number}.")
    if floor.whole and not floor.stopped:
        raise Contradiction("other_bank", "It is about the bank of no open table.")


def box_changed(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: BoxChanged) -> None:
    if data["pulled"] != table.box:
        raise Contradiction("other_box", f"Box {table.box} stood at the table.")
    if data["second"] == event["actor"]:
        raise Contradiction("second_person", "A box is pulled by two people.")
    _is_installed(floor, data["installed"], data["box_chips"], data["box_cash"])
    table.box, table.box_chips, table.box_cash = data["installed"], data["box_chips"], data["box_cash"]


def pushed(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: Pushed) -> None:
    if data["previous"] != table.dealer:
        raise Contradiction("other_dealer", "Another dealer was at the table until then.")
    table.dealer = data["dealer"]


def bank_count(floor: Floor, table: ReplayedTable, entry: EntryRecord, evidence: BankCounted) -> None:
    """Judge the bank as counted by two people; a difference goes to over/short. Only a count with a closer,
    or with None, closes the table."""
    over = {"chips": evidence["over_chips_cents"], "cash": evidence["over_cash_cents"]}
    for account, asset in ((table.bank_chips, "chips"), (table.bank_cash, "cash")):
        lines = [line for line in entry["transfers"] if line["asset"] == asset]
        if any(account not in (line["from"], line["to"]) for line in lines):
            raise Contradiction("other_bank", "It counts another table's bank.")
        missing = sum(line["cents"] for line in lines if line["from"] == account)
        too_much = sum(line["cents"] for line in lines if line["to"] == account)
        if too_much - missing != over[asset]:
            raise Contradiction("other_count", f"What moved is not what differs in {asset}.")
    first, second = entry["actor"], entry["approver"]
    if first == second or evidence["counted_by"] != [first, second]:
        raise Contradiction("second_person", "A bank is counted by two people, who are named.")
    if evidence["table"] != table.number:
        raise Contradiction("other_bank", f"The session is that of table {table.number}.")
    table.bank_counted = entry["id"]
    if "closer" not in evidence:
        happened_when_recorded(entry)
        return
    counted = pieces_of(evidence["pieces"])
    table.counted = {
        "closer_cents": counted.chips_cents,
        "closer_cash_cents": counted.cash_cents,
        "over_chips_cents": over["chips"],
        "over_cash_cents": over["cash"],
        "second": second,
    }


def must_move_set(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: MustMoveSet) -> None:
    """Judge a table's new main game, or none (R55)."""
    to = data["to_session"]
    if to is None:
        return
    main = floor.tables.get(to)
    if main is None:
        if to in floor.closed or (floor.whole and to not in floor.stopped):
            raise Contradiction("unknown_table", "Its main game was not open (R55).")
    elif main is table:
        raise Contradiction("same_table", "A table cannot be its own main game (R55).")
    elif (main.rate.limit_cents, main.sheet.code) != (table.rate.limit_cents, table.sheet.code):
        raise Contradiction("other_game", "Its main game plays another game or limit (R55).")


def closed(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: Closed) -> None:
    """Judge a closing: nobody seated, no round running, and the bank as it was counted."""
    if table.counted is None:
        raise Contradiction("other_count", "The bank was not counted before.")
    if any(table.counted.get(name) != value for name, value in data.items()):
        raise Contradiction("other_count", "It does not say what was counted in the bank.")
    if table.seats:
        raise Contradiction("table_open", "Players still sat there.")
    for round_ in table.rounds.values():
        if round_.state in (RUNNING, REVERSED):
            raise Contradiction("not_settled", f"Round {round_.number} was left {round_.state}.")
    all_dealt(table, None)
    floor.close(table)
