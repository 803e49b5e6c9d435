"""The answer that recorded rounds are held against is the one that the rules give, in every place."""

import copy
import json
from pathlib import Path

import pytest

from tables.audit.judging.answers import is_answer
from tables.rules.errors import RuleError
from tables.rules.game.rounds import library, parse_round, score

ROUNDS = Path(__file__).parents[2] / "support" / "data" / "rounds.jsonl"


@pytest.fixture(scope="module")
def scores():
    """The scores of many rounds; some of those kept are there to be refused."""
    found = []
    for line in ROUNDS.read_text().splitlines():
        try:
            found.append(score(parse_round(json.loads(line), library())))
        except RuleError:
            continue
    return found


def places(value, path=()):
    """The path of every value inside of a JSON value."""
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, child in children:
        yield (*path, key)
        yield from places(child, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def changed(answer):
    """The answer with another value in one place, or without it, or with something besides; of every place there is."""
    for path in places(answer):
        *above, key = path
        for other in ("other", None, -7, not at(answer, path)):
            if type(other) is not type(at(answer, path)) or other != at(answer, path):
                one = copy.deepcopy(answer)
                at(one, above)[key] = other
                yield path, one
        one = copy.deepcopy(answer)
        del at(one, above)[key]
        yield path, one
    for path in [(), *places(answer)]:
        one = copy.deepcopy(answer)
        if isinstance(at(one, path), dict):
            at(one, path)["besides"] = 1
        elif isinstance(at(one, path), list):
            at(one, path).append(1)
        else:
            continue
        yield path, one


def test_the_answer_of_the_score_format_is_the_answer(scores):
    assert len(scores) > 200
    for scored in scores:
        assert is_answer(scored.as_json(), scored)


def test_an_answer_that_differs_in_any_place_is_none(scores):
    of_every_game = {scored.deal.sheet.code: scored for scored in scores}
    for scored in of_every_game.values():
        for path, other in changed(scored.as_json()):
            assert not is_answer(other, scored), path


@pytest.mark.parametrize("said", [None, 7, "text", [], {}, {"sheet": "face-up"}])
def test_what_is_no_answer_at_all_is_none(scores, said):
    assert not is_answer(said, scores[0])
