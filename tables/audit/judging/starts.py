"""Rounds begin: who is dealt in with what, who waits and why, and where the buttons go (R42-R54). Pure."""

from typing import Final

from ledger.money import amount_text, cents_of
from tables.audit.floor.floor import Floor
from tables.audit.floor.round import RUNNING, SETTLED, VOID, ReplayedHand, ReplayedMatch, ReplayedRound
from tables.audit.floor.sitting import ReplayedSitting
from tables.audit.floor.table import ReplayedTable
from tables.audit.judging.charges import all_charged
from tables.audit.judging.contradiction import Contradiction
from tables.audit.judging.downs import started_in_down
from tables.audit.judging.moments import clock_is_sure, has_reason
from tables.audit.records.events import MatchCalledOff, OfRound, RoundStarted
from tables.audit.records.rows import TableEventRecord
from tables.rules.table import eligibility
from tables.rules.table.buy_ins import is_short
from tables.rules.table.dealing import LastButton, button_seat, by_position, clockwise, dealt_in
from tables.rules.table.moves import RoundBefore, hands_kept

_IN_TURN: Final = (eligibility.waits_its_turn(1), eligibility.waits_its_turn(2))
"""Who could be dealt in, and waits because others are."""
_CODE: Final = "round_event_differs"


def round_started(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: RoundStarted) -> None:
    round_ = ReplayedRound(
        id=data["round_id"],
        number=data["round"],
        started_at=event["at"],
        button=data["button"],
        hands=tuple([ReplayedHand(**hand) for hand in data["hands"]]),
        hands_each=data["hands_each"],
        limit_cents=data["limit_cents"],
        stakes=data.get("pair_stakes"),
        reserved_from=data.get("reserved_from"),
        match=data.get("match"),
    )
    _right_deal(table, round_)
    _right_hands(table, round_, data)
    _right_match(table, round_, data)
    stakes, sheet = data.get("pair_stakes", []), table.sheet
    if stakes and (not sheet.pair_stakes or sheet.race_to):
        raise Contradiction("no_pair_stakes", "The game has no stakes between two players (R32).")
    pairs = [(stake["seats"][0], stake["seats"][1]) for stake in stakes]
    if pairs != sorted({*pairs}) or any(not {*pair} <= {*data["dealt_in"]} for pair in pairs):
        raise Contradiction("bad_seat", "A stake is between two players who are dealt in, once (R32).")
    if any(not cents_of(stake["limit"]) for stake in stakes):
        raise Contradiction("bad_limit", "A stake between two players is above zero (R32).")
    all_charged(floor, table, started_in_down(table, event, data), round_.id)
    clock_is_sure(floor, event)
    waiting = {int(seat): reason for seat, reason in data["waiting"].items()}
    _right_places(table, round_, data["dealt_in"], waiting)
    _right_company(floor, table, data["dealt_in"], waiting)
    _right_reserved(table, round_)
    if round_.match is not None and round_.match not in table.matches:
        stake = cents_of(data["match_stake"]) or 0
        players = dict(sorted(round_.sittings.items()))
        table.matches[round_.match] = ReplayedMatch(round_.match, stake, players)
    table.rounds[round_.id] = table.numbers[round_.number] = table.last = round_


# -- what is dealt -------------------------------------------------------------------------------------------


def _right_deal(table: ReplayedTable, round_: ReplayedRound) -> None:
    """Judge that no other round runs, and the number, the limit, the id and the deck."""
    last, kept, limit = table.last, round_.reserved_from, table.rate.limit_cents
    number = 1 if last is None else last.number + 1
    if last is not None and last.state == RUNNING:
        raise Contradiction("not_settled", f"Round {last.number} was neither settled nor voided before it.")
    if round_.number != number:
        raise Contradiction(_CODE, f"It is round {round_.number}; {number} comes next.")
    if round_.limit_cents != limit:
        played = f"It is played at {amount_text(round_.limit_cents)}; the table's is {amount_text(limit)}."
        raise Contradiction("limit_differs", played)
    if (other := table.rounds.get(round_.id)) is not None:
        raise Contradiction(_CODE, f"Its id {round_.id} is that of round {other.number}.")
    charged = [charge.body["round_id"] for charge in table.for_round]
    if len(charged) > 1 and {*charged} == {charged[0]} != {round_.id}:
        sentence = f"Its id is {round_.id}; the fees before it are for round {charged[0]}."
        raise Contradiction(_CODE, sentence)
    if kept is not None and (last is None or kept != last.number):
        before = f"Its hands cannot have been kept from round {kept}, which was not the one before."
        raise Contradiction(_CODE, before)


