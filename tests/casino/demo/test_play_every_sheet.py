"""`manage.py play` over worked rounds of every sheet: a table answers what the engine alone answers. Stacks
and buttons are the table's own (R50, R52), so only what does not depend on them is compared: each hand, and
the points between hands with their reasons. Where the button wins ties (R10), points are left out."""

import json
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tables.models import Settlement
from tables.rules.game.rounds import library
from tests.support.answers import answer_to
from tests.support.lengths import LONG

DATA = Path(__file__).parents[2] / "support" / "data"
ROUNDS, ANSWERS = (
    [json.loads(line) for line in (DATA / name).read_text().splitlines()]
    for name in ("rounds.jsonl", "answers.jsonl")
)
GAMES = sorted(sheet.code for sheet in library())
SAMPLE = 12  # of each game's thirty, in the short form every other one: a round takes some 70 ms


def worked(game):
    """Return a game's first rounds with answers, at one limit, without fantasy land, which is earned."""
    found = []
    for line, answer in zip(ROUNDS, ANSWERS, strict=True):
        if line["sheet"] == game:
            hands = [{name: hand[name] for name in hand if name != "fantasy_land"} for hand in line["hands"]]
            found.append((line | {"limit": "5.00", "hands": hands}, answer))
    return found[: SAMPLE : 1 if LONG else 2]


def hand_names(answer):
    seen = Counter()
    names = {}
    for hand in answer["hands"]:
        seen[hand["seat"]] += 1
        names[hand["position"]] = (hand["seat"], seen[hand["seat"]])
    return names


def hands(answer):
    left_out = ("position", "fantasy_land_next")
    names = hand_names(answer)
    return {
        names[hand["position"]]: {name: hand[name] for name in hand if name not in left_out}
        for hand in answer["hands"]
    }


def points(answer):
    """Return points by the two hands, the collecting seat, and the reason."""
    names = hand_names(answer)
    found = Counter()
    for payment in answer.get("payments", ()):
        between = frozenset(names[position] for position in payment["positions"])
        for line in payment["lines"]:
            found[between, line["to"], line["reason"]] += line["points"]
    return found


@pytest.mark.parametrize("game", GAMES)
def test_worked_rounds_come_out_at_a_table_as_in_the_engine(room, tmp_path, capsys, game):
    rounds = worked(game)
    file = tmp_path / "rounds.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line, _ in rounds))
    expected = [f"({answer['code']})" for _, answer in rounds if "code" in answer]
    arguments = ["play", str(file), "--table=4", "--start=2026-03-08T03:00+00:00"]
    if expected:
        with pytest.raises(CommandError):
            call_command(*arguments)
    else:
        call_command(*arguments)
    assert [line.split()[-1] for line in capsys.readouterr().err.splitlines()] == expected
    found = Settlement.objects.select_related("entry", "round__session__sheet").order_by("round__number")
    answers = [answer for _, answer in rounds if "code" not in answer]
    assert len(found) == len(answers)
    for settlement, answer in zip(found, answers, strict=True):
        settled = answer_to(settlement.round)
        assert hands(settled) == hands(answer)
        assert settled.get("score") == answer.get("score")
        if library().find(game).ties == "push":
            assert points(settled) == points(answer)
