"""Random rounds by every sheet, often with clean sweeps, fouls, surrenders and small stacks."""

import random

from hypothesis import strategies as st

from tables.rules.game.cards import RANKS
from tests.support.play import CODES, SHEETS, random_hands


def arranged(rng: random.Random, cards: list[str]) -> list[str]:
    """Order 13 cards, often so that like cards in back make a valid setting."""
    manner = rng.randrange(4)
    if manner == 0:
        return cards
    if manner == 1:
        return sorted(cards, key=lambda card: (card[1], RANKS.index(card[0])))
    ranks = [card[0] for card in cards]
    return sorted(
        cards, key=lambda card: (ranks.count(card[0]), RANKS.index(card[0]) if manner == 2 else card)
    )


def random_hand(rng: random.Random, cards: list[str], sheet) -> dict:
    """Return a hand of these cards in the dealer's form: set well or badly, mis-set or surrendered."""
    hand = _laid(rng, cards, sheet)
    _declare(rng, hand, sheet)
    return hand


def _laid(rng: random.Random, cards: list[str], sheet) -> dict:
    cards = arranged(rng, cards)
    options = rng.randrange(10)
    if options == 0:
        return {"misset": True}
    if options == 1 and (sheet is None or sheet.surrender.allowed):
        return {"surrenders": True}
    hand = {"front": " ".join(cards[:3]), "middle": " ".join(cards[3:8]), "back": " ".join(cards[8:])}
    if options == 2:
        hand["misset"] = True
    if rng.random() < 0.7:
        hand["royalties"] = rng.sample(["front", "middle", "back"], rng.randrange(4))
    return hand


def _declare(rng: random.Random, hand: dict, sheet) -> None:
    from tables.rules.game.rounds import describe

    if "front" in hand and "misset" not in hand and rng.random() < 0.8:
        segments = [hand[segment].split() for segment in ("front", "middle", "back")]
        held = describe(*segments, sheet).clean_sweeps
        if held:
            hand["declares"] = rng.choice(held)


def _sweeping(rng: random.Random) -> list[list[str]]:
    """Return four hands of which the first two probably have clean sweeps."""
    suits = list("cdhs")
    rng.shuffle(suits)
    dragons = [[rank + suits[(place + turn) % 4] for place, rank in enumerate(RANKS)] for turn in range(4)]
    flushes = [[rank + suit for rank in RANKS] for suit in suits]
    pairs = [[rank + suit for rank in RANKS[half::2][:6] for suit in suits[:2]] for half in (0, 1)]
    pairs += [[rank + suit for rank in RANKS[half::2][:6] for suit in suits[2:]] for half in (0, 1)]
    for place, hand in enumerate(pairs):
        hand.append(RANKS[-1] + suits[place])
    return rng.choice([dragons, flushes, pairs])


def random_entry(rng: random.Random, code: str) -> dict:
    sheet = SHEETS.newest.get(code)
    count = rng.choice([2, 3, 4])
    two_each = (count == 4 and rng.random() < 0.3 and not (sheet and sheet.race_to)) or code == "criss-cross"
    seats = rng.sample(range(1, 6), 2 if two_each else count)
    stacks = {seat: f"{rng.choice([0, 9, 45, 200, 100_000])}.{rng.choice(['00', '50'])}" for seat in seats}
    dealt = _sweeping(rng) if rng.random() < 0.3 else random_hands(rng, 4)
    rng.shuffle(dealt)
    places = seats * 2 if two_each else seats
    hands = [
        {"seat": seat, "stack": stacks[seat]} | _laid(rng, cards, sheet)
        for seat, cards in zip(places, dealt, strict=False)
    ]
    if sheet is not None:
        for hand in hands:
            _declare(rng, hand, sheet)
    entry = {
        "sheet": code,
        "limit": rng.choice(["1.00", "5.00", "0.25"]),
        "button": rng.randint(1, 5),
        "hands": hands,
    }
    if (sheet is None or sheet.pair_stakes) and rng.random() < 0.3:
        entry["pair_stakes"] = [{"seats": rng.sample(seats, 2), "limit": "3.00"}]
    return entry


@st.composite
def entries(draw, codes: list[str] = CODES):
    rng = random.Random(draw(st.integers(0, 2**64)))
    return random_entry(rng, rng.choice(codes))
