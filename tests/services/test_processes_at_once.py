"""Real processes want the same chips, key or round at once: what may happen once happens once."""

import time
from datetime import datetime

import pytest
from django.db import connection

from ledger.chart import MAY_BE_NEGATIVE
from ledger.journal import balances
from ledger.journal.acts import Act
from ledger.models import Account, AuditRecord, JournalEntry
from tables.models import CorrectionRequest, Round, Settlement
from tests.support.balances import differences
from tests.support.game import FULL_HOUSE, LOW, PLAIN, QUEENS
from tests.support.together import run_together

pytestmark = pytest.mark.django_db(transaction=True)
HERE = "tests.services.test_processes_at_once"
MANY = 8
# The dealer read the jack of the first hand's front for a queen.
JACK = {**QUEENS, "front": "Qs Jc 2c"}


def wait_for_the_others():
    """Wait until all processes are here; the last one would otherwise start when all is done."""
    deadline = time.monotonic() + 50
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval('the_gate')")
        there = 0
        while there < MANY:
            assert time.monotonic() < deadline
            cursor.execute("SELECT last_value FROM the_gate")
            (there,) = cursor.fetchone()


def pay(source, target, cents, key, now):
    """Make one payment between two stacks; return the entry's id or the code of the refusal."""
    from casino.models import Staff
    from ledger.errors import LedgerError
    from ledger.journal.posting import EntryDraft, Move, post
    from ledger.models import Site

    draft = EntryDraft(
        kind="round",
        moves=(Move(source, target, cents),),
        evidence={},
        content={"cents": cents},
        act=Act(Staff.objects.get(username="dealer"), datetime.fromisoformat(now), key),
    )
    site = Site.objects.get()
    wait_for_the_others()
    try:
        return post(site=site, draft=draft).pk
    except LedgerError as refused:
        return refused.code


def act(room, verb, actor, **options):
    """Call a verb of the floor; return `ok` or the code of the refusal."""
    import importlib

    from casino.models import Staff
    from ledger.errors import LedgerError
    from tables.errors import TableError
    from tables.rounds.entry import RoundEntry
    from tests.support.acting import acting as do

    options["now"] = datetime.fromisoformat(options["now"])
    if "entry" in options:
        options["entry"] = RoundEntry(**options["entry"])
    call = getattr(importlib.import_module(f"tables.{room}"), verb)
    person = Staff.objects.get(username=actor)
    wait_for_the_others()
    try:
        do(call, actor=person, **options)
    except (TableError, LedgerError) as refused:
        return refused.code
    return "ok"


def acting(game, room, verb, actor, **options):
    return {"room": room, "verb": verb, "actor": actor, "now": game.now.isoformat(), **options}


def settling(game, round_, hands, key):
    hands = [dict(hand) for hand in game.entry(round_, hands).hands]
    entry = {"round_id": round_.pk, "key": key, "hands": hands}
    return acting(game, "rounds.settling", "settle_round", "dealer", entry=entry)


def approving(game, request, key):
    return acting(game, "rounds.corrections", "approve_correction", "floor", request_id=request.pk, key=key)


@pytest.fixture
def seated(game):
    """Ann and Bob with $300 each; at the end chips are conserved, and every entry has its record."""
    game.seat("Ann", "Bob")
    with connection.cursor() as cursor:
        cursor.execute("CREATE SEQUENCE the_gate")
    yield game
    with connection.cursor() as cursor:
        cursor.execute("DROP SEQUENCE the_gate")
    assert balances.asset_sums(game.site) == {"chips": 0, "cash": 0}
    assert differences(game.site) == {}
    assert not Account.objects.exclude(kind__in=MAY_BE_NEGATIVE).filter(balance_cents__lt=0).exists()
    entries = set(JournalEntry.objects.values_list("pk", flat=True))
    assert set(AuditRecord.objects.filter(kind="entry").values_list("subject", flat=True)) == entries


@pytest.fixture
def corrected(seated):
    seated.round = seated.play([QUEENS, FULL_HOUSE])
    seated.request = seated.ask(seated.round, [JACK, FULL_HOUSE])
    return seated


def paying(game, cents, key):
    ann, bob = game.sitting(1).stack_id, game.sitting(2).stack_id
    return {"source": ann, "target": bob, "cents": cents, "key": key, "now": game.now.isoformat()}


