"""The books recomputed from the log: every posting rule, applied to the sealed entries. Pure.

Of each entry, in the order of leaves: the chart allows its transfers and none is missing; they move whole,
positive cents between two accounts of one asset, and accounts keep their kind; only the public, the bank, the
chip maker and `over_short` go below zero; corrections and reversals have a reason and a second person; its
day was open. Of the whole: keys and ids are unique; a reversal moves back exactly what its entry moved, once,
and a correction follows a reversal; boxes, slips, receipts, claims and chips beyond the books are numbered
without gaps; a slip stays in its entry's day; undoing alone is in time and by the same person; a house stays
a demo or real; counts, drops and sign-offs agree; two people counted the float; days were closed with their
entries' totals, after their shifts; events about people and devices follow from those before them; and no
entry stands out of its time.


Memory: non-zero balances, one byte for every other account, boxes in use, open days; facts about the whole
are kept in temporary files (`spill`)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any

from ledger.chart import ALLOWED, EVENTS, AccountKind, EntryKind, Event, wrong_signer, wrong_transfers
from ledger.money import MOST_CENTS
from ledger.proof.audit.checks.accounts import Accounts
from ledger.proof.audit.checks.banks import Banks, EvidenceGiven
from ledger.proof.audit.checks.boxes import Boxes
from ledger.proof.audit.checks.cage import AtTheWindowCheck, CageSlips
from ledger.proof.audit.checks.days import GamingDays, Shifts
from ledger.proof.audit.checks.documents import Documents
from ledger.proof.audit.checks.drawers import Drawers
from ledger.proof.audit.checks.identity import Chains, Identity
from ledger.proof.audit.checks.order import COUNTING, Order
from ledger.proof.audit.checks.spill import Fact, Spill, short_hash
from ledger.proof.audit.checks.taking_back import TakingsBack, kind_and_day, needs_slip, slip_kind_and_day
from ledger.proof.audit.checks.upkeep import Upkeep
from ledger.proof.audit.checks.vault import ChipsMade, ReserveSets, UnclaimedChips, Vault
from ledger.records.findings import UNREADABLE, Body, Finding, Numbering, Problem, told, unreadable

# Sorts of facts; from _ID on, one for each kind of record.
_ENTRY, _REVERSAL, _CORRECTION, _MADE, _BACK, _KEY, _ID = range(7)
_STATES_AMOUNT = frozenset((EntryKind.CHIP_SALE, EntryKind.CHIP_REDEMPTION, EntryKind.CHIPS_BEYOND_BOOKS))
_NEW_STACK = frozenset({"buy_in", "table_move"})
_OLDER_REVERSED = "reversals of entries before these records, not judged"
_LEAF = attrgetter("leaf")
NO_CHIPS: Mapping[str, tuple[int, ...]] = {}


class BooksCheck:
    """The check described above. `whole`: records begin with the first leaf. What a part cannot decide is
    counted, not reported. `since`: the first gaming day with all its entries in a part. It can be frozen and
    resumed (`go_on`): then the whole is checked from there, with the older records that are referred to
    (`referred`, `recall`). `usual` are the chips of each jurisdiction, which the records do not have."""

    def __init__(
        self, *, whole: bool, since: str | None = None, usual: Mapping[str, tuple[int, ...]] = NO_CHIPS
    ) -> None:
        self._whole = whole
        self._accounts = Accounts(whole=whole)
        evidence = EvidenceGiven()
        self._boxes = Boxes(self._accounts, evidence, whole=whole)
        self._banks = Banks(evidence, whole=whole)
        self._slips = CageSlips(whole=whole)
        self._drawers = Drawers(self._accounts, whole=whole)
        self._vault = Vault(whole=whole)
        self._unclaimed = UnclaimedChips(whole=whole)
        self._reserve = ReserveSets(whole=whole)
        self._chips_made = ChipsMade()
        self._documents = Documents(self._accounts, evidence, whole=whole)
        self._identity = Identity(whole=whole)
        self._upkeep = Upkeep(whole=whole)
        self._chains = Chains(players=whole)  # in a part, `bindings` has the older records as well
        self._takings_back = TakingsBack(whole=whole)
        self._order = Order()
        self.days = GamingDays(whole=whole, since=since)
        self._shifts = Shifts()
        self._facts = Spill(lasting=(_REVERSAL, _CORRECTION, _BACK))
        self._demo: object = None
        self._first = 0
        self._kinds: dict[str, int] = {}
        self._claims = Numbering("claim", whole=whole)
        self._beyond = Numbering("chips beyond the books", whole=whole)
        self._window = AtTheWindowCheck(whole=whole, register=self._chains if whole else None, usual=usual)
        self.checked = {"entries": 0, "transfers": 0, "reversals": 0}

    @property
    def balances(self) -> dict[int, int]:
        """Non-zero balances: account id -> cents. In a part of a log: the change within that part."""
        return self._accounts.balances

    def take(self, leaf: int, body: Body) -> Iterable[Finding]:
        try:
            self._put_id(leaf, body)
            self.days.see(body["recorded_at"])
            self._order.take(leaf, body)
            if body["record"] == "entry":
                return self._entry(leaf, body)
            return told(leaf, body, self._other(leaf, body))
        except UNREADABLE as error:
            return [unreadable(leaf, body, error)]

    def go_on(self, first: int) -> None:
        """Resume after so many leaves without a finding."""
        self._first = first

    def recall(self, leaf: int, body: Body) -> None:
        try:
            self._put_id(leaf, body)
            if body["record"] == "entry":
                self._put_entry(leaf, body)
        except UNREADABLE:
            return

    def finish(self) -> Iterable[Finding]:
        problems = [*self._accounts.finish(), *self._slips.finish(), *self._identity.finish()]
        problems += self._documents.finish()
        problems += self._order.finish()
        names = {sort: record for record, sort in self._kinds.items()}
        for facts in self._facts.groups((_REVERSAL, _CORRECTION)):
            problems += self._alike(facts, names)
        self._say()
        return sorted(problems, key=lambda finding: -1 if finding.leaf is None else finding.leaf)

    def _other(self, leaf: int, body: Body) -> Iterator[Problem]:
        yield from self.days.row(body)
        self._shifts.take(body)
        if body["record"] != "house_event":  # those are judged with what they say of people
            yield from self._identity.acted(body)
        match body["record"]:
            case "house_event":
                yield from self._boxes.take(body)
                yield from self.days.take(body)
                yield from self._identity.take(leaf, body)
                yield from self._house(body)
                yield from self._upkeep.take(leaf, body)
            case "withheld":
                self._upkeep.withheld(body)
            case "table_event":
                yield from self._at_table(body)
            case "closed_shift":
                yield from self._shifts.close(body, self.days.closed_to)
                yield from self.days.second(body, "shift")
            case "closed_day":
                yield from self._shifts.unclosed(body["gaming_day"])
                yield from self.days.take(body)
                yield from self._boxes.unsigned(body["gaming_day"])
                yield from self._documents.unended(body["gaming_day"])
                yield from self._documents.uncounted(body["gaming_day"])
                yield from self._drawers.unclosed(body["gaming_day"])
                yield from self._vault.uncounted(body["gaming_day"])
                yield from self._unclaimed.uncounted(body["gaming_day"])
                self._window.closed(body["gaming_day"])
                yield from self._banks.unsigned(body["gaming_day"])
            case "player_change":
                yield from self._follows(body)
            case "claim":
                yield from self._claim(body)
            case "drawer":
                yield from self._drawers.take(body)
            case "cage_slip" | "cage_slip_result":
                yield from self._slips.take(body)
                yield from self._drawers.slip(body, newer=self._slips.newer)
                self._vault.slip(body)
                self._unclaimed.slip(body)
                self._reserve.slip(body)
            case "bank_sign_off":
                yield from self._banks.take(body)
            case "document" | "document_box" | "document_step":
                yield from self._documents.take(body)
            case "struck_count" if body["sheet"] is None:
                of_bank = body.get("bank") is not None
                yield from self._documents.struck_bank(body) if of_bank else self._documents.struck(body)
                yield from self.days.take(body)
            case record if record in COUNTING:
                self._documents.signed(body)
                yield from self._boxes.take(body)
                yield from self.days.take(body)

    def _house(self, body: Body) -> Iterator[Problem]:
        if body["kind"] in ("house_opened", "house_changed"):
            before, self._demo = self._demo, body["data"]["demo"]
            if body["kind"] == "house_opened" and before is not None:
                yield "opened_twice", "The house had been opened before."
            if type(self._demo) is not bool or before not in (None, self._demo):
                yield "demo_changed", "A house is a demo or not from its first record on."
            self._window.house(body)
            yield from self._follows(body)

    def _follows(self, body: Body) -> Iterator[Problem]:
        if self._whole and (wrong := self._chains.wrong(body)):
            yield "identity_differs", wrong

    def _at_table(self, body: Body) -> Iterator[Problem]:
        """Open a table's bank, which is empty; check that its sheet was offered, and that nothing of the bank
        is under way when it closes."""
        if body["kind"] == "opened":
            data = body["data"]
            self._accounts.begin(data["bank_chips"], ("table_bank", "chips"), 0)
            self._accounts.begin(data["bank_cash"], ("table_bank", "cash"), 0)
            yield from self._upkeep.opened(body)
        yield from self._documents.table(body)

    def _claim(self, body: Body) -> Iterator[Problem]:
        yield from self._claims.gap(body["number"])
        if body["cents"] <= 0 or body["debtor"] == body["creditor"]:
            yield "bad_amount", "A claim is of one player against another."

    # -- an entry --------------------------------------------------------------------------------------------

    def _entry(self, leaf: int, body: Body) -> list[Finding]:
        self.checked["entries"] += 1
        event = EVENTS.get(body["kind"])
        if event is None:
            return told(leaf, body, [("unknown_kind", f"The chart knows no {body['kind']}.")])
        problems = [*_people(body, event), *self._identity.acted(body)]
        if body["occurred_at"] > body["recorded_at"]:
            problems.append(("before_its_time", "It was recorded before it happened."))
        if not body["key"].strip():
            problems.append(("no_key", "It has no key."))
        changes: dict[int, int] = {}
        if wrong := self._wrong_lines(body, event, changes):
            return told(leaf, body, [*problems, wrong])
        if lack := wrong_transfers(body["kind"], _as_in_chart(body)):
            problems.append(("not_in_chart", lack))
        else:
            self._accounts.flow(body["transfers"])
            problems += _wrong_amount(body) if body["kind"] in _STATES_AMOUNT else ()
        problems += self.days.entry(body)
        if self._whole or body["occurred_at"] >= self.days.earliest:  # else its shift may have been closed
            self._shifts.entry(body)
        problems += self._boxes.entry(body)
        self._banks.entry(body, self._drawers.cashier_of(body))
        problems += self._slips.entry(body)
        problems += self._drawers.entry(body, newer=self._slips.newer)
        problems += self._vault.entry(body)
        problems += self._unclaimed.entry(body)
        problems += self._reserve.entry(body)
        problems += self._chips_made.entry(body) if self._whole else ()
        problems += self._documents.entry(body)
        if body["kind"] == EntryKind.CHIPS_BEYOND_BOOKS:
            problems += self._beyond.gap(body["evidence"]["number"])
        problems += self._window.entry(body)
        problems += self._takings_back.entry(body)
        below = self._accounts.post(leaf, body, changes)
        self._put_aside(leaf, body)
        return told(leaf, body, problems) + below if problems else below

    def _wrong_lines(self, body: Body, event: Event, changes: dict[int, int]) -> Problem | None:
        """Return the first fault in an entry's transfers; add what they change to `changes`."""
        kind = body["kind"]
        mirrors, allowed, know = event.mirror, ALLOWED[kind], self._accounts.know
        self.checked["transfers"] += len(body["transfers"])
        for number, line in enumerate(body["transfers"], start=1):
            cents, asset = line["cents"], line["asset"]
            source, target = line["from"], line["to"]
            source_kind, target_kind = line["from_kind"], line["to_kind"]
            if not (type(source) is int and type(target) is int and source != target):
                return "same_account", f"Transfer {number} has no two accounts."
            if type(cents) is not int or not 0 < cents <= MOST_CENTS:
                return "bad_amount", f"Transfer {number} moves no amount: {cents!r}."
            if mirrors and AccountKind.TRANSIT in (source_kind, target_kind):
                return "not_in_chart", "A reversal does not move what a document has under way."
            if not mirrors and (source_kind, target_kind, asset) not in allowed:
                sentence = f"The chart knows no {kind} of {asset} from {source_kind} to {target_kind}."
                return "not_in_chart", sentence
            begins = target_kind == "stack" and kind in _NEW_STACK
            sentence = know(source, (source_kind, asset), begins=False) or know(
                target, (target_kind, asset), begins=begins
            )
            if sentence:
                return "account_changed", f"{sentence[0].upper()}{sentence[1:]}."
            changes[source] = changes.get(source, 0) - cents
            changes[target] = changes.get(target, 0) + cents
        return None

    # -- what is asked of the whole --------------------------------------------------------------------------

    def _put_id(self, leaf: int, body: Body) -> None:
        record = body["record"]
        sort = self._kinds.get(record) or self._kinds.setdefault(record, _ID + len(self._kinds))
        self._facts.put(body["id"], sort, 0, leaf, body["id"])

    def _put_entry(self, leaf: int, body: Body) -> None:
        put, number = self._facts.put, body["id"]
        put(short_hash(body["key"].encode()), _KEY, 0, leaf, number)
        put(number, _ENTRY, _digest(body["transfers"], "from", "to"), leaf, number)
        if (of := kind_and_day(body)) is not None:
            put(number, _MADE, of, leaf, number)

    def _put_aside(self, leaf: int, body: Body) -> None:
        put, kind, number = self._facts.put, body["kind"], body["id"]
        self._put_entry(leaf, body)
        if (of := slip_kind_and_day(body)) is not None:
            put(body["reverses"], _BACK, of, leaf, number)
        if body["reverses"] is not None:
            self.checked["reversals"] += 1
            put(body["reverses"], _REVERSAL, _digest(body["transfers"], "to", "from"), leaf, number)
        elif kind == EntryKind.CORRECTION and type(corrects := body["evidence"].get("corrects")) is int:
            put(corrects, _CORRECTION, 0, leaf, number)

    def _alike(self, facts: list[Fact], names: Mapping[int, str]) -> Iterator[Finding]:
        """Judge the facts of one key: an entry with its reversals and corrections, equal keys or ids."""
        by_sort: defaultdict[int, list[Fact]] = defaultdict(list)
        for fact in facts:
            by_sort[fact.sort].append(fact)
        for sort, alike in by_sort.items():
            for again in alike[1:]:
                if sort == _KEY:
                    yield _about(again, "key_reused", f"Its key is that of leaf {alike[0].leaf}.")
                elif sort >= _ID:
                    sentence = f"It is in the log at leaf {alike[0].leaf} too."
                    yield _about(again, "id_reused", sentence, names[sort])
        entries, reversals, corrections = (by_sort[sort] for sort in (_ENTRY, _REVERSAL, _CORRECTION))
        if any(fact.leaf >= self._first for fact in reversals + corrections):
            yield from self._reversed(entries, reversals)
            yield from self._corrected(entries, reversals, corrections)
            yield from _wrong_slips(entries, by_sort[_MADE], reversals, by_sort[_BACK])

    def _reversed(self, entries: list[Fact], reversals: list[Fact]) -> Iterator[Finding]:
        for at, fact in enumerate(sorted(reversals, key=_LEAF)):
            if at:
                yield _about(fact, "already_reversed", f"Entry {fact.key} had been reversed before.")
            if entries:
                sentence = _unlike_mirror(entries[0], fact)
            elif self._whole:
                sentence = f"There is no entry {fact.key} to reverse."
            else:
                self.checked[_OLDER_REVERSED] = self.checked.get(_OLDER_REVERSED, 0) + 1
                continue
            if sentence:
                yield _about(fact, "not_the_mirror", sentence)

    def _corrected(
        self, entries: list[Fact], reversals: list[Fact], corrections: list[Fact]
    ) -> Iterator[Finding]:
        if not (reversals or entries or self._whole):
            return  # their reversal may be the last record before these
        first = min((fact.leaf for fact in reversals), default=None)
        for at, fact in enumerate(sorted(corrections, key=_LEAF)):
            if first is None or first > fact.leaf:
                sentence = f"It corrects entry {fact.key}, which was not reversed."
                yield _about(fact, "not_reversed", sentence)
            elif at:
                yield _about(fact, "already_corrected", f"Entry {fact.key} had been corrected before.")

    def _say(self) -> None:
        accounts, boxes, slips, days = self._accounts, self._boxes, self._slips, self.days
        self.checked |= {
            "accounts": accounts.seen,
            "boxes installed": boxes.installed,
            "boxes signed off": boxes.signed,
            "differences in banks signed off": self._banks.signed,
            "drawers opened": self._drawers.opened,
            "drawers closed": self._drawers.closed,
            "counts of the vault": self._vault.counted,
            "cage slips counted": slips.counted,
            "cage slips posted": slips.posted,
            "documents begun": self._documents.begun,
            "documents ended": self._documents.ended,
            "reversal slips": self._takings_back.slips,
            "acts at the window in pieces": self._window.in_pieces,
            "entries dated by the house's clock": days.dated,
            "gaming days closed": days.closed,
            "shifts closed": self._shifts.closed,
        }
        older = {
            "accounts older than these records, whose balance is not known": accounts.older,
            "acts on boxes installed before these records, not judged": boxes.older,
            "sign-offs of banks returned before these records, not judged": self._banks.older,
            "transfers of drawers opened before these records, not judged": self._drawers.older,
            "cage slips begun before these records, not judged": slips.older,
            "steps of documents begun before these records, not judged": self._documents.older,
            "undone acts of before these records, not judged": self._takings_back.older,
            "shifts closed by a clock that is not in these records, not judged": self._shifts.unknown,
            "gaming days closed whose entries are not all here, not judged": days.closed_before,
            "clocks of a time zone not known here, days not judged": days.unknown_clocks,
        }
        self.checked |= {words: int(count) for words, count in older.items() if count}


