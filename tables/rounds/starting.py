"""Start a round: downs begin, fees are charged and taken, buttons are placed, hands are dealt."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ledger.db.compiled import insert, new
from ledger.journal import keys, posting, records
from ledger.journal.acts import Act
from ledger.money import amount_text
from ledger.rights import require
from tables import errors
from tables.collection.taking import charge_planned, state_to_take_fees
from tables.models import Hand, Round, TableEvent, TableSession
from tables.rights import DEAL, RUN_FLOOR
from tables.rounds.handed_in import note_handed_in
from tables.rounds.matches import match_of_round
from tables.rounds.pushes import require_dealer
from tables.rules.errors import BadLimit, BadSeat, NoPairStakes
from tables.rules.game.rounds import Sheet
from tables.rules.table import dealing
from tables.rules.table.eligibility import NO_ROUND
from tables.state.clock import write_downs
from tables.state.events import record
from tables.state.locks import at_table, require_open, require_true_time
from tables.state.plan import RoundPlan, plan_round
from tables.state.rows import Fresh
from tables.state.table_state import sheet_of

_REFUSALS = {
    "round_running": errors.RoundRunning,
    "clock_stopped": errors.ClockStopped,
    "table_closed": errors.TableClosed,
    "too_few_players": errors.TooFewPlayers,
    "match_too_few_players": errors.TooFewPlayers,
    "two_hands_not_agreed": errors.TwoHandsNotAgreed,
}

Stakes = Mapping[tuple[int, int], int]


@dataclass(frozen=True, slots=True)
class StartEntry:
    """What is known before a round is dealt. `declined`, `in_cash` (paying at the table) and `two_hands` are
    seats. `pair_stakes` has cents a point by two seats (R32); `reserved`: the undealt hands of the round
    before (R43); `match_stake_cents` begins a match (R42). `played_by` has begun it without the house, if
    that was somebody else."""

    declined: Collection[int] = ()
    in_cash: Collection[int] = ()
    two_hands: Collection[int] = ()
    pair_stakes: Stakes = field(default_factory=dict)
    reserved: bool = False
    match_stake_cents: int | None = None
    played_by: int | None = None

    @property
    def stakes(self) -> list[dict[str, Any]]:
        """Pair stakes as recorded in rounds and in the score format, in seat order."""
        return [
            {"seats": list(pair), "limit": amount_text(cents)}
            for pair, cents in sorted(
                (tuple(sorted(pair)), cents) for pair, cents in self.pair_stakes.items()
            )
        ]

    def content_hash(self, session_id: int, actor: Any) -> str:
        """Return the hash of the request, with only the options the players agreed to."""
        seats = {"session": session_id, "declined": sorted(self.declined), "in_cash": sorted(self.in_cash)}
        agreed = {
            "two_hands": sorted(self.two_hands),
            "pair_stakes": self.stakes,
            "reserved": self.reserved,
            "match_stake": self.match_stake_cents,
            "played_by": self.played_by,
        }
        content = seats | {name: value for name, value in agreed.items() if value}
        return posting.content_hash(kind="start_round", actor=actor, content=content)


NOTHING_AGREED = StartEntry()


def start_round(*, session_id: int, entry: StartEntry = NOTHING_AGREED, act: Act) -> Round:
    """Start a round: downs, fees, buttons, hands (R50-R54, R61-R63). A repeated key returns its round.
    Refuses `round_running`, `clock_stopped`, `too_few_players`, `two_hands_not_agreed`, `no_pair_stakes`,
    `bad_seat`, `bad_limit`, `no_reserved_hands`, `match_stake_required`, `match_stake_unwanted`,
    `stake_above_stack`, `no_dealer`, `not_your_table`, `bad_entry`."""
    require(act.actor, DEAL, RUN_FLOOR)
    hashed = entry.content_hash(session_id, act.actor)
    with at_table(session_id, act) as (session, act), records.together():
        if earlier := keys.made_before(Round, session.table.site_id, act.key, content_hash=hashed):
            return earlier
        require_open(session)
        require_true_time(session)
        state = state_to_take_fees(session)
        dealer = _dealer_of_next(session, act)
        plan = plan_round(
            state, act.now, declined=entry.declined, in_cash=entry.in_cash, two_hands=entry.two_hands
        )
        if plan.problem is not None or plan.button is None:
            raise refusal(plan.problem or "too_few_players")
        _require_agreeable(sheet_of(session), plan, entry)
        match = match_of_round(state, plan, entry.match_stake_cents)
        begun, last = write_downs(session, plan.new_downs, act.now), state.last_round
        round_ = new(
            Round,
            site=session.table.site,
            session=session,
            number=last.number + 1 if last else 1,
            limit_cents=session.limit_cents,
            key=act.key,
            content_hash=hashed,
            button_seat=plan.button,
            down=[down for down in (state.latest_down, *begun) if down is not None][-1],
            dealer=dealer,
            started_at=act.now,
            pair_stakes=entry.stakes,
            reserved_from=last if entry.reserved else None,
            match=match,
        )
        insert([round_])
        charge_planned(
            session=session,
            planned=[(seat.sitting, seat.fees) for seat in plan.seats],
            down=round_.down,
            round_=round_,
            act=act.under(f"{act.key}/round"),
        )
        hands = _deal(round_, plan, sheet_of(session))
        _record_start(session, round_, plan, hands, act)
        note_handed_in(session, round_, entry.played_by, act)
        round_.fresh = Fresh(hands)
    return round_


def refusal(problem: str) -> errors.TableError:
    """Return the error for a plan's code."""
    return _REFUSALS[problem](NO_ROUND[problem])


