"""What the log says about people, their ways to sign in and their devices follows from what it said before."""

import pytest

from ledger.audit.checks.books import BooksCheck
from tests.support.log_by_hand import house_event

MANAGER, ZOE, NOBODY = 3, 7, 99
STRONG = {"username": "zoe", "is_active": True, "roles": ["dealer"]}
APP = {"staff": ZOE, "factor": "totp", "name": ""}
LOCK = {"guessed": "pin", "staff": ZOE, "count": 20}
REFUSED = {"guessed": "pin", "username": "zoe", "count": 3, "since": ""}
TABLE_3 = {"number": 1, "name": "Table 3"}
DAY = [
    ("staff_changed", None, {"staff": MANAGER, "before": None, "after": {**STRONG, "username": "max"}}),
    ("staff_changed", MANAGER, {"staff": ZOE, "before": None, "after": STRONG}),
    ("code_made", MANAGER, {"staff": ZOE, "until": "2026-11-21T20:00:00+00:00"}),
    ("code_used", ZOE, {}),
    ("signed_in", ZOE, {"by": "password"}),
    ("password_set", ZOE, {"staff": ZOE}),
    ("pin_set", ZOE, {"staff": ZOE}),
    ("mail_set", ZOE, {"staff": ZOE}),
    ("factor_added", ZOE, APP),
    ("factor_removed", ZOE, APP),
    ("terminal_enrolled", MANAGER, TABLE_3),
    ("sign_in_refused", None, REFUSED),
    ("pin_refused", None, REFUSED),
    ("attempts_locked", None, LOCK),
    ("attempts_lifted", MANAGER, {**LOCK, "origin": ""}),
    ("session_ended", MANAGER, {"staff": ZOE, "count": 1}),
    ("terminal_revoked", MANAGER, TABLE_3),
    ("signed_out", ZOE, {"why": "asked"}),
    ("staff_changed", MANAGER, {"staff": ZOE, "before": STRONG, "after": {**STRONG, "is_active": False}}),
]


def found(events, *, whole=True):
    check = BooksCheck(whole=whole)
    bodies = [house_event(at, kind, at, who, **data) for at, (kind, who, data) in enumerate(events, 1)]
    taken = [one for leaf, body in enumerate(bodies) for one in check.take(leaf, body)]
    return [(one.code, one.leaf) for one in (*taken, *check.finish())]


def of(kind):
    return next(at for at, event in enumerate(DAY) if event[0] == kind)


def test_a_day_of_people_and_devices_is_right_whole_and_in_part():
    for first in range(len(DAY)):
        assert found(DAY[first:], whole=not first) == []


@pytest.mark.parametrize(
    "kind", [kind for kind, _, data in DAY if "staff" in data and kind != "staff_changed"]
)
def test_an_event_about_somebody_whom_the_log_does_not_know_is_named(kind):
    at, (_, who, data) = of(kind), DAY[of(kind)]
    assert found([*DAY[:at], (kind, who, {**data, "staff": NOBODY})]) == [("identity_differs", at)]


@pytest.mark.parametrize("kind", [event[0] for event in DAY])
def test_an_event_that_says_more_or_less_or_otherwise_than_its_kind_is_named(kind):
    at, (_, who, data) = of(kind), DAY[of(kind)]
    fewer = [{name: value for name, value in data.items() if name != gone} for gone in data]
    mistyped = [{**data, name: ["x"]} for name in data]
    for planted in ({**data, "secret": "1357"}, *fewer, *mistyped):
        assert found([*DAY[:at], (kind, who, planted)]) == [("identity_differs", at)]


@pytest.mark.parametrize(
    "planted",
    [
        ("signed_in", None, {"by": "password"}),
        ("signed_in", NOBODY, {"by": "password"}),
        ("signed_in", ZOE, {"by": "password"}),  # she was let go
        ("signed_out", NOBODY, {"why": "asked"}),
        ("code_used", MANAGER, {}),
        ("code_used", ZOE, {}),  # a second time
        ("factor_removed", ZOE, APP),
        ("terminal_enrolled", MANAGER, TABLE_3),
        ("terminal_revoked", MANAGER, TABLE_3),
        ("terminal_revoked", MANAGER, {"number": 2, "name": "Table 4"}),
        ("session_ended", MANAGER, {"staff": ZOE, "count": 0}),
        ("sign_in_refused", None, {**REFUSED, "count": 0}),
        ("staff_changed", MANAGER, {"staff": ZOE, "before": None, "after": STRONG}),
        ("staff_changed", MANAGER, {"staff": ZOE, "before": STRONG, "after": None}),
    ],
)
def test_an_event_that_does_not_follow_from_those_before_it_is_named(planted):
    assert found([*DAY, planted]) == [("identity_differs", len(DAY))]


def test_the_act_that_hires_somebody_may_make_their_code_first():
    assert found([DAY[0], DAY[2], DAY[1], *DAY[3:]]) == []


def test_two_terminals_of_one_name_are_named():
    at = of("terminal_enrolled") + 1
    assert found([*DAY[:at], ("terminal_enrolled", MANAGER, {**TABLE_3, "number": 2})]) == [
        ("identity_differs", at)
    ]


def test_a_terminal_that_is_revoked_under_another_name_is_named():
    at = of("terminal_revoked")
    assert found([*DAY[:at], ("terminal_revoked", MANAGER, {**TABLE_3, "name": "Table 4"})]) == [
        ("identity_differs", at)
    ]
