"""What the search box finds of fees, of rounds at several tables, and how much it reads for that."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.journal.acts import Act
from tables.collection.waivers import publish_waiver_reason, waive_fee
from tables.floor.disputes import take_dispute
from tables.reports.searching import LINES, Search, exact, results

pytestmark = pytest.mark.django_db


def found(game, person, text):
    """Return the titles of what somebody finds, by kind."""
    kinds = results(Search(game.site, person, text, game.now))
    return {kind.title: [line.title for line in kind.lines] for kind in kinds}


def opens(game, person, text):
    meant = exact(results(Search(game.site, person, text, game.now)))
    return meant and meant.address


def test_a_fee_is_found_by_its_number_in_each_series(game, manager, floor):
    game.seat("Ann", "Bob", "Cat")
    game.play()
    game.set_stack(3, 500)
    game.minute(41).play()
    game.cash_out(3)
    reason = publish_waiver_reason(
        site=game.site, code="kind", text="Kindness", approval_reference="BGC-2",
        effective_from=game.rate.effective_from, act=Act(manager, game.now, "published"),
    )  # fmt: skip
    game.minute(81)
    waive_fee(sitting_id=game.sitting(1).pk, reason=reason, act=Act(floor, game.now, "waived"))
    down = f"/downs/{game.session.downs.get(number=2).pk}/"
    assert opens(game, floor, "uncollected fee 1") == down
    assert found(game, floor, "waiver 1") == {"Waivers": ["Waiver 1"]}
    assert found(game, floor, "1")["Waivers"] == ["Waiver 1"]


def test_a_dispute_is_found_by_its_number_by_whoever_may_read_it(game, floor, dealer, regulator):
    complaint = Act(floor, game.now, "one complaint", reason="a long wait for a seat")
    take_dispute(site=game.site, what="conduct", act=complaint)
    assert opens(game, floor, "complaint 1") == opens(game, regulator, "dispute 1") == "/disputes/"
    assert found(game, dealer, "dispute 1") == {}


def test_many_of_a_kind_are_shown_in_part_with_the_way_to_all(game, regulator):
    game.seat("Ann", "Bob")
    for _ in range(LINES + 2):
        game.play()
    kind = next(
        one for one in results(Search(game.site, regulator, "12:00", game.now)) if one.title == "Rounds"
    )
    assert len(kind.lines) == LINES
    assert kind.more.startswith("/audit/rounds/?day=2026-03-07&at=12")


def test_a_search_sends_as_many_statements_in_a_long_night_as_in_a_short_one(game, regulator):
    game.seat("Ann", "Bob")
    sent = []
    for _ in range(2):
        for _ in range(3):
            game.play()
        with CaptureQueriesContext(connection) as statements:
            found(game, regulator, "2")
        sent.append(len(statements))
    assert sent[1] <= sent[0] <= 30
