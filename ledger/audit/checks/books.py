"""The books recomputed from the log: every posting rule, applied to the sealed entries. Pure.

What it asks of each entry, in the order of leaves: that the chart knows its transfers; that they move whole, positive
cents between two accounts of one asset, and accounts stay what they are; that nothing is below zero after it but
`outside` and `over_short`; that corrections and reversals have a reason and a second person; that it is dated in a day
that was open. Of the whole: that keys and ids are there once, that a reversal moves back exactly what its entry moved,
once, and never takes back a reversal that was not posted, that boxes, slips and claims are numbered without gaps, that
what was taken back under a slip stays in its day, and that nobody undid anything alone but in time what they had done,
that counts, drops and sign-offs agree, that the float was counted by two people, that days were closed with what
their entries add up to, and that events about people and devices follow from those before them.

Memory: accounts that hold something, one byte for every other account, boxes in use, open days; what is asked of the
whole is put aside in temporary files (`spill`).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ledger.audit.checks.accounts import Accounts
from ledger.audit.checks.boxes import Boxes
from ledger.audit.checks.cage import CageSlips
from ledger.audit.checks.days import GamingDays
from ledger.audit.checks.identity import Identity
from ledger.audit.checks.spill import Fact, Spill, short_hash
from ledger.audit.checks.taking_back import TakingsBack, kind_and_day, needs_slip, slip_kind_and_day
from ledger.audit.findings import UNREADABLE, Finding, name_of, unreadable
from ledger.chart import ALLOWED, EVENTS, EntryKind, Event
from ledger.money import MOST_CENTS

_ENTRY, _REVERSAL, _CORRECTION, _MADE, _BACK, _KEY, _ID = range(
    7
)  # sorts of facts; from _ID on, one for each kind of record
_OTHERS = frozenset(
    (
        "house_event",
        "count",
        "sign_off",
        "closed_day",
        "claim",
        "table_event",
        "cage_slip",
        "cage_slip_result",
    )
)
_NEW_STACK = frozenset({"buy_in", "table_move"})


class BooksCheck:
    """The check described above. `whole`: records begin with the first leaf. What a part cannot decide is counted, not
    reported. `since`: the first gaming day of which a part has every entry.

    It can be written down and go on later (`go_on`). What is asked of the whole is then asked of the records after that, and
    of the older ones that these refer to (`referred`, `recall`).
    """

    def __init__(self, *, whole: bool, since: str | None = None) -> None:
        self._whole = whole
        self._accounts = Accounts(whole=whole)
        self._boxes = Boxes(whole=whole, held=self._accounts.held)
        self._slips = CageSlips(whole=whole)
        self._identity = Identity(whole=whole)
        self._takings_back = TakingsBack(whole=whole)
        self.days = GamingDays(whole=whole, since=since)
        self._facts = Spill(lasting=(_REVERSAL, _CORRECTION, _BACK))
        self._first = 0
        self._kinds: dict[str, int] = {}
        self._claims: int | None = 0 if whole else None
        self.checked = {"entries": 0, "transfers": 0, "reversals": 0}

    @property
    def balances(self) -> dict[int, int]:
        """Return non-zero balances: account id -> cents. In a part of a log: the change within that part."""
        return self._accounts.balances

    def take(self, place: int, body: Mapping[str, Any]) -> Iterable[Finding]:
        """Yield what is wrong with this record, given those before it."""
        try:
            return self._take(place, body)
        except UNREADABLE as error:
            return [unreadable(place, body, error)]

    def go_on(self, first: int) -> None:
        """Go on behind so many leaves, of which nothing was wrong."""
        self._first = first

    def recall(self, place: int, body: Mapping[str, Any]) -> None:
        """Take an older record again that one of those after it refers to."""
        try:
            self._put_id(place, body)
            if body["record"] == "entry":
                self._put_entry(place, body)
        except UNREADABLE:
            return

    def finish(self) -> Iterable[Finding]:
        """Yield what is wrong with the log as a whole, by leaf."""
        found = [*self._accounts.finish(), *self._slips.finish(), *self._identity.finish()]
        names = {sort: record for record, sort in self._kinds.items()}
        for facts in self._facts.groups((_REVERSAL, _CORRECTION)):
            found += self._alike(facts, names)
        self._say()
        return sorted(found, key=lambda finding: -1 if finding.place is None else finding.place)

    def _take(self, place: int, body: Mapping[str, Any]) -> Iterable[Finding]:
        self._put_id(place, body)
        if body["record"] == "entry":
            return self._entry(place, body)
        if body["record"] in _OTHERS:
            return list(self._other(place, body))
        return ()

    def _other(self, place: int, body: Mapping[str, Any]) -> Iterator[Finding]:
        match body["record"]:
            case "house_event":
                if accounts := self._boxes.begins(body):
                    for account, asset in zip(accounts, ("chips", "cash"), strict=True):
                        self._accounts.begin(account, ("drop_box", asset), 0)
                yield from self._boxes.take(place, body)
                yield from self.days.take(place, body)
                yield from self._identity.take(place, body)
            case "table_event":
                self._open_bank(body)
            case "closed_day":
                yield from self.days.take(place, body)
            case "claim":
                yield from self._claim(place, body)
            case "cage_slip" | "cage_slip_result":
                yield from self._slips.take(place, body)
            case _:
                yield from self._boxes.take(place, body)

    def _open_bank(self, body: Mapping[str, Any]) -> None:
        """Open a table's bank with the chips that the cage gave it in the same transaction."""
        if body["kind"] == "opened":
            data = body["data"]
            self._accounts.begin(data["bank_chips"], ("table_bank", "chips"), data["opener_cents"])
            self._accounts.begin(data["bank_cash"], ("table_bank", "cash"), 0)

    def _claim(self, place: int, body: Mapping[str, Any]) -> Iterator[Finding]:
        number = body["number"]
        if self._claims is not None and number != self._claims + 1:
            yield _finding("number_gap", f"It is claim {number}; {self._claims + 1} comes next.", place, body)
        self._claims = number
        if body["cents"] <= 0 or body["debtor"] == body["creditor"]:
            yield _finding("bad_amount", "A claim is of one player against another.", place, body)

    # -- an entry -----------------------------------------------------------------------------------------------

    def _entry(self, place: int, body: Mapping[str, Any]) -> list[Finding]:
        self.checked["entries"] += 1
        event = EVENTS.get(body["kind"])
        if event is None:
            return [_finding("unknown_kind", f"The chart knows no {body['kind']}.", place, body)]
        found = _people(place, body, event)
        if body["occurred_at"] > body["recorded_at"]:
            found.append(_finding("before_its_time", "It was recorded before it happened.", place, body))
        if not body["key"].strip():
            found.append(_finding("no_key", "It has no key.", place, body))
        changes: dict[int, int] = {}
        if wrong := self._wrong_lines(place, body, event, changes):
            return [*found, wrong]
        found += self.days.entry(place, body)
        found += self._boxes.entry(place, body)
        found += self._slips.entry(place, body)
        found += self._takings_back.entry(place, body)
        found += self._accounts.post(place, body, changes)
        self._put_aside(place, body)
        return found

    def _wrong_lines(
        self, place: int, body: Mapping[str, Any], event: Event, changes: dict[int, int]
    ) -> Finding | None:
        """Return the first thing that is wrong with an entry's transfers. What they change is added to `changes`."""
        kind = body["kind"]
        mirrors, allowed, know = event.mirror, ALLOWED[kind], self._accounts.know
        self.checked["transfers"] += len(body["transfers"])
        for number, line in enumerate(body["transfers"], start=1):
            cents, asset = line["cents"], line["asset"]
            source, target = line["from"], line["to"]
            source_kind, target_kind = line["from_kind"], line["to_kind"]
            if not (type(source) is int and type(target) is int and source != target):
                return _finding("same_account", f"Transfer {number} has no two accounts.", place, body)
            if type(cents) is not int or not 0 < cents <= MOST_CENTS:
                return _finding("bad_amount", f"Transfer {number} moves no amount: {cents!r}.", place, body)
            if not mirrors and (source_kind, target_kind, asset) not in allowed:
                sentence = f"The chart knows no {kind} of {asset} from {source_kind} to {target_kind}."
                return _finding("not_in_chart", sentence, place, body)
            begins = target_kind == "stack" and kind in _NEW_STACK
            sentence = know(source, (source_kind, asset), begins=False) or know(
                target, (target_kind, asset), begins=begins
            )
            if sentence:
                return _finding("account_changed", f"{sentence[0].upper()}{sentence[1:]}.", place, body)
            changes[source] = changes.get(source, 0) - cents
            changes[target] = changes.get(target, 0) + cents
        return None

    # -- what is asked of the whole -----------------------------------------------------------------------------

    def _put_id(self, place: int, body: Mapping[str, Any]) -> None:
        record = body["record"]
        sort = self._kinds.get(record) or self._kinds.setdefault(record, _ID + len(self._kinds))
        self._facts.put(body["id"], sort, 0, place, body["id"])

    def _put_entry(self, place: int, body: Mapping[str, Any]) -> None:
        put, number = self._facts.put, body["id"]
        put(short_hash(body["key"].encode()), _KEY, 0, place, number)
        put(number, _ENTRY, _digest(body["transfers"], "from", "to"), place, number)
        if (of := kind_and_day(body)) is not None:
            put(number, _MADE, of, place, number)

    def _put_aside(self, place: int, body: Mapping[str, Any]) -> None:
        put, kind, number = self._facts.put, body["kind"], body["id"]
        self._put_entry(place, body)
        if (of := slip_kind_and_day(body)) is not None:
            put(body["reverses"], _BACK, of, place, number)
        if body["reverses"] is not None:
            self.checked["reversals"] += 1
            put(body["reverses"], _REVERSAL, _digest(body["transfers"], "to", "from"), place, number)
        elif kind == EntryKind.CORRECTION and type(corrects := body["evidence"].get("corrects")) is int:
            put(corrects, _CORRECTION, 0, place, number)

    def _alike(self, facts: list[Fact], names: Mapping[int, str]) -> Iterator[Finding]:
        """Judge all facts that share a key. Entries, reversals and corrections share an entry's id; keys and ids must be unique."""
        by_sort: dict[int, list[Fact]] = {}
        for fact in facts:
            by_sort.setdefault(fact[1], []).append(fact)
        for sort, alike in by_sort.items():
            if sort == _KEY:
                for _, _, _, place, entry in alike[1:]:
                    yield Finding(
                        "key_reused", f"Its key is that of leaf {alike[0][3]}.", place, f"entry {entry}"
                    )
            elif sort >= _ID:
                for _, _, _, place, number in alike[1:]:
                    record = f"{names[sort].replace('_', ' ')} {number}"
                    yield Finding("id_reused", f"It is in the log at leaf {alike[0][3]} too.", place, record)
        of_entries = (fact for sort in (_REVERSAL, _CORRECTION) for fact in by_sort.get(sort, ()))
        if any(fact[3] >= self._first for fact in of_entries):
            yield from self._taken_back(
                by_sort.get(_ENTRY, []), by_sort.get(_REVERSAL, []), by_sort.get(_CORRECTION, [])
            )
            yield from _wrong_slips(
                by_sort.get(_MADE, []), by_sort.get(_REVERSAL, []), by_sort.get(_BACK, [])
            )

    def _taken_back(
        self, entries: list[Fact], reversals: list[Fact], corrections: list[Fact]
    ) -> Iterator[Finding]:
        number = (reversals + corrections)[0][0]
        in_order = sorted(reversals, key=lambda fact: fact[3])
        for at, (_, _, digest, place, by) in enumerate(in_order):
            if at:
                sentence = f"Entry {number} had been reversed before."
                yield Finding("already_reversed", sentence, place, f"entry {by}")
            if entries:
                sentence = _unlike_mirror(number, entries[0], digest, place)
            elif self._whole:
                sentence = f"There is no entry {number} to reverse."
            else:
                self.checked[_OLDER_REVERSED] = self.checked.get(_OLDER_REVERSED, 0) + 1
                continue
            if sentence:
                yield Finding("not_the_mirror", sentence, place, f"entry {by}")
        for at, (_, _, _, place, by) in enumerate(sorted(corrections, key=lambda fact: fact[3])):
            if not (in_order or entries or self._whole):
                continue  # its reversal may be the last record before these
            if not in_order or in_order[0][3] > place:
                sentence = f"It corrects entry {number}, which was not reversed."
                yield Finding("not_reversed", sentence, place, f"entry {by}")
            elif at:
                sentence = f"Entry {number} had been corrected before."
                yield Finding("already_corrected", sentence, place, f"entry {by}")

    def _say(self) -> None:
        """Add the final counts to `checked`."""
        accounts, boxes, slips, days = self._accounts, self._boxes, self._slips, self.days
        self.checked |= {
            "accounts": accounts.seen,
            "boxes installed": boxes.installed,
            "boxes signed off": boxes.signed,
            "cage slips counted": slips.counted,
            "cage slips posted": slips.posted,
            "reversal slips": self._takings_back.slips,
            "entries dated by the house's clock": days.dated,
            "gaming days closed": days.closed,
        }
        self.checked |= {
            words: count
            for words, count in (
                ("accounts older than these records, whose balance is not known", accounts.older),
                ("acts on boxes installed before these records, not judged", boxes.older),
                ("cage slips begun before these records, not judged", slips.older),
                ("undone acts of before these records, not judged", self._takings_back.older),
                ("gaming days closed whose entries are not all here, not judged", days.closed_before),
                (
                    f"time zones not known here ({days.unknown_zone}), days not judged",
                    int(bool(days.unknown_zone)),
                ),
            )
            if count
        }


