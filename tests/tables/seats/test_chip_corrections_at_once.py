"""One wrong entry is put right once, also when several people do it in the same moment,
or a round is started meanwhile."""

from datetime import datetime

import pytest

from ledger.models import JournalEntry
from tables.models import Hand
from tests.support.acting import acting
from tests.support.balances import differences
from tests.support.together import run_together

pytestmark = pytest.mark.django_db(transaction=True)
HERE = "tests.tables.seats.test_chip_corrections_at_once"


def call(actor, now, **asked):
    """Correct an entry, or start a round, in a process of its own; return `ok` or the code of the refusal."""
    from casino.models import Staff
    from ledger.errors import LedgerError
    from tables.errors import TableError
    from tables.rounds import starting
    from tables.seats import chip_corrections

    common = {"actor": Staff.objects.get(username=actor), "now": datetime.fromisoformat(now)}
    try:
        if "entry" in asked:
            entry = JournalEntry.objects.get(pk=asked.pop("entry"))
            approver = Staff.objects.get(username="floor2")
            acting(
                chip_corrections.correct_chips,
                entry=entry,
                approver=approver,
                source="cash",
                reason="miscounted",
                **common,
                **asked,
            )
        else:
            acting(starting.start_round, **common, **asked)
    except (TableError, LedgerError) as refused:
        return refused.code
    return "ok"


def correcting(game, entry, cents, key):
    return {"actor": "floor", "now": game.now.isoformat(), "entry": entry.pk, "cents": cents, "key": key}


@pytest.mark.parametrize("same_key", [True, False])
def test_four_corrections_of_one_buy_in_at_once_are_one(game, floor2, same_key):
    game.buy_in("Ann", 1, 90)
    wrong = JournalEntry.objects.get(kind="buy_in")
    keys = ["correct-it-once"] * 4 if same_key else [f"correct-it-{n}" for n in range(4)]
    answers = run_together(f"{HERE}:call", [correcting(game, wrong, 30_000, key) for key in keys])
    assert sorted(answers) == (["ok"] * 4 if same_key else ["already_reversed"] * 3 + ["ok"])
    assert JournalEntry.objects.filter(kind="correction").count() == 1
    assert game.stack(1) == 30_000
    assert differences(game.site) == {}


def test_r52_a_round_that_starts_meanwhile_begins_with_the_stack_as_it_was_or_as_it_is(game, floor2):
    game.seat("Ann", "Bob")
    wrong = JournalEntry.objects.filter(kind="buy_in").order_by("pk")[0]
    start = {
        "actor": "dealer",
        "now": game.now.isoformat(),
        "session_id": game.session.pk,
        "key": "start-it-1",
    }
    answers = run_together(f"{HERE}:call", [start, correcting(game, wrong, 40_000, "correct-it-1")])
    assert answers[0] == "ok"
    begun = Hand.objects.get(seat=1).stack_cents
    assert (answers[1], begun) in (("ok", 39_000), ("round_running", 29_000))
    assert game.stack(1) == begun
