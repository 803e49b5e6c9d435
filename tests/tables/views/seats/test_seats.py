"""The forms at a seat: what they do, and that a refusal shows its code, keeps what was typed,
and changes nothing."""

import pytest

from ledger.models import JournalEntry
from tables.models import Player, Sitting
from tests.support.cast import PIN

pytestmark = pytest.mark.django_db


def buy_in_path(game, seat=1):
    return f"/sessions/{game.session.pk}/seats/{seat}/buy-in/"


def test_a_player_is_seated_by_name_with_cash(screen, game):
    answer = screen.post(buy_in_path(game), name="Zoe", amount="300", source="cash")
    assert answer.status_code == 302
    assert answer.url == f"/floor/sessions/{game.session.pk}/"
    assert str(game.sitting(1).player) == "Zoe"
    assert game.stack(1) == 30_000


def test_the_same_key_seats_a_described_player_once(screen, game, cashier):
    game.sell(30_000, cashier)
    said = {"description": "red cap", "amount": "300", "source": "chips", "key": game.key()}
    for _ in range(2):
        assert screen.post(buy_in_path(game), **said).status_code == 302
    assert Sitting.objects.count() == 1
    assert Player.objects.filter(description="red cap").count() == 1
    assert JournalEntry.objects.filter(kind="buy_in").count() == 1


def test_half_a_cent_is_refused_beside_the_amount_and_what_was_typed_stays(screen, game):
    answer = screen.post(buy_in_path(game), name="Zoe", amount="$1.005", source="cash")
    assert answer.status_code == 400
    assert screen.codes(answer) == ["bad_amount"]
    assert "amount" in answer.context["form"].errors
    assert 'value="$1.005"' in answer.content.decode()
    assert 'value="Zoe"' in answer.content.decode()
    assert not Sitting.objects.exists()


@pytest.mark.parametrize(
    ("said", "field", "code"),
    [
        ({"name": "Zoe", "amount": "149.99"}, "amount", "buy_in_too_small"),
        ({"name": "Zoe", "amount": "500.01"}, "amount", "buy_in_too_large"),
        ({"amount": "300"}, "name", "player_unknown"),
        ({"name": "Zoe"}, "amount", "bad_amount"),
        ({"name": "Zoe", "amount": "300", "source": "credit"}, "source", "bad_entry"),
        ({"name": "Zoe", "amount": "300", "key": "short"}, "__all__", "bad_entry"),
        ({"name": "Zoe", "amount": "300", "entered_at": "23:59"}, "entered_at", "bad_time"),
        ({"name": "Zoe", "amount": "300", "entered_at": "noon"}, "entered_at", "bad_entry"),
    ],
)
def test_a_refused_buy_in_says_why_beside_the_field_and_makes_no_player(screen, game, said, field, code):
    known = Player.objects.count()
    answer = screen.post(buy_in_path(game), **{"source": "cash"} | said)
    assert answer.status_code == 400
    assert screen.codes(answer) == [code]
    assert field in answer.context["form"].errors
    assert Player.objects.count() == known
    assert not Sitting.objects.exists()


def test_a_taken_seat_is_a_conflict(screen, game):
    game.seat("Ann")
    answer = screen.post(buy_in_path(game), name="Zoe", amount="300", source="cash")
    assert answer.status_code == 409
    assert screen.codes(answer) == ["seat_taken"]
    assert "since 12:00" in answer.content.decode()  # the house's clock, not UTC


def test_a_key_that_did_something_else_is_refused_and_the_form_gets_a_new_one(screen, game):
    key = game.key()
    screen.post(buy_in_path(game), name="Zoe", amount="300", source="cash", key=key)
    answer = screen.post(buy_in_path(game, 2), name="Yan", amount="300", source="cash", key=key)
    assert answer.status_code == 409
    assert screen.codes(answer) == ["key_reused"]
    assert key not in answer.content.decode()


