"""`manage.py simulate`: only in a demo, every night once, tables left open on request."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from casino.demo.nights import round_play
from casino.demo.nights.house import SimulatedHouse, free_tables, publish_rates
from casino.demo.nights.people import name_of
from casino.demo.nights.plan import figures
from casino.demo.people import employ_people
from casino.models import Staff
from ledger.errors import KeyReused
from ledger.journal.balances import asset_sums
from ledger.models import CageSlip, CountSheet, Document, DropSignOff
from ledger.rules.documents import KINDS
from tables.errors import NotDemo
from tables.models import CorrectionRequest, Rate, Round, Table, TableSession
from tables.rules.game.sheet import library
from tests.support.lengths import SOAKED_HOURS, SOAKED_NIGHTS
from tests.support.nights import END, hire_crew, play_a_night
from tests.support.play import variant

START = datetime(2026, 3, 8, 3, 0, tzinfo=UTC)


@pytest.fixture
def demo_room(demo_house):
    hire_crew()
    return demo_house


def test_a_real_house_refuses_made_up_play(site):
    hire_crew()
    with pytest.raises(NotDemo):
        SimulatedHouse(site=site, seed=1, start=START)
    with pytest.raises(CommandError, match="not_demo"):
        call_command("simulate")
    assert not TableSession.objects.exists()


def test_a_real_house_gets_no_made_up_people(db):
    assert not settings.DEMO
    with pytest.raises(CommandError, match="not_demo"):
        call_command("seed")
    assert not Staff.objects.exists()


def test_a_database_without_a_house_refuses_it(db):
    with pytest.raises(CommandError, match="not_demo"):
        call_command("simulate")


def test_a_demo_room_without_its_people_refuses_it(demo_house):
    with pytest.raises(NotDemo):
        SimulatedHouse(site=demo_house, seed=1, start=START)


def test_the_command_prints_what_the_night_came_to(demo_room, capsys):
    employ_people()
    call_command("simulate", "--tables=1", "--hours=0.5", "--seed=2", f"--start={START.isoformat()}")
    said = capsys.readouterr().out
    settled = Round.objects.filter(state="settled").count()
    assert f"{settled} rounds settled" in said
    assert "Sum of all accounts: cash $0.00, chips $0.00" in said


def test_every_paper_of_the_cage_has_something_after_a_night_by_the_command(demo_room):
    employ_people()
    call_command("simulate", "--tables=2", "--hours=1.5", f"--start={START.isoformat()}")
    assert set(Document.objects.values_list("kind", flat=True)) >= {*KINDS}
    ways = {"opening", "to_drawer", "from_drawer", "closing", "count", "unclaimed", "reserve"}
    assert set(CageSlip.objects.values_list("way", flat=True)) == ways
    assert CountSheet.objects.filter(signature__isnull=False).exists()
    assert DropSignOff.objects.exists()
    kinds = set(demo_room.entries.values_list("kind", flat=True))
    assert kinds >= {"drawer_issue", "drawer_close", "vault_count", "chip_sale", "toke_payout", "drop"}
    assert asset_sums(demo_room) == {"chips": 0, "cash": 0}


@pytest.mark.parametrize(
    "wrong", ["--hours=0", "--hours=25", "--tables=0", "--start=today", "--start=2026-03-08T03:00"]
)
def test_a_night_that_cannot_be_is_refused(demo_room, wrong):
    with pytest.raises(CommandError):
        call_command("simulate", wrong)


def test_a_night_is_played_once(demo_room):
    play_a_night(demo_room, hours=0.3)
    with pytest.raises(KeyReused):
        play_a_night(demo_room, hours=0.3)


def test_tables_can_be_left_in_the_middle_of_play(demo_room):
    play_a_night(demo_room, tables=2, hours=0.75, leave_open=True)
    assert TableSession.objects.filter(closed_at=None).count() == 2
    assert all(round_.started_at < END for round_ in Round.objects.all())


def test_a_second_night_takes_tables_that_were_free_all_night(demo_room):
    play_a_night(demo_room, hours=0.3, leave_open=True)
    play_a_night(demo_room, hours=0.3, seed=2)
    assert [session.table.number for session in TableSession.objects.order_by("pk")] == [1, 2]
    assert [table.number for table in free_tables(demo_room, 2, END - timedelta(hours=1))] == [3, 4]
    assert [table.number for table in free_tables(demo_room, 1, END + timedelta(hours=1))] == [2]


def test_r60_the_eight_licensed_rates_are_published_once(demo_room):
    rates = [(s.option, s.limit_cents, s.fee_cents) for s in publish_rates(demo_room, END)]
    assert rates == [
        (1, 100, 1000),
        (2, 500, 1000),
        (3, 1000, 1200),
        (4, 2000, 1200),
        (5, 3000, 1500),
        (6, 4000, 1500),
        (7, 5000, 1800),
        (8, 10000, 1800),
    ]
    publish_rates(demo_room, END)
    assert Rate.objects.count() == 8
    assert not Table.objects.exists()


def test_nobody_in_town_shares_a_name():
    assert len({name_of(number) for number in range(1496)}) == 1496


def test_what_was_called_for_one_limit_is_not_seated_at_another(demo_room):
    """The floor uses the table's current limit, not the one last loaded."""
    house = play_a_night(demo_room, tables=1, hours=0.3, leave_open=True)
    (night,) = house.nights
    limit = night.session.limit_cents
    stale = night.session
    TableSession.objects.update(limit_cents=2 * limit)
    night.fresh_state()
    assert (stale.limit_cents, night.session_now().limit_cents) == (limit, 2 * limit)


