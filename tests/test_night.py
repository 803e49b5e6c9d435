"""A whole night at six tables (in the short form at three), compared with the books by other means."""

import hashlib
import json
import re
from collections import defaultdict
from datetime import timedelta
from itertools import groupby

import pytest
import time_machine
from django.db import transaction
from django.db.models import Sum

from casino import roles
from casino.demo.nights.evening import count_boxes
from casino.demo.nights.plan import figures
from casino.demo.nights.trays import Trays
from casino.models import Staff
from ledger.cage.stocking import holds
from ledger.chart import MAY_BE_NEGATIVE
from ledger.journal import posting
from ledger.models import Account, DropBox, JournalEntry, Site, Transfer
from ledger.rules.denominations import value_of
from tables import tasks
from tables.models import Charge, FeePayment, Hand, Round, TableEvent, TableSession, WaitingPlace
from tables.reports.day_reconciliation import lines as lines_of_day
from tables.rules.game.rounds import library, parse_round, score
from tests.support.lengths import LONG, NIGHT_HOURS
from tests.support.made_up import adds_up, of_page, shown_on
from tests.support.nights import END, play_a_night
from tests.support.retold import Retold

TABLES = 6 if LONG else 3
FACE_UP = library().find("face-up")  # the one game with fantasy land
IDS = {
    *("session", "sitting", "charge", "player", "round_id", "corrects", "reverses", "unpaid_fees", "table"),
    *("to_session", "to_sitting", "covered_by", "request", "dealer", "account", "second"),
    *("slip", "counted_by", "closer"),
}


@pytest.fixture(scope="module")
def night(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), transaction.atomic():
        site = Site.objects.create(name="The Long Night", licence="GEGE-001234", demo=True)
        yield play_a_night(site, tables=TABLES, hours=NIGHT_HOURS, seed=11 if LONG else 3, sheets=[FACE_UP])
        transaction.set_rollback(True)


@pytest.fixture
def books(night, db):
    return night


def sessions(night):
    return TableSession.objects.filter(table__site=night.site).select_related("rate")


def evidence(night, *kinds):
    entries = JournalEntry.objects.filter(site=night.site, kind__in=kinds).order_by("pk")
    return [(entry, json.loads(entry.evidence)) for entry in entries.prefetch_related("transfers")]


def cents(text):
    return round(float(text) * 100)


def test_each_chip_is_where_the_papers_of_the_night_say(books):
    """By denomination: what the night has handed over is what vault, drawers and unclaimed chips have."""
    found, kept = Trays(books.site), books.trays
    assert (found.vault, found.drawer, found.out, kept.short) == (kept.vault, kept.drawer, kept.out, 0)
    assert min([*found.vault.values(), *found.out.values()]) >= 0
    assert value_of(found.vault) == holds(books.site)["chips"]


def test_the_night_had_everything_in_it(books):
    found = figures(books)
    assert sessions(books).filter(closed_at__isnull=False).count() == TABLES
    assert found.rounds > 12 * TABLES * NIGHT_HOURS
    assert 0.02 < found.fouls / found.rounds / 4 < 0.12
    kinds = set(JournalEntry.objects.filter(site=books.site).values_list("kind", flat=True))
    told = set(TableEvent.objects.filter(session__in=sessions(books)).values_list("kind", flat=True))
    methods = set(FeePayment.objects.values_list("method", flat=True))
    if NIGHT_HOURS >= 2:
        assert kinds >= {
            "reversal",
            "correction",
            "document_sent",
            "document_received",
            "add_on",
            "chip_sale",
            "chip_redemption",
        }
        assert kinds >= {"table_move", "toke", "waiver", "hand_settlement"}
        assert told >= {"pushed", "chips_counted", "rate_changed"}
        assert methods >= {"stack", "cash", "waived"}
        assert all((found.refused, found.sweeps, found.fantasy_lands))
        assert set(Charge.objects.values_list("rule", flat=True)) >= {"full", "half"}
    if NIGHT_HOURS >= 4:
        assert told >= {"time_called", "must_move_set"}
        assert set(WaitingPlace.objects.values_list("state", flat=True)) >= {"seated", "left"}
        assert found.voided
        assert methods == {"stack", "cash", "cage", "covered", "waived"}
        assert set(Charge.objects.values_list("rule", flat=True)) == {"full", "half", "covered"}


