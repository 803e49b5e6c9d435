"""An evening with every way to pay, its drop box, and people signed in."""

import re

import pytest
from django.template import TemplateDoesNotExist
from django.utils import timezone

from ledger.cage import boxes
from ledger.journal.acts import Act
from tests.support.counting import count_box
from tests.support.kept import kept

DAY = "2026-03-07"


@pytest.fixture
def clock(game, monkeypatch):
    """Stop the house's clock at the game's time; `game.minute(30)` moves both."""
    monkeypatch.setattr(timezone, "now", lambda: game.now)
    return game


@pytest.fixture
def at(client):
    """`at(person)`: a client in which this person is signed in."""

    def sign_in(person):
        client.force_login(person)
        return client

    return sign_in


@pytest.fixture
def bare_refusals(monkeypatch):
    """Answer each refusal with its sentence alone, as the house does without its templates: where a test asks
    every address, most of its answers would be the same page around another sentence."""

    def missing(name):
        raise TemplateDoesNotExist(name)

    monkeypatch.setattr("casino.views.get_template", missing)


@kept
def played_evening(game, cashier):
    """An evening at table 1 with every way to pay, $10 a player and down.

    Down 1: Ann, Bob and Cat full from their stacks, Dan full in cash, Eve half ($5) at the cage. Down 2: Ann,
    Bob and Eve full from their stacks; $10 each of Cat and Dan stay due, to leave nine points. Together $95:
    $60 in chips and $10 in cash in the box, $5 at the cage, $20 due.
    """
    game.seat("Ann", "Bob", "Cat", "Dan")
    game.play(in_cash=[4])
    game.minute(25).buy_in("Eve", 5)
    game.pay(5, "cage", actor=cashier)
    game.minute(30).play()
    game.set_stack(3, 5000)
    game.minute(41).play()
    return game


@pytest.fixture
def evening(clock, played_evening):
    return played_evening


@kept
def pulled_box(played_evening, floor, dealer):
    act = Act(actor=floor, now=played_evening.now)
    return boxes.pull_box(box=played_evening.session.box, second=dealer, act=act)


@pytest.fixture
def boxed(evening, pulled_box):
    """That box: $60 in chips and $10 in cash are expected in it."""
    return pulled_box


@pytest.fixture
def counted(boxed, counter1, counter2, evening):
    """`counted(chips, cash)`: both counters find this in the box, in cents, and sign the count sheet."""

    def count(chips, cash):
        count_box(boxed, (counter1, counter2), evening.now, chips=chips, cash=cash)
        return boxed

    return count


@pytest.fixture
def codes_on():
    """`codes_on(response)`: the codes of all errors on a page, in order."""

    def codes(response):
        return re.findall(r"<code>([a-z_]+)</code>", response.content.decode())

    return codes