def referred(body: Body) -> list[int]:
    evidence = body.get("evidence")
    corrects = evidence.get("corrects") if isinstance(evidence, dict) else None
    return [number for number in (body.get("reverses"), corrects) if type(number) is int]


def _wrong_slips(
    entries: list[Fact], made: list[Fact], reversals: list[Fact], slips: list[Fact]
) -> Iterator[Finding]:
    """Judge the slips of an entry's reversals: one each, of its kind and day; none for kinds without
    slips."""
    for entry in entries[:1]:
        own = made[0].value if made else None
        right = {slip.number for slip in slips if slip.value == own}
        named = {slip.number for slip in slips}
        for fact in reversals:
            if fact.number in named - right:
                sentence = f"It is not of the kind, or not dated in the day, of entry {entry.number}."
                yield _about(fact, "wrong_slip", sentence)
            elif own is not None and fact.number not in named and needs_slip(own):
                yield _about(fact, "no_slip", f"It takes back entry {entry.number} without a slip.")


def _as_in_chart(body: Body) -> Iterator[tuple[str, str, str, int]]:
    for line in body["transfers"]:
        yield line["from_kind"], line["to_kind"], line["asset"], line["cents"]


def _wrong_amount(body: Body) -> list[Problem]:
    """Judge the amount that an entry states: each of its sides comes to it."""
    cents, moved = body["evidence"].get("cents"), sum(line["cents"] for line in body["transfers"])
    if type(cents) is not int or cents * len(EVENTS[body["kind"]].lines) == moved:
        return []
    return [("wrong_sum", "Its amount is not what it moves.")]


