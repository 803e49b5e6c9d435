"""The log's records of people, sign-in and devices follow from those before."""

import pytest

from ledger.proof.audit.checks.books import BooksCheck
from tests.support.entries_by_hand import other
from tests.support.log_by_hand import house_event

MANAGER, ZOE, NOBODY, REX = 3, 7, 99, 8
STRONG = {"username": "zoe", "is_active": True, "roles": ["dealer"]}
APP = {"staff": ZOE, "factor": "totp", "name": ""}
ALONE = {"approver": None}
LOCK = {"guessed": "pin", "staff": ZOE, "count": 20}
REFUSED = {"guessed": "pin", "username": "zoe", "count": 3, "since": ""}
TABLE_3 = {"number": 1, "name": "Table 3"}
TOKEN = {"number": 1, "staff": REX, "name": "Laptop"}
MADE = {**TOKEN, "until": "2026-12-21T08:00:00.000000Z", "key": ""}
FETCHED = {"file": "journal.csv", "address": "", "rows": 1, "whole": True, "token": 1}
NOT_OPENED = {"number": 1, "staff": REX, "code": "bad_token", "address": ""}
READS = {**STRONG, "username": "rex", "roles": ["regulator"]}
DAY = [
    (
        "staff_changed",
        None,
        {"staff": MANAGER, "before": None, "after": {**STRONG, "username": "max"}, **ALONE},
    ),
    ("staff_changed", MANAGER, {"staff": ZOE, "before": None, "after": STRONG, **ALONE}),
    ("code_made", MANAGER, {"staff": ZOE, "until": "2026-11-21T20:00:00+00:00", **ALONE}),
    ("code_used", ZOE, {}),
    ("signed_in", ZOE, {"by": "password"}),
    ("password_set", ZOE, {"staff": ZOE}),
    ("pin_set", ZOE, {"staff": ZOE}),
    ("mail_set", ZOE, {"staff": ZOE}),
    ("factor_added", ZOE, APP),
    ("factor_removed", ZOE, APP),
    ("factor_added", ZOE, APP),
    ("factors_reset", MANAGER, {"staff": ZOE, **ALONE}),
    ("factor_removed", MANAGER, APP),
    ("terminal_enrolled", MANAGER, TABLE_3),
    ("staff_changed", MANAGER, {"staff": REX, "before": None, "after": READS, **ALONE}),
    ("token_made", MANAGER, MADE),
    ("downloaded", REX, FETCHED),
    ("token_revoked", MANAGER, TOKEN),
    ("token_refused", None, NOT_OPENED),
    ("sign_in_refused", None, REFUSED),
    ("pin_refused", None, REFUSED),
    ("attempts_locked", None, LOCK),
    ("attempts_lifted", MANAGER, {**LOCK, "origin": ""}),
    ("session_ended", MANAGER, {"staff": ZOE, "count": 1}),
    ("terminal_revoked", MANAGER, TABLE_3),
    ("signed_out", ZOE, {"why": "asked"}),
    (
        "staff_changed",
        MANAGER,
        {"staff": ZOE, "before": STRONG, "after": {**STRONG, "is_active": False}, **ALONE},
    ),
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
        ("terminal_enrolled", MANAGER, {"number": 2, "name": "10.0.0.7"}),
        ("token_made", MANAGER, MADE),
        ("token_made", REX, {**MADE, "number": 2}),
        ("token_made", MANAGER, {**MADE, "number": 2, "staff": MANAGER}),  # no regulator
        ("token_made", MANAGER, {**MADE, "number": 2, "until": "2027-03-21T08:00:00.000000Z"}),
        ("token_revoked", MANAGER, TOKEN),
        ("token_refused", None, {**NOT_OPENED, "number": 2}),
        ("downloaded", REX, FETCHED),  # it was revoked
        ("downloaded", REX, {**FETCHED, "token": 2}),
        ("downloaded", MANAGER, FETCHED),
        ("terminal_revoked", MANAGER, TABLE_3),
        ("terminal_revoked", MANAGER, {"number": 2, "name": "Table 4"}),
        ("staff_changed", MANAGER, {"staff": ZOE, "before": None, "after": STRONG, **ALONE}),
        ("staff_changed", MANAGER, {"staff": ZOE, "before": STRONG, "after": None, **ALONE}),
    ],
)
def test_an_event_that_does_not_follow_from_those_before_it_is_named(planted):
    assert found([*DAY, planted]) == [("identity_differs", len(DAY))]


@pytest.mark.parametrize("kind", ["password_set", "pin_set"])
def test_a_password_or_pin_that_somebody_set_while_a_code_waited_for_them_is_named(kind):
    at = of("code_used")
    assert found([*DAY[:at], (kind, ZOE, {"staff": ZOE})]) == [("identity_differs", at)]
    assert found([*DAY[: at + 1], (kind, ZOE, {"staff": ZOE})]) == []
    assert found([*DAY[:at], (kind, None, {"staff": ZOE})]) == []


