"""Read the entries that brought chips to a sitting or took them away, corrected ones included."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from ledger.journal.balances import entries_of, transfers_of
from ledger.journal.days import gaming_day
from ledger.journal.records import evidence_in, record_of
from tables.models import Sitting, TableSession

OVER_SHORT = "over_short"
BROUGHT = ("buy_in", "add_on")
TOKE = "toke"
KINDS = (*BROUGHT, TOKE, "table_move", "cash_out")
TAKES_BACK = ("reversal", "undo")
CORRECTING = (*TAKES_BACK, "correction")
REVERSAL = "/reversal"
"""Appended to a correction's key to make the key of the reversal before it."""


@dataclass(frozen=True, slots=True)
class ChipEntry:
    """An entry that brought chips to a sitting or took them away: an original or its correction.
    `over_short_cents` is what a correction found missing (or, below zero, in excess) at a cash-out. `dealer`
    and `account` are those of a toke."""

    entry: Any
    kind: str
    sitting_id: int
    cents: int
    source: str
    over_short_cents: int
    dealer: int | None = None
    account: int | None = None

    @property
    def total_cents(self) -> int:
        """What left the stack in a cash-out."""
        return self.cents + self.over_short_cents


def original_kind(entry: Any) -> str:
    """Return the entry's kind; for a reversal or correction of chips, the kind of the original entry."""
    if entry.kind not in CORRECTING:
        return str(entry.kind)
    evidence = json.loads(entry.evidence)
    return str(evidence.get("of") or entry.kind)


def chip_entry(entry: Any) -> ChipEntry | None:
    """Return the entry as a `ChipEntry`; None for other kinds and for reversals."""
    if entry.kind not in (*KINDS, "correction"):
        return None
    evidence = json.loads(entry.evidence)
    kind = evidence.get("of") if entry.kind == "correction" else entry.kind
    if kind not in KINDS:
        return None
    moved = (
        sum(line.cents for line in entry.transfers.all()) if "cents" not in evidence else evidence["cents"]
    )
    source, over_short = evidence.get("source", ""), evidence.get("over_short_cents", 0)
    given = (evidence["dealer"], evidence["account"]) if kind == TOKE else ()
    return ChipEntry(entry, kind, evidence["sitting"], moved, source, over_short, *given)


def standing(site: Any, entry: Any) -> Any:
    """Return the entry now in force: this one, or the last correction of it."""
    while (reversal := site.entries.filter(reverses=entry).first()) is not None:
        entry = site.entries.get(key=reversal.key.removesuffix(REVERSAL))
    return entry


def leaving_entry(site: Any, sitting: Sitting) -> ChipEntry | None:
    """Return the cash-out or move that ended a sitting, as now corrected, or None."""
    if sitting.left_at is None:
        return None
    day, one = (gaming_day(site, sitting.left_at), timedelta(days=1))
    left = site.entries.filter(
        kind__in=("cash_out", "table_move"),
        gaming_day__range=(day - one, day + one),
        recorded_at=sitting.left_at,
    )
    found = (chip_entry(entry) for entry in left.order_by("pk"))
    first = next(one for one in found if one is not None and one.sitting_id == sitting.pk)
    return chip_entry(standing(site, first.entry))


@dataclass(frozen=True, slots=True)
class ChipLine:
    """A line of a table's chip entries. `taken_back`: the entry was reversed."""

    chips: ChipEntry
    sitting: Sitting
    taken_back: bool

    @property
    def is_correction(self) -> bool:
        return bool(self.chips.entry.kind == "correction")


def lines_at(session: TableSession) -> list[ChipLine]:
    """Return every chip entry of a table, newest first. Four queries."""
    sittings = {one.stack_id: one for one in session.sittings.select_related("player")}
    of_table = (*BROUGHT, TOKE, "cash_out", *CORRECTING)
    moved = transfers_of(sittings).filter(entry__kind__in=of_table)
    site, by_id = session.table.site, {one.pk: one for one in sittings.values()}
    found = set(
        moved.order_by().values_list(*(f"entry__{name}" for name in ("pk", "kind", "reverses", "key")))
    )
    taken_back = {reverses for _, _, reverses, _ in found}
    # A correction to zero has no transfers: find it by the key of its reversal.
    corrected = [key.removesuffix(REVERSAL) for _, kind, _, key in found if kind == "reversal"]
    again = site.entries.filter(key__in=corrected).values_list("pk", flat=True)
    entries = entries_of({pk for pk, *_ in found}.union(again))
    people = entries.annotate(record_text=record_of("pk")).select_related("actor", "approver")
    people = people.prefetch_related("transfers").order_by("-pk")
    listed = (chip_entry(entry) for entry in people)
    return [
        ChipLine(one, by_id[one.sitting_id], one.entry.pk in taken_back)
        for one in listed
        if one is not None and one.kind != "table_move" and one.sitting_id in by_id
    ]


Flows = dict[str, tuple[int, int]]
"""Kind of entry -> the cents that such entries brought to an account, and took from it."""


def regrouped(moved: Mapping[int, Flows]) -> dict[int, Flows]:
    """Return flows by account with corrections under the original kind, or `over_short`. One query."""
    flows_of = {account: dict(flows) for account, flows in moved.items()}
    lines = transfers_of(flows_of).filter(entry__kind__in=CORRECTING).annotate(record=record_of("entry_id"))
    for line in lines.select_related("source", "target"):
        evidence = evidence_in(line.record)
        if "of" not in evidence:
            continue
        line.entry.evidence = json.dumps(evidence)
        for account, other, came in (
            (line.source_id, line.target, 0),
            (line.target_id, line.source, line.cents),
        ):
            if account not in flows_of:
                continue
            flows, brought = flows_of[account], (came, line.cents - came)
            taken_back = line.entry.kind in TAKES_BACK
            kind = OVER_SHORT if other.kind == OVER_SHORT else original_kind(line.entry)
            _add(flows, line.entry.kind, (-brought[0], -brought[1]))
            _add(flows, kind, (-brought[1], -brought[0]) if taken_back else brought)
    return {
        account: {kind: cents for kind, cents in flows.items() if cents != (0, 0)}
        for account, flows in flows_of.items()
    }


def _add(flows: Flows, kind: str, brought: tuple[int, int]) -> None:
    came, went = flows.get(kind, (0, 0))
    flows[kind] = (came + brought[0], went + brought[1])
