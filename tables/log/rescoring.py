"""Score settled rounds again, whole periods at a time, and compare with what was recorded.

Every settlement is scored: those in force and those reversed by a correction. Rounds that the batch rules support are
scored by the thousand, all others by the plain engine, which also rechecks every round whose figures differ and says
where. Nothing is written.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations, islice
from typing import Any, NamedTuple

import numpy as np
from django.db.models import QuerySet

from ledger.money import net_cents_of
from tables.audit.judging.differences import plainly
from tables.models import Settlement, SheetVersion
from tables.rules.batch.entry import Gathered, gather
from tables.rules.batch.scoring import NONE, Money, Points, require_fit, score_rounds, settle_rounds
from tables.rules.errors import BatchUnfit
from tables.rules.game.rounds import RULES_VERSION, Sheet, parse_sheet
from tables.rules.game.sheet import SEGMENTS

AT_ONCE = 1000  # settlements in memory
_COLUMNS = (
    "ordinal",
    "entry__reversed_by",
    "entry__gaming_day",
    "entry__evidence",
    "round_id",
    "round__number",
    "round__session__table__number",
    "round__session__sheet_id",
)


class Settled(NamedTuple):
    """One settlement: where it happened, and its evidence."""

    ordinal: int
    taken_back_by: int | None
    day: date
    evidence: dict[str, Any]
    round_id: int
    round: int
    table: int
    sheet_id: int

    @property
    def by_these_rules(self) -> bool:
        """Whether this version of the rules settled it. A round settled by another version may come out differently."""
        return bool(self.evidence["rules_version"] == RULES_VERSION)

    def __str__(self) -> str:
        taken_back = ", taken back since" if self.taken_back_by else ""
        version = "" if self.by_these_rules else f", by version {self.evidence['rules_version']} of the rules"
        return (
            f"Table {self.table}, {self.day}, round {self.round} (id {self.round_id}),"
            f" settlement {self.ordinal}{taken_back}{version}"
        )


@dataclass(frozen=True, slots=True)
class ScoreDifference:
    """A settlement whose recorded answer differs from the rules', with a sentence for each difference."""

    settled: Settled
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rescored:
    """A part of the settlements scored again, `at_once` of them by the batch rules."""

    settlements: int
    at_once: int
    differences: tuple[ScoreDifference, ...]


def settlements(
    start: date | None = None, end: date | None = None, table: int | None = None
) -> QuerySet[Settlement]:
    """Return the settlements of gaming days from `start` to `end`, both included, at all tables or one."""
    found = Settlement.objects.order_by("pk")
    if start is not None:
        found = found.filter(entry__gaming_day__gte=start)
    if end is not None:
        found = found.filter(entry__gaming_day__lte=end)
    if table is not None:
        found = found.filter(round__session__table__number=table)
    return found


def rescore(found: QuerySet[Settlement], *, plain: bool = False) -> Iterator[Rescored]:
    """Score settlements again, in parts that fit into memory. `plain` uses only the plain engine."""
    sheets: dict[int, Sheet] = {}
    rows = found.values_list(*_COLUMNS).iterator(AT_ONCE)
    while part := [
        Settled(ordinal, taken_back_by, day, json.loads(evidence), *rest)
        for ordinal, taken_back_by, day, evidence, *rest in islice(rows, AT_ONCE)
    ]:
        yield _rescored(part, sheets, plain=plain)


def _rescored(part: Sequence[Settled], sheets: dict[int, Sheet], *, plain: bool) -> Rescored:
    by_sheet: defaultdict[int, list[Settled]] = defaultdict(list)
    for settled in part:
        by_sheet[settled.sheet_id].append(settled)
    at_once, differences = 0, []
    for sheet_id, alike in by_sheet.items():
        if sheet_id not in sheets:
            sheets[sheet_id] = _sheet(sheet_id)
        agrees = {} if plain else _in_batch(sheets[sheet_id], alike)
        at_once += len(agrees)
        for place, settled in enumerate(alike):
            if agrees.get(place):
                continue
            sentences = plainly(sheets[sheet_id], settled.evidence)
            if place in agrees and not sentences:
                sentences = ["the batch form of the rules differs from the plain engine, which agrees"]
            if sentences:
                differences.append(ScoreDifference(settled, tuple(sentences)))
    return Rescored(len(part), at_once, tuple(differences))