def test_r61_a_claimed_time_that_changes_the_fee_takes_a_second_person_with_their_password(
    screen, game, floor2
):
    game.seat("Ann", "Bob")
    game.play()
    game.minute(25)
    late = {"name": "Zoe", "amount": "300", "source": "cash", "entered_at": "12:10"}
    assert screen.codes(screen.post(buy_in_path(game, 3), **late)) == ["second_person"]
    wrong = screen.post(buy_in_path(game, 3), **late, second="floor2", second_pin="8642")
    assert screen.codes(wrong) == ["wrong_pin"]
    assert "guess" not in wrong.content.decode()
    assert game.stacks().keys() == {1, 2}
    screen.post(buy_in_path(game, 3), **late, second="floor2", second_pin=PIN)
    assert game.sitting(3).entered_at < game.sitting(3).recorded_at


def test_r61_only_another_supervisor_is_offered_as_the_second_person(screen, game, floor2, dealer):
    options = screen.get(buy_in_path(game)).context["form"].fields["second"].widget.choices
    assert [name for name, _ in options if name] == ["floor2"]


def test_the_second_person_needs_the_right(screen, game, cashier):
    game.seat("Ann", "Bob")
    game.play()
    game.minute(25)
    late = {"name": "Zoe", "amount": "300", "source": "cash", "entered_at": "12:10"}
    answer = screen.post(buy_in_path(game, 3), **late, second="cashier", second_pin=PIN)
    assert answer.status_code == 400
    assert screen.codes(answer) == ["wrong_pin"]
    assert 3 not in game.stacks()


def test_htmx_gets_the_panel_again_and_the_other_pieces_of_the_page_hear_of_it(screen, game):
    answer = screen.post(buy_in_path(game), htmx=True, name="Zoe", amount="300", source="cash")
    assert answer.status_code == 200
    assert answer["HX-Trigger"] == "table-changed"
    assert "Zoe is in seat 1 with $300.00." in answer.content.decode()
    assert "<html" not in answer.content.decode()


def test_htmx_gets_a_refused_form_inside_the_panel(screen, game):
    answer = screen.post(buy_in_path(game), htmx=True, name="Zoe", amount="ten", source="cash")
    assert answer.status_code == 400
    assert "HX-Trigger" not in answer
    assert screen.codes(answer) == ["bad_amount"]
    assert 'id="seat-list"' in answer.content.decode()


def test_who_enters_from_minute_twenty_is_told_of_half_the_fee(screen, game):
    game.seat("Ann", "Bob")
    game.play()
    early = screen.get(buy_in_path(game.minute(19.9), 3)).content.decode()
    late = screen.get(buy_in_path(game.minute(20), 3)).content.decode()
    assert "$10.00 with the first round" in early
    assert "$5.00 with the first round (half)" in late


def test_chips_are_added_between_rounds(screen, game):
    game.seat("Ann", "Bob")
    path = f"/sittings/{game.sitting(1).pk}/add-on/"
    said = {"amount": "50.00", "source": "cash", "key": game.key()}
    for _ in range(2):
        assert screen.post(path, **said).status_code == 302
    assert game.stack(1) == 35_000


def test_nothing_is_added_above_the_maximum_or_during_a_round(screen, game):
    game.seat("Ann", "Bob")
    path = f"/sittings/{game.sitting(1).pk}/add-on/"
    answer = screen.post(path, amount="200.01", source="cash")
    assert (answer.status_code, screen.codes(answer)) == (400, ["buy_in_too_large"])
    game.start()
    stack = game.stack(1)
    answer = screen.post(path, amount="5", source="cash")
    assert (answer.status_code, screen.codes(answer)) == (409, ["round_running"])
    assert game.stack(1) == stack


def test_a_player_sits_out_and_comes_back_at_one_press(screen, game):
    game.seat("Ann", "Bob")
    sitting = game.sitting(1).pk
    answer = screen.post(f"/sittings/{sitting}/sit-out/", htmx=True)
    assert "Ann sits out." in answer.content.decode()
    assert game.sitting(1).sitting_out
    screen.post(f"/sittings/{sitting}/return/")
    assert not game.sitting(1).sitting_out