def test_a_night_may_lie_before_one_that_has_been_played(demo_room):
    play_a_night(demo_room, hours=0.3)
    play_a_night(demo_room, hours=0.4, end=END - timedelta(minutes=10))
    assert asset_sums(demo_room) == {"chips": 0, "cash": 0}


@pytest.mark.parametrize("code", ["criss-cross", "first-to-11"])
def test_the_games_that_are_played_otherwise_come_to_their_end(demo_room, code):
    play_a_night(demo_room, tables=1, hours=0.3, seed=3, sheets=[library().newest[code]])
    assert {round_.session.sheet.code for round_ in Round.objects.filter(state="settled")} == {code}
    assert asset_sums(demo_room) == {"chips": 0, "cash": 0}


def test_a_night_with_a_house_s_own_sheet_has_its_figures(demo_room, settings, tmp_path):
    own = variant("2-4", "majority = 5").find("house")
    settings.HOUSE_SHEETS = tmp_path
    (tmp_path / "house.toml").write_bytes(own.raw)
    house = play_a_night(demo_room, tables=1, hours=0.3, sheets=[own])
    assert {round_.session.sheet.code for round_ in Round.objects.all()} == {"house"}
    assert figures(house).rounds > 0


@pytest.mark.parametrize("code", ["pokerlistings", "face-up", "first-to-11"])
def test_r32_two_players_agree_on_a_stake_of_their_own_where_the_game_knows_it(demo_room, monkeypatch, code):
    monkeypatch.setattr(round_play, "AGREES_ON_STAKE", 0.5)
    play_a_night(demo_room, hours=0.3, sheets=[library().newest[code]])
    stakes = [round_.pair_stakes for round_ in Round.objects.order_by("pk")]
    assert any(stakes) is (code == "pokerlistings")
    assert any(one and one == other for one, other in pairwise(stakes)) is (code == "pokerlistings")


def test_r58_rounds_of_a_race_are_corrected_too(demo_room, monkeypatch):
    monkeypatch.setattr(round_play, "MISTAKEN", 0.5)
    play_a_night(demo_room, hours=0.5, sheets=[library().newest["first-to-11"]])
    assert CorrectionRequest.objects.filter(state=CorrectionRequest.State.APPROVED).exists()
    assert asset_sums(demo_room) == {"chips": 0, "cash": 0}


@pytest.mark.parametrize("seed", range(1, SOAKED_NIGHTS + 1))
def test_a_night_of_any_seed_comes_to_its_end(demo_room, seed):
    play_a_night(demo_room, tables=2, hours=SOAKED_HOURS, seed=seed)
    assert not TableSession.objects.filter(closed_at=None).exists()
    assert asset_sums(demo_room) == {"chips": 0, "cash": 0}
