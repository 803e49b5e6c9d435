"""What screens read: the same number of queries for one table and for many, and why whoever waits does."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.live import publishing
from tables.models import Down
from tables.state.plan import plan_round
from tables.state.table_state import load_states, sessions, state_of
from tests.support.game import Game
from tests.support.race import STAKE, wins


def test_the_state_of_many_tables_takes_as_many_queries_as_that_of_one(stocked_site, floor, dealer, players):
    games = [Game(stocked_site, floor, dealer, players, number=number) for number in (1, 2, 3)]
    games[0].seat("Ann", "Bob")
    games[0].play()
    with CaptureQueriesContext(connection) as for_one:
        load_states(sessions().filter(pk=games[0].session.pk))
    games[1].seat("Cat", "Dan")
    games[1].start()
    with CaptureQueriesContext(connection) as for_all:
        states = load_states(sessions())
    assert len(states) == 3
    assert len(for_all) == len(for_one)


def test_the_state_of_a_table_is_read_in_five_queries_and_that_of_a_race_in_eight(game, dealer, players):
    race = Game(game.site, game.floor, dealer, players, sheet="first-to-11", number=2)
    race.seat("Cat", "Dan")
    wins(race, 1, stake=STAKE)
    game.seat("Ann", "Bob")
    for table, asks in ((game, 5), (race, 8)):
        session = table.fresh_session()
        with CaptureQueriesContext(connection) as asked:
            state_of(session)
        assert len(asked) == asks


def test_what_a_state_is_made_of_is_all_there_and_asks_nothing_more(game):
    game.seat("Ann", "Bob", "Cat")
    game.set_stack(3, 4600)
    game.start()
    game.minute(3)
    state = state_of(game.fresh_session())
    with CaptureQueriesContext(connection) as asked:
        assert [sitting.player.name for sitting in state.sittings] == ["Ann", "Bob", "Cat"]
        assert [sitting.stack.balance_cents for sitting in state.sittings] == [29_000, 29_000, 4600]
        assert state.latest_down.rate == state.session.rate == game.rate
        assert [(charge.down.number, charge.rate) for charge in state.open_charges] == [(1, game.rate)]
    assert len(asked) == 0
    assert state.charged_players == {game.players[name].pk for name in ("Ann", "Bob", "Cat")}
    assert state.in_round == {game.sitting(seat).pk for seat in (1, 2)}


def test_planning_a_round_writes_nothing_and_asks_nothing(game):
    game.seat("Ann", "Bob")
    state = load_states(sessions())[0]
    with CaptureQueriesContext(connection) as queries:
        plan = plan_round(state, game.minute(95).now)
    assert len(queries) == 0
    assert plan.problem is None
    assert Down.objects.count() == 0


@pytest.mark.parametrize(
    ("cents", "sentence"),
    [
        (4499, "Cat has $44.99 and needs $45.00 (nine points) to be dealt in."),
        (5000, "Cat owes $10.00: add on or pay it in cash."),
    ],
)
def test_whoever_waits_is_told_why(game, cents, sentence):
    game.seat("Ann", "Bob", "Cat")
    game.set_stack(3, cents)
    state = load_states(sessions())[0]
    waiting = plan_round(state, game.now).waiting[0]
    assert waiting.sentence == sentence


@pytest.mark.django_db(transaction=True)
def test_a_verb_tells_the_screens_of_its_table_after_the_commit(game, monkeypatch):
    heard = []
    monkeypatch.setattr(publishing, "announce", heard.append)
    game.seat("Ann", "Bob")
    assert set(heard) == {game.session.pk}