def test_nobody_who_has_left_sits_out(screen, game):
    game.seat("Ann")
    sitting = game.sitting(1)
    game.cash_out(1)
    answer = screen.post(f"/sittings/{sitting.pk}/sit-out/")
    assert (answer.status_code, screen.codes(answer)) == (409, ["not_seated"])
    assert not Sitting.objects.get(pk=sitting.pk).sitting_out


@pytest.mark.parametrize(("method", "stack"), [("stack", 29_000), ("cash", 30_000)])
def test_the_next_downs_fee_is_paid_ahead_from_the_stack_or_in_cash(screen, game, method, stack):
    game.seat("Ann", "Bob")
    game.start()
    game.void(game.session.rounds.get())
    game.set_stack(1, 30_000)
    game.minute(45)
    path = f"/sittings/{game.sitting(1).pk}/pay/"
    assert "Down 2, full fee" in screen.get(path).content.decode()
    said = {"method": method, "key": game.key()}
    for _ in range(2):
        assert screen.post(path, **said).status_code == 302
    assert game.stack(1) == stack


def test_a_fee_that_is_not_owed_and_a_way_of_paying_that_is_not_known_are_refused(screen, game):
    game.seat("Ann", "Bob")
    path = f"/sittings/{game.sitting(1).pk}/pay/"
    answer = screen.post(path, method="cash")
    assert (answer.status_code, screen.codes(answer)) == (409, ["nothing_due"])
    answer = screen.post(path, method="cage")
    assert (answer.status_code, screen.codes(answer)) == (400, ["bad_entry"])
    assert game.stack(1) == 30_000


def test_r63_the_fee_that_is_taken_and_what_is_carried_away_are_said_before_and_done_after(screen, game):
    game.seat("Ann", "Bob", "Cat")
    game.set_stack(1, 5000)
    game.play()  # nine points would not be left, so the fee stays due and Ann waits
    path = f"/sittings/{game.sitting(1).pk}/cash-out/"
    page = screen.get(path)
    assert dict(page.context["notes"]) == {
        "Stack": "$50.00",
        "Fees taken first": "$10.00",
        "Takes away": "$40.00",
    }
    answer = screen.post(path, htmx=True)
    assert "Ann leaves with $40.00." in answer.content.decode()


def test_nobody_leaves_a_running_round(screen, game):
    game.seat("Ann", "Bob")
    game.start()
    answer = screen.post(f"/sittings/{game.sitting(1).pk}/cash-out/")
    assert (answer.status_code, screen.codes(answer)) == (409, ["round_running"])
    assert set(game.stacks()) == {1, 2}


def test_the_dealer_has_the_same_panel_and_goes_back_to_the_dealers_page(screen, game, dealer):
    screen.as_(dealer)
    panel = screen.get(f"/sessions/{game.session.pk}/seats/")
    assert panel.status_code == 200
    assert "<html" not in panel.content.decode()
    answer = screen.post(buy_in_path(game), name="Zoe", amount="300", source="cash")
    assert answer.url == f"/dealer/sessions/{game.session.pk}/"


@pytest.mark.parametrize("path", ["add-on", "sit-out", "return", "pay", "cash-out"])
def test_acts_at_a_seat_are_for_those_who_handle_chips(screen, game, cashier, path):
    game.seat("Ann", "Bob")
    screen.as_(cashier)
    sitting = game.sitting(1).pk
    for answer in (screen.get(f"/sittings/{sitting}/{path}/"), screen.post(f"/sittings/{sitting}/{path}/")):
        assert answer.status_code == 403
    assert screen.post(buy_in_path(game, 3), name="Zoe", amount="300", source="cash").status_code == 403
    assert game.stacks() == {1: 30_000, 2: 30_000}


def test_what_is_not_there_is_404(screen, game):
    for path in (buy_in_path(game, 6), "/sittings/999/add-on/", "/sessions/999/seats/", "/sittings/999/"):
        assert screen.get(path).status_code == 404
