"""The papers of an export: CSV files computed from its records alone, line by line. Pure.

Writer and verifier produce the same bytes. Lines follow the leaves as far as one pass allows: a paid charge is written
with its payment, an open one when its day is closed; what was taken back is a line below zero, and its charge is written
once more. So the lines of a day follow from that day's records, up to its closing: whatever else an export holds, they
are the same in it.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ledger.audit.export import register
from ledger.audit.export.register import PLAYERS, STAFF, Opened, People
from ledger.audit.findings import Body
from ledger.audit.local_time import LocalTime, Offsets
from ledger.money import amount_text

JOURNAL, CLOSING = "journal.csv", "closing_balances.csv"
NAMES = (JOURNAL, "collections.csv", "rounds.csv", "cage_slips.csv", "trial_balance.csv", CLOSING, STAFF)
"""The papers of every export; `players.csv` is in those that name players."""

_COLUMNS = {
    JOURNAL: (
        *("gaming_day", "occurred_at", "local_time", "recorded_at", "entry", "kind", "key", "session"),
        *("round", "down", "player", "line", "from_kind", "from", "to_kind", "to", "asset", "amount"),
        *("actor", "approver", "terminal", "reason", "reverses"),
    ),
    "collections.csv": (
        *("gaming_day", "session", "table", "down", "sitting", "player", "minute", "rule", "fee", "amount"),
        *("option", "version", "charge", "charged_at", "taken_by", "entry"),
        *("waiver", "uncollected", "recovery", "reversal_slip"),
    ),
    "rounds.csv": (
        *("gaming_day", "session", "table", "round", "entry", "kind", "sheet", "version", "limit"),
        *("seat_1", "seat_2", "seat_3", "seat_4", "seat_5"),
    ),
    "cage_slips.csv": (
        *("gaming_day", "number", "way", "outcome", "asset", "denomination", "first_count", "second_count"),
        *("amount", "counted_by", "counted_at", "person", "at", "reason", "entry"),
    ),
    "trial_balance.csv": ("gaming_day", "account_kind", "asset", "in", "out", "balance"),
    CLOSING: ("gaming_day", "asset", "account_kind", "account", "balance"),
    STAFF: register.COLUMNS,
    PLAYERS: register.COLUMNS,
}
JOURNAL_COLUMNS, STAFF_COLUMNS, CLOSING_COLUMNS = _COLUMNS[JOURNAL], _COLUMNS[STAFF], _COLUMNS[CLOSING]
_NO_DAY_IS_LATER = b"\xff"
_SEATS = ("1", "2", "3", "4", "5")
_FORMULA = frozenset("=+-@\t\r\n")
_AMOUNT = re.compile(r"-?[0-9]{1,16}\.[0-9]{2}", re.ASCII)
_MINUTE = re.compile(r"([0-9]+)\.([0-9]{1,6})", re.ASCII)

Way = tuple[str, str, str]
"""From which kind of account to which, and of what."""
Line = tuple[str, bytes]
"""Name of a paper, and a line of it with its end."""


class Papers:
    """Turns records, in leaf order, into the lines of all papers. It never raises, whatever the records contain.

    It keeps open tables, open charges, waiting cage slips, the sums of each gaming day, and the people. `whole`: records begin
    with the first leaf, so that there are balances. `days` are the first and last gaming day to write, `offsets` those of the
    house's local time. `opened` gives what players' entries say; without it players are not named.
    """

    def __init__(
        self,
        *,
        whole: bool = True,
        days: tuple[str | None, str | None] = (None, None),
        offsets: Offsets = (),
        opened: Opened | None = None,
    ) -> None:
        self._whole = whole
        self._journal = Journal(offsets)
        self._opened = opened
        self._people = {STAFF: People()} if opened is None else {STAFF: People(), PLAYERS: People()}
        self._acted: set[int] = set()
        first, last = days
        self._first, self._last = (first or "").encode(), last.encode() if last else _NO_DAY_IS_LATER
        self._all_days = days == (None, None)
        self._table: dict[int, Any] = {}
        self._open: dict[int, list[Any]] = {}
        self._ahead: dict[int, _PaidAhead] = {}
        self._uncollected: dict[int, Any] = {}
        self._slips: dict[int, Mapping[str, Any]] = {}
        self._days: dict[str, dict[Way, int]] = {}

    def begin(self) -> list[Line]:
        """Return the header lines."""
        return [(name, line_of(_COLUMNS[name])) for name in names_of(players=self._opened is not None)]

    def earlier(self, body: Body) -> None:
        """Take a record from before the others, of which only what it says of people counts."""
        self._person(body)

    def take(self, body: Body) -> list[Line]:
        """Return the lines that a record adds."""
        return self._of_days(self._take(body))

    def finish(self) -> list[Line]:
        """Return the last lines: what is still open, the sums of the days, and who was who."""
        return [*self._of_days([*self._unfinished(None), *self._balance()]), *self._register()]

    def _register(self) -> Iterator[Line]:
        for name, people in self._people.items():
            for person, what, since, value, until in people.lines():
                yield name, line_of([str(person), *map(cell, (what, value, since, until))])

    @property
    def unnamed(self) -> list[int]:
        """The staff that acted in these records, and of whom no record says who they are."""
        return sorted(one for one in self._acted if one not in self._people[STAFF])

    def _of_days(self, lines: list[Line]) -> list[Line]:
        """Return the lines of the gaming days to write; every line begins with its day."""
        if self._all_days:
            return lines
        return [line for line in lines if self._first <= line[1][:10] <= self._last]

    def _take(self, body: Body) -> list[Line]:
        if type(actor := body.get("actor")) is int:
            self._acted.add(actor)
        match body.get("record"):
            case "house_event" | "player_change" | "player_merge":
                self._person(body)
            case "entry":
                return self._entry(body)
            case "charge":
                self._open[_number(body.get("id"))] = self._charge(body)
                if body.get("round_id") is None:
                    self._ahead[_number(body.get("id"))] = _PaidAhead(body)
            case "table_event":
                self._event(body)
            case "cage_slip":
                self._slips[_number(body.get("id"))] = body
            case "cage_slip_result":
                return list(_slip_lines(self._slips.pop(_number(body.get("slip")), {}), body))
            case "closed_day":
                closing = [(CLOSING, line) for line in closing_lines(body)]
                return [*self._unfinished(str(body.get("gaming_day"))), *closing]
        return []

    def _balance(self) -> Iterator[Line]:
        balances: dict[tuple[str, str], int] = {}
        for day in sorted(self._days):
            for place, (into, out) in sorted(_by_place(self._days[day]).items()):
                balances[place] = balances.get(place, 0) + into - out
                balance = amount_text(balances[place]) if self._whole else ""
                amounts = (amount_text(into), amount_text(out), balance)
                yield "trial_balance.csv", line_of([cell(day), *map(cell, place), *amounts])

    def _unfinished(self, day: str | None) -> Iterator[Line]:
        """Yield the charges and cage slips that are open when this day is closed (None: at the end), as open.

        What becomes of them afterwards belongs to the day it happens in.
        """
        for number in sorted(self._open):
            charge = self._open[number]
            if day is None or charge[0] <= day:
                lost = self._uncollected.pop(number, None)
                state = "uncollected" if lost is not None else "not owed" if number in self._ahead else "open"
                yield "collections.csv", line_of([*charge, state, "", "", cell(lost), "", ""])
                del self._open[number]
        self._ahead = {
            number: one for number, one in self._ahead.items() if day is not None and one.day > day
        }
        for number in sorted(self._slips):
            slip = self._slips[number]
            on = slip.get("gaming_day")
            if on is not None and (day is None or str(on) <= day):
                yield from _slip_lines({**slip, "pieces": None}, {"outcome": "waiting"})
                self._slips[number] = {**slip, "gaming_day": None}

    def _entry(self, body: Body) -> list[Line]:
        kind, evidence = body.get("kind"), _object(body.get("evidence"))
        lines = [(JOURNAL, line) for line in self._journal.lines(body)]
        self._add_up(body)
        if kind in ("collection", "waiver"):
            lines.append(("collections.csv", line_of(self._taking(body, evidence))))
        elif kind in ("reversal", "undo") and evidence.get("of") in ("collection", "waiver"):
            lines.append(("collections.csv", line_of(self._taking_back(body, evidence))))
        elif kind in ("round", "hand_settlement", "correction") and "result" in evidence:
            lines.append(("rounds.csv", line_of(self._round(body, evidence))))
        return lines

    def _add_up(self, body: Body) -> None:
        """Add the transfers to the sums of their day."""
        transfers = body.get("transfers")
        if not (isinstance(transfers, list) and transfers):
            return
        moved = self._days.setdefault(str(body.get("gaming_day")), {})
        for get in (_object(transfer).get for transfer in transfers):
            way = (str(get("from_kind")), str(get("to_kind")), str(get("asset")))
            moved[way] = moved.get(way, 0) + _number(get("cents"))

    def _person(self, body: Body) -> None:
        """Take what a record says of somebody."""
        at = str(body.get("recorded_at"))
        if body.get("kind") == "staff_changed":
            data, staff = _object(body.get("data")), self._people[STAFF]
            before, after = (register.said_of_staff(data.get(name)) for name in ("before", "after"))
            staff.say(_number(data.get("staff")), before, after, at)
        elif self._opened is not None and body.get("record") == "player_change":
            said = register.said_of_player(self._opened(body))
            self._people[PLAYERS].say(_number(body.get("player")), frozenset(), said, at)
        elif self._opened is not None and body.get("record") == "player_merge":
            into = str(_number(body.get("into")))
            self._people[PLAYERS].add(_number(body.get("merged")), "same_as", into, at)

    def _charge(self, body: Body) -> list[Any]:
        rate = _object(body.get("rate"))
        return [
            *_cells(body, "gaming_day", "session"),
            self._table_of(body),
            *_cells(body, "down", "sitting", "player"),
            _minute(body.get("minute_seconds")),
            cell(body.get("rule")),
            amount_text(_number(body.get("fee_cents"))),
            amount_text(_number(body.get("cents"))),
            *_cells(rate, "option", "version"),
            *_cells(body, "id", "charged_at"),
        ]

    def _taking(self, body: Body, evidence: Body) -> list[Any]:
        """Return the cells of a payment's charge. One of a closed day is known from its payment alone."""
        charge = self._open.pop(_number(evidence.get("charge")), None)
        if charge is None:
            known = {**evidence, "id": evidence.get("charge"), "gaming_day": body.get("gaming_day")}
            charge = self._charge(known)
        waiver = _object(evidence.get("waiver")).get("number")
        self._uncollected.pop(_number(evidence.get("charge")), None)
        numbers = (waiver, evidence.get("uncollected"), evidence.get("recovery"))
        return [*charge, cell(evidence.get("method")), cell(body.get("id")), *map(cell, numbers), ""]

    def _taking_back(self, body: Body, evidence: Body) -> list[Any]:
        """Return the cells of a payment that was taken back: its amount is below zero, and its charge is open again."""
        number, day = _number(evidence.get("charge")), body.get("gaming_day")
        charge = self._charge({**evidence, "id": number, "gaming_day": day})
        if day == evidence.get("charge_day"):  # one of a closed day stands there as open
            self._open[number] = charge
            if "uncollected" in evidence:
                self._uncollected[number] = evidence["uncollected"]
        back = [*charge]
        back[_COLUMNS["collections.csv"].index("amount")] = amount_text(-_number(evidence.get("cents")))
        waiver = _object(evidence.get("waiver")).get("number")
        numbers = (waiver, evidence.get("uncollected"), evidence.get("recovery"), evidence.get("slip"))
        return [*back, cell(evidence.get("method")), cell(body.get("id")), *map(cell, numbers)]

    def _round(self, body: Body, evidence: Body) -> list[Any]:
        deal = _object(evidence.get("input"))
        nets = _nets(evidence)
        return [
            *_cells({**body, **evidence}, "gaming_day", "session"),
            self._table_of(evidence),
            cell(evidence.get("round")),
            *_cells(body, "id", "kind"),
            *_cells(deal, "sheet", "version"),
            _amount(deal.get("limit")),
            *(_amount(nets.get(seat, "")) for seat in _SEATS),
        ]

    def _event(self, body: Body) -> None:
        data, session = _object(body.get("data")), _number(body.get("session"))
        match body.get("kind"):
            case "opened":
                self._table[session] = data.get("table")
            case "closed":
                self._table.pop(session, None)
            case "fee_uncollected" if _number(data.get("charge")) in self._open:
                self._uncollected[_number(data.get("charge"))] = data.get("number")
            case "seated" | "left" | "round_started" as kind:
                due = [number for number, one in self._ahead.items() if one.falls_due(kind, session, data)]
                for number in due:
                    del self._ahead[number]

    def _table_of(self, of: Mapping[str, Any]) -> str:
        return cell(self._table.get(_number(of.get("session"))))


