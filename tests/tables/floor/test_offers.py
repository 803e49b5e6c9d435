"""The games on offer: all of them, until a manager takes some off; open tables play on."""

import pytest

from ledger.errors import KeyReused, NotAllowed
from ledger.journal.acts import Act
from ledger.models import HouseEvent
from tables.errors import BadEntry, GameNotOffered, UnknownGame
from tables.floor import games, opening
from tables.models import Table
from tests.support.game import OPENING

pytestmark = pytest.mark.django_db


def choose(site, manager, codes, key="choose-games"):
    return games.choose_games(site=site, codes=codes, act=Act(actor=manager, now=OPENING, key=key))


def on_offer(site):
    return {sheet.code for sheet in games.offered_games(site)}


def every():
    return {sheet.code for sheet in games.games()}


def test_a_new_house_offers_every_game(site):
    assert on_offer(site) == every()
    assert len(every()) >= 11


def test_a_choice_holds_until_the_next_and_the_log_has_both_sides(site, manager):
    assert choose(site, manager, ["face-up", "western"])
    assert on_offer(site) == {"face-up", "western"}
    assert choose(site, manager, ["face-up"], "choose-again")
    last = HouseEvent.objects.filter(kind="games_offered").latest("pk")
    assert (last.data["before"], last.data["offered"]) == ({"offered": ["face-up", "western"]}, ["face-up"])


def test_the_same_choice_again_changes_nothing(site, manager):
    assert not choose(site, manager, every())
    assert not HouseEvent.objects.filter(kind="games_offered").exists()


def test_one_key_is_one_choice(site, manager):
    choose(site, manager, ["face-up"])
    assert not choose(site, manager, ["face-up"])
    with pytest.raises(KeyReused):
        choose(site, manager, ["western"])


def test_a_house_offers_at_least_one_game_that_there_is(site, manager):
    with pytest.raises(BadEntry):
        choose(site, manager, [])
    with pytest.raises(UnknownGame):
        choose(site, manager, ["canasta"])


def test_a_game_that_was_taken_off_opens_no_table_and_open_ones_play_on(game, manager):
    choose(game.site, manager, ["western"])
    table = Table.objects.create(site=game.site, number=9)
    with pytest.raises(GameNotOffered):
        opening.open_table(
            table=table,
            game="face-up",
            rate=game.rate,
            max_buy_in_cents=50_000,
            act=Act(actor=game.floor, now=game.now, key=game.key()),
        )
    game.seat("Ann", "Bob")
    assert game.start()


def test_nobody_but_managers_chooses(site, floor):
    with pytest.raises(NotAllowed):
        choose(site, floor, ["face-up"])
