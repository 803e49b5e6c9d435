"""One face-up round of four hands from text to settlement, and `manage.py score`, against evaluation alone.

Ours takes a round as JSON with cards as text. `rules.round` gives who pays whom how much, for how many
points; `rules.round.lines` also every line of every payment, otherwise computed lazily; `rules.round.answer`
the whole answer as text. Theirs only ranks the twelve segments from the same text: pokerkit three and five
cards, phevaluator five alone. Every repeat has new rounds; three of four hands are set with many of a kind in
back, the others as dealt, so that many of those foul. Time is processor time. `score` runs as a command on
lines of which a tenth are different, against a program that only decodes them.
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from phevaluator import evaluate_cards
from pokerkit.lookups import RhodeIslandHoldemLookup, StandardLookup

from benchmarks._measure import at_least, at_most, medians, tell
from tables.rules.game.cards import DECK
from tables.rules.game.evaluation import strengths_of_hands
from tables.rules.game.rounds import library, parse_round, score

ROUNDS = 400
REPEATS = 21
LINES = 1_000_000
DIFFERENT = 100_000
# At least, of pokerkit's speed; and at most, of the time for decoding the lines.
TIMES = {"round": 5, "segments": 30}
TIMES_DECODING = 8
SEGMENTS = ("front", "middle", "back")
ROOT = Path(__file__).resolve().parent.parent
DECODE = "import json, sys\nfor line in open(sys.argv[1], 'rb'): json.loads(line)"


def laid(rng, cards):
    """Set thirteen cards, mostly with loose ones in front and many of a kind in back."""
    if rng.random() < 0.25:
        return cards
    ranks = [card[0] for card in cards]
    return sorted(cards, key=lambda card: (ranks.count(card[0]), DECK.index(card)))


def dealt(rng):
    cards = rng.sample(DECK, 52)
    hands = []
    for seat in range(1, 5):
        hand = laid(rng, cards[13 * seat - 13 : 13 * seat])
        segments = {"front": " ".join(hand[:3]), "middle": " ".join(hand[3:8]), "back": " ".join(hand[8:])}
        hands.append({"seat": seat, "stack": f"{rng.randrange(45, 500)}.00", **segments})
    return {"sheet": "face-up", "limit": "5.00", "button": rng.randrange(1, 5), "hands": hands}


def settled(rounds, loaded):
    return sum(payment[5] for value in rounds for payment in score(parse_round(value, loaded)).paid)


def explained(rounds, loaded):
    """Settle all rounds and read every line of every payment, so that nothing stays lazy."""
    return sum(
        line.points
        for value in rounds
        for payment in score(parse_round(value, loaded)).payments
        for line in payment.lines
    )


def answered(rounds, loaded):
    return sum(len(score(parse_round(value, loaded)).as_text()) for value in rounds)


def ranked_by_pokerkit(rounds):
    three, five = RhodeIslandHoldemLookup().get_entry, StandardLookup().get_entry
    texts = [
        [
            ((three, five)[name != "front"], hand[name].replace(" ", ""))
            for hand in value["hands"]
            for name in SEGMENTS
        ]
        for value in rounds
    ]

    def rank():
        for segments in texts:
            for look_up, text in segments:
                look_up(text)

    return rank


def ranked_by_phevaluator(rounds):
    fives = [[hand[name].split() for hand in value["hands"] for name in SEGMENTS[1:]] for value in rounds]

    def rank():
        for segments in fives:
            for cards in segments:
                evaluate_cards(*cards)

    return rank


def measure_rounds():
    rng = random.Random(1)
    loaded = library()
    sheet = loaded.find("face-up")
    fresh = [[dealt(rng) for _ in range(ROUNDS)] for _ in range(REPEATS)]
    texts = [
        [[hand[name] for hand in value["hands"] for name in SEGMENTS] for value in rounds] for rounds in fresh
    ]
    by_pokerkit = [ranked_by_pokerkit(rounds) for rounds in fresh]
    by_phevaluator = [ranked_by_phevaluator(rounds) for rounds in fresh]
    answered([dealt(rng)], loaded)  # tables are built at first use
    took = medians(
        REPEATS,
        {
            "round": lambda repeat: settled(fresh[repeat], loaded),
            "round.lines": lambda repeat: explained(fresh[repeat], loaded),
            "round.answer": lambda repeat: answered(fresh[repeat], loaded),
            "segments": lambda repeat: [strengths_of_hands(sheet, text) for text in texts[repeat]],
            "pokerkit": lambda repeat: by_pokerkit[repeat](),
            "phevaluator": lambda repeat: by_phevaluator[repeat](),
        },
        time.process_time,
    )
    once = {name: seconds / ROUNDS * 1e6 for name, seconds in took.items()}
    figures = {"unit": "us a round", "n": ROUNDS, "repeats": REPEATS}
    pokerkit = f"pokerkit {version('pokerkit')} evaluation of the same 12 segments from text"
    phevaluator = f"phevaluator {version('phevaluator')} evaluation of the 8 segments of five cards"
    for name in ("round", "round.lines", "round.answer", "segments"):
        goals = {"ratio": at_least(TIMES[name])} if name in TIMES else None
        tell(f"rules.{name}", pokerkit, once[name], once["pokerkit"], goals=goals, **figures)
        tell(f"rules.{name}", phevaluator, once[name], once["phevaluator"], **figures)


def run(command):
    """Return a command's processor seconds, and the peak memory in MB of any command so far."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = dict(os.environ, CASINO_DEMO="1")
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, after.ru_maxrss / 1024


def measure_command():
    rng = random.Random(2)
    with tempfile.TemporaryDirectory() as folder:
        tenth, whole = Path(folder, "tenth.jsonl"), Path(folder, "whole.jsonl")
        lines = "".join(json.dumps(dealt(rng)) + "\n" for _ in range(DIFFERENT))
        tenth.write_text(lines)
        with whole.open("w") as file:
            file.writelines(lines for _ in range(LINES // DIFFERENT))
        _, memory_of_tenth = run([sys.executable, "manage.py", "score", tenth])
        seconds, memory = run([sys.executable, "manage.py", "score", whole])
        decoding, _ = run([sys.executable, "-c", DECODE, whole])
    figures = {"n": LINES, "repeats": 1}
    tell(
        "rules.cli",
        "json.loads of the same lines",
        seconds,
        decoding,
        unit="s",
        **figures,
        times_as_long=round(seconds / decoding, 2),
        goals={"times_as_long": at_most(TIMES_DECODING)},
    )
    tell("rules.cli.memory", "a tenth of the lines", memory, memory_of_tenth, unit="MB", **figures)


if __name__ == "__main__":
    measure_rounds()
    measure_command()