def _by_place(moved: Mapping[Way, int]) -> dict[tuple[str, str], list[int]]:
    """What went into each kind of account, and out of it, by asset."""
    sums: dict[tuple[str, str], list[int]] = {}
    for (source, target, asset), cents in moved.items():
        for kind, side in ((target, 0), (source, 1)):
            sums.setdefault((kind, asset), [0, 0])[side] += cents
    return sums


class _PaidAhead:
    """A charge that was paid before a round of its down had started with the player there: only such a round makes it due.

    If the payment is taken back before that, nothing is owed.
    """

    def __init__(self, charge: Mapping[str, Any]) -> None:
        self.day = str(charge.get("gaming_day"))
        self._down, self._session = charge.get("down_id"), charge.get("session")
        self._player, self._sitting = charge.get("player"), charge.get("sitting")
        self._is_there = True

    def falls_due(self, kind: str, session: int, data: Mapping[str, Any]) -> bool:
        """Follow whether the player is at the table; return whether this event makes the charge due."""
        if kind == "left" and data.get("sitting") == self._sitting:
            self._is_there = False
        elif kind == "seated" and (session, data.get("player")) == (self._session, self._player):
            self._sitting, self._is_there = data.get("sitting"), True
        return kind == "round_started" and data.get("down_id") == self._down and self._is_there


