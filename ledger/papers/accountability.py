"""The accountability of each place of the cage: its opening, what came and went under which number, what it
should have held, and its counts by denomination: the vault by gaming day, each drawer, and tables' banks.
Pure."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from ledger.chart import AccountKind, EntryKind
from ledger.papers.cells import mapping, mappings, number, pair
from ledger.papers.counted import figures_of
from ledger.papers.custody import accounts_of
from ledger.papers.paper import DayPaper, Paper, PaperGroup, PaperSource, declare_papers
from ledger.papers.slips import table_in
from ledger.records.findings import UNREADABLE, Body
from ledger.rules.denominations import pieces_of
from ledger.rules.documents import COUNTED, Step

_ASSETS: Final = ("chips", "cash")
_MOVED: Final = tuple(f"{asset}_{way}" for asset in _ASSETS for way in ("in", "out"))
_HELD: Final = tuple(f"{asset}_held" for asset in _ASSETS)
_COUNTED: Final = ("asset", "denomination", "pieces", "amount")
_COLUMNS: Final = (
    *("what", "kind", "serial", "at", "local_time", *_MOVED, *_HELD, *_COUNTED, "over_chips", "over_cash"),
    *("actor", "approver", "entry"),
)
_UNPRINTED: Final = ("at", "entry")
_SERIALS: Final = ("number", "receipt", "slip")
"""The fields in which the evidence of an entry may have the number of its slip or receipt, the likeliest
first."""


def _moved(entry: Body, places: Collection[object], end: str) -> dict[str, Any] | None:
    """Return what an entry moves into `places` and out of them; None if nothing. `end` is how its lines name
    the account after `from` and `to`."""
    sums, touched = dict.fromkeys(_MOVED, 0), False
    for line in mappings(entry.get("transfers")):
        asset, cents = line.get("asset"), number(line.get("cents"))
        into, out_of = (_is_in(line.get(way + end), places) for way in ("to", "from"))
        if into != out_of and asset in _ASSETS:
            sums[f"{asset}_{'in' if into else 'out'}"] += cents
            touched = True
    return sums if touched else None


def _is_in(place: object, places: Collection[object]) -> bool:
    return isinstance(place, int | str) and place in places


def _line(entry: Body) -> dict[str, Any]:
    said = mapping(entry.get("evidence"))
    serial = next((said[name] for name in _SERIALS if type(said.get(name)) is int), None)
    named = {name: entry.get(name) for name in ("kind", "actor", "approver")}
    at = entry.get("occurred_at")
    return named | {"serial": serial, "at": at, "local_time": at, "entry": entry.get("id")}


def _by_denomination(pieces: object) -> Iterator[dict[str, Any]]:
    """Yield the count of each denomination, chips before cash, the highest first."""
    try:
        found = pieces_of(mapping(pieces))
    except UNREADABLE:
        return
    for asset in _ASSETS:
        for value, count in sorted(found.of(asset).items(), reverse=True):
            yield dict(zip(_COUNTED, (asset, value, count, value * count), strict=True))


class _Balance:
    """What a place holds line by line, where it is known."""

    def __init__(self, held: Mapping[str, int] | None) -> None:
        self.held = dict(held) if held is not None else None

    def after(self, moved: Mapping[str, Any]) -> dict[str, int]:
        if self.held is None:
            return {}
        for asset in _ASSETS:
            came, went = moved.get(f"{asset}_in"), moved.get(f"{asset}_out")
            self.held[asset] += number(came) - number(went)
        return dict(zip(_HELD, self.held.values(), strict=True))


class CageAccountabilityPaper(DayPaper):
    """The lines of the vault on a gaming day: opening, each entry that moves something, each count, closing.
    The opening of a closed day is worked out from the vault's balance in its closing."""

    name = "cage_accountability.csv"
    title = "Cage accountability"
    purpose = "The vault: opening, each slip in and out, what it should hold, its counts by denomination"
    law = "4 CCR 12386"
    group = PaperGroup.CAGE
    later = True
    sums = _MOVED
    signs = ("Cashier", "Verified by")
    columns = ("gaming_day", "shift", *_COLUMNS)
    unprinted = _UNPRINTED
    place = 510
    takes = frozenset({"entry", "closed_day"})

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._held = dict.fromkeys(_ASSETS, 0) if setting.whole else None

    def follow(self, body: Body) -> None:
        moved = _moved(body, {AccountKind.VAULT}, "_kind")
        counted = body.get("kind") == EntryKind.VAULT_COUNT
        if moved is None and not counted:
            return
        row = self.row(body.get("gaming_day"), number(body.get("id")))
        row["shift"] = self.setting.shift(body.get("gaming_day"), body.get("occurred_at"))
        row |= _line(body) | (moved or {}) | {"what": "moved"}
        if counted:
            row["pieces of"] = mapping(body.get("evidence")).get("pieces")
            row["what"] = "over_short"
            row["over_chips"], row["over_cash"] = figures_of(body)[2:]

    def lines(self, rows: Iterable[dict[str, Any]], closed: Body | None) -> Iterator[Mapping[str, Any]]:
        moves = list(rows)
        if closed is not None:
            self._held = _before(_in_vault(closed), moves)
        day = closed.get("gaming_day") if closed is not None else moves[0]["gaming_day"]
        balance = _Balance(self._held)
        yield {"gaming_day": day, "what": "opening"} | balance.after({})
        for row in moves:
            for counted in _by_denomination(row.get("pieces of")):
                empty = dict.fromkeys((*_MOVED, "over_chips", "over_cash"))
                yield row | empty | counted | {"what": "counted"}
            yield row | balance.after(row)
        yield {"gaming_day": day, "what": "closing"} | balance.after({})
        self._held = balance.held


