"""What may be said of how cards were shuffled and dealt; no point depends on it."""

import pytest

from tables.rules.errors import RuleError
from tables.rules.game.rounds import parse_round, score
from tests.support.play import SHEETS, entry

ROUND = entry(
    *("face-up", "2: Qs Qh 2c / 5c 6d 7h 8s 9s / Ad Kd 9d 4d 2d"),
    "3: Ah Kc 8h / 3c 3d 7s 7c 4h / Ts Th Tc 6h 6c",
    button=2,
)
SAID = {"order": "As Td - 2c -", "deck": "blue 3", "shuffler": "machine 2", "collected": "by rows"}


@pytest.mark.parametrize("said", [SAID, {"deck": "red"}, {"order": "-"}, {"order": "As"}])
def test_it_changes_no_point(said):
    plain = score(parse_round(ROUND, SHEETS))
    assert score(parse_round(ROUND | {"shuffle": said}, SHEETS)).as_text() == plain.as_text()


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (None, "bad_json"),
        ([], "bad_json"),
        ({}, "bad_json"),
        ({"speed": "9"}, "bad_json"),
        ({"deck": 3}, "bad_json"),
        ({"deck": " "}, "bad_json"),
        ({"deck": "a\nb"}, "bad_json"),
        ({"shuffler": "m" * 61}, "bad_json"),
        ({"order": ["As"]}, "bad_json"),
        ({"order": "- " * 53}, "bad_json"),
        ({"order": "As 1s"}, "bad_card"),
        ({"order": "As - As"}, "duplicate_card"),
    ],
)
def test_what_says_nothing_that_can_be_is_refused(said, code):
    with pytest.raises(RuleError) as refused:
        parse_round(ROUND | {"shuffle": said}, SHEETS)
    assert refused.value.code == code