class Journal:
    """Writes the lines of entries in journal.csv: in exports, on the portal, and in the papers that a house saves."""

    def __init__(self, offsets: Offsets) -> None:
        self._local = LocalTime(offsets)

    def lines(self, body: Body) -> list[bytes]:
        """Return a line for each transfer of an entry, or one if nothing moves. Their common part is formatted once."""
        local = self._local.of(body.get("occurred_at"))
        entry = _cells(body, "recorded_at", "id", "kind", "key")
        about = _cells(_object(body.get("evidence")), "session", "round", "down", "player")
        start = _joined([*_cells(body, "gaming_day", "occurred_at"), local, *entry, *about])
        end = _joined(_cells(body, "actor", "approver", "terminal", "reason", "reverses"))
        transfers = body.get("transfers")
        if not (isinstance(transfers, list) and transfers):
            return [_encoded(f"{start},0,,,,,,,{end}")]
        lines = []
        for number, get in enumerate((_object(transfer).get for transfer in transfers), 1):
            line = (
                f"{start},{number},{_written(str(get('from_kind')))},{_id(get('from'))},{_written(str(get('to_kind')))}"
                f",{_id(get('to'))},{_written(str(get('asset')))},{amount_text(_number(get('cents')))},{end}"
            )
            lines.append(_encoded(line))
        return lines


