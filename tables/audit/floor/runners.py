"""Who ran which table by the log. A finding if one of them signed off its box or its bank, or received
something under one of its documents with a large difference. Pure. Records from before version 0.3.0 have no
evidence of a signature and are not held to this rule."""

from dataclasses import dataclass, field
from typing import Any

from ledger.chart import EntryKind
from ledger.records.findings import Body
from ledger.rules.bank_signing import needs_two, ran_the_table
from ledger.rules.documents import ENDS, KINDS, table_of
from tables.rules.table.runners import Runners


@dataclass(slots=True)
class SignedBy:
    """`tables` are by session, and `numbers` those of boxes by id. By account: `accounts` has the number of
    its box, `at` the session of a table's bank. `banks` has the session of each bank count by entry, `named`
    the open session by its table's name, `documents` the session, chips and cash of each document."""

    tables: dict[int, Runners] = field(default_factory=dict)
    numbers: dict[int, int] = field(default_factory=dict)
    accounts: dict[int, int] = field(default_factory=dict)
    moved: dict[int, set[int]] = field(default_factory=dict)
    banks: dict[int, int] = field(default_factory=dict)
    at: dict[int, int] = field(default_factory=dict)
    named: dict[str, int] = field(default_factory=dict)
    documents: dict[int, tuple[int, int, int]] = field(default_factory=dict)

    def take(self, body: Body) -> tuple[str, str] | None:
        """Take a record; return what is wrong with who signed, if anything: code and sentence."""
        match body["record"], body.get("kind"):
            case "house_event", "box_installed":
                data = body["data"]
                self.numbers[data["box"]] = data["number"]
                self.accounts |= dict.fromkeys((data["chips"], data["cash"]), data["number"])
            case "table_event", "opened" | "box_changed":
                self._event(body)
            case "table_event", _ if body["session"] in self.tables:
                self._event(body)
            case "entry", _:
                self._entry(body)
            case "document", kind:
                held = kind in KINDS and KINDS[kind].is_held
                session = self.named.get(table_of(body["place"])) if held else self.at.get(body["chips"])
                if session is not None:
                    self.documents[body["id"]] = session, body["chips_cents"], body["cash_cents"]
            case "document_step", _ if body["step"] in ENDS:
                return self._arrived(body)
            case "sign_off", _:
                return self._box_signed(body)
            case "bank_sign_off", _:
                return self._judged(body, self._ran_bank(self.banks.pop(body["entry"], None)))
        return None

    def _event(self, body: Body) -> None:
        self.tables.setdefault(body["session"], Runners()).take(body["kind"], body["actor"], body["data"])
        if body["kind"] == "opened":
            self.at[body["data"]["bank_chips"]] = body["session"]
            self.named[f"Table {body['data']['table']}"] = body["session"]
        elif body["kind"] == "closed":
            self.named = {name: one for name, one in self.named.items() if one != body["session"]}

    def _entry(self, body: Body) -> None:
        evidence: Any = body["evidence"]
        people = {one for one in (body["actor"], body["approver"]) if one is not None}
        if body["kind"] == EntryKind.WAIVER and (table := self.tables.get(evidence["session"])):
            table.act(*people)
        if body["kind"] == EntryKind.BANK_COUNT:
            self.banks[body["id"]] = evidence["session"]
        if body["kind"] == EntryKind.DROP:
            return
        for line in body["transfers"]:
            for account in (line["from"], line["to"]):
                if (number := self.accounts.get(account)) is not None:
                    self.moved.setdefault(number, set()).update(people)

    def _box_signed(self, body: Body) -> tuple[str, str] | None:
        number = self.numbers.pop(body["box"], None)
        if number is None:
            return None
        self.accounts = {account: one for account, one in self.accounts.items() if one != number}
        ran = self.moved.pop(number, set())
        for table in self.tables.values():
            ran |= table.of_box.get(number, set())
        return self._judged(body, ran)

    def _arrived(self, body: Body) -> tuple[str, str] | None:
        session, chips, cash = self.documents.pop(body["document"], (None, 0, 0))
        over = body["chips_cents"] - chips, body["cash_cents"] - cash
        if "threshold_cents" not in body or not needs_two(*over, body["threshold_cents"]):
            return None
        return ran_the_table(body["second"], None, self._ran_bank(session))

    def _ran_bank(self, session: int | None) -> set[int]:
        table = self.tables.get(session or 0)
        return set() if table is None else table.everybody

    def _judged(self, body: Body, ran: set[int]) -> tuple[str, str] | None:
        if "evidence" not in body:
            return None
        return ran_the_table(body["signed_by"], body["signed_with"], ran)
