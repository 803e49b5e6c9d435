"""A waiting player's own page: its address is of one place, and what the player says there is on record."""

from datetime import timedelta

import pytest

from casino.house.acts import Sought, deeds
from ledger.errors import Refusal
from ledger.models import HouseEvent
from ledger.proof.log import sealing, verifying
from tables.floor import attention, own_pages, waiting
from tables.models import WaitingPlace
from tables.reports.waits import waits_lately
from tests.support.acting import acting

pytestmark = pytest.mark.django_db


def page(desk, place, **options):
    return acting(own_pages.make_page, place_id=place.pk, **desk.by(**options))[1]


def say(desk, token, word):
    return own_pages.say(site=desk.game.site, token=token, word=word, now=desk.game.now)


def find(desk, token):
    return own_pages.find(desk.game.site, token, desk.game.now)


def refused(call, *args, **options):
    with pytest.raises(Refusal) as error:
        call(*args, **options)
    return error.value.code


def told(desk):
    return [item.sentence for item in attention.waiting_now(desk.game.site, desk.game.now, but=("log",))]


def findings(desk):
    sealing.seal(desk.game.site, now=desk.game.now)
    return [str(one) for one in verifying.Verification(desk.game.site).run()]


def test_a_token_is_of_one_place_has_128_bits_and_is_kept_as_a_hash(desk):
    ann, bob = desk.join("Ann"), desk.join("Bob")
    tokens = [page(desk, ann), page(desk, bob)]
    assert [find(desk, token) for token in tokens] == [ann, bob]
    assert own_pages.TOKEN_BYTES * 8 >= 128
    assert len(set(tokens)) == 2
    for place in WaitingPlace.objects.all():
        assert not set(tokens) & set(map(str, vars(place).values()))
    for event in HouseEvent.objects.all():
        assert not set(tokens) & set(map(str, event.data.values()))


def test_a_new_page_ends_the_old_one(desk):
    ann = desk.join("Ann")
    old, new = page(desk, ann), page(desk, ann)
    assert refused(find, desk, old) == "place_unknown"
    assert find(desk, new) == ann


def test_a_form_that_has_made_its_page_makes_no_other(desk):
    ann, key = desk.join("Ann"), desk.game.key()
    token = page(desk, ann, key=key)
    assert refused(page, desk, ann, key=key) == "stale_page"
    assert find(desk, token) == ann


def test_it_ends_with_the_place_or_after_twelve_hours(desk, game):
    ann, bob, cat = desk.join("Ann"), desk.join("Bob"), desk.join("Cat")
    seated, left, waits = page(desk, ann), page(desk, bob), page(desk, cat)
    desk.seat(desk.call(ann, game, 1), game, 1)
    desk.leave(bob)
    for token in (seated, left, "never-made", "x" * 5000):
        assert refused(find, desk, token) == "place_unknown"
        assert refused(say, desk, token, "off") == "place_unknown"
    game.now += timedelta(hours=12, seconds=-1)
    assert find(desk, waits) == cat
    game.now += timedelta(seconds=1)
    assert refused(find, desk, waits) == "place_unknown"
    assert refused(page, desk, ann) == "place_gone"


def test_only_the_floor_makes_one(desk, dealer, cashier):
    ann = desk.join("Ann")
    for person in (dealer, cashier):
        assert refused(page, desk, ann, actor=person) == "not_allowed"


def test_on_my_way_is_said_once_and_by_nobody_of_the_staff(desk, game):
    ann = desk.join("Ann")
    token = page(desk, ann)
    desk.call(ann, game, 1)
    said_at = game.minute(3)
    assert say(desk, token, "coming").coming_at == said_at.now
    game.minute(4)
    assert say(desk, token, "coming").coming_at < game.now
    (event,) = HouseEvent.objects.filter(kind="place_changed", actor=None)
    assert event.terminal == "player's page"
    assert (event.data["state"], event.data["more_at"]) == ("called", None)
    ann.refresh_from_db()
    assert (ann.changed_by, ann.until) == (game.floor, event.at + timedelta(minutes=7))


def test_more_time_is_asked_once_in_a_call_and_the_floor_decides(desk, game):
    ann = desk.join("Ann")
    token = page(desk, ann)
    assert refused(say, desk, token, "more") == "bad_entry"
    until = desk.call(ann, game, 1).until
    game.minute(8)
    assert say(desk, token, "more").until == until
    assert own_pages.words_of(find(desk, token), game.now) == ("coming", "off")
    assert told(desk) == [
        f"Ann (place 1) asks for more time: seat 1 of {game.session.table} is held until 12:10."
    ]
    again = desk.call(ann, game, 1)
    assert (again.until, again.more_at) == (game.now + timedelta(minutes=10), None)
    assert told(desk) == []
    game.minute(30)
    assert refused(say, desk, token, "more") == "bad_entry"


def test_the_player_takes_the_place_off_and_the_seat_is_free(desk, game):
    ann = desk.join("Ann")
    token = page(desk, ann)
    desk.call(ann, game, 1)
    assert say(desk, token, "off").state == "left"
    assert refused(say, desk, token, "off") == "place_unknown"
    assert refused(say, desk, token, "dance") == "place_unknown"
    assert game.buy_in("Bob", 1).seat == 1
    assert desk.join("Ann").number == 2


def test_what_was_said_is_about_the_call_before(desk, game):
    ann = desk.join("Ann")
    token = page(desk, ann)
    desk.call(ann, game, 1)
    say(desk, token, "coming")
    put_back = desk.put_back(ann)
    assert (put_back.coming_at, find(desk, token)) == (None, ann)


def test_who_did_what_has_each_word_of_the_player(desk, game):
    ann = desk.join("Ann")
    token = page(desk, ann)
    game.minute(1)
    desk.call(ann, game, 1)
    for minute, word in enumerate(("coming", "more", "off"), start=2):
        game.minute(minute)
        say(desk, token, word)
    assert [(str(deed.actor), deed.sentence) for deed in deeds(game.site, Sought(group="lists"))] == [
        ("the player", "Place 1 on the waiting list was given up."),
        ("the player", "Place 1 on the waiting list asks for more time."),
        ("the player", "Place 1 on the waiting list is on the way."),
        ("floor", "Place 1 on the waiting list was called."),
        ("floor", "Place 1 on the waiting list got a page for its player."),
        ("floor", "Place 1 on the waiting list waits."),
    ]


def test_making_a_page_is_no_call_and_changes_no_wait(desk, game, site):
    ann = desk.join("Ann")
    page(desk, ann)
    assert waits_lately(site, ann.gaming_day) == {}
    game.now += timedelta(minutes=12)
    desk.call(ann, game, 1)
    page(desk, ann)
    assert list(waits_lately(site, ann.gaming_day).values()) == [[timedelta(minutes=12)]]


def test_the_rows_are_what_the_records_say(desk, game):
    ann, bob = desk.join("Ann"), desk.join("Bob")
    tokens = [page(desk, ann), page(desk, bob)]
    desk.call(ann, game, 1)
    game.minute(2)
    say(desk, tokens[0], "more")
    say(desk, tokens[0], "coming")
    say(desk, tokens[1], "coming")
    say(desk, tokens[1], "off")
    game.minute(15)
    waiting.mark_expired(now=game.now)
    assert findings(desk) == []
    WaitingPlace.objects.filter(pk=ann.pk).update(coming_at=None)
    assert findings(desk) != []
