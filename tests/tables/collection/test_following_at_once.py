"""R51: a fee that followed its player is taken once,
also when the cage and two hands at the table reach for it in one moment."""

from datetime import datetime

import pytest

from tables.models import Charge, FeePayment, Recovery
from tests.support.acting import acting
from tests.support.balances import differences
from tests.support.together import run_together
from tests.tables.collection import test_following

pytestmark = pytest.mark.django_db(transaction=True)
owing = test_following.owing
HERE = "tests.tables.collection.test_following_at_once"


def call(actor, now, **asked):
    """Take fees of a sitting, or start a round, in a process of its own;
    return `ok` or the code of the refusal."""
    from casino.models import Staff
    from ledger.errors import LedgerError
    from tables.collection import taking
    from tables.errors import TableError
    from tables.rounds import starting

    verb = taking.pay_fees if "sitting_id" in asked else starting.start_round
    try:
        acting(verb, actor=Staff.objects.get(username=actor), now=datetime.fromisoformat(now), **asked)
    except (TableError, LedgerError) as refused:
        return refused.code
    return "ok"


def test_r51_the_cage_the_dealer_and_the_next_round_take_it_once(owing, cashier):
    beside, old = owing, test_following.due(owing)
    bob, dealer, now = beside.sitting(3).pk, beside.dealer.username, beside.now.isoformat()
    at_the_cage = {"actor": "cashier", "sitting_id": bob, "method": "cage", "key": "at-the-cage"}
    in_cash = {"actor": dealer, "sitting_id": bob, "method": "cash", "key": "in-cash-both"}
    round_ = {"actor": dealer, "session_id": beside.session.pk, "key": "the-next-round"}
    answers = run_together(f"{HERE}:call", [asked | {"now": now} for asked in (at_the_cage, in_cash, round_)])

    assert answers[2] == "ok"
    assert set(answers[:2]) <= {"ok", "nothing_due"}
    assert FeePayment.objects.filter(charge=old).count() == 1
    assert Recovery.objects.count() == 1
    assert not Charge.objects.open().filter(player=old.player).exists()
    assert differences(beside.site) == {}
