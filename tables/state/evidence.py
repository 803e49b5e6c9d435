"""Read the evidence of settlements: payments, points, names, the one in force, and matches (R42)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from ledger.db.compiled import Compiled, among
from ledger.journal.records import evidence_in, record_of
from ledger.money import amount_text, net_cents_of
from tables.models import Hand, Match, MatchPlayer, Round, Settlement, Sitting
from tables.rules.errors import RuleError
from tables.rules.game.by_hand import settle_by_hand
from tables.rules.game.matches import MatchPayment, total_points
from tables.rules.game.rounds import Library, Sheet, parse_round, score


def payments_of(match: Mapping[str, Any]) -> tuple[MatchPayment, ...]:
    return tuple(
        MatchPayment(
            payment["from"], payment["to"], net_cents_of(payment["due"]), net_cents_of(payment["paid"])
        )
        for payment in match["payments"]
    )


def net_of(evidence: Mapping[str, Any]) -> dict[int, int]:
    """Return each seat's result in cents from a settlement's evidence: of the round, or of its match."""
    if "match" not in evidence:
        return {int(seat): cents for seat, (_, cents) in evidence["result"].items()}
    return net_by_seat((int(seat) for seat in evidence["match"]["after"]), payments_of(evidence["match"]))


def net_by_seat(seats: Iterable[int], payments: Iterable[MatchPayment]) -> dict[int, int]:
    net = dict.fromkeys(seats, 0)
    for payment in payments:
        net[payment.from_seat] -= payment.paid_cents
        net[payment.to_seat] += payment.paid_cents
    return net


def names_at(round_: Round, dealt: Iterable[Hand]) -> dict[str, str]:
    """Return the player's name at each seat that a settlement may concern, by seat as text (for JSON)."""
    names = {str(hand.seat): str(hand.sitting.player) for hand in dealt}
    if round_.match is None:
        return names
    players = round_.match.players.select_related("sitting__player")
    return {str(player.sitting.seat): str(player.sitting.player) for player in players} | names


def standing_settlement(round_: Round) -> Any:
    """Return the round's settlement in force: the newest one, with the `record` of its entry."""
    settlements = Settlement.objects.filter(round=round_).annotate(record=record_of("entry_id"))
    return settlements.order_by("-ordinal")[:1].get()


def standing_evidence(round_: Round) -> dict[str, Any]:
    return evidence_in(standing_settlement(round_).record)


def evidence_by_round(matches: Iterable[Match]) -> dict[int, dict[int, dict[str, Any]]]:
    """Return the evidence of the settlements in force, by match and round number. One query."""
    records: defaultdict[int, dict[int, str]] = defaultdict(dict)
    settled = Settlement.objects.filter(round__match__in=[match.pk for match in matches])
    # The newest of several settlements is in force, and comes last.
    for match, number, record in settled.order_by("round__number", "ordinal").values_list(
        "round__match_id", "round__number", record_of("entry_id")
    ):
        records[match][number] = record
    return {
        match: {number: evidence_in(record) for number, record in rounds.items()}
        for match, rounds in records.items()
    }


def scored_points(evidence: Mapping[str, Any]) -> dict[int, int]:
    return {int(seat): points for seat, (points, _) in evidence["result"].items()}


def answer_of(evidence: Mapping[str, Any], sheet: Sheet) -> dict[str, Any]:
    """Return the answer to a settled round, computed again from its record. If today's rules answer
    otherwise: the hands' places and results as recorded, and `unexplained`."""
    deal = evidence["input"]
    try:
        by_hand = evidence.get("by_hand")
        scored = settle_by_hand(deal, sheet) if by_hand else score(parse_round(deal, Library.of(sheet)))
        if scored.answer_hash == evidence["answer_hash"]:
            return scored.as_json()
    except RuleError:
        pass
    net = {seat: amount_text(cents) for seat, (_, cents) in evidence["result"].items()}
    race = {"score": {seat: points for seat, (points, _) in evidence["result"].items()}}
    return {
        "sheet": sheet.code,
        "version": sheet.version,
        "hands": [{"position": at, "seat": hand["seat"]} for at, hand in enumerate(deal["hands"], 1)],
        "payments": [],
        "unexplained": True,
        **(race if "match" in evidence else {"net": net}),
    }


# -- how a match stands --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Standing:
    """A match, its `players` by seat, and their points after `rounds` settled rounds. `won_by` is the winning
    seat, or None; `payments` are those that ended the match."""

    match: Match
    players: tuple[Sitting, ...]
    points: Mapping[int, int]
    rounds: int = 0
    won_by: int | None = None
    payments: tuple[MatchPayment, ...] = ()

    @property
    def running(self) -> bool:
        return self.won_by is None and self.match.called_off_at is None

    @property
    def table(self) -> list[tuple[Sitting, int]]:
        return [(sitting, self.points[sitting.seat]) for sitting in self.players]

    @property
    def winner(self) -> Sitting | None:
        return next((sitting for sitting in self.players if sitting.seat == self.won_by), None)

    def plays(self, sitting: Sitting) -> bool:
        return any(player.pk == sitting.pk for player in self.players)


def latest_standings(session_ids: Iterable[int]) -> dict[int, Standing]:
    """Return the standing of each session's latest match. Three queries; one if there are none."""
    return {standing.match.session_id: standing for standing in _standings(_NEWEST.rows(list(session_ids)))}


def latest_standing(session_id: int) -> Standing | None:
    return latest_standings([session_id]).get(session_id)


def standing_at(round_: Round) -> Standing | None:
    """Return the standing of a round's match after it, or before it while unsettled; None outside a race. A
    corrected earlier round counts as corrected."""
    if round_.match_id is None:
        return None
    match = Match.objects.filter(pk=round_.match_id).select_related("called_off_by")
    return _standings(list(match), upto=round_.number)[0]


def _newest() -> QuerySet[Match]:
    of_table = Match.objects.filter(session=OuterRef("session")).order_by("-number").values("pk")[:1]
    return Match.objects.filter(among("session_id")).filter(pk=Subquery(of_table))


_NEWEST = Compiled(lambda _: _newest(), joined="called_off_by")


def _standings(matches: list[Match], upto: int | None = None) -> list[Standing]:
    if not matches:
        return []
    players: defaultdict[int, list[Sitting]] = defaultdict(list)
    seated = MatchPlayer.objects.filter(match__in=[match.pk for match in matches])
    for player in seated.select_related("sitting__player").order_by("sitting__seat"):
        players[player.match_id].append(player.sitting)
    settled = evidence_by_round(matches)
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
        for match in matches
    ]


def _standing(match: Match, players: Iterable[Sitting], settled: list[dict[str, Any]]) -> Standing:
    players = tuple(players)
    points = total_points((sitting.seat for sitting in players), map(scored_points, settled))
    ended: Mapping[str, Any] = {"won_by": None, "payments": ()}
    for evidence in settled:
        if evidence["match"]["won_by"] is not None:
            ended = evidence["match"]
    return Standing(match, players, points, len(settled), ended["won_by"], payments_of(ended))
