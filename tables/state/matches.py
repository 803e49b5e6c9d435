"""The standing of a match: points so far, who plays it, whether it is still running (R42)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from ledger.db.compiled import Compiled, among
from tables.models import Match, MatchPlayer, Round, Sitting
from tables.rules.game.matches import MatchPayment, total_points
from tables.state.evidence import evidence_by_round, payments_of, scored_points


@dataclass(frozen=True)
class Standing:
    """A match, its `players` by seat, and their points after the number of settled rounds in `rounds`.

    `won_by` is the winning seat, or None; once it is won, `payments` are those of the settlement that ended the match.
    """

    match: Match
    players: tuple[Sitting, ...]
    points: Mapping[int, int]
    rounds: int = 0
    won_by: int | None = None
    payments: tuple[MatchPayment, ...] = ()

    @property
    def running(self) -> bool:
        """Whether the match is still running: neither won nor called off."""
        return self.won_by is None and self.match.called_off_at is None

    @property
    def table(self) -> list[tuple[Sitting, int]]:
        """The players with their points, by seat."""
        return [(sitting, self.points[sitting.seat]) for sitting in self.players]

    @property
    def winner(self) -> Sitting | None:
        """The winner, or None."""
        return next((sitting for sitting in self.players if sitting.seat == self.won_by), None)

    def plays(self, sitting: Sitting) -> bool:
        """Whether this sitting plays in the match."""
        return any(player.pk == sitting.pk for player in self.players)


def latest_standings(session_ids: Iterable[int]) -> dict[int, Standing]:
    """Return the standing of each session's latest match, by session id. Three queries; one if there are no matches."""
    return {standing.match.session_id: standing for standing in _standings(_NEWEST.rows(list(session_ids)))}


def latest_standing(session_id: int) -> Standing | None:
    """Return the standing of a session's latest match, or None before its first."""
    return latest_standings([session_id]).get(session_id)


def standing_at(round_: Round) -> Standing | None:
    """Return the standing of a round's match: after the round if it is settled, else before it; None outside a race.

    Uses the settlements now in force, so a corrected earlier round counts as corrected.
    """
    if round_.match_id is None:
        return None
    return _standings(_MATCH.rows(round_.match_id), upto=round_.number)[0]


def _newest() -> QuerySet[Match]:
    of_table = Match.objects.filter(session=OuterRef("session")).order_by("-number").values("pk")[:1]
    found = Match.objects.filter(among("session_id")).filter(pk=Subquery(of_table))
    return found.select_related("called_off_by")


_NEWEST = Compiled(lambda _: _newest())
_MATCH = Compiled(lambda pk: Match.objects.filter(pk=pk).select_related("called_off_by"))

_PLAYERS = Compiled(
    lambda _: (
        MatchPlayer.objects.filter(among("match_id"))
        .select_related("sitting__player")
        .order_by("sitting__seat")
    )
)


def _standings(found: list[Match], upto: int | None = None) -> list[Standing]:
    """Return the standings of these matches. `upto` leaves out rounds with a higher number."""
    if not found:
        return []
    players: defaultdict[int, list[Sitting]] = defaultdict(list)
    for player in _PLAYERS.rows([match.pk for match in found]):
        players[player.match_id].append(player.sitting)
    settled = evidence_by_round(found)
    return [
        _standing(
            match,
            players[match.pk],
            [
                evidence
                for number, evidence in settled.get(match.pk, {}).items()
                if upto is None or number <= upto
            ],
        )
        for match in found
    ]


def _standing(match: Match, players: Iterable[Sitting], settled: list[dict[str, Any]]) -> Standing:
    players = tuple(players)
    points = total_points((sitting.seat for sitting in players), map(scored_points, settled))
    ended: Mapping[str, Any] = {"won_by": None, "payments": ()}
    for evidence in settled:
        if evidence["match"]["won_by"] is not None:
            ended = evidence["match"]
    return Standing(match, players, points, len(settled), ended["won_by"], payments_of(ended))
