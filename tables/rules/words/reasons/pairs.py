"""Why a point was won between two hands or at the whole table, and what earned nothing."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from ledger.money import dollars
from tables.rules.game.comparing import BONUS_REASONS, BROKEN, Line
from tables.rules.game.entry import Deal
from tables.rules.game.scoring import HandScore
from tables.rules.game.settlement import Payment
from tables.rules.game.sheet import SEGMENTS, Sheet
from tables.rules.words.names import REASON_NAMES, SEGMENT_NAMES, listed, points_text
from tables.rules.words.reasons.words import (
    COLLECTS,
    NOTHING,
    Reason,
    bonus_title,
    holding,
    pays_surrender,
    segment_words,
    sweep_words,
)


def told_between(deal: Deal, one: HandScore, other: HandScore, lines: Sequence[Line]) -> tuple[Reason, ...]:
    """Return every line of one step in words, and what earned nothing; no `lines` if nothing is owed."""
    meeting = Meeting(deal, one, other)
    if any(line.reason == "clean_sweep" for line in lines):
        return tuple(_told_sweep(meeting, line) for line in lines)
    if compares(deal.sheet, one) and compares(deal.sheet, other):
        return tuple(_told_compared(meeting, lines))
    if not lines:
        return (_nothing_owed(meeting),)
    return tuple(_told_penalty(meeting, line) for line in lines)


def compares(sheet: Sheet, hand: HandScore) -> bool:
    """Return whether the segments of this hand meet those of others (R20, R23, R27)."""
    return not (hand.surrendered or hand.clean_sweep) and (not hand.foul or sheet.foul.plays)


class Meeting(NamedTuple):
    """Two hands of different players in a round."""

    deal: Deal
    one: HandScore
    other: HandScore

    @property
    def sheet(self) -> Sheet:
        return self.deal.sheet

    def sides(self, line: Line) -> tuple[HandScore, HandScore]:
        return (self.one, self.other) if line.to_seat == self.one.seat else (self.other, self.one)

    def winner(self, place: int) -> HandScore | None:
        """Return the hand that won this segment, or None (R10)."""
        one, other = self.one, self.other
        if one.strengths[place] != other.strengths[place]:
            return one if one.strengths[place] > other.strengths[place] else other
        by_button = [hand for hand in (one, other) if hand.seat == self.deal.button]
        return by_button[0] if by_button and self.sheet.ties == "button" else None


# -- two hands that compare ----------------------------------------------------------------------------------


def _told_compared(meeting: Meeting, lines: Sequence[Line]) -> Iterator[Reason]:
    for place, segment in enumerate(SEGMENTS):
        own = {line.to_seat: line for line in lines if line.reason == BONUS_REASONS[place]}
        if meeting.winner(place) is None:
            fact = f"both {segment_words(meeting.one.strengths[place])}"
            says = "Equal segments push: nobody wins them."
            yield Reason(f"{SEGMENT_NAMES[segment]} tied", fact, "R10", says)
        for line in lines:
            if line.reason == segment:
                yield _told_point(meeting, place, line)
        for line in own.values():
            yield _told_bonus(meeting, place, line)
        yield from _unpaid(meeting, place, paid=own.keys())
    for line in lines:
        if line.reason not in SEGMENTS and line.reason not in BONUS_REASONS[:BROKEN]:
            yield _told_end(meeting, line)


def _told_point(meeting: Meeting, place: int, line: Line) -> Reason:
    title, rule = REASON_NAMES[line.reason]
    winner, loser = meeting.sides(line)
    won, lost = winner.strengths[place], loser.strengths[place]
    if won == lost:
        fact = f"both {segment_words(won)}; seat {winner.seat} has the button"
        says = "Equal segments are won by the player with the button."
    elif place == 1 and meeting.sheet.middle == "low":
        fact = f"{segment_words(won)} is lower than {segment_words(lost)}"
        says = "The better segment wins one point; of two middles played low the lower is better (R6)."
    else:
        fact = f"{segment_words(won)} beats {segment_words(lost)}"
        says = "The better segment wins one point."
    return Reason(title, fact, rule, says, line.points, winner.position)


def _told_bonus(meeting: Meeting, place: int, line: Line) -> Reason:
    title, rule = REASON_NAMES[line.reason]
    holder, _ = meeting.sides(line)
    bonus, counts = meeting.sheet.bonus, holder.counted[place]
    doubled = line.points == 2 * counts
    fact = f"{segment_words(holder.strengths[place])} earns {counts}"
    if doubled:
        fact = f"{fact}, doubled"
    says = "A bonus is paid to the hand that wins its segment"
    if bonus.to == "holder":
        says = "A bonus is paid to its holder, also from a segment that was lost or tied"
    if bonus.mode == "replace" and meeting.winner(place) is holder:
        says = f"{says}, in place of the segment's point"
    if doubled:
        says = f"{says}; it doubles where it beats a segment of the same category"
    return Reason(title, fact, rule, f"{says}.", line.points, holder.position)


def _unpaid(meeting: Meeting, place: int, paid: Collection[int]) -> Iterator[Reason]:
    """Yield bonuses that count but earn nothing here: they cancel, or the segment was not won (R13)."""
    left = [hand for hand in (meeting.one, meeting.other) if hand.counted[place] and hand.seat not in paid]
    if len(left) == 2 and meeting.sheet.bonus.cancel:
        says = "Where both hands have a bonus in one segment, neither is paid."
        fact = f"both have one, {left[0].counted[place]} and {left[1].counted[place]}"
        yield Reason(bonus_title(place), fact, "R13", says)
        return
    says = "A bonus is paid to the hand that wins its segment."
    tied = meeting.winner(place) is None
    if len(left) == 2 and tied:
        fact = f"both would earn {left[0].counted[place]}; the segment was tied"
        yield Reason(bonus_title(place), fact, "R13", says)
        return
    for hand in left:
        of_hand = f"{holding(hand, place)} of seat {hand.seat} would earn {hand.counted[place]}"
        fact = f"{of_hand}; the segment was tied" if tied else f"{of_hand}; the segment was lost"
        yield Reason(bonus_title(place), fact, "R13", says)


def _told_end(meeting: Meeting, line: Line) -> Reason:
    """Return the reason for points on top of the segments (R11, R12), or a broken bonus (R13)."""
    title, rule = REASON_NAMES[line.reason]
    winner, _ = meeting.sides(line)
    sheet = meeting.sheet
    won = [name for place, name in enumerate(SEGMENTS) if meeting.winner(place) is winner]
    fact = f"{', '.join(won[:-1])} and {won[-1]} won" if won else ""
    if line.reason == "majority":
        says = f"Winning two or three segments is worth {points_text(sheet.majority)} more."
    elif line.reason == "scoop":
        says = f"Winning all three segments is worth {points_text(sheet.scoop)} more; a tie is not a win."
    else:
        fact = f"{holding(winner, BROKEN)} earns {line.points}"
        says = (
            "Four of a kind or a straight flush that lies whole in no segment still earns the bonus of the"
            " back."
        )
    return Reason(title, fact, rule, says, line.points, winner.position)


# -- two hands of which one does not compare -----------------------------------------------------------------


def _told_sweep(meeting: Meeting, line: Line) -> Reason:
    title, rule = REASON_NAMES[line.reason]
    holder, payer = meeting.sides(line)
    kind = sweep_words(holder.clean_sweep or "")
    if line.reason != "clean_sweep":
        fact = f"{holding(holder, BONUS_REASONS.index(line.reason))} earns {line.points}"
        rule, says = "R23", "In this game a clean sweep also collects the bonuses of its own segments."
    elif payer.clean_sweep is not None:
        fact = f"{kind} over {sweep_words(payer.clean_sweep)}"
        rule, says = "R24", f"Of two clean sweeps {_better(meeting.sheet)} collects its full value."
    elif payer.surrendered:
        fact = f"{kind} against a surrendered hand"
        rule = "R27"
        says = "Clean sweeps are paid before surrenders: they collect from everybody, and take no surrender."
    else:
        fact = f"{kind} against a foul hand" if payer.foul else f"{kind} against a regular hand"
        says = COLLECTS
    return Reason(title, fact, rule, says, line.points, holder.position)


def _better(sheet: Sheet) -> str:
    return {
        "value": "the one of higher value",
        "rank": "the one higher on the game's list",
        "strength": "the one of higher value, or the stronger of one kind,",
    }[sheet.clean_sweep.compare]


def _told_penalty(meeting: Meeting, line: Line) -> Reason:
    title, rule = REASON_NAMES[line.reason]
    receiver, payer = meeting.sides(line)
    sheet = meeting.sheet
    if line.reason == "surrender":
        fact = f"seat {payer.seat} surrenders"
        says = pays_surrender(sheet)
    elif line.reason != "foul":
        fact = f"{holding(receiver, BONUS_REASONS.index(line.reason))} earns {line.points}"
        rule = "R20"
        says = "A foul hand also pays the opponent's bonuses as the table has them, whoever would have won."
    else:
        fact = f"the hand of seat {payer.seat} is foul"
        says = f"A foul hand pays {points_text(sheet.foul.points)} to every opponent."
        if receiver.clean_sweep is not None:
            rule = "R21"
            says = f"A foul hand pays a clean sweep its value, and {points_text(sheet.foul.points)} besides."
    return Reason(title, fact, rule, says, line.points, receiver.position)


def _nothing_owed(meeting: Meeting) -> Reason:
    title, one, other = "Nothing owed", meeting.one, meeting.other
    if one.clean_sweep and other.clean_sweep:
        fact = f"{sweep_words(one.clean_sweep)} against {sweep_words(other.clean_sweep)}"
        return Reason(
            title, fact, "R24", f"Of two clean sweeps {_better(meeting.sheet)} collects; others push."
        )
    if one.surrendered and other.surrendered:
        return Reason(title, "both surrender", "R27", "Two surrendered hands owe each other nothing.")
    if one.foul and other.foul:
        return Reason(title, "both foul", "R20", "Two foul hands owe each other nothing.")
    # The sheet's penalty or surrender costs no points.
    return Reason(title, "", "R14", "What two hands owe each other is netted; here it is nothing.")


# -- the whole round -----------------------------------------------------------------------------------------


def told_cut(sheet: Sheet, payment: Payment, payer_has: int) -> Reason:
    """Say whose stack capped a payment (R33). `payer_has` is the payer's stack at that moment, in cents."""
    if payment.paid_cents == payer_has:
        fact = f"seat {payment.from_seat} has {_only(payer_has)} left"
    else:
        fact = f"seat {payment.to_seat} can win {_only(payment.paid_cents)} more"
    says = {
        "starting_stack": "Nobody wins or loses more in a round than the stack they began it with.",
        "running_stack": "A payer pays at most the stack of that moment, and nobody wins more of one payer"
        " than theirs.",
        "uncapped_win": "A payer pays at most the stack of that moment.",
    }.get(sheet.stakes, "")
    return Reason("Cut by table stakes", fact, "R33", f"{says} What was cut is never owed later.")


