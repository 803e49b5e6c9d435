"""Build the API's JSON: amounts as text with two places, points as integers, times in ISO form."""

from collections.abc import Mapping, Sequence
from typing import Any

from ledger.journal.records import evidence_in
from ledger.money import amount_text
from tables.models import CorrectionRequest, Hand, Round, TableSession
from tables.rounds.corrections import difference, preview
from tables.rounds.entry import by_position
from tables.rounds.running import called_times
from tables.rounds.scoring import check_entry
from tables.rules.game.rounds import Sheet
from tables.rules.table import dealing
from tables.state.clock import ClockFacts, shown_clock
from tables.state.evidence import Standing, answer_of, names_at, standing_at, standing_settlement
from tables.state.plan import RoundPlan, SeatPlan, following
from tables.state.rows import CORRECTIONS, CORRECTIONS_AT, HANDS, LAST_SETTLED
from tables.state.table_state import TableRate, TableState, sheet_of


def _of(thing: Any, names: str) -> dict[str, Any]:
    return {name: getattr(thing, name) for name in names.split()}


def plan_shape(state: TableState, plan: RoundPlan) -> dict[str, Any]:
    """Return the next round as it would start now; `state` and `plan` are of the same moment."""
    session = state.session
    sheet = sheet_of(session)
    last, settled = state.last_round, LAST_SETTLED.first(session.pk)
    announced = state.announced(plan.at)
    return {
        "session": session.pk,
        "table": session.table.number,
        "title": session.sheet.title,
        "sheet": _sheet_shape(sheet),
        "players": dealing.HANDS_PER_ROUND // sheet.hands_per_player,
        "limit": amount_text(plan.rate.limit_cents),
        "announced": announced and _rate_shape(*announced),
        "now": plan.at.isoformat(),
        "number": last.number + 1 if last else 1,
        "last_round": settled and settled.pk,
        "round": round_shape(session, state.running_round) if state.running_round else None,
        "down": _down_shape(shown_clock(state, plan.at)),
        "dealt_in": [_seat_shape(seat) for seat in plan.dealt_in],
        "waiting": [_seat_shape(seat) | _of(seat, "reason badge sentence") for seat in plan.waiting],
        "corrections": [correction_shape(request) for request in CORRECTIONS_AT.rows(session.pk)],
        "match": _next_match(state, sheet.race_to),
        "can_start": plan.problem is None,
        **_of(plan, "button two_hands two_hands_possible pair_stakes reserved_possible why_not"),
    }


def _rate_shape(down: int, rate: TableRate) -> dict[str, Any]:
    """Return the announced rate, and the down from which it holds (R64)."""
    amounts = {name: amount_text(getattr(rate, f"{name}_cents")) for name in ("limit", "fee", "max_buy_in")}
    return {"down": down, **amounts}


def _down_shape(clock: ClockFacts) -> dict[str, Any] | None:
    """Return the down that runs or is stopped; None before the first one and while the clock waits."""
    if clock.state not in ("running", "stopped"):
        return None
    return {
        "number": clock.down,
        "ends_at": clock.ends_at and clock.ends_at.isoformat(),
        "stopped": clock.stop is not None,
        "next_fee": amount_text(clock.fee_cents),
    }


def _seat_shape(plan: SeatPlan) -> dict[str, Any]:
    fees = plan.fees
    return {
        "seat": plan.seat,
        "sitting": plan.sitting.pk,
        "player": str(plan.sitting.player),
        "stack": amount_text(plan.sitting.stack.balance_cents),
        "fantasy_land": plan.sitting.fantasy_land,
        "fee": {
            "amount": amount_text(plan.fees_cents),
            "rule": fees[-1].rule,
            "how": "due" if plan.owes else fees[-1].method,
            "following": following(fees),
        }
        if fees
        else None,
    }


def round_shape(session: TableSession, round_: Round) -> dict[str, Any]:
    """Return a round with its hands; the draft and check while it runs, then the settlement in force."""
    fresh = round_.fresh
    hands = fresh.hands if fresh else HANDS.rows(round_.pk)
    sheet = sheet_of(session)
    shape: dict[str, Any] = {
        "id": round_.pk,
        "session": session.pk,
        "table": session.table.number,
        **_of(round_, "number state pair_stakes draft_version"),
        "limit": amount_text(round_.limit_cents),
        "button": round_.button_seat,
        "sheet": _sheet_shape(sheet),
        "reserved_from": round_.reserved_from and round_.reserved_from.number,
        "match": match_shape(standing_at(round_), sheet.race_to),
        "hands": [
            _of(hand, "seat position fantasy_land")
            | {"player": str(hand.sitting.player), "stack": amount_text(hand.stack_cents)}
            for hand in hands
        ],
        "draft": {"hands": round_.draft},
        "times": [],
        "check": None,
        "settlement": None,
        "corrections": [correction_shape(asked) for asked in (() if fresh else CORRECTIONS.rows(round_.pk))],
    }
    if round_.state == Round.State.DEALT:
        called = () if fresh else called_times(round_)
        shape["times"] = [{"seat": one.seat, "ends_at": one.ends_at.isoformat()} for one in called]
        shape["check"] = check_entry(session, round_, hands, round_.draft).as_json(round_.draft_version)
    elif round_.state == Round.State.SETTLED:
        shape["settlement"] = _settlement_shape(round_, hands)
    return shape


