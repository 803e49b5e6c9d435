"""The waiting lists on the floor's screen: checking in, calling, seating, must-move;
and held seats at the table's page."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from ledger.cage import exclusions
from ledger.journal.acts import Act
from tables.floor import waiting
from tables.models import Player, TableSession, WaitingPlace
from tests.support.cage import handed

pytestmark = pytest.mark.django_db
LIST = "face-up-500"


class Floor:
    """Somebody at the floor's pages, at the time of the game's clock."""

    def __init__(self, game, client):
        self.game, self.client = game, client

    def get(self, path="/waiting/", **said):
        return self.client.get(path, said)

    def post(self, path="/waiting/", **said):
        return self.client.post(path, {"key": self.game.key(), **said})

    def join(self, name, **said):
        assert self.post(name=name, **{"listed": LIST} | said).status_code == 302
        return WaitingPlace.objects.get(player__name=name)

    def act(self, name, pk, **said):
        return self.post(reverse(name, args=[pk]), **said)

    def words(self, path="/waiting/"):
        text = re.sub(r"<[^>]+>", " ", self.get(path).content.decode())
        return " ".join(text.split())


@pytest.fixture
def desk(clock, at, floor):
    return Floor(clock, at(floor))


def test_an_empty_page_says_what_to_do(desk, site):
    TableSession.objects.update(closed_at=desk.game.now, closed_by=desk.game.floor)
    words = desk.words()
    assert "Nobody waits" in words
    assert "choose a game and limit" in words


def test_a_card_number_alone_checks_a_known_player_in(desk, codes_on):
    refused = desk.post(number="4711", listed=LIST)
    assert (refused.status_code, codes_on(refused)) == (400, ["player_unknown"])
    assert "number" in refused.context["form"].errors
    desk.join("Zoe", number="4711")
    again = desk.post(number="4711", listed=LIST)
    assert (again.status_code, codes_on(again)) == (409, ["already_waiting"])
    assert "Zoe has place 1 on this list." in again.content.decode()


def test_a_list_can_be_begun_for_a_game_that_nobody_plays(desk, codes_on):
    desk.post(name="Ann", listed=LIST, game="2-4", limit="20")
    place = WaitingPlace.objects.get()
    assert (place.game, place.limit_cents) == ("2-4", 2000)
    assert "No table of this game is open." in desk.words()
    half = desk.post(name="Bob", game="2-4")
    assert (half.status_code, codes_on(half)) == (400, ["bad_entry"])


@pytest.mark.parametrize("listed", ["", "face-up", "face-up-", "-500", "face-up-x", "face-up-" + "9" * 13])
def test_what_names_no_list_is_a_bad_entry(desk, codes_on, listed):
    answer = desk.post(name="Ann", listed=listed)
    assert (answer.status_code, codes_on(answer)) == (400, ["bad_entry"])


def test_the_list_shows_numbers_minutes_and_the_seat_that_a_call_would_keep(desk):
    desk.game.seat("Ann")
    desk.join("Zoe")
    desk.game.minute(17)
    facts = desk.get().context["lists"][0]
    place = facts.places[0]
    assert (place.place.number, place.minutes, place.seat[1], place.next) == (1, 17, 2, True)
    assert facts.tables[0].free == (2, 3, 4, 5)
    assert "Call Zoe to Table 1, seat 2" in desk.words()


def test_one_press_calls_and_the_seat_is_shown_as_held_everywhere(desk):
    place = desk.join("Zoe")
    table = desk.game.session.pk
    assert desk.act("call-place", place.pk, place=f"{table}-2").url == "/waiting/"
    assert "Called Table 1, seat 2, until 12:10" in desk.words()
    for page in (f"/floor/sessions/{table}/", "/floor/"):
        assert "Held for Zoe until 12:10" in desk.words(page)
    taken = desk.post(f"/sessions/{table}/seats/2/buy-in/", name="Bob", amount="300", source="cash")
    assert taken.status_code == 409
    assert "Seat 2 is held for Zoe until 12:10." in taken.content.decode()


def test_a_call_can_go_just_to_the_floor(desk):
    place = desk.join("Zoe")
    desk.act("call-place", place.pk, place="")
    assert "Called To the floor, until 12:10" in desk.words()


def test_an_expired_call_is_marked_and_can_be_repeated_or_put_back(desk):
    place = desk.join("Zoe")
    seat = f"{desk.game.session.pk}-2"
    desk.act("call-place", place.pk, place=seat)
    desk.game.minute(10)
    for _ in range(2):
        assert "Expired Table 1, seat 2" in desk.words()
        waiting.mark_expired(now=desk.game.now)
    desk.act("put-back", place.pk)
    assert "Expired" not in desk.words()
    desk.act("call-place", place.pk, place=seat)
    assert "until 12:20" in desk.words()


def test_a_called_player_sits_down_with_a_buy_in(desk, codes_on):
    place = desk.join("Zoe")
    seat = f"{desk.game.session.pk}-2"
    desk.act("call-place", place.pk, place=seat)
    page = desk.get(f"/waiting/places/{place.pk}/seat/")
    assert page.context["form"]["place"].value() == seat
    small = desk.act("seat-place", place.pk, place=seat, amount="10", source="cash")
    assert (small.status_code, codes_on(small)) == (400, ["buy_in_too_small"])
    assert desk.act("seat-place", place.pk, place=seat, amount="300", source="cash").status_code == 302
    assert desk.game.stacks() == {2: 30_000}
    assert "Nobody waits for this game." in desk.words()


def test_leaving_asks_for_the_reason(desk, codes_on):
    place = desk.join("Zoe")
    assert codes_on(desk.act("leave-list", place.pk)) == ["bad_entry"]
    assert desk.act("leave-list", place.pk, reason="went home").status_code == 302
    place.refresh_from_db()
    assert (place.state, place.reason) == ("left", "went home")


def test_a_place_that_is_gone_is_said(desk, codes_on):
    place = desk.join("Zoe")
    desk.act("leave-list", place.pk, reason="went home")
    answer = desk.act("call-place", place.pk, place="")
    assert (answer.status_code, codes_on(answer)) == (409, ["place_gone"])


def test_a_seat_is_held_from_the_table_s_page_until_a_time_of_the_house_s_clock(desk):
    table = desk.game.session.pk
    assert "/seats/3/hold/" in desk.get(f"/floor/sessions/{table}/").content.decode()
    desk.post(f"/sessions/{table}/seats/3/hold/", name="Zoe", until="12:45")
    place = WaitingPlace.objects.get()
    assert (place.state, place.until - desk.game.now) == ("held", timedelta(minutes=45))
    assert "Held for Zoe until 12:45" in desk.words(f"/floor/sessions/{table}/")


def test_a_time_that_has_passed_today_is_tomorrow_s(desk):
    table = desk.game.session.pk
    desk.post(f"/sessions/{table}/seats/3/hold/", name="Zoe", until="11:00")
    # The clock goes forward in the night of 8 March 2026.
    assert WaitingPlace.objects.get().until - desk.game.now == timedelta(hours=22)


def test_r55_a_table_change_is_asked_at_the_seat_and_honoured_from_the_list(desk, beside):
    desk.game.seat("Ann")
    sitting = desk.game.sitting(1)
    desk.act("table-change", sitting.pk, table=beside.session.pk)
    assert "Wants Table 2" in desk.words()
    place = WaitingPlace.objects.get()
    seat = f"{beside.session.pk}-1"
    desk.act("call-place", place.pk, place=seat)
    assert "With the stack $300.00" in desk.words(f"/waiting/places/{place.pk}/seat/")
    assert desk.act("seat-place", place.pk, place=seat).status_code == 302
    assert beside.stacks() == {1: 30_000}


def test_r55_must_move_is_set_at_the_table_and_done_from_the_list(desk, beside, codes_on):
    desk.game.seat("Ann", "Bob")
    beside.now = desk.game.now
    beside.buy_in("Cat", 1)
    table = beside.session.pk
    desk.post(f"/floor/sessions/{table}/must-move/", main=desk.game.session.pk)
    words = desk.words()
    assert "Cat goes from Table 2 to Table 1, seat 3" in words
    assert "Must-move players come first." in words
    assert "Cat moves here from Table 2" in desk.words("/floor/")
    assert "Must-move: players go to Table 1" in desk.words(f"/floor/sessions/{table}/")
    place = desk.join("Zoe")
    refused = desk.act("call-place", place.pk, place=f"{desk.game.session.pk}-3")
    assert (refused.status_code, codes_on(refused)) == (409, ["must_move_first"])
    desk.act("move-up", beside.sitting(1).pk, place=f"{desk.game.session.pk}-3")
    assert sorted(desk.game.stacks()) == [1, 2, 3]
    desk.post(f"/floor/sessions/{table}/must-move/", main="")
    assert TableSession.objects.get(pk=table).must_move_to is None


def test_an_excluded_name_is_sent_to_the_floor_and_nothing_more_is_said(desk, employ, codes_on, cashier, at):
    now = desk.game.now
    exclusions.add_exclusion(
        site=desk.game.site,
        name="Rex Black",
        reference="list 7",
        effective_from=now.date(),
        act=Act(actor=employ("compliance", "compliance"), now=now),
    )
    seat = f"/sessions/{desk.game.session.pk}/seats/2/buy-in/"
    for answer in (
        desk.post(name="Rex Black", listed=LIST),
        desk.post(seat, name="rex black", amount="300", source="cash"),
    ):
        assert (answer.status_code, codes_on(answer)) == (403, ["see_floor"])
        assert "See floor." in answer.content.decode()
        assert "list 7" not in answer.content.decode()
    window = at(cashier).post(
        "/cashier/sell/", {"key": desk.game.key(), **handed("50"), "name": "Rex Black", "number": ""}
    )
    assert (window.status_code, codes_on(window)) == (403, ["see_floor"])
    assert [told.name for told in exclusions.events(exclusions.withheld_of(desk.game.site)[:3])] == [
        "Rex Black",
        "rex black",
        "Rex Black",
    ]


def asked_by(answer):
    return answer.context["form"].asked.token


def test_a_form_asks_whether_it_is_this_person_and_goes_on_with_the_answer(desk, employ, codes_on):
    now = desk.game.now
    exclusions.add_exclusion(
        site=desk.game.site,
        name="José Martínez",
        description="scar on the chin",
        reference="list 7",
        effective_from=now.date(),
        act=Act(actor=employ("compliance", "compliance"), now=now),
    )
    entry = {"name": "Jose Martines", "listed": LIST}
    answer = desk.post(**entry)
    assert (answer.status_code, codes_on(answer)) == (409, ["is_it_this_person"])
    assert "scar on the chin" in answer.content.decode()
    forged = desk.post(**entry, asked="nothing", answer="is_not")
    assert codes_on(forged) == ["is_it_this_person"]
    assert desk.post(**entry, asked=asked_by(answer), answer="is").status_code == 403
    assert desk.post(**entry, asked=asked_by(answer), answer="is_not").status_code == 302
    assert WaitingPlace.objects.get().player.name == "Jose Martines"
    told = exclusions.events(exclusions.withheld_of(desk.game.site).filter(what="exclusion_answer"))
    assert [one.found for one in told] == [False, True]


def test_a_second_player_of_one_name_is_asked_about_before_it_is_made(desk, codes_on):
    desk.join("Ann Lee")
    ann = Player.objects.get(name="Ann Lee")
    seat = f"/sessions/{desk.game.session.pk}/seats/2/buy-in/"
    entry = {"name": "ann  lee", "amount": "300", "source": "cash"}
    answer = desk.post(seat, **entry)
    assert (answer.status_code, codes_on(answer)) == (409, ["player_alike"])
    assert f"(entry {ann.pk})" in answer.content.decode()
    assert desk.post(seat, **entry, asked=asked_by(answer), answer=str(ann.pk)).status_code == 302
    assert Player.objects.filter(name__iexact="ann lee").count() == 1
    place = desk.post(name="LEE, Ann", listed=LIST, asked=asked_by(answer), answer="nobody")
    assert place.status_code == 302
    assert Player.objects.filter(name="LEE, Ann").exists()
    told = exclusions.events(exclusions.withheld_of(desk.game.site).filter(what="person_answer"))
    assert [(one.name, one.found) for one in told] == [("LEE, Ann", False), ("ann  lee", True)]


@pytest.mark.parametrize("person", ["dealer", "cashier", "regulator", "counter1"])
def test_the_lists_are_the_floor_s_alone(clock, at, request, person):
    browser = at(request.getfixturevalue(person))
    assert browser.get("/waiting/").status_code == 403
    assert browser.post("/waiting/", {"key": clock.key(), "name": "Ann", "listed": LIST}).status_code == 403
    assert not WaitingPlace.objects.exists()


def test_the_lists_cost_the_same_for_one_place_as_for_many(desk, beside):
    def cost():
        with CaptureQueriesContext(connection) as asked:
            assert desk.get().status_code == 200
        return len(asked)

    desk.game.seat("Ann")
    desk.join("Zoe")
    few = cost()
    for number in range(8):
        desk.join(f"Guest {number}", limit=("", "10")[number % 2], game=("", "2-4")[number % 2])
    beside.buy_in("Bob", 1)
    assert cost() == few


class TestExclusionList:
    """Compliance's own page."""

    @pytest.fixture
    def office(self, clock, at, employ):
        return Floor(clock, at(employ("compliance", "compliance")))

    def test_it_is_where_compliance_starts(self, office):
        assert office.client.get("/").url == "/exclusions/"
        words = office.words("/exclusions/")
        assert "Nobody is on the list." in words
        assert "Nobody has been looked up yet." in words

    def test_somebody_is_put_on_it_looked_for_and_taken_off(self, office, floor):
        said = {"name": "Rex Black", "number": "666", "reference": "list 7", "effective_from": "2026-03-07"}
        assert office.post("/exclusions/", **said).status_code == 302
        exclusions.look(office.game.site, "Rex Black", "", Act(actor=floor, now=office.game.now), "seating")
        words = office.words("/exclusions/")
        assert "Rex Black 666 list 7 2026-03-07" in words
        assert "floor Looked: seating Rex Black On the list" in words
        one = office.get("/exclusions/").context["list"].rows[0]
        assert office.act("lift-exclusion", one.pk, reason="term is over").status_code == 302
        assert "Lifted: term is over" in office.words("/exclusions/looks/")
        assert not exclusions.look(
            office.game.site, "Rex Black", "", Act(actor=floor, now=office.game.now), "seating"
        )

    def test_whoever_opens_it_is_on_record(self, office):
        office.get("/exclusions/")
        office.get("/exclusions/looks/")
        assert "compliance Opened the list" in office.words("/exclusions/looks/")
        assert "compliance Opened who looked" in office.words("/exclusions/looks/")

    def test_an_entry_has_what_tells_the_person_apart_and_a_term(self, office):
        said = {"name": "Rex Black", "reference": "list 7", "effective_from": "2026-03-07"}
        office.post("/exclusions/", **said, description="scar on the chin", until="2027-03-06")
        office.post("/exclusions/", **{**said, "name": "Tom Grey"})
        words = office.words("/exclusions/")
        assert "Rex Black scar on the chin list 7 2026-03-07 2027-03-06" in words
        assert "Tom Grey list 7 2026-03-07 For life" in words

    def test_what_is_missing_is_said_beside_the_form(self, office, codes_on):
        answer = office.post("/exclusions/", reference="list 7", effective_from="2026-03-07")
        assert (answer.status_code, codes_on(answer)) == (400, ["bad_text"])
        answer = office.post("/exclusions/", name="Rex", reference="", effective_from="soon")
        assert (answer.status_code, codes_on(answer)) == (400, ["bad_text", "bad_text"])

    @pytest.mark.parametrize("person", ["floor", "cashier", "regulator", "manager"])
    def test_nobody_else_reads_it(self, clock, at, request, person):
        browser = at(request.getfixturevalue(person))
        for page in ("/exclusions/", "/exclusions/looks/"):
            assert browser.get(page).status_code == 403
