"""`manage.py seed`: the demo has something to do on every screen and to say on every paper, and its books are
right."""

import subprocess
import sys

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import override_settings
from django.utils import timezone

from casino.demo import people
from casino.demo.nights.trays import Trays
from casino.models import ApiToken, Staff
from ledger.cage import boxes
from ledger.cage.stocking import holds
from ledger.journal import balances
from ledger.journal.acts import Act
from ledger.journal.closing_shifts import shift_states
from ledger.journal.days import clock_of
from ledger.journal.vault_counts import last_count
from ledger.models import (
    CageSlip,
    CageSlipResult,
    ClosedDay,
    DocumentStep,
    DropBox,
    DropSignOff,
    ReversalSlip,
    Site,
    StruckCount,
)
from ledger.papers.paper import declared
from ledger.proof.log import exporting, sealing, verifying
from ledger.reports.box_log import box_row
from ledger.reports.denominations import chips_made
from ledger.rules.denominations import pieces_of, value_of
from ledger.rules.documents import KINDS, Step
from ledger.rules.shifts import shift_of
from tables.floor.handover import handovers, kept_handovers
from tables.floor.line_up import standings
from tables.floor.needs import need_standings
from tables.models import Charge, CorrectionRequest, Rate, Round, Table
from tables.rules.game.sheet import library
from tables.state.plan import plan_round
from tables.state.table_state import load_states, sessions
from tests.support.balances import differences
from tests.support.changed_exports import members_of


@pytest.fixture(scope="module")
def demo_room(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), transaction.atomic():
        with override_settings(DEMO=True):
            call_command("seed")
        yield Site.objects.get()
        transaction.set_rollback(True)


@pytest.fixture
def room(demo_room, db):
    return demo_room


def open_tables():
    return load_states(sessions().filter(closed_at__isnull=True))


def reasons():
    return [seat.reason for state in open_tables() for seat in plan_round(state, timezone.now()).waiting]


def test_the_house_is_a_demo_with_its_people_tables_and_rates(room):
    assert room.demo
    assert room.time_zone == "America/Los_Angeles"
    assert set(dict(people.PEOPLE)) <= set(Staff.objects.values_list("username", flat=True))
    assert Staff.objects.get(username="floor").check_password("demo")
    assert Table.objects.count() == 8
    assert Rate.objects.count() == 8


def test_the_shifts_of_the_closed_day_and_of_last_night_are_closed(room):
    assert room.shifts == 3
    closed = ClosedDay.objects.get()
    assert all(state.closed for state in shift_states(room, closed.gaming_day, timezone.now()))
    first = room.boxes.earliest("installed_at")
    number = shift_of(first.installed_at, first.gaming_day, clock_of(room))
    state = shift_states(room, first.gaming_day, timezone.now())[number - 1]
    assert state.closed or state.last  # the last waits for its day


def test_five_tables_are_in_the_middle_of_play_and_others_free(room):
    assert len(open_tables()) == 5
    assert all(state.last_round is not None for state in open_tables())


def test_somebody_is_short_somebody_owes_a_fee_and_somebody_waits_as_the_fifth(room):
    assert {"short", "fee_due", "fifth"} <= set(reasons())
    assert Charge.objects.open().filter(sitting__left_at=None).exists()


def test_every_built_in_game_has_been_played(room):
    settled = Round.objects.filter(state="settled", session__table__site=room)
    assert set(settled.values_list("session__sheet__code", flat=True)) == set(library().newest)


def test_a_round_waits_for_its_cards(room):
    running = Round.objects.filter(state="dealt")
    assert any(len(round_.draft) == 1 < round_.hands.count() for round_ in running)


def test_a_correction_waits_for_floor2(room):
    request = CorrectionRequest.objects.get(state="asked")
    assert request.asked_by.username == "floor"
    assert not request.round.session.rounds.filter(state="dealt").exists()


def test_boxes_wait_for_counters_and_one_lies_short_before_the_cashier(room):
    counter = Staff.objects.get(username="counter1")
    assert len(boxes.boxes_to_count(counter)) == 2
    pulled = DropBox.objects.filter(pulled_at__isnull=False, sign_off=None)
    (waiting,) = [state for state in map(boxes.count_state, pulled) if state.agreed]
    assert [line.difference for line in box_row(waiting.box.pk).lines] == [-500, 0]
    assert waiting.attempt == 2
    assert DropSignOff.objects.count() >= 2


