"""Set thirteen cards as made-up players would: quickly, sensibly, and now and then badly."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, islice, product
from random import Random
from typing import Any

from tables.rules.game.cards import CARD_NUMBERS, DECK, RANKS, SUITS, tally
from tables.rules.game.ranking import front_strength, high_table
from tables.rules.game.setting import Setting, describe, held_bonuses
from tables.rules.game.sheet import SEGMENTS, Sheet

Cards = tuple[str, ...]

# How many of the 1,287 possible backs a player considers; all of them if all cards are seen at once.
BACKS_THOUGHT_OF = 300
# The lowest pair worth showing in front.
LOWEST_FRONT_PAIR = RANKS.index("6")
# Backs with which a player may surrender where the game allows it, and how often.
HOPELESS_BACKS = {"high-card", "pair"}
GIVES_UP = 0.7
# How often a player forgets to announce a royalty.
FORGETS = 0.05


@dataclass(frozen=True, slots=True)
class Temper:
    """Probabilities of going for a pair in front (`bold`) and of fouling (`careless`)."""

    bold: float
    careless: float


@dataclass(frozen=True, slots=True)
class SetHand:
    front: Cards = ()
    middle: Cards = ()
    back: Cards = ()
    declares: str | None = None
    misset: bool = False
    surrenders: bool = False
    royalties: tuple[str, ...] = ()

    @property
    def segments(self) -> tuple[Cards, Cards, Cards]:
        return self.front, self.middle, self.back

    def entered(self, seat: int) -> dict[str, Any]:
        if self.surrenders:
            return {"seat": seat, "surrenders": True}
        laid = {name: " ".join(cards) for name, cards in zip(SEGMENTS, self.segments, strict=True)}
        options = {"declares": self.declares, "misset": self.misset, "royalties": list(self.royalties)}
        return {"seat": seat, **laid, **{name: value for name, value in options.items() if value}}


def shuffled(rng: Random) -> list[str]:
    deck = list(DECK)
    rng.shuffle(deck)
    return deck


def set_hand(
    cards: Sequence[str], sheet: Sheet, temper: Temper, rng: Random, *, all_at_once: bool = False
) -> SetHand:
    """Set thirteen cards in a player's style, with the announcements or surrender that the game asks for.
    `all_at_once`: fantasy land, where all cards are seen before the first is laid (R41)."""
    hand = _set(cards, sheet, temper, rng, all_at_once=all_at_once)
    if hand.misset or not (sheet.surrender.allowed or sheet.bonus.declared):
        return hand
    setting = described(hand, sheet)
    hopeless = sheet.surrender.allowed and not hand.declares and setting.back in HOPELESS_BACKS
    if hopeless and rng.random() < GIVES_UP:
        return SetHand(surrenders=True)
    if sheet.bonus.declared:
        held = [name for name in SEGMENTS if setting.bonus[name]]
        return replace(hand, royalties=tuple(name for name in held if rng.random() >= FORGETS))
    return hand


def _set(cards: Sequence[str], sheet: Sheet, temper: Temper, rng: Random, *, all_at_once: bool) -> SetHand:
    """Return a clean sweep if there is one, else a careless, bold or steady setting."""
    swept = _clean_sweep(cards, sheet)
    if swept is not None and rng.random() < 0.9:
        return swept
    careless = temper.careless / 5 if all_at_once else temper.careless
    if rng.random() < careless:
        return _fouled(_steady(cards, sheet, BACKS_THOUGHT_OF), rng)
    if all_at_once:
        tries = [_steady(cards, sheet, None), *_bold(cards, sheet)]
        return max(tries, key=lambda hand: sum(described(hand, sheet).bonus.values()))
    if rng.random() < temper.bold:
        bold = next(_bold(cards, sheet), None)
        if bold is not None:
            return bold
    return _steady(cards, sheet, BACKS_THOUGHT_OF)


def described(hand: SetHand, sheet: Sheet) -> Setting:
    return describe(*hand.segments, sheet)


def _steady(cards: Sequence[str], sheet: Sheet, backs: int | None) -> SetHand:
    """Return the strongest back considered, with the strongest middle below it that does not foul."""
    strength = high_table(sheet.wheel).strength
    by_number = {CARD_NUMBERS[card]: card for card in cards}
    numbers = list(by_number)
    back = max(islice(combinations(numbers, 5), backs), key=lambda five: strength(sum(five)))
    ceiling = strength(sum(back))
    rest = [number for number in numbers if number not in back]
    ranked = sorted(combinations(rest, 5), key=lambda five: strength(sum(five)), reverse=True)
    fitting = (five for five in ranked if strength(sum(five)) < ceiling)
    for middle in islice(fitting, 5):
        front = [number for number in rest if number not in middle]
        hand = _laid(by_number, front, middle, back)
        if not described(hand, sheet).foul:
            return hand
    front = [number for number in rest if number not in ranked[0]]
    return _laid(by_number, front, ranked[0], back)


def _laid(cards: Mapping[int, str], *numbers: Iterable[int]) -> SetHand:
    front, middle, back = (tuple(cards[number] for number in segment) for segment in numbers)
    return SetHand(front, middle, back)


def _bold(cards: Sequence[str], sheet: Sheet) -> Iterator[SetHand]:
    """Yield settings with a pair or trips in front, highest first, with the best middle and back."""
    by_rank = defaultdict(list)
    for card in sorted(cards, key=lambda card: RANKS.index(card[0])):
        by_rank[card[0]].append(card)
    pairs = [rank for rank in RANKS[:LOWEST_FRONT_PAIR:-1] if len(by_rank[rank]) >= 2]
    for rank in pairs[:2]:
        group = by_rank[rank][:3]
        left = [card for card in cards if card not in group]
        if len(group) == 2:
            kicker = min(left, key=lambda card: (len(by_rank[card[0]]), RANKS.index(card[0])))
            group, left = [*group, kicker], [card for card in left if card != kicker]
        hand = _behind(tuple(group), left, sheet)
        if hand is not None:
            yield hand


def _behind(front: Cards, left: Sequence[str], sheet: Sheet) -> SetHand | None:
    """Return the best split of ten cards into middle and back behind this front; None if all foul."""
    strength = high_table(sheet.wheel).strength
    numbers = [CARD_NUMBERS[card] for card in left]
    total, floor = sum(numbers), front_strength(tally(front))
    best, chosen = (-1, -1), None
    for five in combinations(numbers, 5):
        back = strength(sum(five))
        middle = strength(total - sum(five))
        if back > middle > floor:
            worth = (sum(held_bonuses(sheet, (floor, middle, back))), back)
            if worth > best:
                best, chosen = worth, five
    if chosen is None:
        return None
    back_cards = tuple(card for card in left if CARD_NUMBERS[card] in chosen)
    return SetHand(front, tuple(card for card in left if card not in back_cards), back_cards)


def _fouled(hand: SetHand, rng: Random) -> SetHand:
    if rng.random() < 0.05:
        return SetHand(misset=True)
    return SetHand(hand.front, hand.back, hand.middle)


# -- clean sweeps ----------------------------------------------------------------------------------


def _clean_sweep(cards: Sequence[str], sheet: Sheet) -> SetHand | None:
    """Return a clean sweep with its declaration, or None (R25, R26)."""
    for arrange in (_three_flushes, _three_straights):
        for segments in arrange(cards):
            hand = _declared(SetHand(*segments), sheet)
            if hand is not None:
                return hand
    if sheet.clean_sweep.kinds and _may_hold_pairs_or_dragon(cards):
        return _declared(_steady(cards, sheet, BACKS_THOUGHT_OF), sheet)
    return None


def _declared(hand: SetHand, sheet: Sheet) -> SetHand | None:
    setting = described(hand, sheet)
    if setting.foul or not setting.clean_sweeps:
        return None
    return SetHand(*hand.segments, declares=setting.clean_sweeps[0])


def _may_hold_pairs_or_dragon(cards: Sequence[str]) -> bool:
    counts = Counter(card[0] for card in cards).values()
    return len(counts) == 13 or sum(count // 2 for count in counts) == 6


def _three_flushes(cards: Sequence[str]) -> Iterator[tuple[Cards, Cards, Cards]]:
    """Yield settings with each segment in one suit, back first with the highest cards."""
    by_rank = sorted(cards, key=lambda card: RANKS.index(card[0]), reverse=True)
    suited = [tuple(card for card in by_rank if card[1] == suit) for suit in SUITS]
    suited = sorted((suit for suit in suited if suit), key=len)
    match [len(suit) for suit in suited]:
        case [3, 5, 5]:
            front, middle, back = suited
        case [3, 10]:
            front, (*high,) = suited
            middle, back = tuple(high[5:]), tuple(high[:5])
        case [5, 8]:
            middle, eight = suited
            front, back = eight[5:], eight[:5]
        case _:
            return
    yield front, middle, back
    yield front, back, middle


@cache
def _straight_ranks() -> dict[int, list[tuple[str, str, str]]]:
    """Return the ranks of all three-straight hands, by `_ranks_key`."""
    fives = [("A" + RANKS)[low : low + 5] for low in range(10)]
    threes = [("A" + RANKS)[low : low + 3] for low in range(12)]
    found = defaultdict(list)
    for back, middle, front in product(fives, fives, threes):
        found[_ranks_key(front + middle + back)].append((front, middle, back))
    return dict(found)


def _ranks_key(ranks: Iterable[str]) -> int:
    return sum(5 ** RANKS.index(rank) for rank in ranks)


def _three_straights(cards: Sequence[str]) -> Iterator[tuple[Cards, Cards, Cards]]:
    for ranks in _straight_ranks().get(_ranks_key(card[0] for card in cards), ()):
        by_rank = defaultdict(list)
        for card in cards:
            by_rank[card[0]].append(card)
        front, middle, back = (tuple(by_rank[rank].pop() for rank in segment) for segment in ranks)
        yield front, middle, back
