"""Between rounds on the floor's, the dealer's and the cashier's screens: tokes, counts, time called,
settlements by hand."""

import re
from datetime import timedelta

import pytest

from ledger.journal.acts import Act
from tables.models import CorrectionRequest, Round, Settlement, TableEvent
from tables.rounds import corrections
from tests.support.cast import PIN
from tests.support.game import FULL_HOUSE, QUEENS

pytestmark = pytest.mark.django_db


@pytest.fixture
def dealt(clock):
    """A round between Ann and Bob that is dealt and not settled."""
    clock.seat("Ann", "Bob")
    clock.round = clock.start()
    return clock


def page(game):
    return f"/floor/sessions/{game.session.pk}/"


def text(answer):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


BY_HAND = {"winner_1_2": "1", "points_1_2": "12", "reason": "the deck was swept up"}


def ask(game, client, **said):
    entry = BY_HAND | {"key": game.key()} | said
    return client.post(f"/floor/rounds/{game.round.pk}/by-hand/", entry)


# -- by hand -------------------------------------------------------------------------------------------------


def test_r58_the_floor_asks_and_another_approves_and_the_mark_is_on_every_page(
    dealt, at, floor, floor2, regulator
):
    assert "Settle by hand" in text(at(floor).get(page(dealt)))
    assert ask(dealt, at(floor)).status_code == 302
    asked = CorrectionRequest.objects.get()
    shown = text(at(floor).get(page(dealt)))
    assert "somebody else decides" in shown
    assert "12 points" in shown
    assert "Bob pays Ann" in shown
    approve = f"/floor/corrections/{asked.pk}/approve/"
    assert at(floor).post(approve, {"key": dealt.key()}).status_code == 403
    assert "the deck was swept up" in text(at(floor2).get(approve))
    assert at(floor2).post(approve, {"key": dealt.key()}).status_code == 302
    assert Settlement.objects.get().by_hand
    sitting, down = dealt.sitting(1).pk, dealt.round.down_id
    assert "By hand" in text(at(floor).get(page(dealt)))
    reader = at(regulator)
    day = "2026-03-07"
    for address in (
        f"/rounds/{dealt.round.pk}/",
        f"/sittings/{sitting}/",
        f"/downs/{down}/",
        f"/audit/sessions/{dealt.session.pk}/",
    ):
        assert "By hand" in text(reader.get(address)), address
    assert "settled by hand" in text(reader.get(f"/audit/days/{day}/"))
    assert (
        "settled by hand" in reader.get(f"/audit/sessions/{dealt.session.pk}/session.csv").getvalue().decode()
    )
    assert "hand_settlement" in reader.get(f"/sittings/{sitting}/statement.csv").getvalue().decode()


def test_the_page_of_such_a_round_has_its_points_and_nothing_to_check(dealt, at, floor, floor2, regulator):
    ask(dealt, at(floor))
    corrections.approve_correction(
        request_id=CorrectionRequest.objects.get().pk, act=Act(key=dealt.key(), actor=floor2, now=dealt.now)
    )
    shown = text(at(regulator).get(f"/rounds/{dealt.round.pk}/"))
    assert "Ann wins 12 from Bob" in shown
    assert "Points entered by hand" in shown
    assert "cards are gone" in shown
    assert "Check this round" not in shown
    assert at(regulator).get(f"/rounds/{dealt.round.pk}/dispute/").status_code == 404


