"""R64: an announced rate takes effect once,
also when several processes want the table in the moment in which it does."""

from datetime import date, datetime

import pytest

from ledger.journal.acts import Act
from tables.collection import rates
from tables.models import Charge, Down, Round, TableEvent
from tests.support.acting import acting
from tests.support.together import run_together

pytestmark = pytest.mark.django_db(transaction=True)
HERE = "tests.tables.collection.test_rates_at_once"


def call(verb, actor, now, **options):
    """Call a verb in a process of its own; return `ok` or the code of the refusal."""
    from casino.models import Staff
    from ledger.errors import LedgerError
    from tables.collection import rates
    from tables.errors import TableError
    from tables.rounds import starting
    from tables.seats import buying_in

    rooms = {"start_round": starting, "add_on": buying_in, "withdraw_rate": rates}
    try:
        person = Staff.objects.get(username=actor)
        acting(getattr(rooms[verb], verb), actor=person, now=datetime.fromisoformat(now), **options)
    except (TableError, LedgerError) as refused:
        return refused.code
    return "ok"


def test_r64_a_change_takes_effect_once_whoever_comes_first(game, manager):
    ten = rates.publish_rate(
        site=game.site,
        entry=rates.RateEntry(1000, 1200, "BGC-7", date(2026, 3, 7)),
        act=Act(actor=manager, now=game.now),
    )
    game.seat("Ann", "Bob")
    game.play()
    session = game.session.pk
    rates.announce_rate(
        session_id=session,
        rate=ten,
        max_buy_in_cents=100_000,
        act=Act(key=game.key(), actor=game.floor, now=game.now),
    )
    now = game.minute(41).now.isoformat()
    start = {"verb": "start_round", "actor": "dealer", "session_id": session, "now": now}
    chips = {"verb": "add_on", "actor": "dealer", "cents": 1000, "source": "cash", "now": now}
    back = {"verb": "withdraw_rate", "actor": "floor", "session_id": session, "now": now}
    answers = run_together(
        f"{HERE}:call",
        [
            *(start | {"key": f"start-the-round-{n}"} for n in range(3)),
            *(chips | {"key": f"add-on-{n}", "sitting_id": game.sitting(n).pk} for n in (1, 2)),
            back | {"key": "take-it-back"},
        ],
    )
    assert sorted(answers[:3]) == ["ok", "round_running", "round_running"]
    assert set(answers[3:5]) <= {"ok", "round_running"}
    assert answers[5] == "nothing_changes"  # down 2 has begun at 40
    assert TableEvent.objects.filter(kind=TableEvent.Kind.RATE_CHANGED).count() == 1
    assert list(Down.objects.order_by("number").values_list("rate", flat=True)) == [*(game.rate.pk, ten.pk)]
    assert list(Round.objects.order_by("number").values_list("limit_cents", flat=True)) == [500, 1000]
    assert list(Charge.objects.order_by("pk").values_list("fee_cents", flat=True)) == [1000] * 2 + [1200] * 2
