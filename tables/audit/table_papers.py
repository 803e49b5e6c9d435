"""The papers of tables besides collections and rounds: the outcome of each fee, uncollected fees and
recoveries, the result of each table, each player's stack, and the rates. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date, timedelta
from typing import Any, Final

from ledger.chart import AccountKind, EntryKind
from ledger.papers.cells import mapping, mappings, number
from ledger.papers.paper import DayPaper, PaperGroup, PaperSource, declare_papers
from ledger.papers.slips import table_in
from ledger.records.findings import Body
from ledger.rules.documents import COUNTED
from tables.audit.papers import PaidAhead, PaperAtTables

_TAKING: Final = frozenset((EntryKind.COLLECTION, EntryKind.WAIVER))
_TAKING_BACK: Final = frozenset((EntryKind.REVERSAL, EntryKind.UNDO))
_MONEY: Final = ("stack", "cash", "cage")
"""The ways of taking a fee in which something moves."""
_AT_TABLES: Final = frozenset({"opened", "closed"})


class DownDetailPaper(PaperAtTables, DayPaper):
    """A line for each charge of a gaming day, as it stands when the day is closed."""

    name = "down_detail.csv"
    title = "Down detail"
    purpose = "Each fee of each down: seat, minute, rule, before which round, who took it, and its chain"
    law = "Penal Code 337j(f)"
    group = PaperGroup.COLLECTION
    later = True
    sums = ("amount", "paid")
    signs = ("Prepared by", "Verified by")
    columns = (
        *("gaming_day", "shift", "table", "down", "seat", "player", "entered_at", "minute", "rule", "fee"),
        *("amount", "paid", "taken_by", "actor", "at", "round", "chain", "charge"),
    )
    unprinted = ("charge",)
    place = 210
    takes = frozenset({"entry", "charge", "table_event", "closed_day"})
    kinds = frozenset(
        (*_TAKING, *_TAKING_BACK, *_AT_TABLES, "seated", "seat_changed", "left", "round_started")
    ) | {"fee_uncollected"}

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._seats: dict[int, Any] = {}
        self._unseated: dict[int, list[dict[str, Any]]] = {}
        self._charges: dict[int, dict[str, Any]] = {}
        self._rounds: dict[int, Any] = {}
        self._ahead: dict[int, PaidAhead] = {}

    def follow(self, body: Body) -> None:
        match body.get("record"):
            case "charge":
                self._charge(body)
            case "table_event":
                self._event(body)
            case "entry":
                self._entry(body)

    def lines(self, rows: Iterable[dict[str, Any]], closed: Body | None) -> Iterator[Mapping[str, Any]]:
        for row in self._charges.values():
            row["round"] = row["round"] or self._rounds.get(row["round of"])
        self._rounds.clear()
        self._unseated.clear()
        for row in rows:
            charge = row["charge"]
            if self._charges.pop(charge, None) and row["taken_by"] == "open" and charge in self._ahead:
                row["taken_by"] = "not owed"
            self._ahead.pop(charge, None)
            yield row

    def _charge(self, body: Body) -> None:
        charge, day = number(body.get("id")), body.get("gaming_day")
        sitting = number(body.get("sitting"))
        row = self._charges[charge] = self.row(day, charge)
        row |= {name: body.get(name) for name in ("down", "player", "entered_at", "rule")}
        row |= {
            "shift": self.setting.shift(day, body.get("charged_at")),
            "table": self._tables.cell(body),
            "seat": self._seats.get(sitting),
            "minute": body.get("minute_seconds"),
            "fee": number(body.get("fee_cents")),
            "amount": number(body.get("cents")),
            "paid": 0,
            "taken_by": "open",
            "charge": charge,
            "round": None,
            "round of": number(body.get("round_id")),
        }
        if row["seat"] is None:  # recorded late: a fee that was owed by then comes before the sitting
            self._unseated.setdefault(sitting, []).append(row)
        if body.get("round_id") is None:
            self._ahead[charge] = PaidAhead(body)

    def _event(self, body: Body) -> None:
        data, session = mapping(body.get("data")), number(body.get("session"))
        sitting, kind = number(data.get("sitting")), str(body.get("kind"))
        self._tables.take(body)
        match kind:
            case "seated":
                self._seats[sitting] = data.get("seat")
                for row in self._unseated.pop(sitting, ()):
                    row["seat"] = data.get("seat")
            case "seat_changed":
                self._seats[sitting] = data.get("to_seat")
            case "left":
                self._seats.pop(sitting, None)
            case "fee_uncollected":
                row = self._charges.get(number(data.get("charge")), {})
                if row.get("taken_by") == "open":
                    row["taken_by"] = "uncollected"
            case "round_started":
                self._rounds[number(data.get("round_id"))] = data.get("round")
        for charge in [one for one, ahead in self._ahead.items() if ahead.falls_due(kind, session, data)]:
            del self._ahead[charge]
            self._charges.get(charge, {})["round"] = data.get("round")

    def _entry(self, body: Body) -> None:
        said = mapping(body.get("evidence"))
        row = self._charges.get(number(said.get("charge")))
        back = body.get("kind") in _TAKING_BACK
        if row is None or (back and str(said.get("of")) not in _TAKING):
            return
        method = str(said.get("method"))
        link = f"{body.get('kind')} {body.get('id')}"
        row["chain"] = f"{row['chain']}; {link}" if "chain" in row else link
        row |= {"taken_by": "open" if back else method, "actor": body.get("actor")}
        row["at"] = body.get("occurred_at")
        row["paid"] = number(said.get("cents")) if method in _MONEY and not back else 0


class UncollectedPaper(PaperAtTables):
    """A line for each fee recorded as uncollected, and for each later recovery or its reversal."""

    name = "uncollected.csv"
    title = "Uncollected fees and recovery"
    purpose = "Each fee that nobody paid, by number, with who owed it and why, and its later recovery"
    law = "Penal Code 337j(f)"
    group = PaperGroup.COLLECTION
    later = True
    sums = ("owed", "recovered")
    signs = ("Prepared by", "Verified by")
    columns = (
        *("gaming_day", "shift", "uncollected", "recovery", "table", "seat", "player", "state", "owed"),
        *("recovered", "way", "reason", "actor", "at", "local_time", "charge", "entry"),
    )
    unprinted = ("at",)
    place = 220
    takes = frozenset({"entry", "table_event"})
    kinds = frozenset((EntryKind.COLLECTION, *_TAKING_BACK, *_AT_TABLES, "fee_uncollected"))

    def take(self, body: Body) -> Iterator[bytes]:
        if body.get("record") == "table_event":
            self._tables.take(body)
        said = mapping(body.get("data" if body.get("record") == "table_event" else "evidence"))
        if body.get("kind") == "fee_uncollected":
            state = {"state": "uncollected", "uncollected": said.get("number"), "owed": said.get("cents")}
            yield self._line(body, said, said.get("gaming_day"), body.get("at"), state)
        elif "recovery" in said:
            back = body.get("kind") in _TAKING_BACK
            state = {"state": "taken_back" if back else "recovered", "uncollected": said.get("uncollected")}
            state |= {"recovered": number(said.get("cents")) * (-1 if back else 1), "way": said.get("method")}
            state |= {"entry": body.get("id"), "recovery": said.get("recovery")}
            yield self._line(body, said, body.get("gaming_day"), body.get("occurred_at"), state)

    def _line(self, body: Body, said: Body, day: object, at: object, state: Mapping[str, Any]) -> bytes:
        about = {name: said.get(name) for name in ("seat", "player", "charge")}
        session = said.get("due_session", body.get("session", said.get("session")))
        about |= {"table": self._tables.cell({"session": session}), "actor": body.get("actor")}
        about["reason"] = said.get("reason") or body.get("reason")
        return self.written({**self.dated(day, at), **about, **state})


_SLIPS: Final = {"opener": "openers", "fill": "fills", "credit": "credits", "closer": "closers"}
_FIGURES: Final = (
    *("fees_stack", "fees_cash", "fees_cage", "fees_taken", "waived", "fees_uncollected"),
    *(*_SLIPS.values(), "drop_chips", "drop_cash", "over_box", "over_bank", "variance"),
)


class MasterPaper(PaperAtTables, DayPaper):
    """A line for each table of a gaming day. Slips count in the day on which they arrived, fees where they
    were taken."""

    name = "master.csv"
    title = "Master report"
    purpose = "Every table of the day: fees by how they were paid, fills, credits, drop and variance"
    law = "4 CCR 12312"
    group = PaperGroup.COLLECTION
    later = True
    sums = _FIGURES
    signs = ("Prepared by", "Verified by")
    columns = ("gaming_day", "table", *_FIGURES, "negative")
    place = 180
    takes = frozenset({"entry", "table_event", "document_step", "closed_day"})
    kinds = frozenset(
        (*_TAKING, *_TAKING_BACK, *_AT_TABLES, "fee_uncollected", EntryKind.DROP, EntryKind.BANK_COUNT)
    )

    def follow(self, body: Body) -> None:
        if body.get("record") == "document_step":
            series = _SLIPS.get(str(body.get("series")))
            if series and str(body.get("step")) in COUNTED:
                cents = number(body.get("chips_cents")) + number(body.get("cash_cents"))
                self._add(body.get("gaming_day"), table_in(body.get("place")), **{series: cents})
        elif body.get("record") == "table_event":
            data = mapping(body.get("data"))
            self._tables.take(body)
            if body.get("kind") == "fee_uncollected":
                table = self._tables.cell(body)
                self._add(data.get("gaming_day"), table, fees_uncollected=number(data.get("cents")))
        else:
            self._entry(body, mapping(body.get("evidence")))

    def _entry(self, body: Body, said: Body) -> None:
        kind, day = body.get("kind"), body.get("gaming_day")
        if kind == EntryKind.DROP:
            counted, expected = mapping(said.get("counted")), mapping(said.get("expected"))
            drop = {f"drop_{asset}": number(counted.get(asset)) for asset in ("chips", "cash")}
            over = sum(drop.values()) - sum(number(expected.get(asset)) for asset in ("chips", "cash"))
            self._add(day, table_in(said.get("place")), **drop, over_box=over, variance=over)
        elif kind == EntryKind.BANK_COUNT:
            over = number(said.get("over_chips_cents")) + number(said.get("over_cash_cents"))
            self._add(day, said.get("table"), over_bank=over, variance=over)
        elif kind in _TAKING or str(said.get("of")) in _TAKING:
            cents = number(said.get("cents")) * (1 if kind in _TAKING else -1)
            method, table = str(said.get("method")), self._tables.cell(said)
            if method == "waived":
                self._add(day, table, waived=cents)
            elif method in _MONEY:
                self._add(day, table, **{f"fees_{method}": cents}, fees_taken=cents)

    def _add(self, day: object, table: object, **cents: int) -> None:
        row = self.row(day, str(table or ""))
        row["table"] = str(table or "")
        for name, value in cents.items():
            row[name] = number(row.get(name)) + value

    def lines(self, rows: Iterable[dict[str, Any]], closed: Body | None) -> Iterator[Mapping[str, Any]]:
        for row in sorted(rows, key=lambda row: row["table"].zfill(20)):
            negative = [name for name in _FIGURES if number(row.get(name)) < 0]
            yield dict.fromkeys(_FIGURES, 0) | row | {"negative": ", ".join(negative)}


class RatesPaper(PaperAtTables):
    """The rates in the records, and the tables at which each was charged."""

    name = "rates.csv"
    title = "Rate history"
    purpose = "Every version of each collection rate: amount, approval, since when, at which tables"
    law = "Penal Code 337j(f)"
    group = PaperGroup.COLLECTION
    later = True
    by_day = False
    columns = (
        *("option", "version", "limit", "fee", "reference", "effective_from", "effective_to"),
        *("published_by", "recorded_at", "tables"),
    )
    signs = ("Prepared by", "Verified by")
    place = 230
    takes = frozenset({"rate", "table_event"})
    kinds = frozenset((*_AT_TABLES, "rate_changed"))

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._rates: dict[tuple[int, int], dict[str, Any]] = {}
        self._bound: dict[tuple[int, int], set[str]] = {}

    def earlier(self, body: Body) -> None:
        if body.get("record") == "rate":
            self._rates[_named(body)] = {
                **body,
                "limit": number(body.get("limit_cents")),
                "fee": number(body.get("fee_cents")),
                "reference": body.get("approval_reference"),
            }

    def take(self, body: Body) -> tuple[()]:
        self.earlier(body)
        if body.get("record") == "table_event":
            rate = mapping(mapping(body.get("data")).get("rate"))
            if body.get("kind") == "opened":
                self._tables.take(body)
            if rate and (table := self._tables.cell(body)):
                self._bound.setdefault(_named(rate), set()).add(table)
            if body.get("kind") == "closed":
                self._tables.take(body)
        return ()

    def finish(self) -> Iterator[bytes]:
        for option, version in sorted(self._rates):
            follows = mapping(self._rates.get((option, version + 1))).get("effective_from")
            tables = sorted(self._bound.get((option, version), ()), key=lambda table: table.zfill(20))
            said = {"effective_to": _day_before(follows), "tables": ", ".join(tables)}
            yield self.written(self._rates[option, version] | said)


def _named(rate: Body) -> tuple[int, int]:
    return number(rate.get("option")), number(rate.get("version"))


def _day_before(day: object) -> str:
    with suppress(ValueError, OverflowError):
        return str(date.fromisoformat(str(day)) - timedelta(days=1))
    return ""


_PLAYED: Final = frozenset((EntryKind.ROUND, EntryKind.HAND_SETTLEMENT))
_SITS: Final = frozenset((EntryKind.BUY_IN, EntryKind.TABLE_MOVE))


class PlayerLedgerPaper(PaperAtTables):
    """A line for each entry that moves a player's stack or takes their fee, and for each round that a player
    was dealt, with the stack before and after it."""

    name = "player_ledger.csv"
    title = "Player bank ledger"
    purpose = "Each player's buy-ins, add-ons, rounds with the stack before and after, fees and cash-outs"
    group = PaperGroup.PLAYERS
    later = True
    names_players = True
    sums = ("in", "out", "collected")
    columns = (
        *("gaming_day", "shift", "player", "table", "seat", "at", "local_time", "kind", "round", "way"),
        *("before", "in", "out", "after", "collected", "actor", "reverses", "entry"),
    )
    unprinted = ("at", "entry")
    place = 810
    takes = frozenset({"entry", "table_event"})
    kinds = frozenset(
        (*_TAKING, *_TAKING_BACK, *_AT_TABLES, *_PLAYED, *_SITS, "seated", "seat_changed", "left")
    ) | {"round_started", "round_voided", "add_on", "cash_out", "toke", "correction", "document_sent"}

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._stacks: dict[int, dict[str, Any]] = {}
        self._sittings: dict[int, int] = {}
        self._dealt: dict[int, dict[int, int]] = {}

    def take(self, body: Body) -> Iterator[bytes]:
        if body.get("record") == "entry":
            yield from self._entry(body, mapping(body.get("evidence")))
        else:
            self._event(body, mapping(body.get("data")))

    def _event(self, body: Body, data: Body) -> None:
        self._tables.take(body)
        sitting = number(data.get("sitting"))
        stack = self._sittings.get(sitting)
        match body.get("kind"):
            case "seated":
                stack = self._sittings[sitting] = number(data.get("stack"))
                self._stack(stack).update(player=data.get("player"), seat=data.get("seat"))
                self._stack(stack).update(table=self._tables.cell(body))
            case "seat_changed" if stack is not None:
                self._stack(stack)["seat"] = data.get("to_seat")
            case "left" if stack is not None:
                del self._sittings[sitting]
                self._stacks.pop(stack, None)
            case "round_started":
                dealt = self._dealt[number(data.get("round_id"))] = {}
                for hand in mappings(data.get("hands")):
                    if (stack := self._sittings.get(number(hand.get("sitting")))) is not None:
                        dealt[stack] = number(hand.get("stack_cents"))
            case "round_voided":
                self._dealt.pop(number(data.get("round_id")), None)

    def _stack(self, account: int) -> dict[str, Any]:
        return self._stacks.setdefault(account, {"held": 0})

    def _entry(self, body: Body, said: Body) -> Iterator[bytes]:
        moved = _stacks_moved(body)
        dealt = self._dealt.pop(number(said.get("round_id")), {}) if body.get("kind") in _PLAYED else {}
        for account in sorted({*moved, *dealt}):
            came, went = moved.get(account, (0, 0))
            sits = body.get("kind") in _SITS
            stack = self._stack(account) if sits else self._stacks.get(account, {})
            if sits:
                stack.setdefault("player", said.get("player"))
            amounts = {"in": came, "out": went}
            if "held" in stack:
                amounts["before"] = stack["held"]
                stack["held"] += came - went
                amounts["after"] = stack["held"]
            yield self._line(body, said, stack, amounts)
        if not moved and (said.get("charge") is not None):
            yield self._line(body, said, {}, {})

    def _line(self, body: Body, said: Body, stack: Mapping[str, Any], amounts: Mapping[str, int]) -> bytes:
        kind = body.get("kind")
        line = {name: body.get(name) for name in ("kind", "actor", "reverses")}
        line |= self.dated(body.get("gaming_day"), body.get("occurred_at"))
        line |= {name: stack.get(name, said.get(name)) for name in ("player", "seat")}
        line |= {"table": stack.get("table") or self._tables.cell(said), "round": said.get("round")}
        line |= {"entry": body.get("id"), "way": said.get("method", said.get("source"))}
        fee = kind == EntryKind.COLLECTION or said.get("of") == EntryKind.COLLECTION
        if fee and said.get("method") in _MONEY:
            line["collected"] = number(said.get("cents")) * (1 if kind == EntryKind.COLLECTION else -1)
        return self.written({**line, **amounts})


def _stacks_moved(entry: Body) -> dict[int, tuple[int, int]]:
    """Return what came into each stack and went out of it."""
    moved: dict[int, tuple[int, int]] = {}
    for line in mappings(entry.get("transfers")):
        for end, came in (("to", True), ("from", False)):
            if line.get(f"{end}_kind") == AccountKind.STACK:
                cents, (into, out) = number(line.get("cents")), moved.get(number(line.get(end)), (0, 0))
                moved[number(line.get(end))] = (into + cents * came, out + cents * (not came))
    return moved


declare_papers(DownDetailPaper, UncollectedPaper, MasterPaper, RatesPaper, PlayerLedgerPaper)
