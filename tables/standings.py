"""How a match stands (R42): its points from the settlements that stand, who has won it, and what a settlement does to it.

Nothing is written here, and no money moves: verbs post what comes out. What is here of money is what evidence says.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import F, OuterRef, QuerySet, Subquery

from ledger.compiled import Compiled, among
from ledger.money import amount_text
from tables.models import Hand, Match, MatchPlayer, Round, Settlement, Sitting
from tables.rules.race import MatchPayment, match_payments, points_after, winner
from tables.rules.rounds import RoundScore


@dataclass(frozen=True)
class Standing:
    """A match with the points of its `players` (by seat) from so many settled `rounds`.

    `won_by` is the seat that has won it, or None; `payments` are then those of the settlement that ended it.
    """

    match: Match
    players: tuple[Sitting, ...]
    points: Mapping[int, int]
    rounds: int = 0
    won_by: int | None = None
    payments: tuple[MatchPayment, ...] = ()

    @property
    def running(self) -> bool:
        """Whether the match goes on: nobody has won it, and it was not called off."""
        return self.won_by is None and self.match.called_off_at is None

    @property
    def table(self) -> list[tuple[Sitting, int]]:
        """The players with their points, by seat."""
        return [(sitting, self.points[sitting.seat]) for sitting in self.players]

    @property
    def winner(self) -> Sitting | None:
        """Who has won it, if somebody has."""
        return next((sitting for sitting in self.players if sitting.seat == self.won_by), None)

    def plays(self, sitting: Sitting) -> bool:
        """Whether this sitting is one of its players."""
        return any(player.pk == sitting.pk for player in self.players)


def latest_standings(session_ids: Iterable[int]) -> dict[int, Standing]:
    """Return how the latest match of each session stands, by session; three queries, however many, one where none is."""
    return {standing.match.session_id: standing for standing in _standings(_NEWEST.rows(list(session_ids)))}


def latest_standing(session_id: int) -> Standing | None:
    """Return how the latest match of a session stands, or None before its first."""
    return latest_standings([session_id]).get(session_id)


def standing_at(round_: Round) -> Standing | None:
    """Return how the match of a round stood: after it where it is settled, else before it; None outside of a race.

    Counted are the settlements that stand now, so an earlier round that was corrected counts as corrected.
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
_EVIDENCE = Compiled(
    lambda _: (
        Settlement.objects.filter(among("round__match_id"))
        .annotate(match=F("round__match_id"), number=F("round__number"), evidence=F("entry__evidence"))
        .order_by("round__number", "ordinal")
        .only("pk")
    )
)


def _standings(found: list[Match], upto: int | None = None) -> list[Standing]:
    """`upto` leaves out what was settled in rounds behind that number."""
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
    points = {sitting.seat: 0 for sitting in players}
    ended: Mapping[str, Any] = {"won_by": None, "payments": ()}
    for evidence in settled:
        points = points_after(points, _scored(evidence))
        if evidence["match"]["won_by"] is not None:
            ended = evidence["match"]
    return Standing(match, players, points, len(settled), ended["won_by"], payments_of(ended))


def evidence_by_round(matches: Iterable[Match]) -> dict[int, dict[int, dict[str, Any]]]:
    """Return the evidence of the settlements that stand, by match and by the number of the round. One query."""
    found: defaultdict[int, dict[int, str]] = defaultdict(dict)
    columns = [_EVIDENCE.column(name) for name in ("match", "number", "evidence")]
    # Of a round that was corrected the newest settlement stands: it comes last.
    for values in _EVIDENCE.values([match.pk for match in matches]):
        match, number, evidence = (values[column] for column in columns)
        found[match][number] = evidence
    return {
        match: {number: json.loads(evidence) for number, evidence in rounds.items()}
        for match, rounds in found.items()
    }


def _scored(evidence: Mapping[str, Any]) -> dict[int, int]:
    return {int(seat): points for seat, points in evidence["answer"]["score"].items()}


@dataclass(frozen=True)
class MatchOutcome:
    """What the settlement of a round does to its match, in points by seat and in money.

    `before` are the points of all other rounds that stand settled, `after` is with this one; `stacks` are what the
    players can pay from, in cents. Where this settlement ends the match, `won_by` has won it and `payments` are due.
    """

    match: Match
    players: Mapping[int, Sitting]
    race_to: int
    before: Mapping[int, int]
    after: Mapping[int, int]
    stacks: Mapping[int, int]
    won_by: int | None
    payments: tuple[MatchPayment, ...]

    @property
    def winner(self) -> Sitting | None:
        """Who has won with this settlement."""
        return None if self.won_by is None else self.players[self.won_by]

    @property
    def table(self) -> list[tuple[Sitting, int]]:
        """The players with their points afterwards, by seat."""
        return [(sitting, self.after[seat]) for seat, sitting in self.players.items()]

    @property
    def net_cents(self) -> dict[int, int]:
        """What every player of the match wins or pays."""
        return _net(self.players, self.payments)

    def as_json(self) -> dict[str, Any]:
        """The `match` of the settlement's evidence."""
        return {
            "number": self.match.number,
            "stake": amount_text(self.match.stake_cents),
            "race_to": self.race_to,
            "before": {str(seat): points for seat, points in self.before.items()},
            "after": {str(seat): points for seat, points in self.after.items()},
            "stacks": {str(seat): amount_text(cents) for seat, cents in self.stacks.items()},
            "won_by": self.won_by,
            "payments": [payment_json(payment) for payment in self.payments],
        }


