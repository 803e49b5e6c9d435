"""A settled round in words, each point with its reason and rule: `story` as rows, `explain` as text."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from ledger.money import amount_text
from tables.rules.game.entry import DealtHand
from tables.rules.game.ranking import category_name
from tables.rules.game.rounds import Deal, HandScore, Payment, RoundScore
from tables.rules.game.sheet import SEGMENTS, Sheet
from tables.rules.words.names import points_text
from tables.rules.words.reasons.hands import about_hand
from tables.rules.words.reasons.pairs import told_between, told_cut, told_order, told_race
from tables.rules.words.reasons.words import Reason, hand_name


class HandStory(NamedTuple):
    name: str
    dealt: DealtHand
    score: HandScore
    told: tuple[Reason, ...]


class StepStory(NamedTuple):
    """One step between two hands (R31); `stake_cents` a point, `pair` if that is their own stake (R32)."""

    payment: Payment
    stake_cents: int
    pair: bool
    told: tuple[Reason, ...]
    cut: Reason | None


class Story(NamedTuple):
    """A whole round. `names` are by position; a race has `race` and no steps; `rules` are by number."""

    sheet: Sheet
    names: Mapping[int, str]
    hands: tuple[HandStory, ...]
    steps: tuple[StepStory, ...]
    race: tuple[Reason, ...]
    rules: tuple[tuple[str, str], ...]


def story(result: RoundScore) -> Story:
    sheet = result.deal.sheet
    names = {hand.position: hand_name(hand, result.hands) for hand in result.hands}
    hands = tuple(
        HandStory(names[hand.position], dealt, hand, about_hand(sheet, dealt, hand))
        for dealt, hand in zip(result.deal.hands, result.hands, strict=True)
    )
    race = () if result.race is None else tuple(told_race(sheet, result.hands))
    steps = () if result.race is not None else tuple(_steps(result))
    reasons = [*(one for hand in hands for one in hand.told), *race]
    for step in steps:
        reasons += [*step.told, *([step.cut] if step.cut else [])]
    if len(steps) > 1:
        reasons += told_order(sheet)
    rules = sorted({(one.rule, one.says) for one in reasons}, key=lambda rule: (int(rule[0][1:]), rule[1]))
    return Story(sheet, names, hands, steps, race, tuple(rules))


def _steps(result: RoundScore) -> Iterator[StepStory]:
    """Yield clean sweeps in the order paid, then every pair of hands by position, even if nothing is owed."""
    at = {hand.position: hand for hand in result.hands}
    present = {hand.seat: hand.stack_cents for hand in result.deal.hands}
    swept: set[frozenset[int]] = set()
    between = {frozenset(push.positions): push for push in result.pushed}
    for payment in result.payments:
        if any(line.reason == "clean_sweep" for line in payment.lines):
            swept.add(frozenset(payment.positions))
            yield _step(result.deal, at, present, payment)
        else:
            between[frozenset(payment.positions)] = payment
    for one, other in combinations(sorted(at), 2):
        pair = frozenset((one, other))
        if pair in between:
            yield _step(result.deal, at, present, between[pair])
        elif pair not in swept and at[one].seat != at[other].seat:
            nothing = Payment(at[one].seat, at[other].seat, (one, other), 0, 0, 0, ())
            yield _step(result.deal, at, present, nothing)


def _step(deal: Deal, at: Mapping[int, HandScore], present: dict[int, int], payment: Payment) -> StepStory:
    """Return one step, and move what it pays between the stacks in `present` (cents)."""
    seats = (min(payment.from_seat, payment.to_seat), max(payment.from_seat, payment.to_seat))
    cut = None
    if payment.paid_cents < payment.due_cents:
        cut = told_cut(deal.sheet, payment, present[payment.from_seat])
    present[payment.from_seat] -= payment.paid_cents
    present[payment.to_seat] += payment.paid_cents
    one, other = sorted(payment.positions)
    stake_cents = deal.pair_stakes.get(seats, deal.limit_cents)
    reasons = told_between(deal, at[one], at[other], payment.lines)
    return StepStory(payment, stake_cents, seats in deal.pair_stakes, reasons, cut)


# -- as plain text -------------------------------------------------------------------------------------------


def explain(result: RoundScore) -> str:
    """Return the round in lines of plain English, without a final line end."""
    deal, whole = result.deal, story(result)
    sheet = deal.sheet
    lines = [
        f"{sheet.title or sheet.code} (version {sheet.version}), {amount_text(deal.limit_cents)} a point,"
        f" button {deal.button}"
    ]
    for hand in whole.hands:
        lines += _hand_lines(hand)
    if result.race is not None:
        lines += [f"  {_told_line(one, whole.names)}" for one in whole.race]
        lines += [f"Seat {seat} scores {points_text(points)}." for seat, points in result.race.items()]
    else:
        for step in whole.steps:
            lines += _step_lines(step, whole.names)
        if not result.payments:
            lines.append("Nobody pays.")
        net = ", ".join(
            f"seat {seat} {'+' if cents > 0 else ''}{amount_text(cents)}"
            for seat, cents in result.net_cents.items()
        )
        lines.append(f"Net: {net}")
    return "\n".join([*lines, *(f"{rule:4} {says}" for rule, says in whole.rules)])


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _hand_lines(hand: HandStory) -> list[str]:
    dealt, score = hand.dealt, hand.score
    state = [f"stack {amount_text(dealt.stack_cents)}"]
    if score.foul:
        state.append("foul")
    if score.surrendered:
        state.append("surrenders")
    if score.clean_sweep is not None:
        state.append(f"clean sweep: {score.clean_sweep}")
    if score.fantasy_land_next:
        state.append("fantasy land next")
    lines = [f"Position {score.position}, {hand.name}: {', '.join(state)}"]
    if dealt.options.dealt:
        lines.append(f"  dealt  {dealt.options.dealt}")
    for name, cards, strength, bonus in zip(
        SEGMENTS, dealt.segments, score.strengths, score.bonuses, strict=False
    ):
        if cards:
            held = f", bonus {bonus}" if bonus else ""
            lines.append(f"  {name:6} {cards:14}  {category_name(strength) or 'not a full segment'}{held}")
    return [*lines, *(f"  {_told_line(one, {})}" for one in hand.told)]


def _told_line(reason: Reason, names: Mapping[int, str]) -> str:
    points = f"{reason.points:>3} to {names[reason.to]}: " if reason.to is not None else "  "
    return f"{points}{reason.title}{f', {reason.fact}' if reason.fact else ''} ({reason.rule})"


def _step_lines(step: StepStory, names: Mapping[int, str]) -> list[str]:
    payment = step.payment
    payer, receiver = (names[position] for position in payment.positions)
    if not payment.points:
        opening = f"{_sentence(payer)} and {receiver} come out even:"
    else:
        cut = f" of {amount_text(payment.due_cents)}, cut by table stakes" if step.cut else ""
        paid = f"{amount_text(payment.paid_cents)}{cut} ({points_text(payment.points)})"
        opening = f"{_sentence(payer)} pays {receiver} {paid}:"
    reasons = [*step.told, *([step.cut] if step.cut else [])]
    return [opening, *(f"  {_told_line(one, names)}" for one in reasons)]
