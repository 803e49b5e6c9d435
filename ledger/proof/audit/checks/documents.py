"""Documents of custody in the log: numbered without gaps by kind, their steps in order and by the people who
may take them, what was sent and received posted as counted, nothing left under way at the end or when its
table closes. Pure. Only documents that begin in the given records can be judged."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ledger.chart import AccountKind
from ledger.proof.audit.checks.accounts import Accounts
from ledger.records.findings import Body, Finding, Numbering, Problem, name_of
from ledger.rules.denominations import Pieces, pieces_of
from ledger.rules.documents import (
    BY_TWO,
    ENDS,
    KINDS,
    POSTED_AS,
    DocumentKind,
    Step,
    transfers,
    wrong_second,
    wrong_step,
)

_POSTS = frozenset(kind.value for kind in POSTED_AS.values())


@dataclass(slots=True)
class _Document:
    code: str  # of its kind
    number: int
    day: str
    pieces: Pieces
    accounts: dict[tuple[str, str], int]
    steps: list[tuple[int, str, int]] = field(default_factory=list)

    @property
    def kind(self) -> DocumentKind:
        return KINDS[self.code]

    @property
    def taken(self) -> list[tuple[str, int]]:
        return [(step, person) for _, step, person in self.steps]

    @property
    def name(self) -> str:
        return f"{self.kind.title} {self.number}"


class Documents:
    def __init__(self, accounts: Accounts, *, whole: bool) -> None:
        self._accounts, self._whole = accounts, whole
        self._open: dict[int, _Document] = {}
        self._numbers = {kind.code: Numbering(kind.title.lower(), whole=whole) for kind in KINDS.values()}
        self._entries: dict[int, Body] = {}  # by document: an entry whose step comes next
        self._banks: dict[int, int] = {}  # by session of an open table: its bank of chips
        self.begun = self.ended = self.older = 0

    def take(self, body: Body) -> Iterator[Problem]:
        return self._begun(body) if body["record"] == "document" else self._step(body)

    def entry(self, body: Body) -> Iterable[Problem]:
        return self._posted(body) if body["kind"] in _POSTS else ()

    def table(self, body: Body) -> Iterator[Problem]:
        """Judge the closing of a table: no document of its bank waits for a step."""
        if body["kind"] == "opened":
            self._banks[body["session"]] = body["data"]["bank_chips"]
        elif body["kind"] == "closed":
            bank = AccountKind.TABLE_BANK.value, "chips"
            chips = self._banks.pop(body["session"], None)
            for document in self._open.values():
                if chips is not None and document.accounts.get(bank) == chips:
                    yield "not_ended", f"{document.name} of this table waited for a step."

    def finish(self) -> Iterator[Finding]:
        for body in self._entries.values():
            yield Finding("no_step", "No step of its document posts it.", None, name_of(body))

    def unended(self, day: str) -> Iterator[Problem]:
        """Judge the closing of a gaming day: its documents, and those of the days before, have ended."""
        for document in self._open.values():
            if document.day <= day:
                yield "not_ended", f"{document.name} of gaming day {document.day} was still under way."

    def _begun(self, body: Body) -> Iterator[Problem]:
        kind = KINDS.get(body["kind"])
        if kind is None:
            yield "unknown_kind", f"There is no document of the kind {body['kind']}."
            return
        yield from self._numbers[kind.code].gap(body["number"])
        self.begun += 1
        pieces = pieces_of(body["pieces"])
        yield from _summed(body, pieces)
        if any(pieces.of(asset) for asset in ("chips", "cash") if asset not in kind.assets):
            yield "wrong_document", f"A {kind.title.lower()} is of {' and '.join(kind.assets)} alone."
        place = kind.target if kind.source == AccountKind.VAULT else kind.source
        accounts = {
            (place.value, "chips"): body["chips"],
            (place.value, "cash"): body["cash"],
            (AccountKind.TRANSIT.value, "chips"): body["transit_chips"],
            (AccountKind.TRANSIT.value, "cash"): body["transit_cash"],
        }
        for asset in ("chips", "cash"):
            transit = accounts[AccountKind.TRANSIT.value, asset]
            if self._accounts.known(transit):
                yield "wrong_account", f"Account {transit} is not of this document alone."
            self._accounts.begin(transit, (AccountKind.TRANSIT.value, asset), 0)
        self._open[body["id"]] = _Document(kind.code, body["number"], body["gaming_day"], pieces, accounts)

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
        if POSTED_AS.get(step) != body["kind"]:
            yield "wrong_step", f"A step {step} is not posted as {body['kind']}."
        moved = [
            (line["from_kind"], line["to_kind"], line["asset"], line["cents"]) for line in body["transfers"]
        ]
        if moved != list(transfers(document.kind, step, document.pieces, counted)):
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
        yield from _summed(body, pieces)
        if document is None:
            self.older += not self._whole
            if self._whole:
                yield "no_document", "It is a step of no document that waits for one."
            return
        before = document.steps[-1][0] if document.steps else None
        if (body["ordinal"], body["after"]) != (len(document.steps), before):
            yield "wrong_step", f"It does not follow the last step of {document.name}."
        step, person = body["step"], body["person"]
        if wrong := wrong_step(document.kind, document.taken, step, person):
            yield wrong, f"{document.name} could not be {step} by this person now."
        yield from _signed(body, document.taken)
        if (entry and entry["id"]) != body["entry"] or (step in POSTED_AS) != (entry is not None):
            yield "wrong_step", "Its entry is not the one that was posted with it."
        elif entry is not None and (entry["evidence"]["step"], entry["evidence"]["pieces"]) != (
            step,
            body["pieces"],
        ):
            yield "wrong_step", "Its entry says another step, or other pieces."
        signed = person, body["second"], body["reason"].strip()
        if entry is not None and (entry["actor"], entry["approver"], entry["reason"].strip()) != signed:
            yield "second_person", "Its entry was posted by others, or for another reason."
        if step == Step.SENT and pieces != document.pieces:
            yield "wrong_sum", f"It sends another amount than {document.name} asks for."
        if step in (Step.RECEIVED, Step.DIFFERED) and (pieces == document.pieces) != (step == Step.RECEIVED):
            yield "wrong_step", "It records wrongly whether the count agrees with what was sent."
        document.steps.append((body["id"], step, person))
        if step in ENDS:
            yield from self._end(self._open.pop(body["document"]))

    def _end(self, document: _Document) -> Iterator[Problem]:
        self.ended += 1
        for (kind, asset), account in document.accounts.items():
            if kind == AccountKind.TRANSIT and self._accounts.held(account):
                yield "not_empty", f"{document.name} has ended, and {asset} of it are still under way."


def _summed(body: Body, pieces: Pieces) -> Iterator[Problem]:
    if (body["chips_cents"], body["cash_cents"]) != (pieces.chips_cents, pieces.cash_cents):
        yield "wrong_sum", "Its pieces do not come to its amounts."


def _signed(body: Body, taken: Sequence[tuple[str, int]]) -> Iterator[Problem]:
    if body["step"] not in BY_TWO:
        if body["second"] is not None or body["reason"]:
            yield "wrong_step", "This step has no reason and no second person."
        return
    if wrong := wrong_second(taken, body["step"], body["person"], body["second"]):
        yield "second_person", wrong
    if not body["reason"].strip():
        yield "reason_required", "It has no reason."
