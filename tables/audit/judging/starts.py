"""Rounds begin: who is dealt in with what, who waits and why, and where the buttons go (R42-R54). Pure."""

from __future__ import annotations

from operator import itemgetter
from typing import Final

from ledger.money import amount_text, cents_of
from tables.audit.floor.floor import Floor, Problem, Problems
from tables.audit.floor.round import RUNNING, SETTLED, VOID, ReplayedHand, ReplayedMatch, ReplayedRound
from tables.audit.floor.sitting import Body, ReplayedSitting
from tables.audit.floor.table import ReplayedTable
from tables.audit.judging import charges
from tables.audit.judging.moments import in_doubt, wrong_reason
from tables.rules.table.buy_ins import is_short
from tables.rules.table.dealing import LastButton, button_seat, by_position, clockwise, dealt_in
from tables.rules.table.eligibility import (
    NO_ROUND,
    SeatNow,
    TableNow,
    waits_its_turn,
    why_it_waits,
    why_no_round,
)
from tables.rules.table.moves import RoundBefore, hands_kept

# Who could be dealt in, and waits because others are.
_IN_TURN: Final = (waits_its_turn(1), waits_its_turn(2))
_HAND: Final = itemgetter(*ReplayedHand._fields)
_CODE: Final = "round_event_differs"


