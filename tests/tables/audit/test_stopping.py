"""A session is judged up to its first contradiction; what of it was not judged is counted,
and other sessions are judged on."""

import copy
import re
from collections import Counter

import pytest

from tables.audit.floor.floor import kind_of
from tests.support.remembered import remembered
from tests.support.replayed import bodies, judged
from tests.tables.audit.test_charges import night  # noqa: F401 (three tables)

pytestmark = pytest.mark.django_db


@pytest.fixture
def log(request):
    """What is written of the night, played once for all tests that only read it."""
    return remembered(request, "night", bodies)


def session_of(body):
    return (body["evidence"] if body["record"] == "entry" else body).get("session")


def at_table(log, session, kind):
    return [leaf for leaf, body in enumerate(log) if session_of(body) == session and kind_of(body) == kind]


def wrong(log, *leaves):
    """The records, of which these charges say another amount, these starts another button,
    and these entries move nothing."""
    forged = copy.deepcopy(log)
    for leaf in leaves:
        body = forged[leaf]
        if body["record"] == "charge":
            body["cents"] += 1
        elif body["record"] == "entry":
            body["transfers"] = []
        else:
            body["data"]["button"] = 5
    return forged


def named(found):
    return [(one.code, one.leaf) for one in found]


def counts(unjudged):
    """How many records of each session were not judged, by kind: {session: {kind: number}}."""
    return {
        int(one.record.removeprefix("table session ")): {
            kind: int(number) for number, kind in re.findall(r"(\d+) ([a-z ]+)(?=[,)])", one.sentence)
        }
        for one in unjudged
    }


def behind(log, leaf, session):
    """How many records of a session stand behind this leaf, by kind, as a finding says it."""
    kinds = [kind_of(body).replace("_", " ") for body in log[leaf + 1 :] if session_of(body) == session]
    return dict(Counter(kinds))


@pytest.fixture
def tables(log):
    return sorted(body["session"] for body in log if body.get("kind") == "opened")


def test_an_honest_night_is_judged_to_its_end(log):
    assert judged(log)[:2] == ([], [])


def test_the_first_contradiction_of_a_session_is_named_and_all_behind_it_counted(log, tables):
    first = tables[0]
    here, later = at_table(log, first, "charge")[2], at_table(log, first, "table_event round_started")[-1]
    found, unjudged, checked = judged(wrong(log, here, later))
    assert named(found) == [("charge_differs", here)]
    counted = counts(unjudged)
    assert list(counted) == [first]
    more = {kind: number - behind(log, here, first).get(kind, 0) for kind, number in counted[first].items()}
    # Beyond its own records: players who come from elsewhere, and fees of it that are taken there.
    assert {kind for kind, number in more.items() if number} <= {"entry table move", "entry collection"}
    assert counted[first].keys() >= behind(log, here, first).keys()
    assert checked["charges"] + counted[first]["charge"] == sum(body["record"] == "charge" for body in log)
    assert f"leaf {here} (charge {log[here]['id']})" in unjudged[0].sentence
    assert f" {sum(counted[first].values())} records" in unjudged[0].sentence


def test_every_session_has_its_own_first_contradiction(log, tables):
    leaves = [at_table(log, session, "table_event round_started")[-1] for session in tables]
    found, unjudged, _ = judged(wrong(log, *leaves))
    assert sorted(leaf for _, leaf in named(found)) == sorted(leaves)
    assert counts(unjudged).keys() <= set(tables)


@pytest.mark.parametrize("at", range(3))
def test_wherever_one_session_stops_no_other_is_accused_for_it(log, tables, at):
    """Players move between the three tables, with covers, and leave fees due that another one takes."""
    for leaf in at_table(log, tables[at], "charge") + at_table(log, tables[at], "entry buy_in"):
        found, unjudged, _ = judged(wrong(log, leaf))
        assert [where for _, where in named(found)] == [leaf]
        assert counts(unjudged).keys() <= {tables[at]}


def test_who_comes_from_a_session_that_is_not_judged_is_still_held_to_the_new_table(log, tables):
    moves = [at for at, body in enumerate(log) if body.get("kind") == "table_move"]
    move = next(at for at in moves if session_of(log[at]) == tables[0])
    stopped = at_table(log, tables[0], "charge")[0]
    forged = wrong(log, stopped)
    there = log[move]["evidence"]["to_session"]
    seated = next(at for at in at_table(log, there, "table_event seated") if at > move)
    forged[seated]["data"]["seat"] += 1
    assert named(judged(forged)[0]) == [("charge_differs", stopped), ("other_seat", seated)]


def test_behind_the_last_record_of_a_session_nothing_is_left_to_count(log, tables):
    last = max(leaf for leaf, body in enumerate(log) if session_of(body) == tables[2])
    assert log[last]["kind"] == "round_started"
    found, unjudged, _ = judged(wrong(log, last))
    assert (named(found), unjudged) == ([("round_event_differs", last)], [])


def test_the_record_that_shows_that_another_is_missing_was_not_judged_itself(log, tables):
    seated = at_table(log, tables[0], "table_event seated")[-1]
    without = [*log[:seated], *log[seated + 1 :]]
    found, unjudged, _ = judged(without)
    ((code, leaf),) = named(found)
    assert (code, without[leaf]["kind"]) == ("not_seated", "table_move")
    assert tables[0] in counts(unjudged)
    held = behind(without, leaf, tables[0])
    assert all(counts(unjudged)[tables[0]][kind] >= number for kind, number in held.items())


def test_a_place_on_a_list_that_is_wrong_stops_no_table(log, tables):
    place = {"place": 1, "number": 1, "day": "2026-03-07", "player": 1, "game": "face-up", "limit_cents": 500}
    place |= {"joined": True, "state": "struck", "seat": None, "until": None, "reason": ""}
    place |= {
        "session": tables[0],
        "sitting": log[at_table(log, tables[0], "entry buy_in")[0]]["evidence"]["sitting"],
    }
    here = at_table(log, tables[0], "charge")[0]
    about = {"record": "house_event", "id": 1, "kind": "place_changed", "actor": 1}
    event = about | {"recorded_at": log[here]["recorded_at"], "data": place}
    found, _, _ = judged([*wrong(log, here)[:here], event, *wrong(log, here)[here:]])
    assert named(found) == [("place_differs", here), ("charge_differs", here + 1)]


def test_numbers_of_the_house_are_held_on_through_a_session_that_is_not_judged(log, tables):
    """A merge concerns no table: it is judged whatever has stopped."""
    by_two = {"actor": 1, "approver": 2, "reason": "one card", "recorded_at": log[-1]["recorded_at"]}
    merge = {"record": "player_merge", "id": 1, "number": 2, "merged": 998, "into": 999, **by_two}
    here = at_table(log, tables[0], "charge")[0]
    found, _, _ = judged([*wrong(log, here), merge])
    assert named(found) == [("charge_differs", here), ("number_gap", len(log))]