def _dealer_of_next(session: TableSession, act: Act) -> Any:
    """Return who deals the next round: the table's dealer, or without one the acting dealer."""
    if session.dealer_id not in (None, act.actor.pk) and act.actor.has_perm(RUN_FLOOR):
        return session.dealer
    if not act.actor.has_perm(DEAL):
        raise errors.NoDealer(f"{session.table} has no dealer: push one in first.")
    require_dealer(session, act)
    return act.actor


def _require_agreeable(sheet: Sheet, plan: RoundPlan, entry: StartEntry) -> None:
    """Refuse pair stakes and reserved hands that game or players do not allow (R32, R43)."""
    if entry.reserved and not plan.reserved_possible:
        raise errors.NoReservedHands(
            "Only the two players of the round before can play the hands that were left undealt in it.",
            field="reserved",
        )
    if entry.pair_stakes and not sheet.two_may_agree:
        raise NoPairStakes(f"{sheet.title} has no stakes between two players.", field="pair_stakes")
    seats = {seat.seat for seat in plan.dealt_in}
    for pair, cents in entry.pair_stakes.items():
        if len(set(pair)) != 2 or not seats.issuperset(pair):
            raise BadSeat("A stake is between two players who are dealt in.", field="pair_stakes")
        if cents <= 0:
            raise BadLimit("A stake between two players must be above zero.", field="pair_stakes")


def _record_start(
    session: TableSession, round_: Round, plan: RoundPlan, hands: Sequence[Hand], act: Act
) -> None:
    before, match = round_.reserved_from, round_.match
    agreed = {
        "dealer": round_.dealer_id if act.actor.pk != round_.dealer_id else None,
        "pair_stakes": round_.pair_stakes,
        "reserved_from": before and before.number,
        "match": match and match.number,
        "match_stake": match and amount_text(match.stake_cents),
    }
    record(
        session,
        TableEvent.Kind.ROUND_STARTED,
        round=round_.number,
        round_id=round_.pk,
        down=round_.down.number,
        down_id=round_.down_id,
        button=plan.button,
        dealt_in=[seat.seat for seat in plan.dealt_in],
        hands_each=2 if plan.two_hands else 1,
        waiting={seat.seat: seat.reason for seat in plan.waiting},
        hands=[_dealt(hand) for hand in hands],
        limit_cents=round_.limit_cents,
        act=act,
        **{name: value for name, value in agreed.items() if value},
    )


def _dealt(hand: Hand) -> dict[str, Any]:
    return {
        "position": hand.position,
        "seat": hand.seat,
        "sitting": hand.sitting_id,
        "stack_cents": hand.stack_cents,
        "fantasy_land": hand.fantasy_land,
    }


def _deal(round_: Round, plan: RoundPlan, sheet: Sheet) -> list[Hand]:
    """Write the hands by position (R30): A1, B1, A2, B2 with two each (R35), fantasy land to the first."""
    by_seat = {seat.seat: seat for seat in plan.dealt_in}
    order = dealing.by_position(by_seat, round_.button_seat, sheet.first, 2 if plan.two_hands else 1)
    hands = [
        new(
            Hand,
            round=round_,
            sitting=by_seat[seat].sitting,
            seat=seat,
            position=position,
            stack_cents=by_seat[seat].stack_cents,
            fantasy_land=by_seat[seat].sitting.fantasy_land and position <= len(by_seat),
        )
        for position, seat in enumerate(order, 1)
    ]
    insert(hands)
    return hands
