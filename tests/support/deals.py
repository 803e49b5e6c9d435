"""Face-up rounds by the thousand in the score format: ties, clean sweeps, fantasy land, fouls, small stacks.
Most hands are dealt for these. A maker returns cards as indices of DECK, [rounds, 4, 13]."""

import numpy as np

from tables.rules.batch.scoring import NONE, Rounds, score_rounds
from tables.rules.game.cards import DECK
from tables.rules.game.rounds import describe

LIMITS = ("1.00", "5.00", "0.25")
STACKS_CENTS = (0, 900, 4550, 20_000, 10_000_000)
# Hands at the edges of fantasy land and of the bonuses; the rest of the deck is dealt around them.
RARE = (
    "Js Jh 2c 3c 3d 3h 7s 8c 4s 5s 6s 9s Ks",  # a pair of jacks does not enter
    "Qs Qh 2c 5c 6d 7h 8s 9s Ad Kd 9d 4d 2d",  # a pair of queens does
    "As Ah 2c 4c 4d 4h 7s 8c 5s 6s 7c 8d 9s",  # aces enter, and do not stay
    "2s 2h 2d 3s 3h 3d 9c Td Js Jh Jd Qc Kc",  # three twos stay
    "Ks 9h 2d 4s 4h 4d 5c 5d Js Jh Jd Qc Qd",  # a full house in the middle stays
    "Ks 9h 2d 4s 6s 8s Ts Qs Jc Jh Jd Qc Qd",  # one in the back alone does not
    "Ks 9h 2d 4s 6s 8s Ts Qs Jc Jh Jd Js Qd",  # four of a kind in the back does
    "Ks 9h 4d 2s 2h 2d 3s 3h 5s 5h 5d 6c 6h",  # the least full house in the middle
    "Ks 9h 5d 3c 4d 5h 6s 7c 2s 2h 2d 2c 4h",  # the least four of a kind in the back
    "Ah Kh 9d As 2s 3s 4s 5s Tc Jc Qc Kc Ac",  # two straight flushes, the better one royal
    "5h 5d 9d As Ks Qs Js Ts Tc Jc Qc Kc Ac",  # two royal flushes: equal, and foul
    "5h 5d 9d As Ac Ad Ah Js Tc Jc Qc Kc 2c",  # four aces over a flush: foul
    "Ah 2d 3c Ad 2s 3d 4s 5h Tc Js Qc Kd Ac",  # three straights, wheels among them
    "Ad Kd Qd 5h 6s 7s 8s 9s 6c 7d 8c 9d Tc",
    "8d 8c 3h Qd Qs 8h 5s 5h Kd Kh Ad Ac 3d",  # six pairs with three of a kind in it
    "4d 4c 3h 6d 6s 9h 9s Th Kd Kh Ks Kc Td",  # with four of a kind
)


def arranged(hands, rng):
    """Set hands, [any, 13], with many of a kind or suit in back; some as dealt."""
    ranks, suits = hands >> 2, hands & 3
    alike = (ranks[:, :, None] == ranks[:, None]).sum(axis=2)
    of_suit = (suits[:, :, None] == suits[:, None]).sum(axis=2)
    orders = np.stack([alike * 64 + ranks, of_suit * 512 + suits * 64 + ranks, rng.random(hands.shape)])
    chosen = orders[rng.choice(3, len(hands), p=[0.6, 0.3, 0.1]), np.arange(len(hands))]
    return np.take_along_axis(hands, chosen.argsort(axis=1), axis=1)


def shuffled(rng, count, cards=52):
    """Deal whole decks, or first from the lowest `cards`."""
    order = rng.permuted(np.tile(np.arange(cards), (count, 1)), axis=1)
    rest = rng.permuted(np.tile(np.arange(cards, 52), (count, 1)), axis=1)
    hands = np.concatenate([order, rest], axis=1).reshape(-1, 13)
    return arranged(hands, rng).reshape(count, 4, 13)


def of_low_cards(rng, count):
    return shuffled(rng, count, cards=32)


def halved(rng, count, suits):
    """Deal and set two hands from two suits; the other half has the same cards in suits 2 further."""
    half = np.array([card for card in range(52) if card & 3 in suits])
    half = half[rng.permuted(np.tile(np.arange(26), (count, 1)), axis=1)]
    return arranged(half.reshape(-1, 13), rng).reshape(count, 2, 13)


def mirrored(rng, count):
    """Repeat each hand in other suits, so that two tie; often but for one card."""
    half = halved(rng, count, (0, 1))
    deals = np.stack([half[:, 0], half[:, 0] ^ 2, half[:, 1], half[:, 1] ^ 2], axis=1)
    return _with_a_card_changed(deals, 2, rng)


def coloured(rng, count):
    """Deal two red hands and two black ones; often but for one card."""
    red, black = halved(rng, count, (1, 2)), halved(rng, count, (0, 3))
    return _with_a_card_changed(np.concatenate([red, black], axis=1), 3, rng)


