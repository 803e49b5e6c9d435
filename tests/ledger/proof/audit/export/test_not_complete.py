"""An export that may lack something of its days says what, and is otherwise right."""

import copy

import pytest

from tests.support.closing_by_hand import BALANCES
from tests.support.entries_by_hand import DRAWER_CASH, DRAWER_CHIPS, PATRONS, PUBLIC, entry, other
from tests.support.log_by_hand import LEAVES, at, bundle, drawer, find, night

CLOSED = "2026-11-23"


@pytest.mark.parametrize(
    ("first", "days", "complete"),
    [
        (20, "22 22", True),  # it holds the closing of the day before, so none of this day can lie before it
        (LEAVES, "22 22", False),  # the 22nd was closed with the 23rd: was something of it closed before?
        (LEAVES, "20 20", False),  # only what came after the day's own closing
        (LEAVES, "20 23", False),
        (LEAVES, "23 23", True),  # the day's own closing counts its entries
        (0, "20 23", True),
    ],
)
def test_an_export_says_where_it_may_not_begin_before_its_days_were_closed(judge, first, days, complete):
    sold = {
        "drawer": {"cash": {"in": 100, "out": 0}, "chips": {"in": 0, "out": 100}},
        "patrons": {"chips": {"in": 100, "out": 0}},
        "public": {"cash": {"in": 0, "out": 100}},
    }
    balances = copy.deepcopy(BALANCES)
    for line in balances:  # of what was sold for a dollar
        line[3] += {DRAWER_CASH: 100, PUBLIC: -100, DRAWER_CHIPS: -100, PATRONS: 100}.get(line[2], 0)
    later = [
        entry(
            120, "chip_sale", 3 * 24 * 60, (PUBLIC, DRAWER_CASH, 100), (DRAWER_CHIPS, PATRONS, 100), receipt=2
        ),
        other(
            *("closed_day", 99, 4 * 24 * 60),
            closed_at=at(4 * 24 * 60),
            closed_by=7,
            closed_with=8,
            entries=1,
            totals=sold,
            balances=balances,
        ),
    ]
    for body in later:
        body["gaming_day"] = CLOSED
    since, until = (f"2026-11-{day}" for day in days.split())
    bodies = [*night(), *later]
    find(bodies, "drawer", 141).update(drawer(ahead=10 * 24 * 60)[0])
    verdict = judge(bundle(bodies, first=first, from_day=since, to_day=until))
    assert verdict.findings == []
    said = [] if complete else [f"nothing here shows that it begins before gaming day {since} was closed"]
    if first == LEAVES:  # what the accounts held before is in the closing of the 20th, which is not here
        said.append(
            f"what accounts held before gaming day {CLOSED} is not here, so its closing balances were not"
            " worked out"
        )
    assert verdict.incomplete == said
