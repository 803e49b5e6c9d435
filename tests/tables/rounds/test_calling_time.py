"""R57: the floor calls time on a hand, sixty seconds; one then unfinished is entered as mis-set,
without cards if need be."""

from datetime import timedelta

import pytest

from ledger.errors import LedgerError
from tables.errors import TableError
from tables.models import TableEvent
from tables.rounds import running
from tests.support.acting import acting
from tests.support.answers import answer_to
from tests.support.game import QUEENS
from tests.support.kept import kept


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError)) as error:
        acting(call, *args, **options)
    return error.value.code


@kept
def dealt(game):
    """Ann and Bob in a round; Bob does not come back from the bar."""
    game.seat("Ann", "Bob")
    game.round = game.start()
    return game


def call(game, seat=2, **options):
    options = {"key": game.key(), "actor": game.floor, "now": game.now} | options
    return acting(running.call_time, round_id=game.round.pk, seat=seat, **options)


def test_r57_time_called_runs_sixty_seconds(dealt):
    called = call(dealt)
    assert called.ends_at - dealt.now == timedelta(seconds=60)
    assert running.called_times(dealt.round) == [called]
    assert TableEvent.objects.get(kind="time_called").data["seat"] == 2


def test_an_unfinished_hand_is_entered_as_mis_set_without_cards(dealt):
    call(dealt)
    dealt.minute(2).settle(
        dealt.round,
        [QUEENS, {"misset": True}] if dealt.round.hands.first().seat == 1 else [{"misset": True}, QUEENS],
    )
    hands = {hand["seat"]: hand for hand in answer_to(dealt.round)["hands"]}
    assert hands[2]["foul"]
    assert not hands[1]["foul"]
    assert dealt.stack(1) > dealt.stack(2)


def test_the_floor_calls_it_and_no_dealer(dealt):
    assert refused(call, dealt, actor=dealt.dealer) == "not_allowed"


def test_it_is_called_once_on_a_hand(dealt):
    key = dealt.key()
    assert call(dealt, key=key) == call(dealt, key=key)
    assert refused(call, dealt) == "time_called"
    assert refused(call, dealt, seat=1, key=key) == "key_reused"
    call(dealt, seat=1)
    assert [called.seat for called in running.called_times(dealt.round)] == [2, 1]


def test_only_on_a_hand_that_is_being_played(dealt):
    assert refused(call, dealt, seat=3) == "hand_for_empty_seat"
    dealt.settle(dealt.round)
    assert refused(call, dealt) == "already_settled"
    dealt.round = dealt.minute(3).start()
    dealt.void(dealt.round)
    assert refused(call, dealt) == "round_void"
