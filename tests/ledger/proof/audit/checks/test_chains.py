"""A change before a part of a log that was left out is noticed with the next one."""

import pytest

from ledger.proof.audit.checks.identity import Chains

HOUSE = {"name": "The Fifth Street Room", "time_zone": "America/Los_Angeles", "demo": False}
LATER = {**HOUSE, "time_zone": "UTC"}
LAST = {**LATER, "name": "The Sixth Street Room"}


def staff(before, after, person=7):
    return {
        "record": "house_event",
        "kind": "staff_changed",
        "data": {"staff": person, "before": before, "after": after},
    }


def house(kind, said, **more):
    return {"record": "house_event", "kind": kind, "data": {**said, **more}}


def player(before, after):
    return {"record": "player_change", "player": 3, "before": before, "after": after}


CHANGES = {
    "staff": [
        staff(None, {"roles": ["dealer"]}),
        staff({"roles": ["dealer"]}, {"roles": []}),
        staff({"roles": []}, None),
    ],
    "house": [
        house("house_opened", HOUSE),
        house("house_changed", LATER, before={"time_zone": HOUSE["time_zone"]}, key="a"),
        house("house_changed", LAST, before={"name": HOUSE["name"]}, key="b"),
    ],
    "player": [player("", "a"), player("a", "b"), player("b", "c")],
}


def wrong(changes, *, players=True):
    chains = Chains(players=players)
    return [chains.wrong(one) for one in changes]


@pytest.mark.parametrize("what", CHANGES)
def test_changes_that_follow_each_other_are_right(what):
    assert wrong([*CHANGES[what], staff(None, {"roles": []}, person=8), {"record": "entry"}]) == [""] * 5


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_that_is_left_out_is_noticed_with_the_next_one(what):
    first, _, last = CHANGES[what]
    assert [bool(one) for one in wrong([first, last])] == [False, True]


@pytest.mark.parametrize("what", ["staff", "player"])
def test_a_beginning_that_is_left_out_is_noticed(what):
    assert [bool(one) for one in wrong(CHANGES[what][1:])] == [True, False]


def test_players_whose_changes_do_not_go_with_the_part_are_not_judged():
    assert wrong(CHANGES["player"][1:], players=False) == ["", ""]


@pytest.mark.parametrize("said", [None, {}, {"staff": [1]}, {"before": 7}])
def test_what_cannot_be_read_is_left_to_the_other_checks(said):
    for kind in ("staff_changed", "house_changed"):
        assert wrong([{"record": "house_event", "kind": kind, "data": said}]) == [""]
