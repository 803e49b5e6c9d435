"""The papers of the books: journal, cage slips, trial balance, closing balances, staff and their rights, and
what the house runs on. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from ledger.money import amount_text
from ledger.papers.cells import cell, cells, encoded, joined, line_of, listed, mapping, number, quoted
from ledger.papers.paper import Paper, PaperGroup, PaperSource, PartsPaper, declare_papers
from ledger.papers.people import Particulars, PeoplePaper
from ledger.records.findings import Body
from ledger.rules.local_time import LocalTime, Offsets

Way = tuple[str, str, str]
"""Source kind of account, target kind, asset."""


class JournalPaper(Paper):
    name = "journal.csv"
    title = "Journal"
    purpose = "Every movement of chips and cash of the day, one line each, with who made it and why"
    unprinted = ("occurred_at", "recorded_at", "key", "session", "down", "line", "terminal")
    columns = (
        *("gaming_day", "occurred_at", "local_time", "recorded_at", "entry", "kind", "key", "session"),
        *("round", "down", "player", "line", "from_kind", "from", "to_kind", "to", "asset", "amount"),
        *("actor", "approver", "terminal", "reason", "reverses"),
    )
    place = 100
    takes = frozenset({"entry"})

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._written = JournalLines(setting.offsets)

    def take(self, body: Body) -> list[bytes]:
        return self._written.of(body)


class JournalLines:
    """Writes journal.csv: in exports, on the portal, and in the house's saved papers."""

    def __init__(self, offsets: Offsets) -> None:
        self._local = LocalTime(offsets)

    def of(self, body: Body) -> list[bytes]:
        """Return a line for each transfer of an entry, or one if nothing moves."""
        local = self._local.of(body.get("occurred_at"))
        entry = cells(body, "recorded_at", "id", "kind", "key")
        about = cells(mapping(body.get("evidence")), "session", "round", "down", "player")
        start = joined([*cells(body, "gaming_day", "occurred_at"), local, *entry, *about])
        end = joined(cells(body, "actor", "approver", "terminal", "reason", "reverses"))
        transfers = body.get("transfers")
        if not (isinstance(transfers, list) and transfers):
            return [encoded(f"{start},0,,,,,,,{end}")]
        lines = []
        for line, get in enumerate((mapping(transfer).get for transfer in transfers), 1):
            text = (
                f"{start},{line},{quoted(str(get('from_kind')))},{_id(get('from'))}"
                f",{quoted(str(get('to_kind')))},{_id(get('to'))},{quoted(str(get('asset')))}"
                f",{amount_text(number(get('cents')))},{end}"
            )
            lines.append(encoded(text))
        return lines


def _id(value: Any) -> str:
    return str(value) if type(value) is int else quoted(str(value))


class CageSlipsPaper(Paper):
    """A line for each denomination of a cage slip, as both people counted it. A slip that still waits when
    its day closes is listed as waiting; its outcome is listed on the day it comes."""

    name = "cage_slips.csv"
    title = "Cage slips"
    purpose = "What was counted into and out of the vault and the drawers, by denomination, by two people"
    law = "4 CCR 12386"
    columns = (
        *("gaming_day", "shift", "number", "way", "outcome", "asset", "denomination", "first_count"),
        *("second_count", "amount", "counted_by", "counted_at", "person", "at", "reason", "entry"),
    )
    group = PaperGroup.CAGE
    place = 400
    takes = frozenset({"cage_slip", "cage_slip_result", "closed_day"})

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._waiting: dict[int, Mapping[str, Any]] = {}

    def take(self, body: Body) -> Iterator[bytes]:
        match body.get("record"):
            case "cage_slip":
                shift = self.setting.shift(body.get("gaming_day"), body.get("counted_at"))
                self._waiting[number(body.get("id"))] = {**body, "shift": shift}
            case "cage_slip_result":
                yield from _slip_lines(self._waiting.pop(number(body.get("slip")), {}), body)
            case "closed_day":
                yield from self._unfinished(str(body.get("gaming_day")))

    def finish(self) -> Iterator[bytes]:
        yield from self._unfinished(None)

    def _unfinished(self, day: str | None) -> Iterator[bytes]:
        for one in sorted(self._waiting):
            slip = self._waiting[one]
            on = slip.get("gaming_day")
            if on is not None and (day is None or str(on) <= day):
                yield from _slip_lines({**slip, "pieces": None}, {"outcome": "waiting"})
                self._waiting[one] = {**slip, "gaming_day": None}


def _slip_lines(slip: Mapping[str, Any], result: Mapping[str, Any]) -> Iterator[bytes]:
    first, second = _pieces(slip.get("pieces")), _pieces(result.get("pieces"))
    start = [*cells(slip, "gaming_day", "shift", "number", "way"), cell(result.get("outcome"))]
    end = [*cells(slip, "counted_by", "counted_at"), *cells(result, "person", "at", "reason", "entry")]
    for asset, value in sorted({*first, *second}, key=lambda place: (place[0] != "chips", -place[1])):
        counts = (first.get((asset, value)), second.get((asset, value)))
        amount = amount_text(value * number(counts[0]))
        yield line_of([*start, asset, amount_text(value), *map(cell, counts), amount, *end])
    if not (first or second):
        yield line_of([*start, "", "", "", "", "", *end])


def _pieces(data: Any) -> dict[tuple[str, int], int]:
    found = {}
    for asset in ("chips", "cash"):
        lines = mapping(data).get(asset)
        for line in lines if isinstance(lines, list) else []:
            if isinstance(line, list) and len(line) == 2 and all(type(part) is int for part in line):
                found[asset, line[0]] = line[1]
    return found


