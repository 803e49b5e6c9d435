"""Moving a player from the floor's page of a table (R55): the free seats that are offered,
and what is refused."""

import re

import pytest

from ledger.models import JournalEntry
from tables.models import Sitting
from tests.support.kept import kept

pytestmark = pytest.mark.django_db


@kept
def path(game):
    """The address of the act for Ann, who sits in seat 1."""
    game.seat("Ann", "Bob")
    return f"/sittings/{game.sitting(1).pk}/move/"


def place(game, seat):
    return f"{game.session.pk}-{seat}"


def test_the_free_seats_of_the_other_open_tables_are_offered(screen, game, beside, thirty, path):
    beside.buy_in("Cat", 2)
    page = screen.get(path, htmx=True).content.decode()
    offered = re.findall(r'<option value="(\d+-\d)"', page)
    assert offered == [place(beside, seat) for seat in (1, 3, 4, 5)] + [place(thirty, s) for s in range(1, 6)]
    assert "Table 5, limit $30.00, $900.00 to $3,000.00" in page
    assert 'type="checkbox" name="ordered"' in page


def test_a_seat_that_is_held_is_offered_to_whom_it_is_held_for_alone(screen, game, beside, path, desk):
    desk.hold(beside, 3, "Gus")
    desk.hold(beside, 4, "Ann")
    page = screen.get(path, htmx=True).content.decode()
    offered = re.findall(r'<option value="(\d+-\d)"', page)
    assert offered == [place(beside, seat) for seat in (1, 2, 4, 5)]
    answer = screen.post(path, place=place(beside, 3), ordered="on")
    assert (answer.status_code, screen.codes(answer)) == (409, ["seat_held"])


def test_a_player_is_moved_once_for_one_key(screen, game, beside, path):
    said = {"place": place(beside, 4), "key": game.key()}
    for _ in range(2):
        answer = screen.post(path, **said)
        assert (answer.status_code, answer.url) == (302, f"/floor/sessions/{game.session.pk}/")
    assert beside.stacks() == {4: 30_000}
    assert JournalEntry.objects.filter(kind="table_move").count() == 1


def test_with_htmx_the_seats_come_back_without_the_player(screen, game, beside, path):
    answer = screen.post(path, htmx=True, place=place(beside, 4))
    assert answer["HX-Trigger"] == "table-changed"
    assert "Ann moves to Table 2, seat 4." in answer.content.decode()
    assert answer.context["facts"].seated == 1


@pytest.mark.parametrize(
    ("seat", "code", "status"), [(2, "seat_taken", 409), (6, "unknown_seat", 400), (99, "unknown_seat", 400)]
)
def test_a_seat_that_cannot_be_is_refused_beside_the_choice(screen, game, beside, path, seat, code, status):
    beside.buy_in("Cat", 2)
    answer = screen.post(path, place=place(beside, seat))
    assert (answer.status_code, screen.codes(answer)) == (status, [code])
    assert "place" in answer.context["form"].errors
    assert game.stacks() == {1: 30_000, 2: 30_000}


@pytest.mark.parametrize("said", ["", "seat 3", "99999-1", "1-1-1", "-1-1", "１-1"])
def test_what_names_no_seat_is_a_bad_entry(screen, game, beside, path, said):
    answer = screen.post(path, place=said)
    assert (answer.status_code, screen.codes(answer)) == (400, ["bad_entry"])


def test_a_stack_outside_the_bounds_moves_only_where_the_house_orders_it(screen, game, thirty, path):
    answer = screen.post(path, place=place(thirty, 1))
    assert (answer.status_code, screen.codes(answer)) == (400, ["buy_in_too_small"])
    assert "place" in answer.context["form"].errors
    assert screen.post(path, place=place(thirty, 1), ordered="on").status_code == 302
    assert thirty.stacks() == {1: 30_000}


def test_in_mid_round_it_is_neither_offered_nor_done(screen, game, beside, path):
    game.start()
    page = screen.get(f"/floor/sessions/{game.session.pk}/").content.decode()
    assert "/move/" not in page
    answer = screen.post(path, place=place(beside, 1))
    assert (answer.status_code, screen.codes(answer)) == (409, ["round_running"])


def test_what_is_carried_along_and_what_stays_behind_is_said_first(screen, game, beside, path):
    game.play()
    Sitting.objects.filter(pk=game.sitting(1).pk).update(fantasy_land=True)
    page = screen.get(path).content.decode()
    assert "Carries along" in page
    assert "Fantasy land stays behind." in page


def test_the_act_is_offered_to_the_floor_and_not_to_dealers(screen, game, beside, path, dealer):
    seats = f"/sessions/{game.session.pk}/seats/"
    assert path in screen.get(f"/floor/sessions/{game.session.pk}/").content.decode()
    assert path in screen.get(seats).content.decode()
    screen.as_(dealer)
    assert path not in screen.get(seats).content.decode()
    assert screen.get(path).status_code == 403
    assert screen.post(path, place=place(beside, 1)).status_code == 403
    assert beside.stacks() == {}


def test_a_covered_fee_is_on_the_papers_of_the_table_it_came_to(
    screen, client, game, beside, path, regulator
):
    game.play()
    beside.buy_in("Cat", 1)
    screen.post(path, place=place(beside, 4), ordered="on")
    game.minute(1)
    beside.minute(1).play()
    ann = beside.sitting(4)
    down = beside.session.downs.get()
    assert "Covered by a fee at the table before (R62)" in screen.get(f"/sittings/{ann.pk}/").content.decode()
    page = screen.as_(regulator).get(f"/downs/{down.pk}/").content.decode()
    assert "covered by a fee at the table before (R62)" in page
    assert f"/downs/{game.session.downs.get().pk}/" in page
    night = screen.get(f"/audit/players/{ann.player_id}/?day=2026-03-07").content.decode()
    assert "A player moves to another table" in night
    assert "1 covered" in screen.get("/audit/days/2026-03-07/").content.decode()


def test_r50_the_floor_changes_a_players_seat_and_is_offered_what_is_free_there(screen, game, path, desk):
    desk.hold(game, 3, "Gus")
    address = path.replace("/move/", "/seat/")
    assert address in screen.get(f"/floor/sessions/{game.session.pk}/").content.decode()
    page = screen.get(address, htmx=True).content.decode()
    assert re.findall(r'<option value="(\d+)"', page) == ["4", "5"]
    answer = screen.post(address, htmx=True, seat="5")
    assert "Ann changes from seat 1 to seat 5." in answer.content.decode()
    assert sorted(game.stacks()) == [2, 5]
    refused = screen.post(address, seat="2")
    assert (refused.status_code, screen.codes(refused)) == (409, ["seat_taken"])
    assert "seat" in refused.context["form"].errors


def test_r50_a_dealer_changes_nobodys_seat(screen, game, path):
    screen.as_(game.dealer)
    assert screen.post(path.replace("/move/", "/seat/"), seat="5").status_code == 403