def test_the_dealers_tablet_gets_it_as_the_last_round(dealt, at, floor, floor2, dealer):
    ask(dealt, at(floor))
    corrections.approve_correction(
        request_id=CorrectionRequest.objects.get().pk, act=Act(key=dealt.key(), actor=floor2, now=dealt.now)
    )
    settled = at(dealer).get(f"/api/rounds/{dealt.round.pk}").json()["settlement"]
    assert settled["by_hand"] is True
    assert (settled["net"], settled["entered"]) == ({"1": "60.00", "2": "-60.00"}, [])


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"points_1_2": ""}, "bad_entry"),
        ({"winner_1_2": ""}, "bad_entry"),
        ({"winner_1_2": "3"}, "bad_entry"),
        ({"points_1_2": "-4"}, "bad_entry"),
        ({"winner_1_2": "0"}, "bad_entry"),
        ({"reason": " "}, "bad_entry"),
    ],
)
def test_points_without_a_winner_or_a_reason_are_not_asked_for(dealt, at, floor, codes_on, said, code):
    answer = ask(dealt, at(floor), **said)
    assert (answer.status_code, set(codes_on(answer))) == (400, {code})
    assert not CorrectionRequest.objects.exists()


def test_it_can_be_refused_with_a_reason_and_the_round_runs_on(dealt, at, floor, floor2):
    ask(dealt, at(floor))
    asked = CorrectionRequest.objects.get()
    said = {"key": dealt.key(), "reason": "the camera has them"}
    assert at(floor2).post(f"/floor/corrections/{asked.pk}/refuse/", said).status_code == 302
    assert Round.objects.get().state == "dealt"
    assert "Settle by hand" in text(at(floor).get(page(dealt)))


# -- tokes ---------------------------------------------------------------------------------------------------


def test_r52_a_toke_is_given_at_the_seat_and_paid_out_at_the_window(clock, at, dealer, cashier, codes_on):
    clock.seat("Ann", "Bob")
    clock.play([QUEENS, FULL_HOUSE])
    sitting = clock.sitting(1)
    assert "Toke" in text(at(dealer).get(f"/sessions/{clock.session.pk}/seats/"))
    address = f"/sittings/{sitting.pk}/toke/"
    answer = at(dealer).post(address, {"key": clock.key(), "amount": "99999"})
    assert (answer.status_code, codes_on(answer)) == (400, ["toke_above_stack"])
    assert at(dealer).post(address, {"key": clock.key(), "amount": "5"}).status_code == 302
    assert "dealer Pay $5.00" in text(at(cashier).get("/cashier/"))
    pay = f"/cashier/tokes/{dealer.pk}/"
    signed = {"second": dealer.username, "second_pin": PIN}
    wrong = at(cashier).post(pay, {"key": clock.key(), "cents": "400", **signed})
    assert (wrong.status_code, codes_on(wrong)) == (409, ["stale_page"])
    assert (
        at(cashier).post(pay, {"key": clock.key(), "cents": "500", "chips_500": "1", **signed}).status_code
        == 302
    )
    assert "No tokes lie for any dealer" in text(at(cashier).get("/cashier/"))
    assert at(dealer).post(pay, {"key": clock.key(), "cents": "500"}).status_code == 403


# -- counts --------------------------------------------------------------------------------------------------


def test_a_count_that_is_short_has_no_tick_and_a_cash_out_after_it_asks(clock, at, floor, dealer, codes_on):
    clock.seat("Ann", "Bob")
    count, leave = f"/sessions/{clock.session.pk}/count/", f"/sittings/{clock.sitting(2).pk}/cash-out/"

    def counted(bob):
        sent = {"key": clock.key(), "seat_1": "300", "seat_2": bob}
        return at(floor).post(count, sent, headers={"HX-Request": "true"}).content.decode()

    assert "alert--warn" in counted("100").partition('class="messages"')[2].partition("</div>")[0]
    assert "$200.00 short in the last count" in text(at(floor).get(leave))
    refused = at(floor).post(leave, {"key": clock.key()})
    assert codes_on(refused) == ["bad_entry"]
    assert "Count the chips of this seat again first." in text(refused)
    assert "alert--good" in counted("300")
    assert "in the last count" not in text(at(floor).get(leave))
    counted("100")
    assert at(floor).post(leave, {"key": clock.key(), "again": "on"}).status_code == 302