def test_a_stack_of_so_many_payments_makes_so_many(seated):
    payments, cents = 5, 6000
    answers = run_together(f"{HERE}:pay", [paying(seated, cents, f"pay-{n}") for n in range(MANY)])
    assert sorted(map(str, answers))[-(MANY - payments) :] == ["insufficient_funds"] * (MANY - payments)
    assert JournalEntry.objects.filter(kind="round").count() == payments
    assert seated.stacks() == {1: 0, 2: 60_000}


def test_one_key_with_one_content_is_one_entry_for_all(seated):
    answers = run_together(f"{HERE}:pay", [paying(seated, 7000, "the-key")] * MANY)
    assert answers == [JournalEntry.objects.get(key="the-key").pk] * MANY
    assert seated.stacks() == {1: 23_000, 2: 37_000}


def test_one_key_with_many_contents_is_one_entry_for_one(seated):
    answers = run_together(f"{HERE}:pay", [paying(seated, 100 * n, "the-key") for n in range(1, MANY + 1)])
    entry = JournalEntry.objects.get(key="the-key")
    assert sorted(map(str, answers)) == sorted([str(entry.pk), *["key_reused"] * (MANY - 1)])
    assert seated.stacks()[2] == 30_000 + entry.transfers.get().cents


def test_a_player_who_leaves_by_many_doors_takes_the_chips_once(seated):
    leave = [
        acting(
            seated, "seats.sitting", "cash_out", "floor", sitting_id=seated.sitting(1).pk, key=f"leave-by-{n}"
        )
        for n in range(MANY)
    ]
    answers = run_together(f"{HERE}:act", leave)
    assert sorted(answers) == ["not_seated"] * (MANY - 1) + ["ok"]
    assert JournalEntry.objects.filter(kind="cash_out").count() == 1
    assert seated.stacks() == {2: 30_000}


def test_r58_a_correction_and_the_settlement_of_the_next_round_do_not_cross(corrected):
    """While the next round runs the correction waits; the outcome is as if one came after the other."""
    game = corrected
    next_round = game.minute(3).start()
    asked = [settling(game, next_round, [LOW, PLAIN], f"settle-next-{n}") for n in range(4)]
    asked += [approving(game, game.request, f"approve-it-{n}") for n in range(4)]
    answers = run_together(f"{HERE}:act", asked)
    assert sorted(answers[:4]) == ["already_settled"] * 3 + ["ok"]
    assert set(answers[4:]) <= {"ok", "round_running", "correction_decided"}
    if CorrectionRequest.objects.get().state == CorrectionRequest.State.ASKED:  # all of them came too early
        assert answers[4:] == ["round_running"] * 4
        game.approve(game.request)
    else:
        assert answers[4:].count("ok") == 1
    assert Settlement.objects.filter(round=game.round).count() == 2
    assert Settlement.objects.filter(round=next_round).count() == 1
    assert JournalEntry.objects.filter(kind="reversal").count() == 1
    assert JournalEntry.objects.filter(kind="correction").count() == 1
    fees = Account.objects.get(pk=game.session.box.chips_id).balance_cents
    assert sum(game.stacks().values()) + fees == 60_000


def test_r58_the_next_round_begins_with_the_stacks_before_or_after_a_correction(corrected):
    game = corrected.minute(3)
    start = [
        acting(
            game,
            "rounds.starting",
            "start_round",
            "dealer",
            session_id=game.session.pk,
            key=f"start-next-{n}",
        )
        for n in range(4)
    ]
    asked = start + [approving(game, game.request, f"approve-it-{n}") for n in range(4)]
    answers = run_together(f"{HERE}:act", asked)
    assert sorted(answers[:4]) == ["ok"] + ["round_running"] * 3
    # Approved before the round began, or not at all: no correction moves chips of players dealt in.
    approved = CorrectionRequest.objects.get().state == CorrectionRequest.State.APPROVED
    assert sorted(answers[4:]) == (["correction_decided"] * 3 + ["ok"] if approved else ["round_running"] * 4)
    begun = {hand.seat: hand.stack_cents for hand in Round.objects.latest("pk").hands.all()}
    assert begun == game.stacks()