def _right_hands(table: ReplayedTable, round_: ReplayedRound, data: RoundStarted) -> None:
    """Judge the hands: they belong to the players who sit there, have their stacks, and come in order of the
    button."""
    order, players = data["dealt_in"], len({hand.seat for hand in round_.hands})
    for hand in round_.hands:
        sitting = table.seats.get(hand.seat)
        if sitting is None or sitting.id != hand.sitting:
            raise Contradiction(_CODE, f"Sitting {hand.sitting} was not in seat {hand.seat}.")
        round_.sittings[hand.seat] = sitting
        if sitting.cents != hand.stack_cents:
            recorded, own = amount_text(hand.stack_cents), amount_text(sitting.cents)
            sentence = (
                f"Seat {hand.seat} is said to have {recorded}; by the entries before it the stack is {own}."
            )
            raise Contradiction("stack_differs", sentence)
        if hand.fantasy_land is not (sitting.fantasy_land and hand.position <= players):
            earns = "has earned fantasy land" if sitting.fantasy_land else "has not earned fantasy land"
            sentence = f"Seat {hand.seat} {earns}, and position {hand.position} does not say so."
            raise Contradiction(_CODE, sentence)
    if round_.button not in round_.sittings or order != clockwise(round_.sittings, round_.button):
        raise Contradiction(_CODE, f"The button at seat {round_.button} does not go with seats {order}.")
    right = by_position(round_.sittings, round_.button, table.sheet.first, round_.hands_each)
    if [(hand.position, hand.seat) for hand in round_.hands] != list(enumerate(right, 1)):
        raise Contradiction(_CODE, "Its hands are not in the order that its button gives.")


def _right_match(table: ReplayedTable, round_: ReplayedRound, data: RoundStarted) -> None:
    if bool(table.sheet.race_to) != (round_.match is not None):
        raise Contradiction(_CODE, "A race is played in matches, and no other game is.")
    if round_.match is None:
        return
    running, stake = table.running_match, cents_of(data["match_stake"])
    if running is not None:
        if (round_.match, stake) != (running.number, running.stake_cents):
            runs = f"Match {running.number} runs, for {amount_text(running.stake_cents)}."
            raise Contradiction("match_differs", runs)
    elif round_.match != len(table.matches) + 1 or not stake:
        sentence = f"It begins match {round_.match} for {data['match_stake']}."
        raise Contradiction("match_differs", sentence)


# -- who is dealt in -----------------------------------------------------------------------------------------


def _right_places(
    table: ReplayedTable, round_: ReplayedRound, order: list[int], waiting: dict[int, str]
) -> None:
    last, sheet, button, each = table.last, table.sheet, round_.button, round_.hands_each
    if any(is_short(hand.stack_cents, table.rate.limit_cents) for hand in round_.hands):
        raise Contradiction("short_stack", "Somebody is dealt in with less than nine points (R53).")
    eligible = [*order, *(seat for seat, reason in waiting.items() if reason in _IN_TURN)]
    if code := eligibility.why_no_round(eligibility.TableNow(), len({*order})):
        raise Contradiction(code, eligibility.NO_ROUND[code])
    if each not in (1, 2) or (each == 2 and len(order) != 2) or len(order) * each > 4:
        sentence = f"{len(order)} players cannot have {each} hands each (R51, R54)."
        raise Contradiction("wrong_places", sentence)
    before = None if last is None else LastButton(last.button, last.state == VOID)
    if button != (right := button_seat(eligible, before)):
        sentence = f"The buttons lie at seat {button}; they go to seat {right} (R50)."
        raise Contradiction("wrong_button", sentence)
    if order != dealt_in(eligible, button, sheet.hands_per_player):
        raise Contradiction("wrong_places", "Others are to be dealt in, clockwise from the buttons (R51).")
    if each < sheet.hands_per_player or (each == 2 and sheet.race_to):
        raise Contradiction("wrong_places", f"The game does not give {each} hands each (R35).")
    turn = eligibility.waits_its_turn(sheet.hands_per_player)
    if any(reason in _IN_TURN and reason != turn for reason in waiting.values()):
        raise Contradiction("wrong_reason", "Who waits for a turn waits for another reason.")


