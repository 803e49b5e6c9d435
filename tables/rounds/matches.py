"""Begin a match, work out its outcome and payments, call it off (R42)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ledger.journal.acts import Act
from ledger.money import dollars, net_cents_of
from ledger.rights import require
from tables.errors import MatchStakeRequired, MatchStakeUnwanted, NoMatch, RoundRunning, StakeAboveStack
from tables.models import Match, MatchPlayer, Round, Sitting, TableEvent
from tables.rights import RUN_FLOOR
from tables.rules.errors import BadLimit
from tables.rules.game import matches as rules
from tables.rules.game.rounds import RoundScore
from tables.state.events import record, recorded_before
from tables.state.evidence import evidence_by_round, net_by_seat, payments_of, scored_points
from tables.state.locks import at_table
from tables.state.plan import RoundPlan
from tables.state.table_state import TableState, sheet_of, state_of


def match_of_round(state: TableState, plan: RoundPlan, stake_cents: int | None) -> Match | None:
    """Return the match of the planned round: the running one, or a new one; None outside a race. Refuses
    `match_stake_required`, `match_stake_unwanted`, `bad_limit`, `stake_above_stack`."""
    sheet, running = sheet_of(state.session), state.match
    if stake_cents is None:
        if sheet.race_to and running is None:
            raise MatchStakeRequired(
                "A match begins with this round: enter what each other player pays its winner.",
                field="match_stake",
            )
        return running.match if running is not None else None
    if not sheet.race_to:
        raise MatchStakeUnwanted(f"{sheet.title} has no matches.", field="match_stake")
    if running is not None:
        raise MatchStakeUnwanted(
            f"Match {running.match.number} is running for {dollars(running.match.stake_cents)}; its stake"
            " cannot change.",
            field="match_stake",
        )
    return _begin(state, plan, stake_cents)


def _begin(state: TableState, plan: RoundPlan, stake_cents: int) -> Match:
    if stake_cents <= 0:
        raise BadLimit("The stake of a match must be above zero.", field="match_stake")
    for seat in plan.dealt_in:
        if seat.stack_cents < stake_cents:
            raise StakeAboveStack(
                f"{seat.sitting.player} has {dollars(seat.stack_cents)}, less than the stake of"
                f" {dollars(stake_cents)}.",
                field="match_stake",
            )
    before = state.latest_match
    match = Match.objects.create(
        session=state.session,
        number=before.match.number + 1 if before is not None else 1,
        stake_cents=stake_cents,
    )
    MatchPlayer.objects.bulk_create(MatchPlayer(match=match, sitting=seat.sitting) for seat in plan.dealt_in)
    return match


def call_off(*, session_id: int, act: Act) -> Match:
    """Call off the match running at a table: nobody pays, and its players may leave. Refuses
    `reason_required`, `no_match`, `round_running`. Repeating a key changes nothing."""
    require(act.actor, RUN_FLOOR)
    act = act.stated("Enter why the match is called off.")
    with at_table(session_id, act) as (session, act):
        kind = TableEvent.Kind.MATCH_CALLED_OFF
        if recorded_before(session, kind, act, reason=act.reason):
            return session.matches.get(number=session.events.get(key=act.key).data["match"])
        state = state_of(session)
        running = state.match
        if running is None:
            raise NoMatch(f"No match is running at {session.table}.")
        if state.running_round:
            raise RoundRunning("Settle the running round first, or void it.")
        match = running.match
        match.called_off_at, match.called_off_by, match.called_off_reason = act.now, act.actor, act.reason
        match.save(update_fields=["called_off_at", "called_off_by", "called_off_reason"])
        points = {str(seat): points for seat, points in running.points.items()}
        record(session, kind, match=match.number, points=points, reason=act.reason, key=act.key, act=act)
    return match


@dataclass(frozen=True)
class MatchOutcome:
    """What the settlement of a round does to its match, in points by seat and in money. `before` are the
    points of all other settled rounds, `after` includes this one. `says` is the `match` of its evidence.
    `won_elsewhere` is the winner's seat if another round ended it."""

    match: Match
    players: Mapping[int, Sitting]
    race_to: int
    before: Mapping[int, int]
    after: Mapping[int, int]
    says: Mapping[str, Any]
    won_by: int | None
    payments: tuple[rules.MatchPayment, ...]
    won_elsewhere: int | None = None

    @property
    def short_winner(self) -> Sitting | None:
        """The player who stays the winner without the points for it, or None."""
        stays = self.won_by if self.won_elsewhere is None else self.won_elsewhere
        short = rules.lacks_points(stays, self.after, self.race_to)
        return self.players[stays] if short and stays is not None else None

    @property
    def winner(self) -> Sitting | None:
        return None if self.won_by is None else self.players[self.won_by]

    @property
    def table(self) -> list[tuple[Sitting, int]]:
        return [(sitting, self.after[seat]) for seat, sitting in self.players.items()]

    @property
    def net_cents(self) -> dict[int, int]:
        """What each player of the match wins (above zero) or pays, in cents by seat."""
        return net_by_seat(self.players, self.payments)


def outcome_of(round_: Round, scored: RoundScore) -> MatchOutcome | None:
    """Return what settling or correcting `round_` does to its match; None outside a race."""
    if scored.race is None or round_.match is None:
        return None
    match = round_.match
    found = match.players.select_related("sitting__player", "sitting__stack").order_by("sitting__seat")
    players = {player.sitting.seat: player.sitting for player in found}
    settled = evidence_by_round([match]).get(match.pk, {})
    own = settled.pop(round_.number, None)
    replaced = _win(own["match"]) if own else None
    stacks = (
        {int(seat): net_cents_of(amount) for seat, amount in own["match"]["stacks"].items()}
        if own
        else _stacks(round_, players)
    )
    wins = (_win(one["match"]) for one in settled.values())
    won_elsewhere = next((win.won_by for win in wins if win is not None), None)
    terms = rules.MatchTerms(scored.deal.sheet.race_to, match.stake_cents, round_.button_seat, stacks)
    now = rules.settle_in_match(
        rules.total_points(players, map(scored_points, settled.values())),
        scored.race,
        terms,
        replaced=replaced,
        over=match.called_off_at is not None or won_elsewhere is not None,
        # Another match has begun since, so this one cannot resume.
        past=replaced is not None
        and Match.objects.filter(session=match.session_id, number__gt=match.number).exists(),
    )
    says, (won_by, payments) = rules.match_in_evidence(match.number, terms, now), now.win or (None, ())
    return MatchOutcome(
        match, players, terms.race_to, now.before, now.after, says, won_by, payments, won_elsewhere
    )


def _win(match: Mapping[str, Any]) -> rules.Win | None:
    """Return how a settlement ended its match, from the `match` of its evidence; None if it did not."""
    return None if match["won_by"] is None else rules.Win(match["won_by"], payments_of(match))


def _stacks(round_: Round, players: Mapping[int, Sitting]) -> dict[int, int]:
    dealt = {hand.seat: hand.stack_cents for hand in round_.hands.all()}
    return rules.paying_stacks(
        dealt, {seat: sitting.stack.balance_cents for seat, sitting in players.items()}
    )
