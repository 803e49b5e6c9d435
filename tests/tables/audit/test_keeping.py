"""What a house keeps follows from what it kept before, and a table that has closed stays closed:
twice is named."""

import copy

import pytest

from tests.support.kept import kept
from tests.support.replayed import bodies, replayed

pytestmark = pytest.mark.django_db


@kept
def night(game, floor2):
    """A table of a house that plays, ends and closes."""
    game.seat("Ann", "Bob")
    game.play()
    for seat in game.stacks():
        game.cash_out(seat)
    game.close(floor2)
    return bodies()


def at(records, record, kind=None):
    return next(at for at, one in enumerate(records) if (one["record"], one.get("kind")) == (record, kind))


def again(body, **said):
    """The same record once more, under a number of its own."""
    body = copy.deepcopy(body)
    body.get("data", body).update(said)
    return {**body, "id": body["id"] + 10_000, "recorded_at": said.get("recorded_at", body["recorded_at"])}


def event(kind, like, **data):
    return {**like, "id": like["id"] + 20_000, "kind": kind, "data": data}


def codes(records, *, whole=True):
    return [one.code for one in replayed(records, whole=whole)[0]]


def with_(records, place, *more):
    return [*records[:place], *more, *records[place:]]


@pytest.mark.parametrize(
    "said", [{}, {"fee_cents": 1}, {"version": 3}, {"version": 2, "limit_cents": 1}], ids=str
)
def test_r60_a_version_of_a_rate_is_published_once_in_turn_and_for_its_limit(night, said):
    rate = at(night, "rate")
    later = {"effective_from": "2031-01-01"}
    assert codes(with_(night, rate + 1, again(night[rate], **later | said))) == ["house_differs"]
    assert codes(with_(night, rate + 1, again(night[rate], version=2, **later))) == []


def test_a_table_is_entered_before_it_is_opened_and_once(night):
    added = at(night, "house_event", "table_added")
    assert codes([*night[:added], *night[added + 1 :]]) == ["unknown_table"]
    assert codes(with_(night, added + 1, again(night[added]))) == ["house_differs"]
    assert codes(with_(night, added + 1, again(night[added], number=99))) == ["house_differs"]
    assert codes(with_(night, added + 1, again(night[added], table=99))) == ["house_differs"]
    assert codes(night[added + 1 :], whole=False) == []


def test_a_table_that_is_retired_is_not_opened_and_comes_back_once(night):
    added, opened = at(night, "house_event", "table_added"), at(night, "table_event", "opened")
    named = {name: night[added]["data"][name] for name in ("table", "number", "key")}
    retired, restored = (event(f"table_{kind}", night[added], **named) for kind in ("retired", "restored"))
    back = {**restored, "id": restored["id"] + 1}
    assert codes(with_(night, added + 1, retired)) == ["unknown_table"]
    assert codes(with_(night, added + 1, retired, back)) == []
    assert codes(with_(night, added + 1, back)) == ["house_differs"]
    assert codes(with_(night, opened + 1, retired)) == ["house_differs"]
    assert codes(with_(night, added, retired)) == ["house_differs"] * 2


def test_a_table_is_turned_from_the_side_on_which_it_was(night):
    added = at(night, "house_event", "table_added")
    named = night[added]["data"]
    sides = {"left", "right"}
    (other,) = sides - {named["seat_one"]}
    for before, found in ((named["seat_one"], []), (other, ["house_differs"])):
        turned = event("table_turned", night[added], **named, before={"seat_one": before})
        assert codes(with_(night, added + 1, turned)) == found


def test_a_game_that_was_taken_off_is_neither_opened_nor_on_offer_before_the_next_choice(night):
    added, opened = at(night, "house_event", "table_added"), at(night, "table_event", "opened")
    code = night[opened]["data"]["sheet"]["code"]

    def chosen(before, offered, off):
        said = {"before": {"offered": before}, "offered": offered, "taken_off": off, "key": "k"}
        return event("games_offered", night[added], **said)

    off, on = chosen([code, "x"], ["x"], [code]), chosen(["x"], [code, "x"], [])
    on["id"] += 1
    assert codes(with_(night, added + 1, off)) == ["game_not_offered"]
    assert codes(with_(night, added + 1, off, on)) == []
    on["data"]["before"] = {"offered": [code]}
    assert codes(with_(night, added + 1, off, on)) == ["house_differs"]


def test_a_reason_is_published_once_and_ends_once(night):
    added = at(night, "house_event", "table_added")
    said = {"reason": 1, "code": "jam", "key": "k"}
    more = {"text": "The shuffler jammed", "approval_reference": "BGC-7", "effective_from": "2026-01-01"}
    published = event("waiver_reason_published", night[added], **said, **more)
    ended = event("waiver_reason_withdrawn", night[added], **said, withdrawn_on="2026-03-07")
    ended["id"] += 1
    assert codes(with_(night, added, published, ended)) == []
    assert codes(with_(night, added, published, again(published))) == ["house_differs"]
    assert codes(with_(night, added, published, ended, again(ended))) == ["house_differs"]
    assert codes(with_(night, added, ended)) == ["house_differs"]


def test_nothing_happens_at_a_table_that_has_closed_and_it_opens_and_closes_once(night):
    closed = at(night, "table_event", "closed")
    assert codes([*night, again(night[closed])]) == ["unknown_table"]
    pushed = event("pushed", night[closed], dealer=4, previous=4, key="k")
    assert codes([*night, pushed]) == ["unknown_table"]
    opened = again(night[at(night, "table_event", "opened")])
    assert "opened_twice" in codes([*night, opened])


def test_an_opener_is_about_the_bank_of_its_table_once_that_is_open(night):
    fill, opened = at(night, "document", "opener"), at(night, "table_event", "opened")
    moved = [*night[:opened], night[fill], *night[opened:fill], *night[fill + 1 :]]
    assert codes(moved) == ["other_bank"]
    closed = at(night, "table_event", "closed")
    assert codes(with_(night, closed + 1, again(night[fill]))) == ["other_bank"]
    for said in ({"chips": 999}, {"cash": 999}, {"place": "Table 7"}):
        wrong = night[fill] | said
        assert codes([*night[:fill], wrong, *night[fill + 1 :]]) == ["other_bank"]
