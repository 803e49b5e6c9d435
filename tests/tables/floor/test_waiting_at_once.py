"""Waiting lists with several floors at once: one seat is promised to one, numbers have no gaps,
nobody waits for ever."""

from datetime import datetime

import pytest

from ledger.models import HouseEvent
from tables.floor import own_pages, waiting
from tables.models import Sitting, WaitingPlace
from tables.seats.players import Person
from tests.support.acting import acting
from tests.support.together import run_together

pytestmark = pytest.mark.django_db(transaction=True)
HERE = "tests.tables.floor.test_waiting_at_once"


def act(verb, actor, **options):
    """Call a verb of waiting.py, or seat somebody, in a process of its own;
    return `ok` or the code of the refusal."""
    from casino.models import Staff
    from ledger.errors import LedgerError
    from ledger.models import Site
    from tables.errors import TableError
    from tables.floor import own_pages, waiting
    from tables.seats import buying_in

    options["now"] = datetime.fromisoformat(options["now"])
    if "name" in options:
        options["who"] = Person(options.pop("name"))
    if verb == "join":
        options["site"] = Site.objects.get()
    if verb == "buy_in":
        options["entry"] = buying_in.FirstBuyIn(options.pop("seat"), cents=30_000, source="cash")
    try:
        if verb == "say":
            said = {name: options[name] for name in ("token", "word", "now")}
            own_pages.say(site=Site.objects.get(), **said)
            return "ok"
        room = buying_in if verb == "buy_in" else waiting
        acting(getattr(room, verb), actor=Staff.objects.get(username=actor), **options)
    except (TableError, LedgerError) as refused:
        return refused.code
    return "ok"


def asking(at, verb, key, actor="floor", **options):
    return {"verb": verb, "actor": actor, "key": key, "now": at.now.isoformat(), **options}


def join(game, name):
    by = {"key": game.key(), "actor": game.floor, "now": game.now}
    return acting(waiting.join, site=game.site, game="face-up", limit_cents=500, who=Person(name), **by)


def test_one_seat_is_promised_to_one_of_two_who_are_called_to_it_at_once(game, floor2):
    places = [join(game, name) for name in ("Ann", "Bob", "Cat", "Dan")]
    calls = [
        asking(
            game,
            "call",
            f"call-at-once-{place.number}",
            ("floor", "floor2")[place.number % 2],
            place_id=place.pk,
            session_id=game.session.pk,
            seat=3,
        )
        for place in places
    ]
    assert sorted(run_together(f"{HERE}:act", calls)) == ["ok", "seat_held", "seat_held", "seat_held"]
    assert WaitingPlace.objects.filter(state="called", seat=3).count() == 1


def test_a_word_pressed_many_times_at_once_is_one_and_a_place_given_up_is_seated_by_nobody(game):
    place = join(game, "Ann")
    by = {"key": game.key(), "actor": game.floor, "now": game.now}
    token = acting(own_pages.make_page, place_id=place.pk, **by)[1]
    words = [asking(game, "say", "", token=token, word="coming") for _ in range(4)]
    assert run_together(f"{HERE}:act", words) == ["ok"] * 4
    assert HouseEvent.objects.filter(kind="place_changed", actor=None).count() == 1
    at = {"session_id": game.session.pk, "seat": 3}
    acts = [
        asking(game, "say", "", token=token, word="off"),
        asking(game, "call", "call-who-leaves", place_id=place.pk, **at),
    ]
    said, called = run_together(f"{HERE}:act", acts)
    assert (said, called) in (("ok", "ok"), ("ok", "place_gone"))
    place.refresh_from_db()
    assert place.state == "left"


def test_a_seat_that_is_called_and_sold_at_once_goes_to_one(game, floor2):
    place = join(game, "Ann")
    at = {"session_id": game.session.pk, "seat": 3}
    acts = [
        asking(game, "call", "call-and-sell-1", place_id=place.pk, **at),
        asking(game, "buy_in", "call-and-sell-2", "floor2", name="Zoe", **at),
    ]
    answers = run_together(f"{HERE}:act", acts)
    assert answers in (["ok", "seat_held"], ["seat_taken", "ok"])
    held = WaitingPlace.objects.filter(state="called").count()
    assert held + Sitting.objects.filter(seat=3).count() == 1


def test_who_is_called_and_seated_elsewhere_at_once_does_not_keep_a_seat(game, beside, floor2):
    place = join(game, "Ann")
    acts = [
        asking(game, "call", "call-elsewhere-1", place_id=place.pk, session_id=game.session.pk, seat=3),
        asking(
            game,
            "buy_in",
            "call-elsewhere-2",
            "floor2",
            session_id=beside.session.pk,
            seat=1,
            name="Ann",
        ),
    ]
    answers = run_together(f"{HERE}:act", acts)
    assert answers in (["ok", "ok"], ["place_gone", "ok"])
    place.refresh_from_db()
    assert (place.state, place.session_id, place.seat) == ("seated", beside.session.pk, 1)


def test_eight_who_join_at_once_have_the_numbers_one_to_eight(game):
    joins = [
        asking(game, "join", f"join-at-once-{n}", game="face-up", limit_cents=500, name=f"Guest {n % 6}")
        for n in range(8)
    ]
    answers = run_together(f"{HERE}:act", joins)
    assert sorted(answers) == ["already_waiting"] * 2 + ["ok"] * 6
    assert sorted(WaitingPlace.objects.values_list("number", flat=True)) == [1, 2, 3, 4, 5, 6]