def _next_match(state: TableState, race_to: int) -> dict[str, Any] | None:
    """Return the running match, or the last one if it was won; None before the table's first."""
    latest = state.latest_match
    return match_shape(None if latest is None or latest.match.called_off_at else latest, race_to)


def match_shape(standing: Standing | None, race_to: int) -> dict[str, Any] | None:
    if standing is None:
        return None
    return {
        "number": standing.match.number,
        "stake": amount_text(standing.match.stake_cents),
        "race_to": race_to,
        "players": [
            {"seat": sitting.seat, "player": str(sitting.player), "points": standing.points[sitting.seat]}
            for sitting in standing.players
        ],
        "round": standing.rounds,
        "won_by": standing.won_by,
        "payments": [payment.as_json() for payment in standing.payments],
    }


def _sheet_shape(sheet: Sheet) -> dict[str, Any]:
    """Return what a device must know of a game to ask for what its rounds need."""
    surrender, sweeps = sheet.surrender, sheet.clean_sweep
    return {
        **_of(sheet, "code version title dealing hands_per_player middle wheel race_to"),
        "surrender": _of(surrender, "points before_clean_sweep") if surrender.allowed else None,
        "announced": sheet.announced_segments,
        "pair_stakes": sheet.two_may_agree,
        "unset": sheet.may_come_unset,
        "false_declaration": sweeps.false_declaration,
        "clean_sweeps": [{"kind": kind, "points": points} for kind, points in sweeps.kinds.items()],
        "fantasy_land": sheet.fantasy_land is not None,
        "foul_plays": sheet.foul.plays,
    }


def _settlement_shape(round_: Round, dealt: Sequence[Hand]) -> dict[str, Any]:
    """Return the answer in force, with the players' names and the cards."""
    settled_at: Any = round_.ended_at
    ordinal, by_hand = 1, False
    answer: dict[str, Any]
    if fresh := round_.fresh:
        entered, answer = fresh.deal["hands"], fresh.scored.as_json()
    else:
        standing = standing_settlement(round_)
        settled_at, ordinal, by_hand = standing.settled_at, standing.ordinal, standing.by_hand
        evidence = evidence_in(standing.record)
        # The hands of a round settled by hand have no cards (R58).
        entered = [] if by_hand else evidence["input"]["hands"]
        answer = answer_of(evidence, sheet_of(round_.session))
    return answer | {
        "names": names_at(round_, dealt),
        "entered": [{**hand, "position": position} for position, hand in by_position(dealt, entered).items()],
        "settled_at": settled_at.isoformat(),
        "corrected": ordinal > 1,
        "by_hand": by_hand,
    }


def correction_shape(request: CorrectionRequest) -> dict[str, Any]:
    """Return a correction or a settlement by hand, and its state."""
    return {
        "id": request.pk,
        "round": request.round_id,
        "number": request.round.number,
        "asked_by": str(request.asked_by),
        "asked_at": request.asked_at.isoformat(),
        "decided_by": request.decided_by and str(request.decided_by),
        **_of(request, "by_hand state reason decision_reason"),
    }


def preview_shape(request: CorrectionRequest) -> dict[str, Any]:
    """Return what a correction would change for each seat."""
    scored, changes = preview(request)
    return {
        "preview": scored.as_json() | {"names": names_at(request.round, HANDS.rows(request.round.pk))},
        "difference": _amounts(changes),
    }


def correction_check_shape(
    session: TableSession, round_: Round, entered: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the rules' answer to other cards for a settled round, and the change for each seat."""
    check = check_entry(session, round_, HANDS.rows(round_.pk), entered)
    changes = difference(round_, check.score) if check.score and round_.state == Round.State.SETTLED else {}
    return check.as_json(round_.draft_version) | {"difference": _amounts(changes)}


def _amounts(cents_by_seat: Mapping[int, int]) -> dict[str, str]:
    return {str(seat): amount_text(cents) for seat, cents in cents_by_seat.items()}
