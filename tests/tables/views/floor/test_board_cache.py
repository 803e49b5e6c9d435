"""The board is remembered with its rows: it says what a process would say that has never seen it,
and is made again no oftener."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.journal.acts import Act
from ledger.models import Account, Site
from tables.collection import clock as collection_clock, rates
from tables.models import Player, Table
from tables.rounds import matches
from tables.views.floor import board_cache
from tests.support.acting import acting
from tests.support.game import LOW, PLAIN, Game
from tests.support.pages import words
from tests.support.race import STAKE, wins

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_remembered():
    board_cache.forget()


def board(screen):
    """The cards and the sentences of the panel above them."""
    shows = screen.get("/floor/").context
    return shows["cards"], [need.sentence for need in shows["needs"]]


def cards(screen):
    return words("".join(board(screen)[0]))


def card_alone(screen, game):
    """The card of one table, as it is sent to boards."""
    return board_cache.shown_at([game.session.pk], screen.game.now)[game.session.pk].card(may_handle=True)


def same_as_never_seen(screen):
    """The cards of the board, once they,
    the panel and the first card are those of a process that remembers nothing."""
    card = card_alone(screen, screen.game)
    known = board(screen)
    board_cache.forget()
    assert board(screen) == known
    assert card in known[0]
    return words("".join(known[0]))


@pytest.fixture
def evening(screen, game, desk, beside, floor2):
    """What happens at two tables in an evening: each step says how it shows,
    empty where it shows nowhere on a card."""

    def announce():
        at = {"session_id": game.session.pk, "rate": beside.rate, "key": game.key()}
        acting(rates.announce_rate, max_buy_in_cents=60_000, actor=game.floor, now=game.now, **at)

    def clock(verb, **options):
        at = {"session_id": game.session.pk, "key": game.key(), "now": game.now}
        acting(verb, actor=game.floor, **at, **options)

    def both(minute):
        game.minute(minute)
        beside.minute(minute)

    return {
        "seats": (lambda: game.seat("Ann", "Bob"), "Ann"),
        "a round": (lambda: setattr(game, "round", game.start()), "Round 1 since 12:00"),
        "its settlement": (lambda: game.settle(game.round, (PLAIN, LOW)), "Between rounds"),
        "time alone, over a boundary": (lambda: both(41), "Owed before the next round"),
        "a player who cannot pay": (lambda: game.set_stack(2, 5000), "Fee due"),
        "a payment": (lambda: game.pay(2, "cash"), "$50.00"),
        "a correction": (lambda: game.ask(game.round, (LOW, PLAIN)), "A correction waits"),
        "a held seat": (lambda: desk.hold(game, 4, "Gus", minutes=5), "Held for Gus"),
        "its end, by time alone": (lambda: both(50), ""),
        "an announced rate": (announce, "From down 3"),
        "a stop": (lambda: clock(collection_clock.stop_clock, reason="fire alarm"), "fire alarm"),
        "a stop that is long, by time alone": (lambda: both(70), "fire alarm"),
        "its end": (lambda: clock(collection_clock.start_clock), "Next fee"),
        "a name": (lambda: Player.objects.filter(name="Bob").update(name="Robert"), "Robert"),
        "a feeder": (lambda: (beside.buy_in("Dan", 1), desk.must_move(beside, game)), "Dan moves here"),
        "a feeder's round": (lambda: (beside.buy_in("Eve", 2), beside.start()), ", after the round"),
        "a table that closes": (
            lambda: (
                beside.void(beside.session.rounds.get()),
                beside.cash_out(1),
                beside.cash_out(2),
                desk.must_move(beside, None),
                beside.close(floor2),
            ),
            "Robert",
        ),
    }


def test_whatever_happens_the_board_says_what_one_says_that_remembers_nothing(screen, evening):
    for step, (happens, shows) in evening.items():
        happens()
        assert shows in same_as_never_seen(screen), step


def test_the_points_of_a_match_are_never_those_of_before(screen, game, dealer, players):
    race = Game(game.site, game.floor, dealer, players, sheet="first-to-11", number=2)
    race.seat("Ann", "Bob")
    screen.game = race
    wins(race, 1, stake=STAKE)
    assert "Ann 3, Bob 0" in cards(screen)
    wins(race, 1)
    assert "Ann 6, Bob 0" in same_as_never_seen(screen)
    matches.call_off(
        session_id=race.session.pk, act=Act(reason="fire", key=race.key(), actor=race.floor, now=race.now)
    )
    assert "Match 1" not in same_as_never_seen(screen)


def test_a_card_is_made_once_for_everybody_until_its_own_table_changes(screen, game, beside, monkeypatch):
    made = []
    render = board_cache.render_to_string
    monkeypatch.setattr(
        board_cache,
        "render_to_string",
        lambda name, shows: made.append(shows["facts"].session.pk) or render(name, shows),
    )
    game.seat("Ann", "Bob")
    beside.seat("Cat", "Dan")
    cards(screen)
    assert sorted(made) == sorted([game.session.pk, beside.session.pk])
    cards(screen)
    card_alone(screen, beside)
    assert len(made) == 2
    game.sit_out(2)
    cards(screen)
    assert made[2:] == [game.session.pk]


def test_what_one_person_may_do_is_not_on_the_card_of_another(screen, game, regulator):
    game.seat("Ann")
    assert "seat a player" in cards(screen)
    seen = cards(screen.as_(regulator))
    assert "Free" in seen
    assert "seat a player" not in seen


def test_the_card_of_a_main_game_says_who_comes_also_when_it_is_fetched_alone(screen, game, desk, beside):
    game.seat("Ann", "Bob")
    beside.buy_in("Dan", 1)
    desk.must_move(beside, game)
    card = card_alone(screen, game)
    assert "Dan moves here from Table 2" in words(card)


def test_a_board_of_twenty_tables_asks_as_much_as_one_of_two(screen, game, beside, dealer):
    def queries():
        with CaptureQueriesContext(connection) as asked:
            assert screen.get("/floor/").status_code == 200
        return len(asked)

    game.seat("Ann", "Bob")
    beside.seat("Cat", "Dan")
    game.play()
    beside.start()
    cards(screen)
    two = queries()
    Site.objects.update(authorised_tables=21)  # the board says how many are open only once no more may
    game.site.refresh_from_db()
    Account.objects.filter(kind__in=("vault", "patrons"), asset="chips").update(balance_cents=10**9)
    for number in range(3, 21):
        guest = Player.objects.create(site=game.site, name=f"Guest {number}")
        Game(game.site, game.floor, dealer, {"Guest": guest}, number=number).buy_in("Guest", 1)
    assert Table.objects.count() == 20
    assert queries() == two
    game.sit_out(2)
    assert queries() == two  # also where one of them is made again
    board_cache.forget()
    assert queries() == two  # and where all of them are