def outcome_of(round_: Round, scored: RoundScore) -> MatchOutcome | None:
    """Return what settling `round_` with this score, or settling it anew, does to its match; None outside of a race.

    Whoever has the points after a settlement has won. A match that was won stays won, and one that was called off
    stays so, whatever a correction makes of a round (R58): only the round that ended it can be settled anew with
    payments of its own, until the next match begins.
    """
    if scored.race is None or round_.match is None:
        return None
    match = round_.match
    found = match.players.select_related("sitting__player", "sitting__stack").order_by("sitting__seat")
    players = {player.sitting.seat: player.sitting for player in found}
    settled = evidence_by_round([match]).get(match.pk, {})
    own = settled.pop(round_.number, None)
    before = dict.fromkeys(players, 0)
    for evidence in settled.values():
        before = points_after(before, _scored(evidence))
    after = points_after(before, scored.race)
    stacks = (
        {int(seat): _cents(amount) for seat, amount in own["match"]["stacks"].items()}
        if own
        else _stacks(round_, players)
    )
    race_to = scored.deal.sheet.race_to
    won_by: int | None = None
    payments: tuple[MatchPayment, ...] = ()
    if own and own["match"]["won_by"] is not None and _is_past(match):
        won_by, payments = own["match"]["won_by"], payments_of(own["match"])
    elif match.called_off_at is None and all(
        evidence["match"]["won_by"] is None for evidence in settled.values()
    ):
        won_by = winner(after, race_to, round_.button_seat)
        payments = match_payments(won_by, match.stake_cents, stacks) if won_by is not None else ()
    return MatchOutcome(match, players, race_to, before, after, stacks, won_by, payments)


def _is_past(match: Match) -> bool:
    """Whether another match has begun since, so that this one cannot go on again."""
    return Match.objects.filter(session=match.session_id, number__gt=match.number).exists()


def _stacks(round_: Round, players: Mapping[int, Sitting]) -> dict[int, int]:
    """What the players can pay from: those dealt in their stack as the round began, the others theirs as it is."""
    dealt = {hand.seat: hand.stack_cents for hand in round_.hands.all()}
    return {seat: dealt.get(seat, sitting.stack.balance_cents) for seat, sitting in players.items()}


def payment_json(payment: MatchPayment) -> dict[str, Any]:
    """A payment as evidence and devices have it."""
    return {
        "from": payment.from_seat,
        "to": payment.to_seat,
        "due": amount_text(payment.due_cents),
        "paid": amount_text(payment.paid_cents),
    }


def payments_of(match: Mapping[str, Any]) -> tuple[MatchPayment, ...]:
    """Return the payments in the `match` of an evidence."""
    return tuple(
        MatchPayment(payment["from"], payment["to"], _cents(payment["due"]), _cents(payment["paid"]))
        for payment in match["payments"]
    )


def net_of(evidence: Mapping[str, Any]) -> dict[int, int]:
    """Return each seat's result in cents as the evidence of a settlement says it: of the round, or of the match it ended."""
    if "match" not in evidence:
        return {int(seat): _cents(amount) for seat, amount in evidence["answer"]["net"].items()}
    return _net((int(seat) for seat in evidence["match"]["after"]), payments_of(evidence["match"]))


def _net(seats: Iterable[int], payments: Iterable[MatchPayment]) -> dict[int, int]:
    net = dict.fromkeys(seats, 0)
    for payment in payments:
        net[payment.from_seat] -= payment.paid_cents
        net[payment.to_seat] += payment.paid_cents
    return net


def names_at(round_: Round, dealt: Iterable[Hand]) -> dict[str, str]:
    """Return who sat at each seat that a settlement may concern, by the seat as answers write it."""
    names = {str(hand.seat): str(hand.sitting.player) for hand in dealt}
    if round_.match is None:
        return names
    players = round_.match.players.select_related("sitting__player")
    return {str(player.sitting.seat): str(player.sitting.player) for player in players} | names


def _cents(amount: str) -> int:
    """Cents of an amount in evidence, which may be below zero."""
    return int(Decimal(amount) * 100)