def _only(cents: int) -> str:
    return f"only {dollars(cents)}" if cents else NOTHING


def told_race(sheet: Sheet, hands: Sequence[HandScore]) -> Iterator[Reason]:
    """Yield the player who alone has the best of each segment at the table (R42)."""
    won: list[HandScore] = []
    compared = [hand for hand in hands if compares(sheet, hand)]
    for place, segment in enumerate(SEGMENTS):
        top = max((hand.strengths[place] for hand in compared), default=0)
        best = [hand for hand in compared if hand.strengths[place] == top]
        if len(best) == 1:
            won += best
            says = "The best segment at the table, alone, scores one point."
            yield Reason(f"Best {segment}", segment_words(top), "R42", says, 1, best[0].position)
        elif best:
            fact = ": ".join((segment_words(top), listed([f"seat {hand.seat}" for hand in best])))
            yield Reason(f"Best {segment}", fact, "R42", "A tie for the best segment scores nobody.")
    if len(hands) == 4 and len(won) == len(SEGMENTS) and len(set(won)) == 1:
        says = "Of four players, one who has all three segments scores four."
        yield Reason("All three segments", listed(SEGMENTS), "R42", says, 1, won[0].position)
    if foul := [f"seat {hand.seat}" for hand in hands if hand.foul]:
        yield Reason("Foul", listed(foul), "R42", "A foul hand scores nothing and cannot be the best.")


def told_order(sheet: Sheet) -> tuple[Reason, Reason]:
    """Say who compares first, and in what order payments are made (R30, R31)."""
    first = {
        "button": "the player with the button",
        "left_of_button": "the next player clockwise from the button",
        "right_of_puck": "the next player counter-clockwise from the puck",
    }[sheet.first]
    begins = f"Position 1 is {first}; the others follow clockwise."
    order = "Clean sweeps are paid first, then every two hands in the order of their positions."
    return Reason("First", "", "R30", begins), Reason("Order", "", "R31", order)
