"""A tablet that is silent while somebody deals is told to the floor, until somebody has seen to it."""

from datetime import timedelta

import pytest
import time_machine

from ledger.journal.acts import Act
from tables.floor.attention import waiting_now
from tables.floor.needs import change_need
from tables.floor.tablets import silences
from tables.rounds.pushes import push_dealer
from tests.support.game import OPENING

pytestmark = pytest.mark.django_db


def at(game, minute):
    return OPENING + timedelta(minutes=minute)


@pytest.fixture
def table(game):
    game.seat("Ann", "Bob")
    game.session.refresh_from_db()  # it has its dealer
    return game


@pytest.fixture
def asks(client, table):
    """The dealer's tablet asks for its plan, so many minutes after the evening began."""

    def ask(minute, person=None, tablet=""):
        client.force_login(person or table.dealer)
        with time_machine.travel(at(table, minute), tick=False):
            address = f"/api/sessions/{table.session.pk}/plan?tablet={tablet}"
            assert client.get(address).status_code == 200

    return ask


def away(game, minute):
    found = waiting_now(game.site, at(game, minute))
    return [one for one in found if one.kind == "tablet_away"]


def said(game, minute):
    return [one.sentence for one in away(game, minute)]


def push(game, dealer, floor, minute):
    pushes = Act(floor, at(game, minute), key=f"push-at-{minute}")
    push_dealer(session_id=game.session.pk, dealer=dealer, act=pushes)


def test_a_tablet_that_asks_every_minute_is_there(table, asks):
    for minute in range(10):
        asks(minute)
    assert said(table, 11) == []


def test_r57_a_silent_tablet_is_told_since_when_and_stays_told_after_it_is_back(table, asks):
    asks(0)
    assert said(table, 2) == []
    since = "12:00"
    assert said(table, 3) == [
        f"The tablet of Table 1 has not been heard since {since}. What is played there is in no book yet."
    ]
    asks(12)
    asks(13)
    told = f"The tablet of Table 1 was not heard from {since} to 12:12."
    told += " Ask what was played, and count the chips."
    assert said(table, 13) == [told]
    asks(30)
    assert len(said(table, 30)) == 2  # each silence is seen to for itself


def test_the_floor_says_that_it_is_no_matter_and_that_is_recorded(table, asks, floor):
    asks(0)
    asks(12)
    (need,) = away(table, 12)
    which = need.kind, need.subject
    change_need(site=table.site, which=which, does="dismiss", act=Act(floor, at(table, 12), key="no-matter"))
    assert table.site.events.filter(kind="need_changed", data__need="tablet_away").count() == 1


def test_without_a_dealer_or_two_players_no_tablet_is_missed(table, asks, floor):
    asks(0)
    push(table, None, floor, 1)
    assert said(table, 20) == []
    push_dealer(
        session_id=table.session.pk, dealer=table.dealer, act=Act(floor, at(table, 20), key="push-at-20")
    )
    asks(20)
    assert said(table, 20) == []


def test_a_dealer_who_is_pushed_out_while_their_tablet_was_silent_is_told_too(table, asks, floor):
    asks(0)
    push(table, None, floor, 10)
    push_dealer(
        session_id=table.session.pk, dealer=table.dealer, act=Act(floor, at(table, 20), key="push-at-20")
    )
    asks(20)
    assert "from 12:00 to 12:10." in said(table, 20)[0]


def test_who_only_looks_at_a_table_is_not_its_tablet(table, asks, floor):
    asks(0)
    asks(5, person=floor)
    assert len(said(table, 5)) == 1


def test_r57_a_second_device_at_the_table_does_not_speak_for_the_tablet(table, asks):
    for minute in range(10):
        asks(minute)  # the dealer's telephone, on which no round was begun
        if minute < 3:
            asks(minute, tablet="aaaa")
    assert said(table, 9) == [
        "The tablet of Table 1 has not been heard since 12:02. What is played there is in no book yet."
    ]
    asks(10, tablet="aaaa")
    assert [one.split(". ")[0] for one in said(table, 10)] == [
        "The tablet of Table 1 was not heard from 12:02 to 12:10"
    ]


def test_each_of_two_tablets_is_heard_and_seen_to_for_itself(table, asks):
    for minute in (1, 3, 5):
        asks(minute, tablet="bbbb")
    asks(1, tablet="aaaa")
    assert [one.split(" since ")[1][:5] for one in said(table, 6)] == ["12:01"]
    assert len({need.subject for need in away(table, 20)}) == 2


def test_the_tablet_of_a_dealer_who_was_pushed_out_is_missed_only_if_it_was_silent_before(
    table, asks, floor, employ
):
    asks(0, tablet="aaaa")
    dora, eve = employ("dora", "dealer"), employ("eve", "dealer")
    push(table, dora, floor, 2)
    for minute in range(2, 30, 2):
        asks(minute, person=dora, tablet="bbbb")
    assert said(table, 29) == []
    push(table, eve, floor, 40)
    asks(40, person=eve, tablet="cccc")
    assert "was not heard from 12:28 to 12:40." in said(table, 40)[0]


def test_a_number_that_no_tablet_gives_itself_is_refused(client, table):
    client.force_login(table.dealer)
    refused = client.get(f"/api/sessions/{table.session.pk}/plan?tablet=<b>")
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_entry")


def test_closing_the_table_says_it(client, table, asks, floor):
    asks(0)
    asks(12)
    client.force_login(floor)
    with time_machine.travel(at(table, 13), tick=False):
        page = client.get(f"/floor/sessions/{table.session.pk}/close/").content.decode()
    assert "The tablet of Table 1 was not heard from 12:00 to 12:12" in page.replace("&#x27;", "'")


def test_a_table_that_no_tablet_has_dealt_at_is_not_missed(table):
    assert silences(table.site, [table.session.pk], table.now + timedelta(hours=1)) == {}
