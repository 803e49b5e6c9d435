"""Tables that run from one gaming day into the next, and the people who count and close a day."""

from datetime import date, timedelta

from django.db import transaction

from ledger.cage import boxes as drops
from ledger.errors import LedgerError
from ledger.journal import closing
from ledger.journal.acts import Act
from ledger.models import DropBox
from tables.errors import TableError
from tables.floor import opening
from tables.models import Sitting
from tables.seats.tokes import give_toke
from tests.support.cage import close_cage, with_drawer
from tests.support.counting import count_boxes

DAY, NEXT = date(2026, 3, 7), date(2026, 3, 8)
SIX = 17 * 60
"""Minutes from opening to six in the morning, when the next gaming day starts."""
# Acts at the table.
ACTS = ("play", "play", "play", "pay cash", "pay stack", "pay cage", "add on", "poor", "leave", "come", "box")


class House:
    def __init__(self, game, cashier, counter1, counter2, beside=None):
        self.game, self.cashier, self.counters = game, cashier, (counter1, counter2)
        self.games = [game] if beside is None else [game, beside]

    def minute(self, minute):
        for game in self.games:
            game.minute(minute)

    def change_box(self, game=None):
        game = game or self.game
        opening.change_box(
            session_id=game.session.pk,
            second=game.dealer,
            act=Act(key=game.key(), actor=game.floor, now=game.now),
        )

    def sign_boxes(self):
        pulled = list(DropBox.objects.filter(pulled_at__isnull=False, sign_off=None).order_by("pk"))
        count_boxes(pulled, self.counters, self.game.now)
        for box in pulled:
            act = Act(actor=self.cashier, key=self.game.key(), now=self.game.now)
            drops.sign_off(box=box, cause="", act=act)

    def close(self, day=DAY):
        game = self.game
        act = Act(actor=self.cashier, now=game.now, key=game.key(), approver=game.floor)
        close_cage(game.site, game.now)
        return closing.close_day(site=game.site, day=day, act=act)

    def end_the_day(self, minute, day=DAY):
        self.minute(minute - 10)
        for game in self.games:
            self.change_box(game)
        self.sign_boxes()
        self.minute(minute)
        return self.close(day)


def act(house, what, seat, game=None):
    """Try one act at a table; refusals are ignored."""
    game = game or house.game
    try:
        with transaction.atomic():
            match what.split():
                case ["play"]:
                    game.play()
                case ["pay", "cage"]:
                    with_drawer(game.site, house.cashier, game.now)
                    game.pay(seat, "cage", actor=house.cashier)
                case ["pay", method]:
                    game.pay(seat, method)
                case ["add", "on"]:
                    game.add_on(seat, 10_000)
                case ["poor"]:
                    game.set_stack(seat, 5000)
                case ["toke"]:
                    # First too little for a fee and nine points, then for the fee alone.
                    cents = (stack := game.stack(seat)) - (5000 if stack > 5000 else 500)
                    by = Act(key=game.key(), actor=game.dealer, now=game.now)
                    give_toke(sitting_id=game.sitting(seat).pk, cents=cents, act=by)
                case ["leave"]:
                    game.cash_out(seat)
                case ["come"]:
                    name = ["Ann", "Bob", "Cat", "Dan", "Eve"][seat - 1]
                    game.buy_in(name, seat, points=max(100, taken_away(game, name) // game.limit))
                case ["box"]:
                    house.change_box(game)
    except (TableError, LedgerError, Sitting.DoesNotExist):
        pass


def taken_away(game, name):
    """Return the cents that a player who just left must bring back (R52); 0 if any buy-in will do."""
    since = game.now - timedelta(minutes=game.site.return_minutes)
    left = game.session.sittings.filter(player__name=name, left_at__gte=since).order_by("-left_at", "-pk")
    return next((sitting.taken_away_cents or 0 for sitting in left), 0)
