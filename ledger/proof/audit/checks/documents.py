"""Documents of custody in the log: numbered without gaps by kind, their steps in order and by the right
people, posted as sent and as counted, with nothing left under way at the end. When a table closes, its
counted bank goes to the cage on a closer, and nothing else is under way; the cash of a box is on one deposit.
Pure. Only documents that begin in the given records can be judged, and deposits whose boxes were signed off
in them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ledger.chart import TITLES, AccountKind, EntryKind
from ledger.proof.audit.checks.accounts import Accounts
from ledger.proof.audit.checks.banks import EvidenceGiven
from ledger.proof.audit.checks.boxes import summed
from ledger.records.findings import Body, Finding, Numbering, Problem, name_of
from ledger.rules import documents as rules
from ledger.rules.bank_signing import Small, add_small, difference, needs_two, wrong_witness
from ledger.rules.count_sheets import wrong_struck
from ledger.rules.denominations import Pieces, pieces_of

_NAMED = frozenset((rules.Step.REQUESTED, rules.Step.CLAIMED))
_POSTS = frozenset(kind.value for kind in rules.POSTED_AS.values())


@dataclass(slots=True)
class _Document:
    code: str  # of its kind
    number: int
    day: str
    place: str
    pieces: Pieces
    accounts: dict[tuple[str, str], int]
    steps: list[tuple[int, str, int, str]] = field(default_factory=list)
    boxes: dict[int, tuple[int, int]] = field(default_factory=dict)  # their cash, and which attempt it is
    boxes_known: bool = True
    owner: int | None = None
    held: Pieces = field(default_factory=Pieces)
    struck: list[int] = field(default_factory=list)  # who made the counts that were refused
    due: str | None = None

    @property
    def kind(self) -> rules.DocumentKind:
        return rules.KINDS[self.code]

    @property
    def taken(self) -> list[tuple[str, int]]:
        return [(step, person) for _, step, person, _ in self.steps]

    @property
    def bank(self) -> int | None:
        return self.accounts.get((AccountKind.TABLE_BANK.value, "chips"))

    @property
    def name(self) -> str:
        return f"{self.kind.title} {self.number}"


class Documents:
    def __init__(self, accounts: Accounts, evidence: EvidenceGiven, *, whole: bool) -> None:
        self._accounts, self._evidence, self._whole = accounts, evidence, whole
        self._open: dict[int, _Document] = {}
        self._numbers = {
            kind.code: Numbering(kind.title.lower(), whole=whole) for kind in rules.KINDS.values()
        }
        self._entries: dict[int, Body] = {}  # by document: an entry whose step comes next
        self._banks: dict[int, tuple[int, int]] = {}  # by session of an open table
        self._counts: dict[int, Body] = {}  # by session: the count of a bank whose table closes next
        self._tables: dict[int, str] = {}  # by account of an open table's chips
        self._supplied: dict[int, str] = {}  # likewise: the gaming day on which something came there first
        self._counted_on: dict[int, str] = {}  # by session: gaming day of the last count in play
        self._struck: dict[int, int] = {}  # likewise: counts of its bank that differed
        self._closers: dict[int, Body] = {}  # those of which no table has closed yet
        self._undeposited: dict[int, tuple[int, int]] = {}  # by box: its cash, and how often it was named
        self._seals: frozenset[str] = frozenset()  # of the sets in the reserve
        self._small: Small = {}  # differences that nobody uninvolved signed
        self._left: dict[int, Body] = {}  # by player: the last cash-out of the day
        self.begun = self.ended = self.older = 0

    def take(self, body: Body) -> Iterator[Problem]:
        match body["record"]:
            case "document":
                return self._begun(body)
            case "document_box":
                return self._box(body)
        return self._step(body)

    def signed(self, body: Body) -> None:
        if body["record"] == "sign_off":
            self._undeposited[body["box"]] = body["counted_cash"], 0

    def entry(self, body: Body) -> Iterable[Problem]:
        if body["kind"] == EntryKind.BANK_COUNT:
            return self._counted(body)
        if body["kind"] == EntryKind.CASH_OUT:
            self._left[body["evidence"]["player"]] = body
        return self._posted(body) if body["kind"] in _POSTS else ()

    def _counted(self, body: Body) -> Iterator[Problem]:
        """Judge the count of a bank: if the table plays on, nothing of the bank is under way, and the counted
        bank stays there."""
        evidence = body["evidence"]
        if "closer" in evidence:
            self._counts[evidence["session"]] = body
            return
        self._counted_on[evidence["session"]] = body["gaming_day"]
        bank, counted = self._banks.get(evidence["session"], ()), pieces_of(evidence["pieces"])
        for account, cents in zip(bank, (counted.chips_cents, counted.cash_cents), strict=False):
            lines = [(line["to"] == account) - (line["from"] == account) for line in body["transfers"]]
            moved = sum(way * line["cents"] for way, line in zip(lines, body["transfers"], strict=True))
            if self._accounts.held(account) + moved != cents:
                yield "wrong_sum", "It does not leave in the bank what was counted there."
        yield from self._under_way(bank)

    def uncounted(self, day: str) -> Iterator[Problem]:
        """Judge the closing of a gaming day: the bank of each open table was counted on it or later. Before
        version 0.3.0 none was; once one is, all must be."""
        for session, (chips, _) in self._banks.items() if self._counted_on else ():
            if self._supplied.get(chips, "9999") <= day and self._counted_on.get(session, "") < day:
                yield "bank_not_counted", f"{self._tables[chips]} played on, and nobody had counted its bank."

    def _under_way(self, bank: tuple[int, ...], closer: int | None = None) -> Iterator[Problem]:
        for number, document in self._open.items():
            if number != closer and document.bank in bank:
                yield "not_ended", f"{document.name} of this table waited for a step."

    def table(self, body: Body) -> Iterator[Problem]:
        """Judge the closing of a table: its bank went to the cage as counted, and no other document of it
        waits for a step."""
        if body["kind"] == "opened":
            self._banks[body["session"]] = body["data"]["bank_chips"], body["data"]["bank_cash"]
            self._tables[body["data"]["bank_chips"]] = f"Table {body['data']['table']}"
        elif body["kind"] == "closed":
            bank = self._banks.pop(body["session"], ())
            self._tables.pop(bank[0] if bank else 0, None)
            self._supplied.pop(bank[0] if bank else 0, None)
            count = self._counts.pop(body["session"], None)
            closer: int | None = None if count is None else count["evidence"]["closer"]
            if count is not None and (bank or self._whole):
                yield from self._closed(count, bank)
            if closer is not None:
                self._closers.pop(closer, None)
            if any(map(self._accounts.held, bank)):
                yield "not_empty", "The table has closed, and its bank still holds something."
            yield from self._under_way(bank, closer)

    def _closed(self, count: Body, bank: tuple[int, ...]) -> Iterator[Problem]:
        evidence, people = count["evidence"], (count["actor"], count["approver"])
        number = evidence["closer"]
        found = self._open.get(number) if number in self._closers else None
        sent = None if found is None else found.pieces
        taken = [] if found is None else [one[1:] for one in found.steps]
        wrong = rules.wrong_closer(pieces_of(evidence["pieces"]), people, count["occurred_at"], sent, taken)
        if not wrong and found is not None and bank and found.bank not in bank:
            wrong = f"{found.name} is of another bank."
        if wrong:
            yield "wrong_closer", wrong

    def finish(self) -> Iterator[Finding]:
        for body in self._entries.values():
            yield Finding("no_step", "No step of its document posts it.", None, name_of(body))
        for body in self._closers.values():
            yield Finding("no_closing", "No table closed with it.", None, name_of(body))

    def unended(self, day: str) -> Iterator[Problem]:
        """Judge the closing of a gaming day: its documents, and those of the days before, have ended, except
        those that wait for somebody beyond the house."""
        self._left.clear()
        self._small = {key: cents for key, cents in self._small.items() if key[0] > day}
        for document in self._open.values():
            last = document.steps[-1][1] if document.steps else ""
            if document.day <= day and rules.holds_day(document.kind, last):
                yield "not_ended", f"{document.name} of gaming day {document.day} was still under way."

    def _begun(self, body: Body) -> Iterator[Problem]:
        kind = rules.KINDS.get(body["kind"])
        if kind is None:
            yield "unknown_kind", f"There is no document of the kind {body['kind']}."
            return
        yield from self._numbers[kind.code].gap(body["number"])
        self.begun += 1
        pieces = pieces_of(body["pieces"])
        yield from summed(body)
        if kind.is_beyond and not kind.is_held and body["place"] != TITLES[kind.place]:
            yield "wrong_document", f"A {kind.title.lower()} is between the vault and {TITLES[kind.place]}."
        if any(pieces.of(asset) for asset in ("chips", "cash") if asset not in kind.assets):
            yield "wrong_document", f"A {kind.title.lower()} is of {' and '.join(kind.assets)} alone."
        accounts = {
            (kind.place.value, "chips"): body["chips"],
            (kind.place.value, "cash"): body["cash"],
            (AccountKind.TRANSIT.value, "chips"): body["transit_chips"],
            (AccountKind.TRANSIT.value, "cash"): body["transit_cash"],
        }
        for asset in ("chips", "cash"):
            transit = accounts[AccountKind.TRANSIT.value, asset]
            if self._accounts.known(transit):
                yield "wrong_account", f"Account {transit} is not of this document alone."
            self._accounts.begin(transit, (AccountKind.TRANSIT.value, asset), 0)
        if kind.of_count:
            self._closers[body["id"]] = body
        said = kind.code, body["number"], body["gaming_day"], body["place"]
        self._open[body["id"]] = _Document(*said, pieces, accounts)

    def _box(self, body: Body) -> Iterator[Problem]:
        document = self._open.get(body["document"])
        if document is None or document.steps:
            if document or self._whole:
                yield "no_document", "It names a box for no document that begins."
            return
        found = self._undeposited.pop(body["box"], None)
        if found is not None:
            attempt = found[1] + 1
            document.boxes[body["box"]] = found[0], attempt
            if body["attempt"] != attempt:
                yield "wrong_document", f"It is attempt {attempt} for its box, and not {body['attempt']}."
        elif self._whole or body["box"] in document.boxes:
            yield "box_deposited", "Its box was not signed off, or is on another deposit."
        else:
            document.boxes_known = False

    def _sealed(self, body: Body, kind: rules.DocumentKind) -> tuple[bool, Problem | None]:
        """Judge the seals of reserve sets: return whether a step breaks one that is not known to be there,
        and what is wrong. Sets that were sealed before these records are unknown."""
        step, reference = body["step"], body["reference"]
        sealed, broken = rules.seals_of(kind, step, reference)
        kept = self._seals if self._whole else self._seals | broken
        signed = body["person"], body["second"], body["reason"]
        wrong = rules.wrong_seals(kind, step, kept, reference, signed=signed)
        other = bool(broken) and (not self._whole or rules.other_seals(kind, step, kept, reference))
        self._seals = (self._seals | sealed) - broken
        return other, wrong

    def _posted(self, body: Body) -> Iterator[Problem]:
        evidence = body["evidence"]
        document = self._open.get(evidence["document"])
        if document is None:
            if self._whole:
                yield "no_document", f"No document {evidence['document']} waits for a step."
            return
        if (evidence["kind"], evidence["number"]) != (document.code, document.number):
            yield "wrong_document", f"It names another document than {document.name}."
        step, counted = evidence["step"], pieces_of(evidence["pieces"])
        if step in rules.COUNTED and document.bank is not None:
            self._supplied.setdefault(document.bank, body["gaming_day"])
        if rules.POSTED_AS.get(step) != body["kind"]:
            yield "wrong_step", f"A step {step} is not posted as {body['kind']}."
        moved = [
            (line["from_kind"], line["to_kind"], line["asset"], line["cents"]) for line in body["transfers"]
        ]
        if moved != list(rules.transfers(document.kind, step, document.pieces, counted)):
            yield "wrong_sum", f"It does not move what {document.name} says."
        for line in body["transfers"]:
            for end in ("from", "to"):
                own = document.accounts.get((line[f"{end}_kind"], line["asset"]), line[end])
                if own != line[end]:
                    yield "wrong_account", f"Account {line[end]} is not that of {document.name}."
        if evidence["document"] in self._entries:
            yield "no_step", "No step was taken between it and the entry of its document before."
        self._entries[evidence["document"]] = body

    def _step(self, body: Body) -> Iterator[Problem]:
        entry = self._entries.pop(body["document"], None)
        document = self._open.get(body["document"])
        pieces = pieces_of(body["pieces"])
        yield from summed(body)
        if document is None:
            self.older += not self._whole
            if self._whole:
                yield "no_document", "It is a step of no document that waits for one."
            elif kind := rules.KINDS.get(body["series"]):
                self._sealed(body, kind)
            return
        if (body["series"], body["number"], body["place"]) != (
            document.code,
            document.number,
            document.place,
        ):
            yield "wrong_document", f"It names another document than {document.name}."
        before = document.steps[-1][0] if document.steps else None
        if (body["ordinal"], body["after"]) != (len(document.steps), before):
            yield "wrong_step", f"It does not follow the last step of {document.name}."
        step, person = body["step"], body["person"]
        before_step = document.steps[-1][1] if document.steps else ""
        if wrong := rules.wrong_step(document.kind, document.taken, step, person):
            yield wrong, f"{document.name} could not be {step} by this person now."
        other, wrong_seal = self._sealed(body, document.kind)
        if wrong_seal:
            yield wrong_seal
        yield from _signed(body, document.taken, broken=other)
        yield from self._witnessed(body, document, pieces)
        yield from _as_its_kind_asks(body, document)
        yield from self._held(body, document)
        if (entry and entry["id"]) != body["entry"] or (step in rules.POSTED_AS) != (entry is not None):
            yield "wrong_step", "Its entry is not the one that was posted with it."
        elif entry is not None and (entry["evidence"]["step"], entry["evidence"]["pieces"]) != (
            step,
            body["pieces"],
        ):
            yield "wrong_step", "Its entry says another step, or other pieces."
        signed = person, body["second"], body["reason"].strip()
        if entry is not None and (entry["actor"], entry["approver"], entry["reason"].strip()) != signed:
            yield "second_person", "Its entry was posted by others, or for another reason."
        if step == rules.Step.SENT and pieces != document.pieces:
            yield "wrong_sum", f"It sends another amount than {document.name} asks for."
        if step in rules.COUNTED and (pieces == document.pieces) != (step == rules.Step.RECEIVED):
            yield "wrong_step", "It records wrongly whether the count agrees with what was sent."
        document.steps.append((body["id"], step, person, body["at"]))
        if step == rules.Step.VOIDED:
            self._undeposited |= document.boxes
        if step in rules.ENDS and before_step not in rules.ENDS:
            yield from self._end(document)
        if not document.kind.after(step):
            del self._open[body["document"]]

    def struck(self, body: Body) -> Iterator[Problem]:
        """Judge a refused count: its counter could receive the document, and the count differs from what was
        sent."""
        counted = pieces_of(body["pieces"])
        yield from summed(body)
        document = self._open.get(body["document"])
        if document is None:
            if self._whole:
                yield "no_document", "It counts what came under no document that waits for it."
            return
        if wrong := rules.wrong_step(document.kind, document.taken, rules.Step.RECEIVED, body["person"]):
            yield wrong, f"{document.name} could not be received by this person now."
        if found := wrong_struck(body["attempt"], len(document.struck), counted, document.pieces):
            yield found
        if body.get("place", document.name) != document.name:
            yield "wrong_document", f"It names another document than {document.name}."
        document.struck.append(body["person"])

    def _witnessed(self, body: Body, document: _Document, came: Pieces) -> Iterator[Problem]:
        """Judge the witness and the evidence of a large difference between sent and received, or of a large
        amount handed on without a known owner."""
        sent = document.pieces
        amounts = (sent.chips_cents, sent.cash_cents), (came.chips_cents, came.cash_cents)
        vouched = rules.vouched_for(body["step"], document.owner, *amounts)
        if vouched is None or not self._evidence.asked_of(body):
            return
        threshold = body.get("threshold_cents", 0)
        large = needs_two(*vouched, threshold)
        if body["step"] == rules.Step.DIFFERED:
            table = document.bank if document.kind.place == AccountKind.TABLE_BANK else None
            found = difference(body["gaming_day"], body["person"], table, vouched, threshold)
            large = not add_small(found, self._small)
        if large:
            handled = [*(person for _, person in document.taken), *document.struck]
            said = {"second": body["second"], "evidence": body.get("evidence", "")}
            if wrong := wrong_witness(**said, handled=handled, ran=()):
                yield wrong

    def struck_bank(self, body: Body) -> Iterator[Problem]:
        """Judge two counts by two people that differ: of a bank, when an open table closes, or of a stack
        that they pick up there."""
        counted, again = pieces_of(body["pieces"]), pieces_of(body["second_pieces"])
        yield from summed(body)
        number, place = body["bank"], body["place"]
        table = self._tables.get(number)
        if self._accounts.is_stack(number):
            place = rules.table_of(place)
            table = place if place in self._tables.values() or not self._whole else None
        if table is None:
            if self._whole:
                yield "no_document", "It counts a bank or a stack of no table that is open."
            return
        if place != table:
            yield "wrong_document", f"It names another place than {table}."
        if body["second"] == body["person"]:
            yield "second_person", "Two people count a bank."
        if found := wrong_struck(body["attempt"], self._struck.get(number, 0), counted, again):
            yield found
        self._struck[number] = body["attempt"]

    def _held(self, body: Body, document: _Document) -> Iterator[Problem]:
        """Judge unclaimed chips: their owner, the day from which they may be released, and who gets them."""
        step, player, due = body["step"], body.get("player"), body.get("due")
        dated, named = (
            document.kind.is_held and step in rules.COUNTED,
            document.kind.is_held and step in _NAMED,
        )
        if (due is not None) != dated or (player is not None and not named):
            yield "wrong_step", "It says wrongly until when it is held, or for whom."
        if not document.steps:
            document.owner = player
        if step == rules.Step.SENT and document.owner is not None:
            yield from self._picked_up(body, document, document.owner)
        if step in rules.HANDED_ON:
            if pieces_of(body["pieces"]) != document.held:
                yield "wrong_sum", f"It hands another amount on than {document.name} holds."
            if wrong := rules.wrong_hand_over(step, document.owner, player, document.due, body["gaming_day"]):
                yield wrong
        if step in rules.COUNTED:
            document.held, document.due = pieces_of(body["pieces"]), due

    def _picked_up(self, body: Body, document: _Document, player: int) -> Iterator[Problem]:
        left = self._left.pop(player, None)
        if left is None or (left["occurred_at"], left["actor"]) != (body["at"], body["person"]):
            if left is not None or self._whole:
                yield "not_cashed_out", "No stack of this player left a table with it."
            return
        stack = sum(line["cents"] for line in left["transfers"])
        if rules.wrong_pick_up(stack, document.pieces.chips_cents, left["reason"]):
            yield "reason_required", "It is another amount than the stack had, without a reason."

    def _end(self, document: _Document) -> Iterator[Problem]:
        self.ended += 1
        for (kind, asset), account in document.accounts.items():
            if kind == AccountKind.TRANSIT and self._accounts.held(account):
                yield "not_empty", f"{document.name} has ended, and {asset} of it are still under way."


def _as_its_kind_asks(body: Body, document: _Document) -> Iterator[Problem]:
    rule = document.kind.rule(document.steps[-1][1] if document.steps else "", body["step"])
    if rule is not None and rules.wrong_reference(rule, body["reference"]):
        yield "reference_required", "It has no reference, or one that it does not need."
    if document.steps or not document.boxes_known:
        return
    counted = [cash for cash, _ in document.boxes.values()]
    if rules.wrong_boxes(document.kind, document.pieces.cash_cents, counted):
        yield "wrong_sum", f"{document.name} is not the cash of the boxes that it names."


def _signed(body: Body, taken: Sequence[tuple[str, int]], *, broken: bool) -> Iterator[Problem]:
    if body["step"] not in rules.BY_TWO:
        if not broken and (body["second"] is not None or body["reason"]):
            yield "wrong_step", "This step has no reason and no second person."
        return
    if wrong := rules.wrong_second(taken, body["step"], body["person"], body["second"]):
        yield "second_person", wrong
    if not body["reason"].strip():
        yield "reason_required", "It has no reason."