FLO, TWIN = 8, 9
GROWN = [
    *DAY[:1],
    (
        "staff_changed",
        MANAGER,
        {"staff": FLO, "before": None, "after": {**STRONG, "roles": ["floor"]}, **ALONE},
    ),
    ("staff_changed", MANAGER, {"staff": ZOE, "before": None, "after": STRONG, **ALONE}),
    ("pin_set", FLO, {"staff": FLO}),
    ("terminal_enrolled", MANAGER, TABLE_3),
]
"""A house in which the floor could sign beside the manager."""
CODE = {"staff": ZOE, "until": ""}
MORE = {"staff": ZOE, "before": STRONG, "after": {**STRONG, "roles": ["cashier", "dealer"]}}


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("code_made", CODE),
        ("factors_reset", {"staff": ZOE}),
        ("staff_changed", MORE),
        ("staff_changed", {"staff": TWIN, "before": None, "after": STRONG}),
    ],
)
@pytest.mark.parametrize("approver", [None, MANAGER, ZOE, NOBODY])
def test_a_code_or_a_role_that_nobody_rightly_signed_is_named(kind, data, approver):
    if data["staff"] == TWIN and approver == ZOE:
        approver = TWIN  # whom it is about
    wrong = [*GROWN, (kind, MANAGER, {**data, "approver": approver})]
    assert found(wrong) == [("second_person", len(GROWN))]
    right = [*GROWN, (kind, MANAGER, {**data, "approver": FLO})]
    assert found(right) == []
    alone = [*GROWN[:-2], (kind, MANAGER, {**data, **ALONE})]
    assert found(alone) == []


def test_a_dealer_signs_nothing():
    assert found([*GROWN, ("code_made", MANAGER, {"staff": FLO, "until": "", "approver": ZOE})]) == [
        ("second_person", len(GROWN))
    ]


def test_nobody_is_alone_again_because_the_other_has_left():
    gone = {"staff": FLO, "before": {**STRONG, "roles": ["floor"]}, "after": {**STRONG, "is_active": False}}
    events = [
        *GROWN,
        ("staff_changed", MANAGER, {**gone, **ALONE}),
        ("code_made", MANAGER, {**CODE, **ALONE}),
    ]
    assert found(events) == [("second_person", len(GROWN) + 1)]


def test_a_command_of_the_server_has_nobody_who_signs():
    assert found([*GROWN, ("code_made", None, {**CODE, **ALONE})]) == []


def test_second_steps_that_nobody_said_were_lost_and_others_took_off_are_named():
    events = [*GROWN, ("factor_added", ZOE, APP), ("factor_removed", MANAGER, APP)]
    assert found(events) == [("identity_differs", len(GROWN) + 1)]


def test_a_second_step_that_somebody_else_set_up_is_named():
    assert found([*GROWN, ("factor_added", MANAGER, APP)]) == [("identity_differs", len(GROWN))]


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


def acts(more, *, whole=True):
    """What is found of these records after the people of the day, of whom one was let go at 22 minutes."""
    check = BooksCheck(whole=whole)
    bodies = [house_event(at, kind, at, who, **data) for at, (kind, who, data) in enumerate(DAY, 1)]
    taken = [one for leaf, body in enumerate([*bodies, *more]) for one in check.take(leaf, body)]
    return [(one.code, one.record) for one in taken]


def count(number, minute, counter):
    return other("cage_slip", number, minute, number=number, counted_by=counter, counted_at="", terminal="")


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (house_event(90, "box_pulled", 30, NOBODY, box=1, number=1, second=MANAGER), "house event 90"),
        (house_event(90, "box_pulled", 30, MANAGER, box=1, number=1, second=NOBODY), "house event 90"),
        (other("table_event", 90, 30, kind="pushed", actor=NOBODY, data={}), "table event 90"),
        (other("table_event", 90, 30, kind="pushed", actor=None, data={"dealer": NOBODY}), "table event 90"),
        (other("player_change", 90, 30, player=1, actor=NOBODY, before="", after="a"), "player change 90"),
        (other("rate", 90, 30, published_by=NOBODY), "rate 90"),
        (count(1, 30, NOBODY), "cage slip 1"),
        (count(1, 30, ZOE), "cage slip 1"),  # she was let go
    ],
)
def test_who_acts_was_hired_and_has_not_left(body, name):
    assert ("identity_differs", name) in acts([body])


def test_who_acts_is_named_once_and_an_act_that_was_under_way_may_end():
    found = acts([count(1, 30, NOBODY), count(2, 30, NOBODY)])
    assert found.count(("identity_differs", "cage slip 1")) == 1
    assert ("identity_differs", "cage slip 2") not in found
    assert ("identity_differs", "cage slip 1") not in acts([count(1, len(DAY) + 1, ZOE)])
    assert ("identity_differs", "cage slip 1") not in acts([count(1, 30, NOBODY)], whole=False)


def test_who_comes_back_acts_again():
    back = {"staff": ZOE, "before": {**STRONG, "is_active": False}, "after": STRONG, **ALONE}
    again = house_event(80, "staff_changed", 25, MANAGER, **back)
    assert ("identity_differs", "cage slip 1") not in acts([again, count(1, 30, ZOE)])