def round_started(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    data = body["data"]
    round_ = _read(body)
    _reseat(table, round_)
    wrong_deal = next(_wrong_deal(table, round_, data), None)
    wrong = [] if wrong_deal is None else [wrong_deal]
    wrong += charges.round_started(floor, table, body, round_.id)
    wrong += _wrong_start(floor, table, round_, body)
    round_.sure = not any(problem.mark is None for problem in wrong)
    if wrong_deal is None and all(hand.sitting in table.sittings for hand in round_.hands):
        _believe(table, round_, data)
    else:
        _doubt(table, round_)
    table.rounds[round_.id] = table.numbers[round_.number] = table.last = round_
    yield from wrong


def _read(body: Body) -> ReplayedRound:
    data = body["data"]
    return ReplayedRound(
        data["round_id"],
        data["round"],
        body["at"],
        data["button"],
        tuple([ReplayedHand._make(_HAND(hand)) for hand in data["hands"]]),
        data["hands_each"],
        data["limit_cents"],
        data.get("pair_stakes"),
        data.get("reserved_from"),
        data.get("match"),
    )


def _reseat(table: ReplayedTable, round_: ReplayedRound) -> None:
    for hand in round_.hands:
        sitting = table.sittings.get(hand.sitting)
        if sitting is not None and not sitting.sure and not sitting.left and sitting.seat != hand.seat:
            if table.seats.get(sitting.seat) is sitting:
                del table.seats[sitting.seat]
            sitting.seat = hand.seat
            table.seats.setdefault(hand.seat, sitting)


def _believe(table: ReplayedTable, round_: ReplayedRound, data: Body) -> None:
    table.rates = tuple(one for one in table.rates if one.limit_cents == round_.limit_cents) or table.rates
    for hand in round_.hands:
        sitting = round_.sittings[hand.seat] = table.sittings[hand.sitting]
        if not sitting.counted:
            sitting.cents, sitting.counted = hand.stack_cents, True
        sitting.fantasy_land = hand.fantasy_land or bool(sitting.fantasy_land)
    if round_.match is not None and round_.match not in table.matches:
        stake = cents_of(data["match_stake"]) or 0
        table.matches[round_.match] = ReplayedMatch(round_.match, stake, dict(sorted(round_.seats.items())))


def _doubt(table: ReplayedTable, round_: ReplayedRound) -> None:
    """After a wrong start nothing that follows from it is judged; numbers continue as if it were right."""
    round_.right = table.matches_known = False
    round_.claimed, round_.number = None, table.next_number
    for seat, number in round_.seats.items():
        if (sitting := table.sittings.get(number)) is not None and sitting.seat == seat:
            round_.sittings[seat] = sitting
    for sitting in table.seats.values():
        sitting.fantasy_land = None
    table.doubt()


# -- what is dealt -------------------------------------------------------------------------------------------


def _wrong_deal(table: ReplayedTable, round_: ReplayedRound, data: Body) -> Problems:
    """Judge a deal: no other round runs, and the hands are those of the seated players with their stacks."""
    last, number = table.last, table.next_number
    if last is not None and last.state == RUNNING:
        yield Problem("not_settled", f"Round {last.number} was neither settled nor voided before it.")
    if round_.number != number:
        yield Problem(_CODE, f"It is round {round_.number}; {number} comes next.")
    limits = {rate.limit_cents for rate in table.rates}
    if round_.limit_cents not in limits:
        own = " or ".join(map(amount_text, sorted(limits)))
        played = f"It is played at {amount_text(round_.limit_cents)}; the table's limit is {own}."
        yield Problem("limit_differs", played)
    if (other := table.rounds.get(round_.id)) is not None and other.right:
        yield Problem(_CODE, f"Its id {round_.id} is that of round {other.number}.")
    charged = [charge.body["round_id"] for charge in table.for_round]
    if len(charged) > 1 and {*charged} == {charged[0]} != {round_.id}:
        wrong, round_.id = round_.id, charged[0]
        yield Problem(_CODE, f"Its id is {wrong}; the fees before it are for round {round_.id}.")
    yield from _wrong_hands(table, round_, data)
    kept = round_.reserved_from
    if kept is not None and (last is None or kept != last.number):
        yield Problem(
            _CODE, f"Its hands cannot have been kept from round {kept}, which was not the one before."
        )
    if table.sheet is not None and bool(table.sheet.race_to) != (round_.match is not None):
        yield Problem(_CODE, "A race is played in matches, and no other game is.")
    if round_.match is not None and table.matches_known:
        yield from _wrong_match(table, data)
    yield from _wrong_stakes(table, data)
    yield from _wrong_reserved(table, round_)


def _wrong_hands(table: ReplayedTable, round_: ReplayedRound, data: Body) -> Problems:
    for hand in round_.hands:
        sitting = table.sittings.get(hand.sitting)
        if sitting is None or sitting.left or sitting.seat != hand.seat:
            if table.sure:
                yield Problem(_CODE, f"Sitting {hand.sitting} was not in seat {hand.seat}.")
            continue
        if sitting.counted and sitting.cents != hand.stack_cents:
            said, own = amount_text(hand.stack_cents), amount_text(sitting.cents)
            sentence = (
                f"Seat {hand.seat} is said to have {said}; by the entries before it the stack is {own}."
            )
            yield Problem("stack_differs", sentence)
        earned, first = sitting.fantasy_land, hand.position <= len(round_.seats)
        if earned is not None and hand.fantasy_land is not (earned and first):
            earns = "has earned fantasy land" if earned else "has not earned fantasy land"
            yield Problem(_CODE, f"Seat {hand.seat} {earns}, and position {hand.position} does not say so.")
    seats = round_.seats
    if round_.button not in seats or data["dealt_in"] != clockwise(seats, round_.button):
        order = data["dealt_in"]
        yield Problem(_CODE, f"The button at seat {round_.button} does not go with seats {order}.")
    elif table.sheet is not None:
        order = by_position(seats, round_.button, table.sheet.first, round_.hands_each)
        if [(hand.position, hand.seat) for hand in round_.hands] != list(enumerate(order, 1)):
            yield Problem(_CODE, "Its hands are not in the order that its button gives.")


def _wrong_match(table: ReplayedTable, data: Body) -> Problems:
    running, number, stake = table.running_match, data["match"], cents_of(data["match_stake"])
    if running is not None:
        if (number, stake) != (running.number, running.stake_cents):
            runs = f"Match {running.number} runs, for {amount_text(running.stake_cents)}."
            yield Problem("match_differs", runs)
    elif number != len(table.matches) + 1 or not stake:
        yield Problem("match_differs", f"It begins match {number} for {data['match_stake']}.")


# -- who is dealt in -----------------------------------------------------------------------------------------


def _wrong_start(floor: Floor, table: ReplayedTable, round_: ReplayedRound, body: Body) -> Problems:
    data, latest = body["data"], table.clock.latest
    yield from in_doubt(floor, body)
    if latest is not None and latest.id != data["down_id"]:
        yield Problem("wrong_down", "It does not name the newest down.")
    limit = table.limit_cents
    if any(is_short(hand.stack_cents, limit) for hand in round_.hands):
        yield Problem("short_stack", "Somebody is dealt in with less than nine points (R53).")
    waiting = {int(seat): reason for seat, reason in data["waiting"].items()}
    yield from _wrong_places(table, round_, data["dealt_in"], waiting)
    if table.sure:
        yield from _wrong_company(floor, table, data["dealt_in"], waiting)


def _wrong_places(
    table: ReplayedTable, round_: ReplayedRound, order: list[int], waiting: dict[int, str]
) -> Problems:
    last, sheet, button, each = table.last, table.sheet, round_.button, round_.hands_each
    eligible = [*order, *(seat for seat, reason in waiting.items() if reason in _IN_TURN)]
    if code := why_no_round(TableNow(), len({*order})):
        yield Problem(code, NO_ROUND[code])
        return
    if each not in (1, 2) or (each == 2 and len(order) != 2) or len(order) * each > 4:
        yield Problem("wrong_places", f"{len(order)} players cannot have {each} hands each (R51, R54).")
    if last is None or last.sure:
        before = None if last is None else LastButton(last.button, last.state == VOID)
        if button != (right := button_seat(eligible, before)):
            yield Problem("wrong_button", f"The buttons lie at seat {button}; they go to seat {right} (R50).")
    if sheet is None:
        return
    if order != dealt_in(eligible, button, sheet.hands_per_player):
        yield Problem("wrong_places", "Others are to be dealt in, clockwise from the buttons (R51).")
    if each < sheet.hands_per_player or (each == 2 and sheet.race_to):
        yield Problem("wrong_places", f"The game does not give {each} hands each (R35).")
    turn = waits_its_turn(sheet.hands_per_player)
    if any(reason in _IN_TURN and reason != turn for reason in waiting.values()):
        yield Problem("wrong_reason", "Who waits for a turn waits for another reason.")


def _wrong_company(floor: Floor, table: ReplayedTable, order: list[int], waiting: dict[int, str]) -> Problems:
    """Judge who waits: everybody not dealt in, with a reason, such as a fee due in the house (R51)."""
    if {*order, *waiting} != table.seats.keys() or len(order) + len(waiting) != len(table.seats):
        yield Problem("other_seats", "Those dealt in and those who wait are not those who sit there.")
        return
    doubtful = {*(() if floor.fees_known else ("fee_due",)), *(() if table.matches_known else ("match",))}
    for seat, sitting in table.seats.items():
        reason = waiting.get(seat)
        if reason in doubtful or (reason == "short" and not sitting.counted):
            continue
        must = why_it_waits(_seat_now(floor, table, sitting, declines=reason == "declined"))
        if must is not None and reason != must:
            yield Problem("wrong_reason", f"Seat {seat} had to wait: {must}.")
        elif must is None and reason not in (None, *_IN_TURN) and sitting.counted:
            yield Problem("wrong_reason", f"Seat {seat} did not have to wait: {reason}.")


def _seat_now(floor: Floor, table: ReplayedTable, sitting: ReplayedSitting, *, declines: bool) -> SeatNow:
    match = table.running_match if table.matches_known else None
    return SeatNow(
        sitting.out,
        sitting.counted and is_short(sitting.cents, table.limit_cents),
        any(charge.sure for charge in floor.open_fees(sitting.player)),
        declines,
        match is not None and not table.plays_match(sitting),
    )


def _wrong_stakes(table: ReplayedTable, data: Body) -> Problems:
    stakes = data.get("pair_stakes", [])
    if table.sheet is None:
        return
    if stakes and (not table.sheet.pair_stakes or table.sheet.race_to):
        yield Problem("no_pair_stakes", "The game has no stakes between two players (R32).")
    pairs = [tuple(stake["seats"]) for stake in stakes]
    if pairs != sorted(set(pairs)) or any(not {one, other} <= set(data["dealt_in"]) for one, other in pairs):
        yield Problem("bad_seat", "A stake is between two players who are dealt in, once (R32).")
    if any(not cents_of(stake["limit"]) for stake in stakes):
        yield Problem("bad_limit", "A stake between two players is above zero (R32).")


def _wrong_reserved(table: ReplayedTable, round_: ReplayedRound) -> Problems:
    """Judge the hands reserved from the round before (R43)."""
    last, sheet = table.last, table.sheet
    if round_.reserved_from is None or sheet is None or last is None or not last.sure:
        return
    before = RoundBefore(
        settled=last.state == SETTLED,
        by_hand=last.by_hand,
        kept=last.reserved_from is not None,
        dealt=tuple(hand.sitting for hand in last.hands),
    )
    dealt = [hand.sitting for hand in round_.hands]
    if not hands_kept(before, dealt, dealing=sheet.dealing, hands_each=round_.hands_each):
        yield Problem("no_reserved_hands", "No hands were left from the round before for these two (R43).")


# -- how a round ends without a settlement -------------------------------------------------------------------


def round_voided(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    """Judge a void round: not settled yet; buttons and stacks stay as they were (R58)."""
    data = body["data"]
    round_, number = table.rounds.get(data["round_id"]), data["round"]
    if round_ is None or round_.number != number:
        yield Problem(_CODE, f"No round {number} with id {data['round_id']} was started.")
        round_ = table.last
        if round_ is not None:
            round_.right = False
    elif round_.state != RUNNING:
        yield Problem("not_running", f"Round {number} had been {round_.state} before.")
    if round_ is not None and round_.state == RUNNING:
        round_.state = VOID
    yield from wrong_reason(body)


def match_called_off(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    data = body["data"]
    match = table.matches.get(data["match"]) if table.matches_known else None
    if table.matches_known and (match is None or match.over):
        yield Problem("match_differs", f"No match {data['match']} was running.")
    elif match and data["points"] != {str(seat): points for seat, points in match.total().items()}:
        yield Problem("match_differs", f"The points of match {match.number} were others.")
    if (running := table.running_match) is not None:
        running.called_off = True