def test_the_books_of_the_night_are_right(room):
    sealing.seal(room, now=timezone.now(), whole=True)
    assert [str(one) for one in verifying.Verification(room).run()] == []


def test_every_paper_has_something_to_say_and_a_stranger_finds_all_right(room, tmp_path):
    """All papers have a line but two: a started server states the system, and tests the controls."""
    export = tmp_path / "export.zip"
    act = Act(Staff.objects.get(username="manager"), timezone.now())
    sealing.seal(room, now=act.now, whole=True)
    with export.open("wb") as out:
        exporting.export(out, site=room, wanted=exporting.Wanted(players=True), act=act)
    members = members_of(export.read_bytes())
    said = {name.removeprefix("papers/"): data for name, data in members.items() if name.endswith(".csv")}
    assert {*said} == {paper.name for paper in declared(players=True)}
    silent = [name for name, data in said.items() if data.count(b"\n") < 2]
    assert silent == ["control_tests.csv", "system.csv"]
    (tmp_path / "verify.pyz").write_bytes(members["verify.pyz"])
    command = [sys.executable, "-I", "-S", tmp_path / "verify.pyz", export]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_the_floor_has_handed_over_taken_needs_and_sent_dealers_on_breaks(room):
    (kept,) = kept_handovers(room, handovers(room))
    assert (kept.number, kept.gave.username, kept.came.username) == (1, "floor", "floor2")
    ordered = room.events.filter(kind="line_ordered").values_list("data__does", flat=True)
    assert {*ordered} >= {"line", "break"}
    assert {one.place for one in standings(room, timezone.now()).values()} >= {
        "dealing",
        "in_line",
        "on_break",
    }
    assert room.events.filter(kind="need_changed", data__does="take").count() >= 2
    assert any(one.owner for one in need_standings(room, timezone.now()).values())


def test_the_program_of_the_regulator_has_a_token(room):
    assert [one.person.username for one in ApiToken.objects.all()] == ["regulator"]


def test_documents_and_slips_have_gone_every_way_they_can_in_a_night(room):
    steps = set(DocumentStep.objects.values_list("document__kind", "step"))
    assert {kind for kind, _ in steps} == {*KINDS}
    assert {step for _, step in steps} == {*Step} - {Step.RELEASED}  # that is after three years
    ends = set(CageSlipResult.objects.values_list("slip__way", "outcome"))
    assert {way for way, _ in ends} == {*CageSlip.Way} - {"in", "out"}  # which version 0.2.0 had
    assert {outcome for _, outcome in ends} == {*CageSlipResult.Outcome}
    assert {one.document is None for one in StruckCount.objects.all()} == {True, False}
    taken_back = set(ReversalSlip.objects.values_list("entry__kind", "entry__reverses__kind"))
    assert taken_back >= {("undo", "chip_sale"), ("reversal", "chip_redemption"), ("reversal", "collection")}


def test_chips_add_up_by_denomination(room):
    """Of no chip the vault has counted more than were made; the rest is where chips are."""
    trays, made = Trays(room), chips_made(room)
    counted = pieces_of(last_count(room).pieces).chips
    assert {*made} == {50, 100, 500, 2_500, 10_000, 50_000, 100_000}
    assert [value for value in counted if counted[value] > made.get(value, 0)] == []
    assert min([*trays.vault.values(), *trays.drawer.values(), *trays.out.values()]) >= 0
    assert value_of(trays.vault) == holds(room)["chips"]


def test_nothing_lies_in_the_future_and_the_books_balance(room):
    assert not Round.objects.filter(started_at__gt=timezone.now()).exists()
    assert not room.entries.filter(recorded_at__gt=timezone.now()).exists()
    assert balances.asset_sums(room) == {"chips": 0, "cash": 0}
    assert differences(room) == {}


def test_a_room_that_is_there_is_left_alone(room, capsys):
    before = room.entries.count()
    with override_settings(DEMO=True):
        call_command("seed")
    assert room.entries.count() == before
    assert "nothing was changed" in capsys.readouterr().out
