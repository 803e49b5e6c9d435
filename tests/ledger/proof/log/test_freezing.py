"""A check that was written as JSON and read back continues as if it had never stopped."""

import json
from datetime import date

import pytest

from ledger.proof.audit.checks.books import BooksCheck, referred
from ledger.proof.log.freezing import NotGiven, frozen, thawed
from tests.support.entries_by_hand import BERT, PATRONS, entry
from tests.support.log_by_hand import find, night

TWO = {"approver": 4, "reason": "wrong stack"}
BACK = entry(200, "reversal", 8, (BERT, PATRONS, 15_000), reverses=103, **TWO)
AGAIN = entry(201, "correction", 8, (PATRONS, BERT, 15_000), evidence={"corrects": 103}, **TWO)
BUY_IN = find(night(), "entry", 103)
LOGS = {
    "right": night(),
    "taken back": [*night()[:19], BACK, AGAIN],
    "taken back otherwise": [
        *night()[:19],
        entry(200, "reversal", 8, (BERT, PATRONS, 14_999), reverses=103, **TWO),
    ],
    "taken back twice": [*night()[:19], BACK, AGAIN, {**BACK, "id": 202, "key": "key-202"}],
    "what was never posted": [*night()[:19], {**BACK, "reverses": 999}],
    "corrected twice": [*night()[:19], BACK, AGAIN, {**AGAIN, "id": 202, "key": "key-202"}],
    "corrected alone": [*night()[:19], AGAIN],
    "a key again": [*night()[:26], {**BUY_IN, "id": 300}],
    "an id again": [*night()[:26], {**BUY_IN, "key": "key-300"}],
}


def again(value, given=()):
    return thawed(json.loads(json.dumps(frozen(value, dict(given)))), dict(given))


def recalled(check, older, newer):
    """Give the check the older records that the newer ones refer to, as the database does."""
    ids = {("entry", number) for body in newer for number in referred(body)}
    ids |= {(body["record"], body["id"]) for body in newer}
    keys = {body["key"] for body in newer if body["record"] == "entry"}
    for leaf, body in enumerate(older):
        if (body["record"], body["id"]) in ids or (body["record"] == "entry" and body["key"] in keys):
            check.recall(leaf, body)


@pytest.mark.parametrize("name", LOGS)
def test_the_books_go_on_from_wherever_they_were_written_down(name):
    bodies = LOGS[name]
    whole = BooksCheck(whole=True)
    found = [one for leaf, body in enumerate(bodies) for one in whole.take(leaf, body)]
    found += whole.finish()
    assert bool(found) == (name not in ("right", "taken back"))
    for cut in range(len(bodies)):
        check, before = BooksCheck(whole=True), []
        for leaf, body in enumerate(bodies[:cut]):
            before += check.take(leaf, body)
        if before:
            break
        check = again(check)
        check.go_on(cut)
        after = [one for leaf, body in enumerate(bodies[cut:], cut) for one in check.take(leaf, body)]
        recalled(check, bodies[:cut], bodies[cut:])
        assert [*after, *check.finish()] == found, cut
        assert check.balances == whole.balances


def test_what_several_hold_is_one_object_again_and_what_was_given_is_given_anew():
    sheet = ("a sheet",)
    check = BooksCheck(whole=True)
    one, other, given = again(([check], {date(2026, 3, 7): check}, sheet), {"sheet": sheet}.items())
    assert one[0] is other[date(2026, 3, 7)]
    assert given is sheet


def test_what_is_not_given_any_more_is_named():
    sheet = ("a sheet",)
    with pytest.raises(NotGiven, match="sheet western 1"):
        thawed(frozen([sheet], {"sheet western 1": sheet}), {})


@pytest.mark.parametrize("value", [print, object(), lambda: 0, Exception("no"), type])
def test_nothing_of_another_room_is_written(value):
    with pytest.raises(TypeError):
        frozen([value], {})


@pytest.mark.parametrize(
    "data",
    [
        {"classes": [["os", "system"]], "root": ["object", 0]},
        {"classes": [["ledger.proof.log.freezing", "frozen"]], "root": ["object", 0]},
        {"classes": [], "root": ["called", 0]},
    ],
)
def test_nothing_of_another_room_is_read(data):
    with pytest.raises(ValueError, match=r"os|frozen|called"):
        thawed(data, {})
