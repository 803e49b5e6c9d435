"""A time that was read before the wait for a table's lock, and what that table's records then say (R61,
R65)."""

import json
from datetime import datetime, timedelta

import pytest

from ledger.models import AuditRecord
from ledger.proof.log import sealing, verifying
from tables.collection import clock
from tables.errors import ClockBehind
from tables.floor import opening
from tables.models import Charge, Down, Round, Sitting, TableEvent, TableSession
from tables.rounds import running
from tables.rules.table.moments import LONGEST_WAIT
from tables.seats import chip_counts, tokes
from tests.support.acting import acting
from tests.support.behind import behind_the_triggers
from tests.support.game import FULL_HOUSE, HANDS, QUEENS
from tests.support.kept import kept
from tests.support.recorded import recorded_with
from tests.support.replayed import bodies, replayed
from tests.support.together import run_together

HERE = "tests.tables.state.test_turns"
SOME = timedelta(seconds=4)


def codes(records):
    return [finding.code for finding in replayed(records)[0]]


def of_table(session):
    """When each record of a table was written, in the order of writing."""
    return [body["recorded_at"] for body in bodies() if body.get("session") == session.pk]


@pytest.mark.django_db
class TestWhoWaited:
    """Each act is sent with a time of four seconds ago, and an act that came first stands before it."""

    def test_r61_a_buy_in_read_before_the_round_that_stands_before_it_owes_from_the_next_one(self, game):
        game.seat("Ann", "Bob")
        first = game.minute(10).start()
        cat = game.buy_in("Cat", 3, now=game.now - SOME)
        assert cat.entered_at == first.started_at
        assert not Charge.objects.filter(player__name="Cat").exists()
        game.settle(first, [QUEENS, FULL_HOUSE])
        game.minute(12).play()
        charge = Charge.objects.get(player__name="Cat")
        assert (charge.rule, charge.cents, charge.entered_at) == ("full", 1000, first.started_at)
        assert codes(bodies()) == []

    def test_r61_a_buy_in_read_before_20_00_that_waited_past_it_owes_half(self, game):
        game.seat("Ann", "Bob")
        game.play()
        game.minute(20).sit_out(1)
        cat = game.buy_in("Cat", 3, now=game.now - SOME)
        assert cat.entered_at == game.now
        game.sit_out(1, out=False)
        game.play()
        charge = Charge.objects.get(player__name="Cat")
        assert (charge.rule, charge.cents, charge.minute_seconds) == ("half", 500, 1200)
        assert codes(bodies()) == []

    def test_r61_a_cash_out_read_before_the_round_that_stands_before_it_pays_for_its_down(self, game):
        game.seat("Ann", "Bob", "Cat", "Dan", "Eve")
        round_ = game.minute(10).start()
        left = game.cash_out(5, now=game.now - SOME)
        assert left.left_at == round_.started_at
        assert left.taken_away_cents == 60 * 500 - 1000
        assert codes(bodies()) == []

    def test_r65_every_act_at_a_table_takes_its_turn(self, game, floor2):
        game.seat("Ann", "Bob", "Cat", "Dan", "Eve")
        game.minute(1).sit_out(5)
        late = {"now": game.now - SOME, "actor": game.floor}
        table, ann, eve = {"session_id": game.session.pk}, game.sitting(1), game.sitting(5)
        game.fill(5000, now=late["now"])
        acting(opening.change_box, second=floor2, key=game.key(), **table, **late)
        acting(chip_counts.count_chips, counted=game.stacks(), key=game.key(), **table, **late)
        acting(tokes.give_toke, sitting_id=ann.pk, cents=500, key=game.key(), **late)
        game.add_on(1, 500, now=late["now"])
        round_ = game.start(now=late["now"])
        acting(running.call_time, round_id=round_.pk, seat=1, key=game.key(), **late)
        settled = game.settle(round_, now=late["now"])
        game.approve(game.ask(settled, HANDS[::-1], now=late["now"]), actor=floor2, now=late["now"])
        game.void(game.start())
        acting(clock.stop_clock, reason="a spill", key=game.key(), **table, **late)
        acting(clock.start_clock, key=game.key(), **table, **late)
        game.cash_out(5, now=late["now"])
        assert eve.pk not in Sitting.objects.filter(left_at=None).values_list("pk", flat=True)
        moments = of_table(game.session)
        assert moments == sorted(moments)
        assert set(moments[-6:]) == {moments[-1]}
        newest = TableSession.objects.get(pk=game.session.pk).latest_at
        assert newest == game.now == Round.objects.get(pk=round_.pk).ended_at
        assert codes(bodies()) == []

    def test_r65_a_move_takes_the_later_turn_of_two_tables(self, game, beside):
        game.seat("Ann", "Bob")
        beside.minute(3).seat("Cat", "Dan")
        beside.play([QUEENS, FULL_HOUSE])
        moved = game.move(2, beside, 3, now=beside.now - SOME)
        assert moved.entered_at == beside.now == Sitting.objects.get(pk=moved.moved_from_id).left_at
        assert {one.latest_at for one in TableSession.objects.all()} == {beside.now}
        assert codes(bodies()) == []

    def test_a_key_that_is_sent_again_later_finds_what_it_did(self, game):
        game.seat("Ann", "Bob")
        round_ = game.minute(10).start(key="start-it-once")
        assert game.start(key="start-it-once", now=game.now - SOME) == round_

    def test_a_draft_is_no_record_and_takes_no_turn(self, game):
        game.seat("Ann", "Bob")
        round_, before = game.start(), TableSession.objects.get(pk=game.session.pk).latest_at
        saved = {"round_id": round_.pk, "version": 0, "hands": [], "actor": game.dealer}
        acting(running.save_draft, now=game.now + SOME, **saved)
        assert TableSession.objects.get(pk=game.session.pk).latest_at == before

    def test_r65_a_dealer_who_comes_in_by_a_draft_takes_a_turn(self, game):
        game.seat("Ann", "Bob")
        round_ = game.minute(10).start()
        game.push(None)
        saved = {"round_id": round_.pk, "version": 0, "hands": [], "actor": game.dealer or round_.dealer}
        acting(running.save_draft, now=game.now - SOME, **saved)
        pushed = TableEvent.objects.filter(kind="pushed").order_by("pk").last()
        assert (pushed.data["dealer"], pushed.at) == (round_.dealer_id, game.now)
        assert codes(bodies()) == []


