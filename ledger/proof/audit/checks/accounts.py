"""Account balances after each entry, recomputed from the transfers alone. Pure. Zero balances are dropped.
For every account of the log only kind and asset are kept: a byte, in chunks of 64 consecutive ids."""

from collections.abc import Iterator, Mapping, Sequence

from ledger.chart import MAY_BE_NEGATIVE, ONE_PER_SITE, AccountKind, Asset
from ledger.money import dollars
from ledger.records.findings import Body, Finding, name_of
from ledger.rules.places import FeesTaken, identities

Place = tuple[str, str]
"""A kind of account and an asset."""

_PLACES: list[Place] = [(kind.value, asset.value) for kind in AccountKind for asset in Asset]
_CODES = {place: code for code, place in enumerate(_PLACES, start=1)}
_BEGAN = 0x80
_PAYERS = (AccountKind.STACK, AccountKind.PUBLIC)
_AT_WINDOW = frozenset(
    {
        (AccountKind.PUBLIC.value, AccountKind.DRAWER.value, "cash"),
        (AccountKind.DRAWER.value, AccountKind.PUBLIC.value, "cash"),
    }
)
_CHUNK_BITS = 6
_CHUNK = 1 << _CHUNK_BITS


def _of_patrons(line: Body) -> bool:
    return AccountKind.PATRONS in (line["from_kind"], line["to_kind"])


class Accounts:
    """The accounts of a log. `whole`: the log is read from its first leaf, so all balances start at zero. In
    a part of a log only accounts opened in it can be judged: stacks, boxes, banks."""

    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        self._held: dict[int, int] = {}
        self._codes: dict[int, bytearray] = {}
        self._only: dict[Place, int] = {}
        self._low: dict[
            int, tuple[str, Finding]
        ] = {}  # by a reversal of this time, until its correction comes
        self._told: set[int] = set()
        self._flows: dict[tuple[str, ...], int] = {}  # by kind of source, of target, and asset
        self.seen = 0
        self.older = 0

    @property
    def balances(self) -> dict[int, int]:
        """Non-zero balances: account id -> cents. In a part of a log: the change within that part."""
        return dict(self._held)

    def held(self, account: int) -> int:
        return self._held.get(account, 0)

    def known(self, account: int) -> bool:
        """Return whether an account has been seen in these records."""
        return bool(self._code(account))

    def is_stack(self, account: int) -> bool:
        """Return whether an account is known as a player's stack of chips."""
        return self._code(account) & ~_BEGAN == _CODES[AccountKind.STACK.value, "chips"]

    def begin(self, account: int, place: Place, cents: int) -> None:
        if not self._whole and not self._code(account) & _BEGAN:
            if cents:
                self._held[account] = cents
            else:
                self._held.pop(account, None)
            self._set(account, _CODES[place] | _BEGAN)

    def know(self, account: int, place: Place, *, begins: bool) -> str:
        """Fix an account's kind and asset at first sight; return a sentence if they change or cannot be."""
        chunk = self._codes.get(account >> _CHUNK_BITS)
        code = chunk[account % _CHUNK] & ~_BEGAN if chunk is not None else 0
        if code:
            if _PLACES[code - 1] == place:
                return ""
            before = " ".join(reversed(_PLACES[code - 1]))
            return (
                f"account {account} held {before} before, and is said to be {' '.join(reversed(place))} now"
            )
        if place not in _CODES:
            return ""
        self.seen += 1
        self.older += not (self._whole or begins or place[0] in ONE_PER_SITE)
        self._set(account, _CODES[place] | (_BEGAN if begins else 0))
        if place[0] in ONE_PER_SITE and self._only.setdefault(place, account) != account:
            return (
                f"the house has two accounts of {place[1]} of the kind {place[0]}: {self._only[place]} and"
                f" {account}"
            )
        return ""

    def post(self, leaf: int, body: Body, changes: Mapping[int, int]) -> list[Finding]:
        """Apply an entry's transfers; return a finding for each account that must not go below zero, but
        does. A reversal and its correction count as one step: they are posted together, with no other entry
        in between."""
        held, kind, recorded_at = self._held, body["kind"], body["recorded_at"]
        found: list[Finding] = []
        for account, change in changes.items():
            before = held.get(account, 0)
            after = before + change
            if after:
                held[account] = after
            else:
                held.pop(account, None)
            low = self._low.pop(account, None) if self._low else None
            if low is not None and not (kind == "correction" and recorded_at == low[0]):
                self._told.add(account)
                found.append(low[1])
            if after >= 0:
                if self._told:
                    self._told.discard(account)
            elif account not in self._told and self._is_judged(account):
                kind_of, asset = _PLACES[(self._code(account) & ~_BEGAN) - 1]
                sentence = f"It leaves account {account} ({kind_of}) with {dollars(after)} in {asset}."
                below = Finding("below_zero", sentence, leaf, name_of(body))
                if kind == "reversal":
                    self._low[account] = (recorded_at, below)
                else:
                    self._told.add(account)
                    found.append(below)
        return found

    def finish(self) -> Iterator[Finding]:
        for _, below in self._low.values():
            yield below
        held: dict[Place, int] = {}
        flows = self._flows.items()
        for (source, target, asset, *_), cents in flows:
            held[source, asset] = held.get((source, asset), 0) - cents
            held[target, asset] = held.get((target, asset), 0) + cents
        # Fees went into boxes, or over the window with nothing in return; some were paid back.
        fees = sum(
            cents * ((source in _PAYERS) - (target in _PAYERS))
            for (source, target, _, *fee), cents in flows
            if fee or AccountKind.DROP_BOX in (source, target)
        )
        chips = {(source, target): cents for (source, target, of, *_), cents in flows if of == "chips"}
        for equation in identities(held, FeesTaken.of(fees, chips)):
            if equation.wrong:
                yield Finding(equation.code, equation.wrong)

    def flow(self, lines: Sequence[Body]) -> None:
        """Add an entry's moves by kinds of places, for the identities of the whole."""
        for line in lines:
            flow: tuple[str, ...] = line["from_kind"], line["to_kind"], line["asset"]
            if flow in _AT_WINDOW and not any(map(_of_patrons, lines)):  # no chips in return: it is a fee
                flow = (*flow, "fee")
            self._flows[flow] = self._flows.get(flow, 0) + line["cents"]

    def _is_judged(self, account: int) -> bool:
        code = self._code(account)
        known = code & ~_BEGAN
        return (
            bool(known)
            and (self._whole or bool(code & _BEGAN))
            and _PLACES[known - 1][0] not in MAY_BE_NEGATIVE
        )

    def _code(self, account: int) -> int:
        chunk = self._codes.get(account >> _CHUNK_BITS)
        return chunk[account % _CHUNK] if chunk is not None else 0

    def _set(self, account: int, code: int) -> None:
        self._codes.setdefault(account >> _CHUNK_BITS, bytearray(_CHUNK))[account % _CHUNK] = code
