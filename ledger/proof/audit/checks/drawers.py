"""Cashiers' drawers in the log: numbered without gaps, one open for each cashier, filled and worked by that
cashier alone, counted empty by the slip that closes them, and closed before their day is. Pure. Only
drawers that open in the given records can be judged."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ledger.chart import AccountKind, EntryKind
from ledger.proof.audit.checks.accounts import Accounts
from ledger.records.findings import Body, Numbering, Problem
from ledger.rules.slip_ways import POSTED_AS, counted_at_once, overtaken

_REFILLS = (EntryKind.DRAWER_ISSUE, EntryKind.DRAWER_RETURN)
_SLIPS = frozenset((*_REFILLS, EntryKind.DRAWER_CLOSE))
_OWN = frozenset((EntryKind.CHIP_SALE, EntryKind.CHIP_REDEMPTION, EntryKind.COLLECTION, *_REFILLS))
"""What a cashier does with their own drawer alone; another one may close it."""
_DRAWER = AccountKind.DRAWER.value


@dataclass(frozen=True, slots=True)
class _Drawer:
    id: int
    number: int
    cashier: int
    day: str
    accounts: tuple[int, int]

    @property
    def name(self) -> str:
        return f"Drawer {self.number}"


class Drawers:
    def __init__(self, accounts: Accounts, *, whole: bool) -> None:
        self._accounts, self._whole = accounts, whole
        self._numbers = Numbering("drawer", whole=whole)
        self._open: dict[int, _Drawer] = {}
        self._by_account: dict[int, _Drawer] = {}
        self._waiting: dict[int, tuple[str, int]] = {}  # by slip without its second count: way and drawer
        self._overtaken: set[int] = set()  # those of them whose drawer moved since
        self.opened = self.closed = self.older = 0

    def take(self, body: Body) -> Iterator[Problem]:
        """Judge the opening of a drawer."""
        yield from self._numbers.gap(body["number"])
        self.opened += 1
        accounts = body["chips"], body["cash"]
        drawer = _Drawer(body["id"], body["number"], body["cashier"], body["gaming_day"], accounts)
        for other in self._open.values():
            if other.cashier == drawer.cashier:
                yield "drawer_open", f"Its cashier had {other.name} open."
        for account, asset in zip(accounts, ("chips", "cash"), strict=True):
            if account in self._by_account or self._accounts.known(account):
                yield "wrong_account", f"Account {account} was another one before."
            self._accounts.begin(account, (_DRAWER, asset), 0)
            self._by_account[account] = drawer
        self._open[drawer.id] = drawer

    def cashier_of(self, body: Body) -> int | None:
        """Return the cashier whose drawer an entry closes, before it is posted; None if unknown."""
        closes = body["kind"] == EntryKind.DRAWER_CLOSE
        drawer = self._open.get(body["evidence"]["drawer"]) if closes else None
        return drawer.cashier if drawer is not None else None

    def entry(self, body: Body, *, newer: bool) -> Iterable[Problem]:
        """Judge the drawers that an entry moves, before it is posted. `newer`: the house uses something that
        version 0.2.0 lacked."""
        kind, moved = body["kind"], _moved(body)
        if not moved and kind not in _SLIPS:
            return ()
        problems = tuple(self._judged(body, kind, moved))
        if kind == EntryKind.DRAWER_CLOSE:
            had = body["evidence"]["slip"] in self._overtaken
            if code := overtaken("closing", moved=had, newer=newer):
                return *problems, (code, "Something moved its drawer between its two counts.")
            return problems
        drawers = {self._by_account[account].id for account in moved if account in self._by_account}
        self._overtaken |= {slip for slip, (_, drawer) in self._waiting.items() if drawer in drawers}
        return problems

    def slip(self, body: Body, *, newer: bool) -> Iterator[Problem]:
        """Judge the first count of a cage slip. One for a drawer names an open drawer: the counter's own,
        unless it is being closed. Others, out of the house or into it, name none."""
        if body["record"] != "cage_slip":
            self._waiting.pop(body["slip"], None)
            self._overtaken.discard(body["slip"])
            return
        kind, number = POSTED_AS.get(body["way"]), body["drawer"]
        drawer = self._open.get(number)
        if kind is None or (number is None) == (kind in _SLIPS):
            yield "wrong_slip", "It goes no way that a slip goes, or not with this drawer."
        elif drawer is None:
            if self._whole and number is not None:
                yield "wrong_drawer", "It is of a drawer that was not open."
        elif kind in _OWN and drawer.cashier != body["counted_by"]:
            yield "not_your_drawer", f"It is of {drawer.name}, which is another cashier's."
        if number is not None:
            waiting = [way for way, of in self._waiting.values() if of == number]
            if counted_at_once(body["way"], waiting, newer=newer):
                yield "slip_waits", "Another count that closes its drawer waited for its second one."
            self._waiting[body["id"]] = body["way"], number

    def unclosed(self, day: str) -> Iterator[Problem]:
        """Judge the closing of a gaming day: its drawers, and those of the days before, have been closed."""
        for drawer in self._open.values():
            if drawer.day <= day:
                yield "drawer_open", f"{drawer.name} of gaming day {drawer.day} was still open."

    def _judged(self, body: Body, kind: str, moved: list[int]) -> Iterator[Problem]:
        for account in moved:
            drawer = self._by_account.get(account)
            if drawer is None:
                self.older += not self._whole
                if self._whole:
                    yield "wrong_account", f"Account {account} is of no open drawer."
            elif kind in _OWN and drawer.cashier != body["actor"]:
                yield "not_your_drawer", f"It moves {drawer.name}, which is another cashier's."
        if kind in _SLIPS:
            yield from self._by_slip(body, kind, moved)

    def _by_slip(self, body: Body, kind: str, moved: list[int]) -> Iterator[Problem]:
        said = body["evidence"]
        drawer = self._open.get(said["drawer"])
        if drawer is None:
            if self._whole:
                yield "wrong_drawer", f"Drawer {said['drawer_number']} was not open."
            return
        if said["drawer_number"] != drawer.number or not {*moved} <= {*drawer.accounts}:
            yield "wrong_drawer", f"It moves another drawer than {drawer.name}, or names another."
        if kind == EntryKind.DRAWER_CLOSE:
            for account in drawer.accounts:
                if self._accounts.held(account) != _out_of(body, account):
                    yield "not_empty", f"It closes {drawer.name} and leaves something in it."
                del self._by_account[account]
            del self._open[drawer.id]
            self.closed += 1


def _moved(body: Body) -> list[int]:
    ends = ((line, end) for line in body["transfers"] for end in ("from", "to"))
    return [line[end] for line, end in ends if line[f"{end}_kind"] == _DRAWER]


def _out_of(body: Body, account: int) -> int:
    return sum(line["cents"] for line in body["transfers"] if line["from"] == account)