def referred(body: Mapping[str, Any]) -> list[int]:
    """Return the entries that an entry takes back or corrects, as far as that can be read."""
    evidence = body.get("evidence")
    corrects = evidence.get("corrects") if isinstance(evidence, dict) else None
    return [number for number in (body.get("reverses"), corrects) if type(number) is int]


_OLDER_REVERSED = "reversals of entries before these records, not judged"


def _wrong_slips(firsts: list[Fact], reversals: list[Fact], slips: list[Fact]) -> Iterator[Finding]:
    """A reversal of what gets a slip has one, of that kind and dated in that day."""
    for _, _, first, _, number in firsts[:1]:
        right = {by for _, _, value, _, by in slips if value == first}
        named = {by for *_, by in slips}
        for _, _, _, place, by in reversals:
            if by in named - right:
                sentence = f"It is not of the kind, or not dated in the day, of entry {number}."
                yield Finding("wrong_slip", sentence, place, f"entry {by}")
            elif by not in named and needs_slip(first):
                yield Finding(
                    "no_slip", f"It takes back entry {number} without a slip.", place, f"entry {by}"
                )


def _people(place: int, body: Mapping[str, Any], event: Event) -> list[Finding]:
    """Check actor, approver and reason, and that only a reversal names the entry it reverses."""
    found = []
    if event.mirror != (body["reverses"] is not None):
        sentence = "A reversal, and nothing else, names what it takes back."
        found.append(_finding("not_the_mirror", sentence, place, body))
    if body["approver"] == body["actor"]:
        found.append(_finding("second_person", "It was approved by who asked for it.", place, body))
    elif event.approved and body["approver"] is None:
        found.append(_finding("second_person", "Nobody approved it.", place, body))
    elif event.counted and body["approver"] is None:
        found.append(_finding("second_person", "Nobody counted it a second time.", place, body))
    if event.approved and not body["reason"].strip():
        found.append(_finding("reason_required", "It has no reason.", place, body))
    return found


def _unlike_mirror(number: int, entry: Fact, digest: int, place: int) -> str:
    """Say why a reversal's transfers do not mirror the original's; empty if they do."""
    if entry[3] >= place:
        return f"Entry {number} came only after it."
    return "" if entry[2] == digest else f"It does not move back what entry {number} moved."


def _digest(lines: Iterable[Mapping[str, Any]], source: str, target: str) -> int:
    """Return a 64-bit digest of transfers, in order, from what is called `source` to what is called `target`."""
    written = [f"{line[source]} {line[target]} {line['cents']} {line['asset']!r}" for line in lines]
    return short_hash("\n".join(written).encode())


def _finding(code: str, sentence: str, place: int, body: Mapping[str, Any]) -> Finding:
    return Finding(code, sentence, place, name_of(body))
