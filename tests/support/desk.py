"""The floor at its waiting lists: every verb at the game's time, with a fresh key."""

from datetime import timedelta

import pytest

from tables.floor import must_move, waiting
from tables.seats.players import Person
from tests.support.acting import acting
from tests.support.game import Game
from tests.support.kept import kept


class Desk:
    def __init__(self, game):
        self.game = game

    def by(self, **options):
        return {"key": self.game.key(), "actor": self.game.floor, "now": self.game.now} | options

    def join(self, name="", number="", description="", **options):
        who = Person(name, number, description)
        what = {"site": self.game.site, "game": "face-up", "limit_cents": 500, "who": who}
        return acting(waiting.join, **self.by(**what | options))

    def call(self, place, table=None, seat=None, **options):
        at = {"session_id": table.session.pk, "seat": seat} if table else {}
        return acting(waiting.call, place_id=place.pk, **at, **self.by(**options))

    def hold(self, table, seat, name, minutes=30, **options):
        until = self.game.now + timedelta(minutes=minutes)
        what = {"session_id": table.session.pk, "seat": seat, "who": Person(name), "until": until}
        return acting(waiting.hold_seat, **self.by(**what | options))

    def seat(self, place, table, seat, cents=30_000, **options):
        at = {"session_id": table.session.pk, "seat": seat, "cents": cents}
        return acting(waiting.seat_from_list, place_id=place.pk, **at, **self.by(**options))

    def put_back(self, place, **options):
        return acting(waiting.put_back, place_id=place.pk, **self.by(**options))

    def leave(self, place, reason="went home", **options):
        return acting(waiting.leave, place_id=place.pk, reason=reason, **self.by(**options))

    def change(self, table, seat, to, **options):
        sitting = table.sitting(seat)
        return acting(
            waiting.ask_change, sitting_id=sitting.pk, to_session_id=to.session.pk, **self.by(**options)
        )

    def must_move(self, table, to, **options):
        to_session_id = to and to.session.pk
        return acting(
            must_move.set_must_move,
            session_id=table.session.pk,
            to_session_id=to_session_id,
            **self.by(**options),
        )

    def move_up(self, sitting, to, seat, **options):
        return acting(
            must_move.move_up,
            sitting_id=sitting.pk,
            to_session_id=to.session.pk,
            seat=seat,
            **self.by(**options),
        )


@pytest.fixture
def desk(game):
    return Desk(game)


@kept
def table3(stocked_site, floor, dealer, players):
    return Game(stocked_site, floor, dealer, players, number=3)
