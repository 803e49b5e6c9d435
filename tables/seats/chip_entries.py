"""What a buy-in, an add-on, a cash-out or a move between tables says, also after it was corrected. Reads only."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Q

from ledger.journal.balances import transfers_of
from ledger.journal.days import gaming_day
from tables.models import Sitting, TableSession

OVER_SHORT = "over_short"
BROUGHT = ("buy_in", "add_on")
KINDS = (*BROUGHT, "table_move", "cash_out")
ANEW = ("reversal", "correction")
REVERSAL = "/reversal"
"""A correction has a key, and the reversal before it the same one with this behind it."""


@dataclass(frozen=True, slots=True)
class ChipEntry:
    """An entry that brought a sitting its chips or took them away: the first one, or what was made anew in its place.

    `cents` came to the stack from `source`, or went away with the player. `over_short_cents` are those that were missing
    when the player left (above zero) or too many (below), which a correction found.
    """

    entry: Any
    kind: str
    sitting_id: int
    cents: int
    source: str = ""
    over_short_cents: int = 0

    @property
    def total_cents(self) -> int:
        """What left the stack, of a cash-out."""
        return self.cents + self.over_short_cents


def stands_for(entry: Any) -> str:
    """The kind of entry that this is; of a reversal or correction of chips the one that it takes back or makes anew."""
    if entry.kind not in ANEW:
        return str(entry.kind)
    said = json.loads(entry.evidence)
    return str(said.get("of") or entry.kind)


def chip_entry(entry: Any) -> ChipEntry | None:
    """What this entry says of chips; None for one of another kind, and for a reversal."""
    if entry.kind not in (*KINDS, "correction"):
        return None
    said = json.loads(entry.evidence)
    kind = said.get("of") if entry.kind == "correction" else entry.kind
    if kind not in KINDS:
        return None
    cents = said["cents"] if "cents" in said else sum(line.cents for line in entry.transfers.all())
    return ChipEntry(
        entry, kind, said["sitting"], cents, said.get("source", ""), said.get("over_short_cents", 0)
    )


def standing(site: Any, entry: Any) -> Any:
    """The entry that stands in the place of this one: itself, or the last one that was made anew for it."""
    while (reversal := site.entries.filter(reverses=entry).first()) is not None:
        entry = site.entries.get(key=reversal.key.removesuffix(REVERSAL))
    return entry


def went_with(site: Any, sitting: Sitting) -> ChipEntry | None:
    """The entry that took the chips of a sitting away as it ended, as it stands now; None while it has not ended."""
    if sitting.left_at is None:
        return None
    day, one = gaming_day(site, sitting.left_at), timedelta(days=1)  # the house's clock may have been changed
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
    """A buy-in, an add-on or a cash-out of a table as it is listed: whose it is, and whether another stands in its place."""

    said: ChipEntry
    sitting: Sitting
    taken_back: bool

    @property
    def anew(self) -> bool:
        """Whether it was made anew for another entry."""
        return bool(self.said.entry.kind == "correction")


def lines_at(session: TableSession) -> list[ChipLine]:
    """Every entry that brought chips to a table or let a player leave with them, newest first. Three queries."""
    sittings = {one.stack_id: one for one in session.sittings.select_related("player")}
    of_table = (*BROUGHT, "cash_out", "correction", "reversal")
    moved = transfers_of(sittings).filter(entry__kind__in=of_table)
    site, by_id = session.table.site, {one.pk: one for one in sittings.values()}
    found = list(
        site.entries.filter(pk__in=moved.order_by().values("entry")).values_list(
            "pk", "kind", "reverses", "key"
        )
    )
    taken_back = {reverses for _, _, reverses, _ in found}
    # What was corrected to nothing has moved nothing, and is found by its reversal.
    anew = [key.removesuffix(REVERSAL) for _, kind, _, key in found if kind == "reversal"]
    entries = site.entries.filter(Q(pk__in=[pk for pk, *_ in found]) | Q(key__in=anew))
    people = entries.select_related("actor", "approver").prefetch_related("transfers").order_by("-pk")
    said = (chip_entry(entry) for entry in people)
    return [
        ChipLine(one, by_id[one.sitting_id], one.entry.pk in taken_back)
        for one in said
        if one is not None and one.kind != "table_move" and one.sitting_id in by_id
    ]


Flows = dict[str, tuple[int, int]]
"""Kind of entry -> the cents that such entries brought to an account, and took from it."""


def regrouped(moved: Mapping[int, Flows]) -> dict[int, Flows]:
    """These flows by account with corrected chips under the kind that they are of, as if the right amount had been entered.

    What a correction brought from over/short or took there stands under `over_short`. One query.
    """
    found = {account: dict(flows) for account, flows in moved.items()}
    lines = transfers_of(found).filter(entry__kind__in=ANEW, entry__evidence__contains='"of":')
    for line in lines.select_related("source", "target"):
        for account, other, came in (
            (line.source_id, line.target, 0),
            (line.target_id, line.source, line.cents),
        ):
            if account not in found:
                continue
            flows, brought = found[account], (came, line.cents - came)
            taken_back = line.entry.kind == "reversal"
            kind = OVER_SHORT if other.kind == OVER_SHORT else stands_for(line.entry)
            _add(flows, line.entry.kind, (-brought[0], -brought[1]))
            _add(flows, kind, (-brought[1], -brought[0]) if taken_back else brought)
    return {
        account: {kind: cents for kind, cents in flows.items() if cents != (0, 0)}
        for account, flows in found.items()
    }


def _add(flows: Flows, kind: str, brought: tuple[int, int]) -> None:
    came, went = flows.get(kind, (0, 0))
    flows[kind] = (came + brought[0], went + brought[1])