def names_of(*, players: bool) -> tuple[str, ...]:
    """Return the names of an export's papers."""
    return (*NAMES, PLAYERS) if players else NAMES


def closing_lines(closed: Body) -> Iterator[bytes]:
    """Yield the lines of closing_balances.csv for a closed day: each account that holds something, and the sum of each asset."""
    balances, sums = closed.get("balances"), dict.fromkeys(("chips", "cash"), 0)
    for line in balances if isinstance(balances, list) else ():
        if isinstance(line, list) and len(line) == 4:
            asset, kind, account, cents = cell(line[0]), cell(line[1]), cell(line[2]), _number(line[3])
            sums[asset] = sums.get(asset, 0) + cents
            yield line_of([*_cells(closed, "gaming_day"), asset, kind, account, amount_text(cents)])
    for asset, cents in sums.items():
        yield line_of([*_cells(closed, "gaming_day"), asset, "together", "", amount_text(cents)])


def _slip_lines(slip: Mapping[str, Any], result: Mapping[str, Any]) -> Iterator[Line]:
    """A line for each denomination of a cage slip, as both people counted it; one without any for a slip that waits."""
    first, second = _pieces(slip.get("pieces")), _pieces(result.get("pieces"))
    start = [*_cells(slip, "gaming_day", "number", "way"), cell(result.get("outcome"))]
    end = [*_cells(slip, "counted_by", "counted_at"), *_cells(result, "person", "at", "reason", "entry")]
    for asset, value in sorted({*first, *second}, key=lambda place: (place[0] != "chips", -place[1])):
        counts = (first.get((asset, value)), second.get((asset, value)))
        amount = amount_text(value * _number(counts[0]))
        yield (
            "cage_slips.csv",
            line_of([*start, asset, amount_text(value), *map(cell, counts), amount, *end]),
        )
    if not (first or second):
        yield "cage_slips.csv", line_of([*start, "", "", "", "", "", *end])


