"""What must happen once happens once, also when eight processes ask for it in the same moment."""

from datetime import datetime

import pytest

from ledger.models import Account, JournalEntry
from tables.models import Charge, Collection, Round, Settlement
from tests.game import FULL_HOUSE, QUEENS
from tests.together import run_together

pytestmark = pytest.mark.django_db(transaction=True)
HERE = "tests.tables.test_concurrency"


def call(verb, actor, **options):
    """Call a verb of rounds.py or moving.py in a process of its own; return `ok` or the code of the refusal."""
    from casino.models import Staff
    from ledger.errors import LedgerError
    from tables import moving, rounds
    from tables.errors import TableError
    from tables.scoring import RoundEntry

    options["now"] = datetime.fromisoformat(options["now"])
    if "entry" in options:
        options["entry"] = RoundEntry(**options["entry"])
    try:
        getattr(moving if verb == "move_player" else rounds, verb)(
            actor=Staff.objects.get(username=actor), **options
        )
    except (TableError, LedgerError) as refused:
        return refused.code
    return "ok"


def settling(game, round_, key):
    hands = [dict(hand) for hand in game.entry(round_, [QUEENS, FULL_HOUSE]).hands]
    entry = {"round_id": round_.pk, "key": key, "hands": hands}
    return {"verb": "settle_round", "actor": "dealer", "entry": entry, "now": game.now.isoformat()}


@pytest.mark.parametrize("same_key", [True, False])
def test_eight_confirmations_at_once_settle_a_round_once(game, same_key):
    game.seat("Ann", "Bob")
    round_ = game.start()
    keys = ["confirm-it-once"] * 8 if same_key else [f"confirm-it-{n}" for n in range(8)]
    answers = run_together(f"{HERE}:call", [settling(game, round_, key) for key in keys])
    assert sorted(answers) == (["ok"] * 8 if same_key else ["already_settled"] * 7 + ["ok"])
    assert Settlement.objects.count() == JournalEntry.objects.filter(kind="round").count() == 1
    assert sum(game.stacks().values()) == 58_000


def test_two_tablets_starting_one_round_charge_everybody_once(game):
    game.seat("Ann", "Bob", "Cat", "Dan")
    start = {
        "verb": "start_round",
        "actor": "dealer",
        "session_id": game.session.pk,
        "now": game.now.isoformat(),
    }
    answers = run_together(f"{HERE}:call", [start | {"key": f"start-it-{n}"} for n in range(4)])
    assert sorted(answers) == ["ok", "round_running", "round_running", "round_running"]
    assert Round.objects.count() == 1
    assert Charge.objects.count() == Collection.objects.count() == 4
    assert Account.objects.get(pk=game.session.box.chips_id).balance_cents == 4000


def moving(game, seat, to, to_seat, key):
    return {
        "verb": "move_player",
        "actor": "floor",
        "sitting_id": game.sitting(seat).pk,
        "to_session_id": to.session.pk,
        "seat": to_seat,
        "ordered": False,
        "key": key,
        "now": game.now.isoformat(),
    }


def test_r55_players_who_change_places_at_once_never_wait_for_each_other_for_ever(game, beside):
    game.seat("Ann", "Bob", "Cat")
    beside.seat("Dan", "Eve")
    moves = [moving(game, seat, beside, seat + 2, f"move-there-{seat}") for seat in (1, 2, 3)]
    moves += [moving(beside, seat, game, seat + 3, f"move-here-{seat}") for seat in (1, 2)]
    assert run_together(f"{HERE}:call", moves) == ["ok"] * 5
    assert sorted(game.stacks()) == [4, 5]
    assert sorted(beside.stacks()) == [3, 4, 5]
    assert JournalEntry.objects.filter(kind="table_move").count() == 5


def test_r55_a_seat_that_two_want_at_once_goes_to_one_and_one_move_is_made_once(game, beside):
    game.seat("Ann", "Bob")
    moves = [moving(game, seat, beside, 1, f"move-seat-{seat}") for seat in (1, 1, 2, 2)]
    answers = run_together(f"{HERE}:call", moves)
    assert sorted(answers) == ["ok", "ok", "seat_taken", "seat_taken"]
    assert JournalEntry.objects.filter(kind="table_move").count() == 1
    assert len(beside.stacks()) == len(game.stacks()) == 1