def _right_company(floor: Floor, table: ReplayedTable, order: list[int], waiting: dict[int, str]) -> None:
    """Judge who waits: everybody not dealt in, with a reason, such as a fee due in the house (R51)."""
    if {*order, *waiting} != table.seats.keys() or len(order) + len(waiting) != len(table.seats):
        sentence = "Those dealt in and those who wait are not those who sit there."
        raise Contradiction("other_seats", sentence)
    for seat, sitting in table.seats.items():
        reason = waiting.get(seat)
        if sitting.out is None:  # only the table before could tell
            sitting.out = reason == "sitting_out"
        if reason == "fee_due" and not floor.fees_known:
            continue
        must = eligibility.why_it_waits(_seat_now(floor, table, sitting, declines=reason == "declined"))
        if must is not None and reason != must:
            raise Contradiction("wrong_reason", f"Seat {seat} had to wait: {must}.")
        if must is None and reason not in (None, *_IN_TURN):
            raise Contradiction("wrong_reason", f"Seat {seat} did not have to wait: {reason}.")


def _seat_now(
    floor: Floor, table: ReplayedTable, sitting: ReplayedSitting, *, declines: bool
) -> eligibility.SeatNow:
    return eligibility.SeatNow(
        sits_out=bool(sitting.out),
        is_short=is_short(sitting.cents, table.rate.limit_cents),
        owes=bool(floor.open_fees(sitting.player)),
        declines=declines,
        outside_match=table.running_match is not None and not table.plays_match(sitting),
    )


def _right_reserved(table: ReplayedTable, round_: ReplayedRound) -> None:
    """Judge the hands reserved from the round before (R43)."""
    last = table.last
    if round_.reserved_from is None or last is None:
        return
    before = RoundBefore(
        settled=last.state == SETTLED,
        by_hand=last.by_hand,
        kept=last.reserved_from is not None,
        dealt=tuple(hand.sitting for hand in last.hands),
    )
    dealt = [hand.sitting for hand in round_.hands]
    if not hands_kept(before, dealt, dealing=table.sheet.dealing, hands_each=round_.hands_each):
        sentence = "No hands were left from the round before for these two (R43)."
        raise Contradiction("no_reserved_hands", sentence)


# -- how a round ends without a settlement -------------------------------------------------------------------


def round_voided(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: OfRound) -> None:
    """Judge a void round: not settled yet; buttons and stacks stay as they were (R58)."""
    number, round_ = data["round"], table.rounds.get(data["round_id"])
    if round_ is None or round_.number != number:
        raise Contradiction(_CODE, f"No round {number} with id {data['round_id']} was started.")
    if round_.state != RUNNING:
        raise Contradiction("not_running", f"Round {number} had been {round_.state} before.")
    has_reason(data["reason"])
    round_.state = VOID


def match_called_off(
    floor: Floor, table: ReplayedTable, event: TableEventRecord, data: MatchCalledOff
) -> None:
    match = table.matches.get(data["match"])
    if match is None or match.over:
        raise Contradiction("match_differs", f"No match {data['match']} was running.")
    if data["points"] != {str(seat): points for seat, points in match.total().items()}:
        raise Contradiction("match_differs", f"The points of match {match.number} were others.")
    match.called_off = True