def _with_a_card_changed(deals, other, rng):
    """Swap a card between two hands in every second deal."""
    changed = np.arange(0, len(deals), 2)
    mine, yours = rng.integers(0, 13, (2, len(changed)))
    deals[changed, 0, mine], deals[changed, other, yours] = (
        deals[changed, other, yours],
        deals[changed, 0, mine],
    )
    return deals


def around_rare_hands(rng, count):
    rare = np.array([[DECK.index(card) for card in hand.split()] for hand in RARE])
    rare = rare[rng.integers(0, len(RARE), count)]
    suits = rng.permuted(np.tile(np.arange(4), (count, 1)), axis=1)
    rare = rare & ~3 | np.take_along_axis(suits, rare & 3, axis=1)
    order = rng.random((count, 52))
    np.put_along_axis(order, rare, 2, axis=1)  # behind all others
    others = order.argsort(axis=1)[:, :39].reshape(-1, 13)
    return np.concatenate([rare[:, None], arranged(others, rng).reshape(count, 3, 13)], axis=1)


def dragons(rng, count):
    """Deal thirteen ranks each, some in one suit; set half of them as three straights."""
    suits = rng.permuted(np.tile(np.arange(4), (count, 13, 1)), axis=2)
    suits[::7] = np.arange(4)
    deals = (np.arange(13)[:, None] << 2 | suits).swapaxes(1, 2)
    deals[::2] = rng.permuted(deals[::2], axis=2)
    return deals


def flushes(rng, count):
    """Deal four hands of three flushes each."""
    ranks = rng.permuted(np.tile(np.arange(13), (count, 4, 1)), axis=2)
    cards = (
        ranks << 2 | np.arange(4)[:, None]
    )  # [rounds, suits, 13]; each suit gives a front, a middle and a back
    fronts, middles, backs = cards[:, :, :3], cards[:, [1, 2, 3, 0], 3:8], cards[:, [2, 3, 0, 1], 8:]
    return np.concatenate([fronts, middles, backs], axis=2)


MAKERS = (shuffled, of_low_cards, mirrored, coloured, around_rare_hands, dragons, flushes)


def arrays(rng, count, sheet):
    """Return lists of cards, seats, stacks in cents, misset, fantasy land and declarations, a few wrong."""
    cards = np.concatenate([maker(rng, count // len(MAKERS) + 1) for maker in MAKERS]).astype(np.uint8)
    cards = rng.permutation(cards)[:count]
    shape = (count, 4)
    seats = rng.permuted(np.tile(np.arange(1, 6), (count, 1)), axis=1)[:, :4]
    stacks = rng.choice(STACKS_CENTS, shape)
    misset, fantasy_land = rng.random(shape) < 0.03, rng.random(shape) < 0.3
    declares = np.full(shape, NONE, np.int8)
    nobody = np.full(count, NONE, np.int8)
    kinds = len(sheet.clean_sweep.kinds)
    for kind in range(kinds):
        tried = Rounds(cards, nobody, misset, fantasy_land, np.full(shape, kind, np.int8))
        held = score_rounds(sheet, tried).clean_sweep != NONE
        declares[held & (rng.random(shape) < 0.6)] = kind
    lies = rng.random(shape) < (0.005 if kinds else 0)
    declares[lies] = rng.integers(0, kinds, lies.sum())
    texts = np.array([f"{card} " for card in DECK], "S3")[cards].view("S39")[..., 0].astype(str)
    return [array.tolist() for array in (texts, seats, stacks, misset, fantasy_land, declares)]


def entries(rng, count, sheet):
    kinds = list(sheet.clean_sweep.kinds)
    buttons = rng.integers(1, 6, count).tolist()
    for number, (button, *said) in enumerate(zip(buttons, *arrays(rng, count, sheet), strict=True)):
        hands = [_hand(kinds, *hand) for hand in zip(*said, strict=True)]
        if number % 10 == 0:
            hands = [_declaring(sheet, hand, number) for hand in hands]
        yield {
            "sheet": sheet.code,
            "limit": LIMITS[number % 3],
            "button": button,
            "hands": hands[: (4, 4, 3, 2)[number % 4]],
        }


def _hand(kinds, cards, seat, stack, misset, fantasy_land, declares):
    hand = {"seat": seat, "stack": f"{stack // 100}.{stack % 100:02d}"}
    if not misset or seat % 2:  # some mis-set hands come without cards
        hand["front"], hand["middle"], hand["back"] = cards[:8], cards[9:23], cards[24:38]
    if misset:
        hand["misset"] = True
    if fantasy_land:
        hand["fantasy_land"] = True
    if declares != NONE:
        hand["declares"] = kinds[declares]
    return hand


def _declaring(sheet, hand, number):
    """Declare a clean sweep that the plain engine sees, if any."""
    hand.pop("declares", None)
    if "misset" not in hand:
        segments = [hand[segment].split() for segment in ("front", "middle", "back")]
        held = describe(*segments, sheet).clean_sweeps
        if held:
            hand["declares"] = held[number // 10 % len(held)]
    return hand
