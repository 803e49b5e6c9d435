"""Score settled rounds again, whole periods at a time, and compare with their records. Reads only.

Every settlement is scored: those in force and those reversed by a correction. Rounds that the batch rules
support are scored by the thousand and only their results compared; all others by the plain engine, which also
compares the hash of the whole answer, and rechecks every round whose results differ."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations, islice
from typing import Any, NamedTuple

import numpy as np
from django.db.models import QuerySet

from ledger.journal import records
from tables.audit.judging.rounds import plainly
from tables.models import Settlement, SheetVersion
from tables.rules.batch.entry import Gathered, gather
from tables.rules.batch.scoring import Money, Points, require_fit, score_rounds, settle_rounds
from tables.rules.errors import BatchUnfit
from tables.rules.game.rounds import RULES_VERSION, Sheet, parse_sheet

AT_ONCE = 1000  # settlements in memory
_OF_ENTRY = ("ordinal", "entry__reversed_by", "entry__gaming_day")
_OF_ROUND = ("round_id", "round__number", "round__session__table__number", "round__session__sheet_id")
_COLUMNS = (*_OF_ENTRY, *_OF_ROUND)


class Settled(NamedTuple):
    evidence: dict[str, Any]
    ordinal: int
    taken_back_by: int | None
    day: date
    round_id: int
    round: int
    table: int
    sheet_id: int

    @property
    def by_these_rules(self) -> bool:
        """Whether this version of the rules settled it; another version may have other results."""
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
    settlements = Settlement.objects.order_by("pk")
    if start is not None:
        settlements = settlements.filter(entry__gaming_day__gte=start)
    if end is not None:
        settlements = settlements.filter(entry__gaming_day__lte=end)
    if table is not None:
        settlements = settlements.filter(round__session__table__number=table)
    return settlements


def rescore(settlements: QuerySet[Settlement], *, plain: bool = False) -> Iterator[Rescored]:
    """Score settlements again, in parts that fit into memory. `plain` uses only the plain engine."""
    sheets: dict[int, Sheet] = {}
    for part in parts(settlements):
        yield _rescored(part, sheets, plain=plain)


def parts(settlements: QuerySet[Settlement]) -> Iterator[list[Settled]]:
    """Read settlements with their evidence, in parts that fit into memory."""
    rows = settlements.values_list(records.record_of("entry_id"), *_COLUMNS).iterator(AT_ONCE)
    while part := [Settled(records.evidence_in(record), *rest) for record, *rest in islice(rows, AT_ONCE)]:
        yield part


def _rescored(part: Sequence[Settled], sheets: dict[int, Sheet], *, plain: bool) -> Rescored:
    by_sheet: defaultdict[int, list[Settled]] = defaultdict(list)
    for settled in part:
        by_sheet[settled.sheet_id].append(settled)
    at_once, differences = 0, []
    for sheet_id, alike in by_sheet.items():
        if sheet_id not in sheets:
            sheets[sheet_id] = stored_sheet(sheet_id)
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


def stored_sheet(sheet_id: int) -> Sheet:
    version = SheetVersion.objects.get(pk=sheet_id)
    return parse_sheet(bytes(version.raw), f"{version.code}.toml")


# -- many at once --------------------------------------------------------------------------------------------


_Results = list[tuple[int, int, int]]
"""Recorded results of a round: (seat, points, cents), by seat."""


def _in_batch(sheet: Sheet, part: Sequence[Settled]) -> dict[int, bool]:
    """Return index in `part` -> whether it agrees with its record, if the batch rules support it."""
    try:
        require_fit(sheet)
    except BatchUnfit:
        return {}
    recorded = [_recorded(settled) for settled in part]
    entries = [
        settled.evidence["input"] if results else None
        for settled, results in zip(part, recorded, strict=True)
    ]
    agrees: dict[int, bool] = {}
    for group in gather(sheet, entries)[0]:
        points = score_rounds(sheet, group.rounds)
        money = settle_rounds(sheet, points, group.stacks, group.limits)
        same = _are_same(group, points, money, [recorded[at] or [] for at in group.at.tolist()])
        agrees |= zip(group.at.tolist(), same.tolist(), strict=True)
    return agrees


def _recorded(settled: Settled) -> _Results | None:
    """Return the recorded results, or None if another version recorded them or they are malformed."""
    if not settled.by_these_rules:
        return None
    try:
        found = settled.evidence["result"].items()
        results = sorted((int(seat), points, cents) for seat, (points, cents) in found)
    except (TypeError, ValueError, AttributeError):
        return None
    plain = all(type(number) is int for result in results for number in result)
    return results if plain and len(results) == len(settled.evidence["input"]["hands"]) else None


def _are_same(group: Gathered, points: Points, money: Money, recorded: Sequence[_Results]) -> np.ndarray:
    results = np.stack([group.seats, _won(points), money.net], axis=2)
    by_seat = np.take_along_axis(results, np.argsort(group.seats, axis=1)[:, :, None], axis=1)
    same: np.ndarray = ~points.refused & (by_seat == np.array(recorded)).all(axis=(1, 2))
    return same


def _won(points: Points) -> np.ndarray:
    """Return the points that each hand won or lost: int64 [rounds, hands]."""
    hands = points.foul.shape[1]
    won = np.zeros((len(points.foul), hands), np.int64)
    for pair, (one, other) in zip(points.pairs.T, combinations(range(hands), 2), strict=True):
        won[:, one] += pair
        won[:, other] -= pair
    won[points.swept] += points.sweeps.sum(axis=2) - points.sweeps.sum(axis=1)
    return won