def _pieces(data: Any) -> dict[tuple[str, int], int]:
    """How many pieces there are of each denomination, by asset and cents, as far as that can be read."""
    found = {}
    for asset in ("chips", "cash"):
        lines = _object(data).get(asset)
        for line in lines if isinstance(lines, list) else []:
            if isinstance(line, list) and len(line) == 2 and all(type(part) is int for part in line):
                found[asset, line[0]] = line[1]
    return found


def _nets(evidence: Body) -> Mapping[str, Any]:
    """Return each seat's net result as text; in a race the match's result, once it is won."""
    if "match" not in evidence:
        return {seat: _cents(result) for seat, result in _object(evidence.get("result")).items()}
    match = _object(evidence.get("match"))
    cents = dict.fromkeys(_object(match.get("after")), 0)
    paid = match.get("payments")
    for payment in map(_object, paid if isinstance(paid, list) else []):
        amount = str(payment.get("paid"))
        moved = int(amount.replace(".", "")) if _AMOUNT.fullmatch(amount) else 0
        for end, sign in (("from", -1), ("to", 1)):
            seat = str(payment.get(end))
            cents[seat] = cents.get(seat, 0) + sign * moved
    return {seat: amount_text(net) for seat, net in cents.items()}


def _cents(result: Any) -> str:
    """The money of a seat's result, which is its points and its cents; other forms as they are."""
    if isinstance(result, list) and len(result) == 2 and type(result[1]) is int:
        return amount_text(result[1])
    return str(result)


class _Echo:
    """A write-through buffer: lets csv.writer return each line instead of storing it."""

    def write(self, line: str) -> str:
        return line


_WRITE: Any = csv.writer(_Echo(), lineterminator="\r\n").writerow


def line_of(cells: Sequence[str]) -> bytes:
    """Return a line of CSV with its end."""
    return _encoded(_joined(cells))


def _joined(cells: Sequence[str]) -> str:
    """Return a line of two or more cells, without its end. Nearly none has a cell that needs quotes."""
    line = ",".join(cells)
    if line.count(",") < len(cells) and '"' not in line and "\n" not in line and "\r" not in line:
        return line
    written: str = _WRITE(cells)
    return written[:-2]


def _encoded(line: str) -> bytes:
    return (line + "\r\n").encode(errors="replace")


def _cells(of: Mapping[str, Any], *names: str) -> list[str]:
    return [cell(of.get(name)) for name in names]


def cell(value: Any) -> str:
    """Return a cell's text. A leading ' protects what a spreadsheet would read as a formula."""
    if value is None:
        return ""
    if type(value) is int:
        return str(value)
    text = str(value)
    return f"'{text}" if text[:1] in _FORMULA else text


@lru_cache(maxsize=256)
def _written(text: str) -> str:
    """Return text as a CSV cell, quoted if needed."""
    line: str = _WRITE([cell(text), ""])
    return line[:-3]


def _id(value: Any) -> str:
    """Return an account's id as a CSV cell."""
    return str(value) if type(value) is int else _written(str(value))


def _amount(value: Any) -> str:
    """Return an amount given as text in the record; a negative one stays a number for a spreadsheet."""
    return value if isinstance(value, str) and _AMOUNT.fullmatch(value) else cell(value)


def _minute(seconds: Any) -> str:
    """Format `1200.000000` as 20:00.000000: minutes on the table's clock."""
    found = _MINUTE.fullmatch(seconds) if isinstance(seconds, str) else None
    if found is None:
        return cell(seconds)
    whole = int(found[1][:18])
    return f"{whole // 60}:{whole % 60:02d}.{found[2]:0<6}"


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: Any) -> int:
    return value if type(value) is int else 0