def _in_vault(closed: Body) -> dict[str, int]:
    held, balances = dict.fromkeys(_ASSETS, 0), closed.get("balances")
    for line in balances if isinstance(balances, list) else ():
        if isinstance(line, list) and len(line) == 4 and line[0] in _ASSETS and line[1] == AccountKind.VAULT:
            held[line[0]] += number(line[3])
    return held


def _before(held: Mapping[str, int], moves: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    first = dict(held)
    for row in moves:
        for asset in _ASSETS:
            first[asset] += number(row.get(f"{asset}_out")) - number(row.get(f"{asset}_in"))
    return first


class DrawerSheetsPaper(Paper):
    """The lines of each cashier's drawer as they come, in the gaming day of the drawer: an empty opening,
    each entry that moves something, the closing count and its over/short."""

    name = "drawer_sheets.csv"
    title = "Drawer sheets"
    purpose = "Each cashier's drawer: every receipt and slip, the balance after it, and the count at its end"
    law = "4 CCR 12386"
    group = PaperGroup.CAGE
    later = True
    sums = _MOVED
    signs = ("Cashier", "Verified by")
    columns = ("gaming_day", "shift", "number", "cashier", *_COLUMNS)
    unprinted = _UNPRINTED
    place = 520
    takes = frozenset({"drawer", "entry"})

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._open: dict[int, tuple[Body, _Balance]] = {}

    def take(self, body: Body) -> Iterator[bytes]:
        if body.get("record") == "drawer":
            opened = body, _Balance(dict.fromkeys(_ASSETS, 0))
            self._open |= dict.fromkeys(accounts_of(body), opened)
            said = {"what": "opening", "actor": body.get("cashier")}
            yield self._of(body, said | opened[1].after({}))
            return
        lines = mappings(body.get("transfers"))
        ends = (number(line.get(end)) for line in lines for end in ("from", "to"))
        touched = next((self._open[end] for end in ends if end in self._open), None)
        if body.get("kind") == EntryKind.DRAWER_CLOSE:
            yield from self._closed(body)
        elif touched is not None:
            drawer, balance = touched
            moved = _moved(body, accounts_of(drawer), "") or {}
            yield self._of(drawer, {"what": "moved"} | _line(body) | moved | balance.after(moved))

    def _closed(self, entry: Body) -> Iterator[bytes]:
        said = mapping(entry.get("evidence"))
        found = (one for one in self._open.values() if one[0].get("id") == said.get("drawer"))
        drawer, balance = next(found, ({}, _Balance(None)))
        if not drawer:
            return
        for account in accounts_of(drawer):
            self._open.pop(account, None)
        about, over = _line(entry), figures_of(entry)[2:]
        for counted in _by_denomination(said.get("pieces")):
            yield self._of(drawer, about | counted | {"what": "counted"})
        held = balance.after({}) | dict(zip(("over_chips", "over_cash"), over, strict=True))
        yield self._of(drawer, about | {"what": "closing"} | held)

    def _of(self, drawer: Body, said: Mapping[str, Any]) -> bytes:
        about = self.dated(drawer.get("gaming_day"), drawer.get("opened_at"))
        about |= {"number": drawer.get("number"), "cashier": drawer.get("cashier")}
        return self.written({**about, **said})


class TableInventoryPaper(Paper):
    """The chips and cash of a table's bank by denomination: as its opener arrived, as two people counted it
    while the table was open, and at its closing; then the amount of the count and its over/short."""

    name = "table_inventory.csv"
    title = "Table inventory"
    purpose = "What a table's bank held as it opened and as it closed, by denomination, and who counted"
    law = "4 CCR 12386"
    group = PaperGroup.CAGE
    later = True
    signs = ("Opened by", "Closed by")
    columns = (
        *("gaming_day", "shift", "table", "what", "serial", "at", "local_time", *_COUNTED),
        *("over_chips", "over_cash", "first", "second", "entry"),
    )
    unprinted = _UNPRINTED
    place = 380
    takes = frozenset({"document_step", "entry"})
    kinds = frozenset({EntryKind.BANK_COUNT, EntryKind.DOCUMENT_RECEIVED})

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._arrived: Body = {}
        self._sent: dict[int, Body] = {}

    def take(self, body: Body) -> Iterator[bytes]:
        if body.get("kind") == EntryKind.DOCUMENT_RECEIVED:
            self._arrived = body
        elif body.get("record") == "entry":
            said = mapping(body.get("evidence"))
            first, second = pair(said.get("counted_by"))
            what = "closer" if "closer" in said else "count"
            about = {"what": what, "table": said.get("table"), "first": first, "second": second}
            yield from self._lines(body, said.get("pieces"), about, figures_of(body)[2:])
        elif body.get("series") == "opener":
            yield from self._opener(body)

    def _opener(self, step: Body) -> Iterator[bytes]:
        """Write the opener's lines. Its first person is the cashier who sent it, if that was on the same
        gaming day; the second counted it at the table."""
        if step.get("step") == Step.SENT:
            self._sent[number(step.get("document"))] = step
        elif str(step.get("step")) in COUNTED and step.get("entry") == self._arrived.get("id"):
            sent = self._sent.pop(number(step.get("document")), {})
            about = {"what": "opener", "table": table_in(step.get("place")), "serial": step.get("number")}
            if sent.get("gaming_day") == step.get("gaming_day"):
                about["first"] = sent.get("person")
            about["second"] = step.get("person")
            yield from self._lines(self._arrived, step.get("pieces"), about, figures_of(self._arrived)[2:])

    def _lines(
        self, entry: Body, pieces: object, about: Mapping[str, Any], over: Iterable[int]
    ) -> Iterator[bytes]:
        named = self.dated(entry.get("gaming_day"), entry.get("occurred_at"))
        named |= {"entry": entry.get("id"), **about}
        total = 0
        for counted in _by_denomination(pieces):
            total += counted["amount"]
            yield self.written(named | counted)
        sums = dict(zip(("over_chips", "over_cash"), over, strict=True))
        yield self.written(named | {"asset": "together", "amount": total} | sums)


declare_papers(CageAccountabilityPaper, DrawerSheetsPaper, TableInventoryPaper)