def test_a_count_shows_what_is_expected_only_once_it_is_entered(clock, at, floor, dealer):
    clock.seat("Ann", "Bob")
    address = f"/sessions/{clock.session.pk}/count/"
    for person in (floor, dealer):
        form = text(at(person).get(address))
        assert "Seat 1, Ann" in form
        assert "$300" not in form
    answer = at(floor).post(address, {"key": clock.key(), "seat_1": "300", "seat_2": "295"}, follow=True)
    assert "Seat 2: counted $295.00, expected $300.00, $5.00 short." in text(answer)
    assert "Open until a count without a difference" in text(at(floor).get(page(clock)))
    at(dealer).post(address, {"key": clock.key(), "seat_1": "300", "seat_2": "300"})
    assert "Open until a count" not in text(at(floor).get(page(clock)))


def test_the_session_and_the_day_of_the_books_list_the_difference(clock, at, floor, regulator):
    clock.seat("Ann", "Bob")
    address = f"/sessions/{clock.session.pk}/count/"
    at(floor).post(address, {"key": clock.key(), "seat_1": "300", "seat_2": "295"})
    reader = at(regulator)
    assert "seat 2: counted $295.00, expected $300.00" in text(
        reader.get(f"/audit/sessions/{clock.session.pk}/")
    )
    assert "Chip counts with a difference" in text(reader.get("/audit/days/2026-03-07/"))


def test_a_stack_that_was_left_out_is_asked_for(clock, at, floor, codes_on):
    clock.seat("Ann", "Bob")
    answer = at(floor).post(f"/sessions/{clock.session.pk}/count/", {"key": clock.key(), "seat_1": "300"})
    assert (answer.status_code, codes_on(answer)) == (400, ["bad_amount"])


# -- time ----------------------------------------------------------------------------------------------------


def test_r57_time_is_called_from_the_table_and_both_pages_count_it_down(dealt, at, floor, dealer, codes_on):
    address = f"/floor/rounds/{dealt.round.pk}/time/"
    assert "1: Ann" in text(at(floor).get(address))
    assert at(floor).post(address, {"key": dealt.key(), "seat": "2"}).status_code == 302
    ends = (dealt.now + timedelta(seconds=60)).isoformat()
    shown = at(floor).get(page(dealt)).content.decode()
    assert f'data-ends-at="{ends}"' in shown
    assert "Time called on seat 2" in shown
    told = at(dealer).get(f"/api/sessions/{dealt.session.pk}/plan").json()["round"]
    assert told["times"] == [{"seat": 2, "ends_at": ends}]
    again = at(floor).post(address, {"key": dealt.key(), "seat": "2"})
    assert (again.status_code, codes_on(again)) == (409, ["time_called"])
    assert at(dealer).post(address, {"key": dealt.key(), "seat": "1"}).status_code == 403
    assert TableEvent.objects.filter(kind="time_called").count() == 1


# -- claims --------------------------------------------------------------------------------------------------


def test_r58_claims_stand_on_the_tables_page_its_session_and_the_players_statement(
    clock, at, floor, floor2, regulator
):
    """Bob leaves with chips that a correction takes from him: what is gone is owed between the two."""
    clock.seat("Ann", "Bob", "Cat")
    first = clock.play(
        [FULL_HOUSE, QUEENS, FULL_HOUSE | {"misset": True, "front": "", "middle": "", "back": ""}]
    )
    sitting = clock.sitting(2).pk
    clock.cash_out(2)
    foul = {"misset": True}
    clock.approve(clock.ask(first, [foul, FULL_HOUSE, QUEENS]), actor=floor2)
    for person, address in (
        (floor, page(clock)),
        (regulator, f"/audit/sessions/{clock.session.pk}/"),
        (regulator, f"/sittings/{sitting}/"),
    ):
        shown = text(at(person).get(address))
        assert "Claims between players" in shown, address
        assert "No. 1" in shown, address