def test_the_sum_of_all_accounts_is_zero_for_chips_and_for_cash(books):
    sums = Account.objects.filter(site=books.site).values_list("asset").annotate(Sum("balance_cents"))
    assert dict(sums) == {"chips": 0, "cash": 0}


def test_stored_balances_are_the_sums_of_their_transfers_and_none_was_ever_negative(books):
    may = set(Account.objects.filter(kind__in=MAY_BE_NEGATIVE).values_list("pk", flat=True))
    balances = defaultdict(int)
    transfers = Transfer.objects.filter(entry__site=books.site).order_by("entry_id", "line")
    rows = transfers.values_list("entry__kind", "entry_id", "source", "target", "cents")
    for (kind, _), lines in groupby(rows, key=lambda row: row[:2]):
        for _, _, source, target, moved in lines:
            balances[source] -= moved
            balances[target] += moved
            # A reversal is valid only together with the correction after it.
            assert kind in {"reversal", "correction"} or source in may or balances[source] >= 0
        assert kind == "reversal" or all(
            held >= 0 for account, held in balances.items() if account not in may
        )
    stored = dict(Account.objects.filter(site=books.site).values_list("pk", "balance_cents"))
    assert {account: held for account, held in stored.items() if held} == {
        account: held for account, held in balances.items() if held
    }


def test_everybody_took_all_chips_away_and_no_bank_kept_any(books):
    left = Account.objects.filter(site=books.site, kind__in=["stack", "table_bank"])
    assert not left.exclude(balance_cents=0).exists()


def test_every_charge_agrees_with_the_model_told_of_the_same_night(books):
    told = Retold(books.site)
    for session in sessions(books):
        charges = session.charges.select_related("down")
        charged = {
            (charge.down.number, charge.player_id): (charge.rule, charge.cents, charge.fee_cents)
            for charge in charges
        }
        table = told.house.tables[session.pk]
        owed = {(fee.down, fee.player): (fee.rule, fee.cents, fee.full) for fee in table.fees}
        assert charged == owed
        assert len(charges) == len(owed)
        downs = [down.started_at for down in session.downs.order_by("number")]
        assert [start for start, _, _ in table.downs] == downs


def test_everybody_seated_when_a_round_starts_has_one_charge_for_its_down(books):
    for round_ in Round.objects.filter(session__in=sessions(books)).select_related("session", "down"):
        seated = [
            sitting.player_id
            for sitting in round_.session.sittings.all()
            if sitting.entered_at <= round_.started_at < sitting.left_at
        ]
        charged = list(round_.down.charges.values_list("player_id", flat=True))
        assert len(charged) == len(set(charged))
        assert set(seated) <= set(charged)


def test_every_box_holds_what_was_collected_into_it(books):
    into = defaultdict(int)
    for entry, _ in evidence(books, "collection"):
        for transfer in entry.transfers.all():
            into[transfer.target_id] += transfer.cents
    boxes = Account.objects.filter(site=books.site, kind="drop_box")
    assert {box.pk: box.balance_cents for box in boxes} == {box.pk: into[box.pk] for box in boxes}
    assert all(box.sealed_at for box in boxes)


def test_every_settlement_comes_out_again_from_its_evidence(books):
    settled = evidence(books, "round", "correction")
    assert len(settled) >= figures(books).rounds
    for _, told in settled:
        again = score(parse_round(told["input"], library()))
        assert (again.result, again.answer_hash) == (told["result"], told["answer_hash"])