class TrialBalancePaper(Paper):
    """Turnover of each kind of account on each gaming day, and the balance then, if that is known."""

    name = "trial_balance.csv"
    title = "Trial balance"
    purpose = "What each kind of account gained and lost, and its balance"
    columns = ("gaming_day", "account_kind", "asset", "in", "out", "balance")
    place = 500
    takes = frozenset({"entry"})

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._days: dict[str, dict[Way, int]] = {}

    def take(self, body: Body) -> tuple[()]:
        transfers = body.get("transfers")
        if isinstance(transfers, list) and transfers:
            moved = self._days.setdefault(str(body.get("gaming_day")), {})
            for get in (mapping(transfer).get for transfer in transfers):
                way = (str(get("from_kind")), str(get("to_kind")), str(get("asset")))
                moved[way] = moved.get(way, 0) + number(get("cents"))
        return ()

    def finish(self) -> Iterator[bytes]:
        balances: dict[tuple[str, str], int] = {}
        for day in sorted(self._days):
            for place, (into, out) in sorted(_by_place(self._days[day]).items()):
                balances[place] = balances.get(place, 0) + into - out
                balance = amount_text(balances[place]) if self.setting.whole else ""
                yield line_of([cell(day), *map(cell, place), amount_text(into), amount_text(out), balance])


def _by_place(moved: Mapping[Way, int]) -> dict[tuple[str, str], list[int]]:
    sums: dict[tuple[str, str], list[int]] = {}
    for (source, target, asset), cents in moved.items():
        for kind, side in ((target, 0), (source, 1)):
            sums.setdefault((kind, asset), [0, 0])[side] += cents
    return sums


class ClosingBalancesPaper(Paper):
    name = "closing_balances.csv"
    title = "Closing balances"
    purpose = "What every account held when the day was closed"
    signs = ("Prepared by", "Verified by")
    columns = ("gaming_day", "asset", "account_kind", "account", "balance")
    place = 600
    takes = frozenset({"closed_day"})

    def take(self, body: Body) -> Iterator[bytes]:
        return closing_lines(body)


def closing_lines(closed: Body) -> Iterator[bytes]:
    """Yield closing_balances.csv for a closed day: each account with a balance, and each asset's sum."""
    balances, sums = closed.get("balances"), dict.fromkeys(("chips", "cash"), 0)
    for line in balances if isinstance(balances, list) else ():
        if isinstance(line, list) and len(line) == 4:
            asset, kind, account, cents = cell(line[0]), cell(line[1]), cell(line[2]), number(line[3])
            sums[asset] = sums.get(asset, 0) + cents
            yield line_of([*cells(closed, "gaming_day"), asset, kind, account, amount_text(cents)])
    for asset, cents in sums.items():
        yield line_of([*cells(closed, "gaming_day"), asset, "together", "", amount_text(cents)])


class StaffPaper(PeoplePaper):
    name = "staff.csv"
    title = "Staff"
    purpose = "Who the numbers of the staff are: names, badges and roles, since when"
    place = 700
    takes = None

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._acted: set[int] = set()

    def earlier(self, body: Body) -> None:
        if body.get("kind") == "staff_changed":
            data = mapping(body.get("data"))
            before, after = (_particulars_of_staff(data.get(name)) for name in ("before", "after"))
            self._people.say(number(data.get("staff")), before, after, str(body.get("recorded_at")))

    def take(self, body: Body) -> tuple[()]:
        if type(actor := body.get("actor")) is int:
            self._acted.add(actor)
        if body.get("record") == "house_event":
            self.earlier(body)
        return ()

    @property
    def unnamed(self) -> list[int]:
        return sorted(one for one in self._acted if one not in self._people)


def _particulars_of_staff(facts: Any) -> Particulars:
    if not isinstance(facts, dict):
        return frozenset()
    names = {"username": "username", "full_name": "name", "badge": "badge"}
    particulars = {(what, str(facts[name])) for name, what in names.items() if facts.get(name)}
    roles = facts.get("roles")
    particulars |= {("role", str(role)) for role in (roles if isinstance(roles, list) else ())}
    return frozenset(particulars | ({("works_here", "yes")} if facts.get("is_active") else set()))


class AccessPaper(PartsPaper):
    """A line for each person of a review, as its record has them."""

    name = "access.csv"
    title = "User access"
    purpose = "Who had which rights when they were reviewed, with reviewer and date, quarter by quarter"
    signs = ("Reviewed by", "Second person")
    unprinted = ("at", "number", "terminal")
    columns = (
        *("gaming_day", "shift", "number", "quarter", "person", "username", "name", "roles", "created"),
        *("last_sign_in", "works_here", "at", "local_time", "actor", "approver", "terminal"),
    )
    place = 533
    event, parts = "access_reviewed", "people"

    def line(self, data: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
        return {
            "quarter": data.get("quarter"),
            "approver": data.get("approver"),
            "person": part.get("staff"),
            "name": part.get("full_name"),
            "roles": listed(part.get("roles")),
            "works_here": "yes" if part.get("is_active") is True else "no",
        }


class SystemPaper(PartsPaper):
    """A line for each fact of each statement. The program makes one when it starts on something else than
    before."""

    name = "system.csv"
    title = "System"
    purpose = "Versions, migrations, settings, the jurisdiction's file and the sheets, whenever they changed"
    law = "4 CCR 12003, 12381"
    signs = ("Inspected by",)
    unprinted = ("at", "record_id", "shift")
    columns = ("gaming_day", "shift", "part", "name", "value", "at", "local_time", "record_id")
    place = 535
    event, parts = "system_stated", "facts"


declare_papers(
    *(JournalPaper, CageSlipsPaper, TrialBalancePaper, ClosingBalancesPaper, StaffPaper),
    *(AccessPaper, SystemPaper),
)
