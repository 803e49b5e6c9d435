"""Many face-up rounds at once, against a poker library's evaluation, the plain engine, and bare table
gathers.

A round has four hands, set as people would, some mis-set or in fantasy land, clean sweeps declared. Ours
takes cards as numbers and gives fouls, bonuses, fantasy land and the points of every pair; `settle` gives the
money of the same rounds. The gather limit is NumPy's time for looking up eight segments of five cards and
four of three in tables of all combinations, at random places known beforehand.
"""

import sys
import time
from importlib.metadata import version

import numpy as np
from pokerkit import Card
from pokerkit.lookups import RhodeIslandHoldemLookup, StandardLookup

from benchmarks._measure import at_least, medians, tell
from tables.rules.batch.scoring import NONE, Rounds, score_rounds, settle_rounds
from tables.rules.game.cards import DECK
from tables.rules.game.rounds import library, parse_round, score

ROUNDS = 200_000
SAMPLE = 300  # for what goes round by round
REPEATS = 9
AT_ONCE = 8192
FIVES, THREES = 2_598_960, 22_100
LIMIT_CENTS = 500
SHARE_OF_GATHERS = 0.45  # at least
SHEET = library().find("face-up")


def dealt(rng):
    """Return natural deals, set with many of a kind in back, clean sweeps declared."""
    hands = rng.permuted(np.tile(np.arange(52), (ROUNDS, 1)), axis=1).reshape(-1, 13)
    ranks = hands >> 2
    alike = (ranks[:, :, None] == ranks[:, None]).sum(axis=2)
    laid = np.take_along_axis(hands, (alike * 16 + ranks).argsort(axis=1), axis=1)
    shape = (ROUNDS, 4)
    rounds = Rounds(
        cards=laid.reshape(*shape, 13).astype(np.uint8),
        button=np.zeros(ROUNDS, np.int8),
        misset=rng.random(shape) < 0.03,
        fantasy_land=rng.random(shape) < 0.05,
        declares=np.full(shape, NONE, np.int8),
    )
    for kind in range(len(SHEET.clean_sweep.kinds)):
        tried = rounds._replace(declares=np.full(shape, kind, np.int8))
        rounds.declares[score_rounds(SHEET, tried).clean_sweep != NONE] = kind
    return rounds


def entry(rounds, stacks, at):
    hands = []
    for place in range(4):
        cards = [DECK[card] for card in rounds.cards[at, place]]
        hand = {"seat": place + 1, "stack": f"{stacks[at, place] // 100}.{stacks[at, place] % 100:02d}"}
        hand |= {"front": " ".join(cards[:3]), "middle": " ".join(cards[3:8]), "back": " ".join(cards[8:])}
        if rounds.misset[at, place]:
            hand["misset"] = True
        if rounds.fantasy_land[at, place]:
            hand["fantasy_land"] = True
        if rounds.declares[at, place] != NONE:
            hand["declares"] = list(SHEET.clean_sweep.kinds)[rounds.declares[at, place]]
        hands.append(hand)
    return {"sheet": "face-up", "limit": "5.00", "button": 1, "hands": hands}


def gathers(rng):
    tables = [rng.integers(0, 7462, FIVES).astype(np.int16)] * 8 + [
        rng.integers(0, 455, THREES).astype(np.int16)
    ] * 4
    places = [rng.integers(0, len(table), ROUNDS) for table in tables]
    found = np.empty(AT_ONCE, np.int16)

    def gather(_):
        for start in range(0, ROUNDS, AT_ONCE):
            for table, at in zip(tables, places, strict=True):
                part = at[start : start + AT_ONCE]
                table.take(part, out=found[: len(part)], mode="clip")

    return gather


def evaluation(segments):
    three, five = RhodeIslandHoldemLookup(), StandardLookup()
    lookups = [(three if len(segment) in (3, 6) else five).get_entry for segment in segments]

    def evaluate(_):
        for look_up, segment in zip(lookups, segments, strict=True):
            look_up(segment)

    return evaluate


def main():
    rng = np.random.default_rng(1)
    rounds = dealt(rng)
    stacks = rng.integers(4500, 50_000, (ROUNDS, 4))
    limits = np.full(ROUNDS, LIMIT_CENTS, np.int64)
    sample = [entry(rounds, stacks, at) for at in range(SAMPLE)]
    loaded = library()
    points = score_rounds(SHEET, rounds)
    net = settle_rounds(SHEET, points, stacks, limits).net
    for at, one in enumerate(sample):
        if list(score(parse_round(one, loaded)).net_cents.values()) != net[at].tolist():
            sys.exit(f"round {at} comes out otherwise than from the plain engine")
    texts = [
        hand[segment].replace(" ", "")
        for one in sample
        for hand in one["hands"]
        for segment in ("front", "middle", "back")
    ]
    parsed = [tuple(Card.parse(text)) for text in texts]
    took = medians(
        REPEATS,
        {
            "score": lambda _: score_rounds(SHEET, rounds),
            "settle": lambda _: settle_rounds(SHEET, points, stacks, limits),
            "gathers": gathers(rng),
            "text": evaluation(texts),
            "cards": evaluation(parsed),
            "plain": lambda _: [score(parse_round(one, loaded)) for one in sample],
        },
        time.process_time,
    )
    figures = {"unit": "us a round", "n": ROUNDS, "repeats": REPEATS}
    once, single = 1e6 / ROUNDS, 1e6 / SAMPLE
    ours, pokerkit = took["score"] * once, f"pokerkit {version('pokerkit')} evaluation of the same segments"
    theirs = {
        f"{pokerkit} from text": "text",
        f"{pokerkit} from its own cards": "cards",
        "the plain engine, from a JSON value to the settlement": "plain",
    }
    for against, name in theirs.items():
        tell("rules.batch", against, ours, took[name] * single, **figures, n_of_theirs=SAMPLE)
    limit = took["gathers"] * once
    tell(
        "rules.batch",
        "8 + 4 random table gathers",
        ours,
        limit,
        **figures,
        rounds_a_second=round(1e6 / ours),
        goals={"ratio": at_least(SHARE_OF_GATHERS)},
    )
    settle = took["settle"] * once
    tell(
        "rules.batch.settle",
        "scoring the same rounds",
        settle,
        ours,
        **figures,
        rounds_a_second=round(1e6 / settle),
    )


if __name__ == "__main__":
    main()