@pytest.mark.django_db
class TestAClockThatIsWrong:
    """More than half a minute behind the table's newest record: nobody waits so long."""

    def test_r65_it_is_refused_and_nothing_is_recorded(self, game):
        game.seat("Ann", "Bob")
        written = of_table(game.session)
        with pytest.raises(ClockBehind, match="Table 1 has a record of 2026-03-07 20:00:00 UTC"):
            game.buy_in("Cat", 3, now=game.now - LONGEST_WAIT - timedelta(seconds=1))
        assert of_table(game.session) == written
        game.buy_in("Cat", 3, now=game.now - LONGEST_WAIT)


@pytest.mark.django_db
class TestALogThatRunsBackwards:
    """A record dated before the one that stands before it at its table is named,
    offline and in the live books."""

    @kept
    def night(self, game, beside):
        sealing.seal(game.site, now=game.now)
        game.seat("Ann", "Bob", "Cat")
        beside.seat("Dan", "Eve")
        game.minute(5).play()
        game.minute(9).add_on(3, 500)
        game.minute(15).cash_out(3)
        sealing.seal(game.site, now=game.now)
        return game

    def test_another_tables_times_are_its_own(self, night, beside):
        beside.minute(2).play([QUEENS, FULL_HOUSE])
        assert codes(bodies()) == []

    @pytest.mark.parametrize("kind", ["add_on", "round", "charge", "left", "round_started"])
    def test_offline(self, night, kind):
        records = bodies()
        at = [at for at, body in enumerate(records) if kind in (body["record"], body.get("kind"))][-1]
        early = "2026-03-07T19:59:00.000000Z"
        turned = [dict(body) for body in records]
        for name in ("recorded_at", "occurred_at", "at", "charged_at"):
            if name in turned[at]:
                turned[at][name] = early
        found = replayed(turned)[0]
        assert ("time_runs_back", at) in [(finding.code, finding.leaf) for finding in found]

    def test_in_the_live_books(self, night):
        record = recorded_with('"kind":"add_on"')[0]
        body = json.loads(record.text)[1]
        early = (datetime.fromisoformat(body["recorded_at"]) - timedelta(minutes=5)).strftime(
            "%Y-%m-%dT%H:%M:%S.%fZ"
        )
        with behind_the_triggers("ledger_auditrecord"):
            AuditRecord.objects.filter(pk=record.pk).update(
                text=record.text.replace(body["recorded_at"], early)
            )
        found = {finding.record for finding in verifying.Verification(night.site).run()}
        assert f"entry {body['id']}" in found


def call(verb, actor, now, **options):
    """Call a verb in a process of its own; return `ok` or the code of the refusal."""
    from casino.models import Staff
    from ledger.errors import LedgerError
    from tables.errors import TableError
    from tables.models import Player
    from tables.rounds import starting
    from tables.seats import buying_in
    from tables.seats.sitting import cash_out

    verbs = {"start": starting.start_round, "buy_in": buying_in.buy_in, "cash_out": cash_out}
    if verb == "buy_in":
        options["who"] = Player.objects.get(name=options.pop("player"))
        options["entry"] = buying_in.FirstBuyIn(seat=5, cents=30_000, source="cash")
    try:
        acting(
            verbs[verb], actor=Staff.objects.get(username=actor), now=datetime.fromisoformat(now), **options
        )
    except (TableError, LedgerError) as refused:
        return refused.code
    return "ok"


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_r65_a_buy_in_a_cash_out_and_a_round_sent_at_once_with_clocks_apart_leave_records_in_order(game):
    """The round's clock is four seconds ahead. Whoever gets the table first,
    what is owed follows from what is recorded."""
    game.seat("Ann", "Bob", "Cat", "Dan")
    game.minute(10)
    ahead, behind = (game.now + SOME).isoformat(), game.now.isoformat()
    table = {"session_id": game.session.pk}
    answers = run_together(
        f"{HERE}:call",
        [
            {"verb": "start", "actor": "dealer", "now": ahead, "key": "start-it-now", **table},
            {
                **table,
                "verb": "buy_in",
                "actor": "floor",
                "now": behind,
                "key": "buy-in-now",
                "player": "Eve",
            },
            {
                "verb": "cash_out",
                "actor": "floor",
                "now": behind,
                "key": "cash-out-now",
                "sitting_id": game.sitting(4).pk,
            },
        ],
    )
    assert answers[:2] == ["ok", "ok"]
    moments = of_table(game.session)
    assert moments == sorted(moments)
    started, eve = Round.objects.get().started_at, Sitting.objects.get(player__name="Eve")
    order = list(TableEvent.objects.order_by("pk").values_list("kind", flat=True))
    after_the_round = order.index("seated", 4 + order.index("seated")) > order.index("round_started")
    charged = Charge.objects.filter(player__name="Eve", round__isnull=False).exists()
    assert charged is not after_the_round
    assert (eve.entered_at >= started) is after_the_round
    assert answers[2] in ("ok", "round_running")
    assert Down.objects.count() == 1
    assert codes(bodies()) == []