def _people(body: Body, event: Event) -> list[Problem]:
    """Judge actor, approver and reason, and that only a reversal names the entry it reverses."""
    problems = []
    if event.mirror != (body["reverses"] is not None):
        sentence = "Only a reversal names the entry it takes back, and every reversal must."
        problems.append(("not_the_mirror", sentence))
    if body["approver"] == body["actor"]:
        problems.append(("second_person", "The person who asked for it approved it."))
    elif event.approved and body["approver"] is None:
        problems.append(("second_person", "Nobody approved it."))
    elif event.counted and body["approver"] is None:
        problems.append(("second_person", "Nobody counted it a second time."))
    elif wrong := wrong_signer(event.kind, body["approver"], body["evidence"]):
        problems.append(("second_person", wrong))
    if event.approved and not body["reason"].strip():
        problems.append(("reason_required", "It has no reason."))
    return problems


def _unlike_mirror(entry: Fact, reversal: Fact) -> str:
    """Return why a reversal's transfers do not mirror the original's, or ""."""
    if entry.leaf >= reversal.leaf:
        return f"Entry {entry.key} came only after it."
    return "" if entry.value == reversal.value else f"It does not move back what entry {entry.key} moved."


def _about(fact: Fact, code: str, sentence: str, record: str = "entry") -> Finding:
    return Finding(code, sentence, fact.leaf, f"{record.replace('_', ' ')} {fact.number}")


def _digest(lines: Iterable[Mapping[str, Any]], source: str, target: str) -> int:
    """Return a 64-bit digest of transfers, in order, from field `source` to field `target`."""
    written = [f"{line[source]} {line[target]} {line['cents']} {line['asset']!r}" for line in lines]
    return short_hash("\n".join(written).encode())
