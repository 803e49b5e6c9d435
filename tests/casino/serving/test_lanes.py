"""Priorities when there is no room for all: known devices, addresses that ask seldom, the others in turn."""

import asyncio

import pytest
from django.db import OperationalError

from casino.serving import lanes
from casino.serving.lanes import FEW, HAMMERS, SELDOM, Full, Lane, Sender, Strangers, household_of
from casino.sign_in.hashing import digest
from tests.support.loops import finished

HOUSE, QUIET, LOUD, LOUDER = Sender(0, "table 3"), Sender(1, "a"), Sender(2, "b"), Sender(2, "c")


def served(*senders, room=3):
    """Queue these senders while the only thread is taken; return those served, in order, and refused."""

    async def evening():
        lane, turns, refused = Lane("test", 1, room=room), [], []
        lane.place(QUIET)  # the thread is taken
        places = {}
        for number, sender in enumerate(senders):
            try:
                places[number] = lane.place(sender)
            except Full:
                refused.append(number)
        while waiting := [number for number, place in places.items() if not place.done()]:
            lane._next()
            turns += [number for number in waiting if places[number].done()]
        refused += [number for number, place in places.items() if place.exception()]
        return turns, sorted(refused)

    return finished(evening())


def test_one_request_of_each_sender_has_its_turn():
    assert served(LOUD, LOUD, LOUDER) == ([0, 2, 1], [])


def test_a_terminal_of_the_house_goes_first_and_who_asks_seldom_before_the_others():
    assert served(LOUD, QUIET, HOUSE) == ([2, 1, 0], [])


def test_a_full_line_refuses_the_next_one_of_the_same_kind():
    assert served(LOUD, LOUDER, Sender(2, "d"), Sender(2, "e")) == ([0, 1, 2], [3])


def test_who_has_most_in_the_line_makes_room_for_somebody_who_has_nothing_there():
    assert served(LOUD, LOUD, LOUD, LOUDER) == ([0, 3, 1], [2])


def test_a_terminal_of_the_house_finds_room_and_so_does_who_asks_seldom():
    assert served(LOUD, LOUDER, LOUDER, HOUSE, QUIET, Sender(1, "d")) == ([3, 4, 5], [0, 1, 2])
    assert served(HOUSE, HOUSE, HOUSE, LOUD) == ([0, 1, 2], [3])


def test_who_gives_up_leaves_no_gap():
    async def evening():
        lane = Lane("test", 1, room=1)
        lane.place(QUIET)
        waiting = lane.place(LOUD)
        lane.leave(LOUD, waiting)
        again = lane.place(LOUD)
        lane._next()
        assert again.done()
        lane.leave(LOUD, again)  # it had its turn, and passes it on
        assert lane.place(LOUD).done()

    finished(evening())


def test_an_error_in_a_thread_gives_the_thread_to_the_next():
    async def evening():
        lane = Lane("test", 1)
        lane.place(QUIET)
        waiting = lane.place(LOUD)

        def fails():
            raise KeyError

        with pytest.raises(KeyError):
            await lane.begin(fails)
        await asyncio.wait_for(waiting, 5)

    finished(evening())


# -- who somebody is -------------------------------------------------------------------------------


def test_a_terminal_is_known_by_its_cookie_and_everybody_else_by_their_address(monkeypatch):
    monkeypatch.setattr(lanes.terminals, "hashes", lambda: frozenset({digest("the token of table 3")}))
    strangers = Strangers()
    cookie = {"terminal": "the token of table 3"}
    assert strangers.sender(cookie, "203.0.113.9").rank == 1  # nobody has read the list
    strangers.read_terminals()
    assert strangers.sender(cookie, "203.0.113.9").rank == 0
    assert strangers.sender({"terminal": "made up"}, "203.0.113.9") == Sender(1, "203.0.113.9")


def test_an_address_that_asks_often_goes_behind_the_others_until_it_asks_less(monkeypatch):
    strangers, now = Strangers(), [1000.0]
    monkeypatch.setattr(lanes.time, "monotonic", lambda: now[0])

    def ranks(times, address="203.0.113.9"):
        return [strangers.sender({}, address).rank for _ in range(times)]

    assert ranks(4 * FEW) == [SELDOM] * FEW + [HAMMERS] * 3 * FEW
    assert ranks(1, "203.0.113.10") == [SELDOM]
    for rank in (HAMMERS, HAMMERS, SELDOM):  # 20, 10 and 5 are remembered, and each time it asks once
        now[0] += lanes.MINUTE + 1
        assert ranks(1) == [rank]


def test_no_more_addresses_are_remembered_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(lanes, "MOST_ADDRESSES", 50)
    strangers = Strangers()
    for number in range(1000):
        strangers.sender({}, f"203.0.{number // 250}.{number % 250}")
    assert len(strangers._lately) <= 51


def test_the_addresses_that_one_customer_has_are_one_sender():
    assert household_of("2001:db8:1:2::1") == household_of("2001:db8:1:2:ffff::9")
    assert household_of("2001:db8:1:2::1") != household_of("2001:db8:1:3::1")
    assert household_of("203.0.113.9") != household_of("203.0.113.10")
    assert household_of("") == household_of("no address")


def test_a_list_that_cannot_be_read_is_read_again(monkeypatch):
    def away():
        raise OperationalError("connection refused")

    strangers = Strangers()
    monkeypatch.setattr(lanes.terminals, "hashes", away)
    strangers.read_terminals()
    monkeypatch.setattr(lanes.terminals, "hashes", lambda: frozenset({digest("x")}))
    strangers.read_terminals()
    assert strangers.sender({"terminal": "x"}, "").rank == 0
