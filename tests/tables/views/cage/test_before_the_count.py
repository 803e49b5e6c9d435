"""Until two counters have signed the count sheet of a box, nobody who counts, deals, runs the floor or works
the cage reads anywhere what the books expect in it, nor a sum that comes to it."""

import re

import pytest
from django.utils import timezone

from ledger.cage import boxes
from ledger.journal.acts import Act
from ledger.models import CountSheet, JournalEntry
from tables.models import Down
from tests.support import addresses
from tests.support.counting import count_box, enter_count
from tests.support.game import Game
from tests.support.kept import kept
from tests.support.lengths import LONG

pytestmark = pytest.mark.django_db
FEE = 1_137
WHO = ["floor", "dealer", "cashier", "counter1", "counter2"]
AT_THE_TABLE = WHO[:-1] if LONG else ["floor", "dealer", "cashier"]
IN_THE_COUNT_ROOM = WHO if LONG else ["floor", "cashier", "counter1", "counter2"]


@kept
def one_down(stocked_site, floor, dealer, players):
    """Three fees from stacks and two in cash, all of one down, in the box of table 6: no other figure of the
    house is one of these."""
    game = Game(stocked_site, floor, dealer, players, number=6, fee_cents=FEE)
    game.seat("Ann", "Bob", "Cat", "Dan", "Eve")
    game.play(in_cash=[4, 5])
    return game


@kept
def two_downs(one_down):
    one_down.minute(41).play()
    return one_down


def figures(*sums):
    """Return the ways in which amounts may be written."""
    return [text for cents in sums for text in (f"{cents}", f"{cents / 100:,.2f}")]


ONE = figures(3 * FEE, 2 * FEE, 5 * FEE)
TWO = figures(3 * FEE, 5 * FEE, 8 * FEE, 10 * FEE)


def every_address(game):
    """Return every address of the house, with the ids of what stands at this table."""
    session = game.fresh_session()
    ids = {"session_id": session.pk, "table_id": session.table_id, "box_id": session.box_id}
    ids |= {"round_id": session.rounds.last().pk, "sitting_id": session.sittings.first().pk}
    ids |= {"player_id": session.sittings.first().player_id, "account_id": session.box.chips_id}
    ids |= {
        "entry_id": JournalEntry.objects.latest("pk").pk,
        "sheet_id": getattr(CountSheet.objects.last(), "pk", 1),
    }
    return addresses.of(*({**ids, "down_id": down} for down in Down.objects.values_list("pk", flat=True)))


def told(client, game, expected):
    """Return the addresses that tell one of these figures, and how many answered."""
    found, shown = [], 0
    for address in every_address(game):
        answer = client.get(address)
        if answer.streaming and answer.is_async:  # live pieces, which are those of the pages
            continue
        shown += answer.status_code == 200
        body = b"".join(answer) if answer.streaming else answer.content
        text = re.sub(r'data-now="[^"]*"|\b\w{64}\b', "", body.decode("utf-8", "replace"))
        found += [
            (address, one) for one in expected if re.search(rf"(?<![\d.,]){re.escape(one)}(?!\d)", text)
        ]
    return found, shown


@pytest.fixture
def stopped(one_down, monkeypatch):
    monkeypatch.setattr(timezone, "now", lambda: one_down.now)


@pytest.mark.parametrize("who", AT_THE_TABLE)
def test_no_address_tells_what_the_box_of_a_table_should_hold(one_down, stopped, at, request, who):
    found, shown = told(at(request.getfixturevalue(who)), one_down, ONE)
    assert found == []
    assert shown > 5


@pytest.mark.parametrize("who", IN_THE_COUNT_ROOM)
def test_nor_of_several_downs_nor_while_it_is_counted(
    two_downs, stopped, at, request, floor, dealer, counter1, who
):
    box = boxes.pull_box(box=two_downs.session.box, second=dealer, act=Act(floor, two_downs.now))
    enter_count(box, counter1, two_downs.now, chips=500)
    found, shown = told(at(request.getfixturevalue(who)), two_downs, TWO)
    assert found == []
    assert shown > 5


def test_a_manager_sees_it_before_and_the_cashier_once_the_sheet_is_signed(
    one_down, stopped, at, cashier, manager, floor, dealer, counter1, counter2
):
    box = boxes.pull_box(box=one_down.session.box, second=dealer, act=Act(floor, one_down.now))
    page, day = f"/cashier/boxes/{box.pk}/", "/cashier/day/?day=2026-03-07"
    assert "$56.85" in at(manager).get(page).content.decode()
    for address in (page, day):
        assert "not before the count" in at(cashier).get(address).content.decode()
    count_box(box, (counter1, counter2), one_down.now)
    for address in (page, day):
        text = at(cashier).get(address).content.decode()
        assert "$56.85" in text
        assert "not before the count" not in text