def _sheet(sheet_id: int) -> Sheet:
    version = SheetVersion.objects.get(pk=sheet_id)
    return parse_sheet(bytes(version.raw), f"{version.code}.toml")


# -- many at once ---------------------------------------------------------------------------------------------


class _Recorded(NamedTuple):
    """The figures of a recorded answer: by hand, and by payment with its index in `_flows`."""

    hands: list[tuple[int, ...]]
    payments: Sequence[tuple[int, ...]]


def _in_batch(sheet: Sheet, part: Sequence[Settled]) -> dict[int, bool]:
    """Return, by index in `part`, whether a settlement agrees with its record, for those the batch rules support."""
    try:
        require_fit(sheet)
    except BatchUnfit:
        return {}
    recorded = [_recorded(sheet, settled) for settled in part]
    entries = [
        settled.evidence["input"] if figures else None
        for settled, figures in zip(part, recorded, strict=True)
    ]
    agrees: dict[int, bool] = {}
    for group in gather(sheet, entries)[0]:
        points = score_rounds(sheet, group.rounds)
        money = settle_rounds(sheet, points, group.stacks, group.limits)
        same = _are_same(group, points, money, [recorded[at] for at in group.at.tolist()])
        agrees |= zip(group.at.tolist(), same.tolist(), strict=True)
    return agrees


def _recorded(sheet: Sheet, settled: Settled) -> _Recorded | None:
    """Return the recorded figures, or None if another version recorded them or they have another form."""
    if not settled.by_these_rules:
        return None
    places = {None: NONE} | {kind: place for place, kind in enumerate(sheet.clean_sweep.kinds)}
    answer = settled.evidence["answer"]
    try:
        hands = [
            (
                hand["seat"],
                hand["foul"],
                hand["surrendered"],
                places[hand["clean_sweep"]],
                *(hand["bonus"][segment] for segment in SEGMENTS),
                hand["fantasy_land_next"],
                net_cents_of(answer["net"][str(hand["seat"])]),
            )
            for hand in answer["hands"]
        ]
        payments = [
            (
                int(all(line["reason"] != "clean_sweep" for line in payment["lines"])),
                payment["positions"][1] - 1,
                payment["positions"][0] - 1,
                payment["points"],
                net_cents_of(payment["due"]),
                net_cents_of(payment["paid"]),
            )
            for payment in answer["payments"]
        ]
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return None
    whole = len(hands) == len(settled.evidence["input"]["hands"])
    placed = all(0 <= place < len(hands) for payment in payments for place in payment[1:3])
    return _Recorded(hands, payments) if whole and placed else None


def _are_same(group: Gathered, points: Points, money: Money, recorded: Sequence[_Recorded]) -> np.ndarray:
    """Return which recorded figures equal those of the batch rules: bool [rounds]."""
    of_hands = [
        group.seats,
        points.foul,
        np.zeros_like(points.foul),
        points.clean_sweep,
        *np.moveaxis(points.bonuses, 2, 0),
        points.fantasy_land_next,
        money.net,
    ]
    flows = _flows(points, points.pairs, points.sweeps)
    figures = (flows, flows * group.limits[:, None, None, None], _flows(points, money.pairs, money.sweeps))
    rows = [(at, *payment) for at, one in enumerate(recorded) for payment in one.payments]
    where_and_what = np.array(rows, np.int64).reshape(-1, 7).T
    same = ~points.refused
    same &= (np.array([one.hands for one in recorded]) == np.stack(of_hands, axis=2)).all(axis=(1, 2))
    for flows, amounts in zip(figures, where_and_what[4:], strict=True):
        np.subtract.at(flows, tuple(where_and_what[:4]), amounts)
        same &= ~flows.any(axis=(1, 2, 3))
    return same


def _flows(points: Points, pairs: np.ndarray, sweeps: np.ndarray) -> np.ndarray:
    """Return what hands collect from each other, for clean sweeps and then in pairs.

    int64 [rounds, 2, receivers, payers].
    """
    hands = points.foul.shape[1]
    flows = np.zeros((len(pairs), 2, hands, hands), np.int64)
    flows[points.swept, 0] = sweeps
    for pair, (one, other) in zip(pairs.T, combinations(range(hands), 2), strict=True):
        flows[:, 1, one, other] = np.maximum(pair, 0)
        flows[:, 1, other, one] = np.maximum(-pair, 0)
    return flows
