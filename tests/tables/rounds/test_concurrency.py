"""What must happen once happens once, also when eight processes ask for it in the same moment."""

from datetime import datetime

import pytest

from ledger.models import Account, JournalEntry
from tables.models import Charge, FeePayment, Round, Settlement
from tests.support.acting import acting
from tests.support.game import FULL_HOUSE, QUEENS
from tests.support.together import run_together

pytestmark = pytest.mark.django_db(transaction=True)
HERE = "tests.tables.rounds.test_concurrency"


def call(verb, actor, **options):
    """Call a verb in a process of its own; return `ok` or the code of the refusal."""
    from casino.models import Staff
    from ledger.errors import LedgerError
    from tables.collection import taking
    from tables.errors import TableError
    from tables.rounds import settling, starting
    from tables.rounds.entry import RoundEntry
    from tables.seats import moving

    options["now"] = datetime.fromisoformat(options["now"])
    if "entry" in options:
        options["entry"] = RoundEntry(**options["entry"])
    try:
        rooms = {"move_player": moving, "pay_fees": taking, "settle_round": settling}
        acting(getattr(rooms.get(verb, starting), verb), actor=Staff.objects.get(username=actor), **options)
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


def starting(game, key):
    start = {"verb": "start_round", "actor": "dealer", "session_id": game.session.pk}
    return start | {"key": key, "now": game.now.isoformat()}


@pytest.mark.parametrize("same_key", [True, False])
def test_r61_two_tablets_starting_one_round_charge_everybody_once(game, same_key):
    game.seat("Ann", "Bob", "Cat", "Dan")
    keys = ["start-it-once"] * 4 if same_key else [f"start-it-{n}" for n in range(4)]
    answers = run_together(f"{HERE}:call", [starting(game, key) for key in keys])
    assert sorted(answers) == (["ok"] * 4 if same_key else ["ok", *["round_running"] * 3])
    assert Round.objects.count() == 1
    assert Charge.objects.count() == FeePayment.objects.count() == 4
    assert Account.objects.get(pk=game.session.box.chips_id).balance_cents == 4000


def test_r63_a_fee_paid_in_cash_on_one_tablet_while_the_round_starts_on_another_is_paid_once(game):
    game.seat("Ann", "Bob")
    game.play()
    game.minute(40)  # the next down: both owe again
    pay = {"verb": "pay_fees", "actor": "dealer", "method": "cash", "now": game.now.isoformat()}
    asked = [
        pay | {"sitting_id": game.sitting(seat).pk, "key": f"pay-{seat}-{n}"}
        for seat in (1, 2)
        for n in (1, 2)
    ]
    answers = run_together(f"{HERE}:call", [*asked, starting(game, "start-a"), starting(game, "start-b")])
    assert sorted(answers[4:]) == ["ok", "round_running"]
    for two in (answers[:2], answers[2:4]):  # by cash before the round, or by the round
        assert sorted(two) in (["nothing_due", "ok"], ["nothing_due", "nothing_due"])
    cash = answers[:4].count("ok")
    methods = FeePayment.objects.filter(charge__down__number=2).values_list("method", flat=True)
    assert sorted(methods) == ["cash"] * cash + ["stack"] * (2 - cash)
    assert Charge.objects.filter(down__number=2).count() == 2
    box = game.fresh_session().box
    assert (box.cash.balance_cents, box.chips.balance_cents) == (1000 * cash, 4000 - 1000 * cash)


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


def test_r62_a_move_in_mid_down_while_the_old_tables_round_starts_charges_the_player_at_one_table_or_covers(
    game, beside
):
    """Whichever comes first: the round at the old table takes the fee,
    or the player is gone and owes nothing there."""
    game.seat("Ann", "Bob", "Cat")
    beside.seat("Dan", "Eve")
    beside.play()
    game.play()
    game.minute(41)
    beside.minute(41)
    ordered = moving(game, 3, beside, 3, "move-in-mid-down") | {"ordered": True}
    answers = run_together(
        f"{HERE}:call", [ordered, starting(game, "start-old-a"), starting(game, "start-old-b")]
    )
    assert sorted(answers[1:]) == ["ok", "round_running"]
    moved = answers[0] == "ok"
    assert answers[0] in ("ok", "round_running")  # dealt in, and so not to be moved
    assert list(game.stacks()) == ([1, 2] if moved else [1, 2, 3])
    cat = Charge.objects.filter(player__name="Cat", down__number=2)
    assert [(charge.session_id, charge.cents) for charge in cat] == (
        [] if moved else [(game.session.pk, 1000)]
    )
    if moved:
        beside.play()
        covers = {charge.rule for charge in Charge.objects.filter(player__name="Cat", session=beside.session)}
        assert covers == {"full"}  # nothing was paid for the current down, so nothing covers
    assert Charge.objects.count() == FeePayment.objects.count()
