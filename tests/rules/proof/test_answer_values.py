"""The answer that recorded rounds are compared with is the one that the rules give."""

import json
from pathlib import Path

from tables.rules.errors import RuleError
from tables.rules.proof.answers import answer_of
from tables.rules.rounds import library, parse_round, score

ROUNDS = Path(__file__).parent.parent / "data" / "rounds.jsonl"


def test_the_answer_as_a_value_is_the_answer_of_the_score_format():
    held = 0
    for line in ROUNDS.read_text().splitlines():
        try:
            scored = score(parse_round(json.loads(line), library()))
        except RuleError:
            continue  # some of them are there to be refused
        assert answer_of(scored) == scored.as_json()
        held += 1
    assert held > 200
