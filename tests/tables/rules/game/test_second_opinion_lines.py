"""What points are for, told twice: the engine has the points at once and writes their lines later; here,
lines come first."""

import json
import random

import pytest

from tables.rules.game.ranking import category_of
from tables.rules.game.rounds import RoundScore, parse_round, score
from tables.rules.game.sheet import SEGMENTS
from tests.support.chance import arranged, random_entry
from tests.support.lengths import LONG
from tests.support.play import CODES, SHEETS, random_hands, variant

ROUNDS = 20_000 if LONG else 150
HOUSES = {
    "holder": variant("2-4", 'bonus.to = "holder"\nbonus.broken = true\nbonus.cancel = true'),
    "replace": variant("face-up", 'bonus.mode = "replace"\nmajority = 2\nscoop = 3\nties = "push"'),
    "doubled": variant("eastern", 'ties = "button"\nbonus.middle = { pair = 2, straight = 3 }'),
    **{sheet.code: SHEETS for sheet in SHEETS if not sheet.race_to},
}


def dealt(rng, sheet):
    """A round whose hands are all set, so that every pair without a foul compares."""
    seats = rng.sample(range(1, 6), 2) * 2 if sheet.hands_per_player == 2 else rng.sample(range(1, 6), 4)
    hands = []
    for seat, cards in zip(seats, random_hands(rng, 4), strict=True):
        cards = arranged(rng, cards)
        said = {"royalties": rng.sample(SEGMENTS, rng.randrange(4))} if sheet.bonus.declared else {}
        texts = [" ".join(part) for part in (cards[:3], cards[3:8], cards[8:])]
        hands.append({"seat": seat, "stack": "100.00", **dict(zip(SEGMENTS, texts, strict=True)), **said})
    return {"sheet": sheet.code, "limit": "1.00", "button": rng.randint(1, 5), "hands": hands}


def doubles(sheet, place, strength, theirs):
    """Whether a bonus counts twice: the same category is beaten,
    a royal flush being a straight flush unless it has its own."""
    words = sheet.bonus.middle if place == 1 else sheet.bonus.back
    mine, other = (min(category_of(one), 9 if "royal-flush" in words else 8) for one in (strength, theirs))
    return sheet.bonus.double_same_category and strength > theirs and mine == other


def lines_between(sheet, button, one, other):
    """Every line between two hands that compare, written at once (R10-R13)."""
    lines, won = [], {one.seat: 0, other.seat: 0}
    for place, name in enumerate(SEGMENTS):
        strengths = {hand.seat: hand.strengths[place] for hand in (one, other)}
        held = {
            mine.seat: mine.counted[place]
            * (1 + doubles(sheet, place, mine.strengths[place], its.strengths[place]))
            for mine, its in ((one, other), (other, one))
        }
        best = [seat for seat, strength in strengths.items() if strength == max(strengths.values())]
        if len(best) == 2:
            best = [seat for seat in best if seat == button and sheet.ties == "button"]
        if sheet.bonus.cancel and all(held.values()):
            held = dict.fromkeys(held, 0)
        paid = {seat: points for seat, points in held.items() if sheet.bonus.to == "holder" or seat in best}
        lines += [(seat, f"bonus_{name}", points) for seat, points in paid.items() if points]
        for seat in best:
            won[seat] += 1
            if sheet.bonus.mode == "add" or not paid[seat]:
                lines.append((seat, name, 1))
    lines += [(hand.seat, "bonus_broken", hand.counted[3]) for hand in (one, other) if hand.counted[3]]
    for needed, reason, points in ((2, "majority", sheet.majority), (3, "scoop", sheet.scoop)):
        lines += [(seat, reason, points) for seat, times in won.items() if points and times >= needed]
    return lines


def differences(result: RoundScore):
    """Pairs of hands whose lines, or their sum, are others than when they are written at once."""
    sheet, told = result.deal.sheet, {}
    for payment in (*result.payments, *result.pushed):
        told[frozenset(payment.positions)] = payment
    for one in result.hands:
        for other in result.hands[one.position :]:
            payment = told.get(frozenset((one.position, other.position)))
            if one.seat == other.seat or not (one.compares and other.compares):
                continue
            lines = lines_between(sheet, result.deal.button, one, other)
            net = sum(points if seat == one.seat else -points for seat, _, points in lines)
            seats = (other.seat, one.seat) if net > 0 else (one.seat, other.seat)
            if [tuple(line) for line in payment.lines] != lines:
                yield payment, lines
            if (payment.from_seat, payment.to_seat, payment.points) != (*seats, abs(net)):
                yield payment, net


@pytest.mark.parametrize("name", HOUSES)
def test_r10_to_r14_lines_that_are_written_later_are_those_that_are_written_at_once(name):
    rng = random.Random(name)
    sheets = HOUSES[name]
    sheet = sheets.newest.get("house") or sheets.find(name)
    for _ in range(ROUNDS):
        entered = dealt(rng, sheet)
        assert not list(differences(score(parse_round(entered, sheets)))), entered


@pytest.mark.parametrize("name", HOUSES)
def test_r14_the_lines_of_every_payment_come_to_its_points_however_often_they_are_looked_at(name):
    rng = random.Random(name)
    sheets = HOUSES[name]
    sheet = sheets.newest.get("house") or sheets.find(name)
    for _ in range(ROUNDS):
        result = score(parse_round(dealt(rng, sheet), sheets))
        before = result.as_text()
        for payment in (*result.payments, *result.pushed):
            to_receiver = sum(
                line.points if line.to_seat == payment.to_seat else -line.points for line in payment.lines
            )
            assert payment.points == to_receiver
        assert result.as_text() == before
        assert result.payments == score(result.deal).payments


def written_at_once(result: RoundScore) -> str:
    """The answer in which every line of every payment is written now, whatever has been written before."""
    answer = result.as_json()
    for payment, row in zip(answer.get("payments", ()), result.paid, strict=True):
        write, *about = row[-1]
        names = ("to", "reason", "points")
        payment["lines"] = [dict(zip(names, line, strict=True)) for line in write(*about)]
    return json.dumps(answer, sort_keys=True, separators=(",", ":"))


@pytest.mark.parametrize("code", CODES)
def test_r14_an_answer_that_is_explained_later_is_to_the_letter_what_it_would_be_at_once(code):
    rng = random.Random(code)
    for _ in range(ROUNDS):
        entered = random_entry(rng, code)
        result = score(parse_round(entered, SHEETS))
        assert result.as_text() == written_at_once(result), entered
        if result.race is None:
            assert not list(differences(result)), entered
