"""The rules in a browser say of a round what the rules of the house say, for every game."""

import json
import random

import pytest
from playwright.sync_api import expect

from tables.rounds.on_tablet import answer
from tables.rules.game.rounds import library
from tests.support.chance import random_entry
from tests.support.lengths import TABLET_ROUNDS

pytestmark = pytest.mark.django_db(transaction=True)

AT_ONCE = 500
WORK = """
async ([raw, rounds]) => {
    document.getElementById("dealer").dataset.sheet = raw;
    const { workOut } = await import("/static/js/dealer/rules.js");
    return Promise.all(rounds.map(([round, hands]) => workOut("check", round, hands)));
}
"""
NOT_ENTERED = ("stack", "fantasy_land")


def as_dealt(entry):
    """Return a round of the score format as the API shows it, and its hands as the dealer enters them."""
    hands = [
        {
            "seat": hand["seat"],
            "position": position,
            "stack": hand.get("stack", "100000.00"),
            "fantasy_land": hand.get("fantasy_land", False),
        }
        for position, hand in enumerate(entry["hands"], 1)
    ]
    entered = [
        {name: value for name, value in hand.items() if name not in NOT_ENTERED} | {"position": position}
        for position, hand in enumerate(entry["hands"], 1)
    ]
    dealt = {"limit": entry["limit"], "button": entry["button"], "hands": hands}
    return [dealt | {"pair_stakes": entry.get("pair_stakes", [])}, entered]


def test_each_round_is_worked_out_on_the_tablet_as_in_the_house(window, game):
    page = window("dealer")
    page.goto(f"{page.base}/dealer/sessions/{game.session.pk}/")
    expect(page.locator("#stage")).to_contain_text("No players yet")
    page.set_default_timeout(0)
    rng, scored = random.Random(73), 0
    for sheet in library():
        raw = sheet.raw.decode()
        for begin in range(0, TABLET_ROUNDS, AT_ONCE):
            count = min(AT_ONCE, TABLET_ROUNDS - begin)
            rounds = [as_dealt(random_entry(rng, sheet.code)) for _ in range(count)]
            here = page.evaluate(WORK, [raw, rounds])
            for one, said in zip(rounds, here, strict=True):
                house = json.loads(answer("check", json.dumps([raw, *one])))
                assert said == house, one
                scored += house["complete"]
    assert scored > TABLET_ROUNDS  # most are whole, and not refused
