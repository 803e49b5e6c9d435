"""Everything that was counted against the books, by records: drop boxes, tables' banks, cashiers' drawers,
the vault, unclaimed chips, and documents received with a difference; day by day, with its sign-off. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ledger.chart import AccountKind, EntryKind
from ledger.papers.cells import cells, mapping, mappings, number
from ledger.papers.paper import Paper, PaperSource
from ledger.records.findings import UNREADABLE, Body
from ledger.rules.bank_signing import BANKS
from ledger.rules.denominations import pieces_of
from ledger.rules.documents import Step
from ledger.rules.slip_ways import POSTED_AS, STAYS

_ASSETS = ("chips", "cash")
_STAYS = frozenset((*(POSTED_AS[way] for way in STAYS), EntryKind.BANK_COUNT))
"""The counts that move what differs alone."""


def _is_counted(entry: Body) -> bool:
    kind = entry.get("kind")
    differed = mapping(entry.get("evidence")).get("step") == Step.DIFFERED
    return kind in (EntryKind.DROP, *BANKS) or (kind == EntryKind.DOCUMENT_RECEIVED and differed)


def figures_of(entry: Body) -> list[int]:
    """Return the counted amount and its over/short, in chips and in cash each; cents. The entry moves all
    that was expected out of its place, to where it belongs or to over/short; for the vault and a bank the
    pieces have the counted amount."""
    counted, over = dict.fromkeys(_ASSETS, 0), dict.fromkeys(_ASSETS, 0)
    stays = entry.get("kind") in _STAYS
    for get in (line.get for line in mappings(entry.get("transfers"))):
        asset, cents = str(get("asset")), number(get("cents"))
        if asset in counted:
            counted[asset] += cents * (get("to_kind") != AccountKind.OVER_SHORT and not stays)
            over[asset] += cents * (get("from_kind") == AccountKind.OVER_SHORT)
            over[asset] -= cents * (get("to_kind") == AccountKind.OVER_SHORT)
    if stays:
        counted = _value(mapping(mapping(entry.get("evidence")).get("pieces")))
    return [*counted.values(), *over.values()]


def _value(pieces: Mapping[str, Any]) -> dict[str, int]:
    try:
        found = pieces_of(pieces)
    except UNREADABLE:
        return dict.fromkeys(_ASSETS, 0)
    return {"chips": found.chips_cents, "cash": found.cash_cents}


@dataclass(frozen=True)
class Counted:
    """An entry by which something was counted against the books, and the record that signs it off."""

    entry: Body
    signed: Body | None

    @property
    def figures(self) -> list[int]:
        return figures_of(self.entry)

    @property
    def named(self) -> list[str]:
        """The cells of what was counted, and of its number."""
        said = mapping(self.entry.get("evidence"))
        match self.entry.get("kind"):
            case EntryKind.DROP:
                return [AccountKind.DROP_BOX.value, *cells(said, "number")]
            case EntryKind.BANK_COUNT:
                return [AccountKind.TABLE_BANK.value, *cells(said, "table")]
            case EntryKind.DRAWER_CLOSE:
                return [AccountKind.DRAWER.value, *cells(said, "drawer_number")]
            case kind if kind in _STAYS:
                return [BANKS[EntryKind(kind)].value, *cells(said, "number")]
        return cells(said, "kind", "number")

    @property
    def begun(self) -> Any:
        """The moment that decides its shift: for a box its installation, else its own."""
        installed = mapping(self.entry.get("evidence")).get("installed_at")
        return installed if self.entry.get("kind") == EntryKind.DROP else self.entry.get("occurred_at")


class PaperOfCounts(Paper):
    """A paper of what was counted on each gaming day. The lines of a day are written when it is closed."""

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._days: dict[str, list[Body]] = {}
        self._signed: dict[int, Body] = {}

    def take(self, body: Body) -> Iterator[bytes]:
        match body.get("record"):
            case "entry" if _is_counted(body):
                self._days.setdefault(str(body.get("gaming_day")), []).append(body)
            case "document_step" if body.get("step") == Step.DIFFERED:
                # Something else arrived: the step says who signed it and why, as a sign-off does.
                people = {"signed_by": body.get("person"), "signed_with": body.get("second")}
                said = {"cause": body.get("reason"), "evidence": body.get("evidence")}
                self._signed[number(body.get("entry"))] = people | said | {"signed_at": body.get("at")}
            case "bank_sign_off" | "sign_off":
                self._signed[number(body.get("entry"))] = body
            case "closed_day":
                day = str(body.get("gaming_day"))
                self._days.setdefault(day, [])
                yield from self._until(day)

    def finish(self) -> Iterator[bytes]:
        yield from self._until(None)

    def day_lines(self, day: str, counted: list[Counted]) -> Iterable[bytes]:
        """Return the lines of a day's counts."""
        return ()

    def _until(self, until: str | None) -> Iterator[bytes]:
        for day in sorted(day for day in self._days if until is None or day <= until):
            entries = self._days.pop(day)
            counted = [Counted(one, self._signed.pop(number(one.get("id")), None)) for one in entries]
            yield from self.day_lines(day, counted)