def test_r33_nobody_runs_below_or_above_the_stack_they_began_with(books):
    for entry, told in evidence(books, "round"):
        stacks = {hand["seat"]: cents(hand["stack"]) for hand in told["input"]["hands"]}
        result = dict.fromkeys(stacks, 0)
        payments = score(parse_round(told["input"], library())).payments
        for payment in payments:
            result[payment.from_seat] -= payment.paid_cents
            result[payment.to_seat] += payment.paid_cents
            assert all(-stacks[seat] <= won <= stacks[seat] for seat, won in result.items())
        assert sum(transfer.cents for transfer in entry.transfers.all()) == sum(
            payment.paid_cents for payment in payments
        )


def test_r53_nobody_is_dealt_in_with_less_than_nine_points(books):
    for hand in Hand.objects.filter(round__session__in=sessions(books)).select_related("round"):
        assert hand.stack_cents >= 9 * hand.round.limit_cents


# -- the same night again --------------------------------------------------------------------------


def digest(site) -> str:
    """Return a digest of all that the books say, without primary keys."""
    lines = []
    for entry, told in evidence_of(site):
        moves = [
            (move.source.kind, move.source.label, move.target.kind, move.target.label, move.cents)
            for move in entry.transfers.select_related("source", "target").order_by("line")
        ]
        key = re.sub(r"/\d+", "/", entry.key)
        row = [key, entry.kind, entry.occurred_at, entry.recorded_at, entry.gaming_day, entry.reason]
        people = [entry.actor.username, entry.approver and entry.approver.username]
        lines.append(posting.canonical([list(map(str, row)), people, moves, without_ids(told)]))
    charges = Charge.objects.filter(session__table__site=site).order_by("pk")
    lines += map(str, charges.values_list("down__started_at", "rule", "cents", "charged_at"))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def evidence_of(site):
    entries = JournalEntry.objects.filter(site=site).select_related("actor", "approver").order_by("pk")
    return [(entry, json.loads(entry.evidence)) for entry in entries]


def without_ids(told):
    if isinstance(told, dict):
        return {name: without_ids(value) for name, value in told.items() if name not in IDS}
    return [without_ids(item) for item in told] if isinstance(told, list) else told


def books_of(site, **options) -> str:
    """Play a short night, return its digest, and roll it back."""
    with transaction.atomic():
        play_a_night(site, **options)
        found = digest(site)
        transaction.set_rollback(True)
    return found


def test_the_same_seed_plays_the_same_night(site):
    first = books_of(site, seed=3, tables=2, hours=0.4)
    assert books_of(site, seed=3, tables=2, hours=0.4) == first
    assert books_of(site, seed=4, tables=2, hours=0.4) != first


def test_r65_a_scheduler_that_sleeps_changes_nothing_in_the_books(site):
    calls = []

    def beats(now):
        with time_machine.travel(now, tick=False):
            calls.append(tasks.announce_boundaries())

    hours = 2.5 if LONG else 1

    def sleeps_for_most_of_it(now):
        if not timedelta(hours=hours * 0.15) <= END - now < timedelta(hours=hours * 0.9):
            beats(now)

    never = books_of(site, seed=5, hours=hours)
    assert books_of(site, seed=5, hours=hours, watch=beats) == never
    told = sum(calls)
    calls.clear()
    assert books_of(site, seed=5, hours=hours, watch=sleeps_for_most_of_it) == never
    assert 0 < sum(calls) < told


def test_every_box_is_made_up_on_paper_as_on_its_page(books):
    for username in ("counter1", "counter2"):
        roles.assign(Staff.objects.create_user(username), "counter")
    count_boxes(site=books.site, at=books.now, prefix="counted")
    boxes = {box.number: box for box in DropBox.objects.filter(site=books.site, sign_off__isnull=False)}
    days = {box.gaming_day for box in boxes.values()}
    found = [line for day in days for line in lines_of_day(books.site, day, books.now) if line["table"]]
    found = [line for line in found if line["what"] == "drop_box"]
    assert len(found) == len(boxes) > TABLES / 2
    for line in found:
        shown = of_page(boxes[int(line["number"])])
        assert shown_on(line, shown) == shown
        assert adds_up(line)
