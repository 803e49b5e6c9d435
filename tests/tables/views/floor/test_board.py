"""The board of all tables and the page of one: who sees them, what they say, and what they cost."""

from datetime import date

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.api.shapes import plan_shape
from tables.collection import clock
from tables.models import Player, Rate, Table
from tables.rules.game.sheet import library
from tables.state.plan import plan_round
from tables.state.table_state import state_of
from tests.support.acting import acting
from tests.support.game import LOW, PLAIN, Game
from tests.support.live_pages import piece_of

pytestmark = pytest.mark.django_db


def board(screen):
    return screen.get("/floor/").content.decode()


def card(screen, game):
    """The table's card on the board."""
    page = board(screen)
    return page[slice(*piece_of(page, f"card-{game.session.pk}"))]


def test_an_empty_house_says_what_to_do_next(client, floor, site):
    client.force_login(floor)
    assert "The house has no tables yet" in client.get("/floor/").content.decode()
    Table.objects.create(site=site, number=3)
    page = client.get("/floor/").content.decode()
    for missing in ("No collection rate is in force", "The cage has no chips"):
        assert missing in page
        assert missing in client.get("/floor/open/").content.decode()
    assert 'href="/floor/open/"' not in page


def test_a_house_that_is_ready_opens_its_first_table(client, floor, floor2, game):
    game.close(floor2)
    table = game.table
    client.force_login(floor)
    page = client.get("/floor/").content.decode()
    assert "No table is open" in page
    assert f"/floor/open/?table={table.pk}" not in page  # one button there, not two
    assert 'href="/floor/open/"' in page


def test_the_board_shows_open_tables_and_offers_the_others(screen, game):
    game.seat("Ann", "Bob")
    free = Table.objects.create(site=game.site, number=9)
    page = board(screen)
    assert "Ann" in page
    assert "$300.00" in page
    assert "60 points" in page
    assert f"/floor/open/?table={free.pk}" in page
    assert f"/sessions/{game.session.pk}/seats/3/buy-in/" in page


def test_a_card_says_who_is_short_who_sits_out_and_who_waits_as_fifth(screen, game):
    game.seat("Ann", "Bob", "Cat", "Dan", "Eve")
    assert "Fifth, next in" in card(screen, game)
    game.set_stack(1, 4499)
    game.sit_out(2)
    page = card(screen, game)
    assert "Short" in page
    assert "Sits out" in page
    assert "Fifth, next in" not in page


def test_a_card_says_whose_fee_is_due_and_who_is_in_fantasy_land(screen, game):
    game.seat("Ann", "Bob", "Cat", "Dan")
    game.play()  # Ann's queens in front
    game.set_stack(2, 5000)
    game.minute(41)
    page = card(screen, game)
    assert "Fantasy land" in page
    assert "Fee due" in page
    assert "Owed before the next round $40.00" in page


def test_a_card_shows_the_round_the_button_and_the_down_that_counts_down(screen, game):
    game.seat("Ann", "Bob")
    assert "no down yet" in card(screen, game)
    game.start()
    page = card(screen, game)
    assert "Round 1 since 12:00" in page  # the house's clock
    assert 'data-ends-at="2026-03-07T20:40:00+00:00"' in page
    assert "Next fee $10.00 at 12:40" in page
    assert "seat-no--button" in page


def test_a_card_says_that_the_clock_stands_or_waits(screen, game, floor):
    game.seat("Ann", "Bob")
    game.play()
    game.minute(10)
    stop = {"session_id": game.session.pk, "actor": floor}
    acting(clock.stop_clock, reason="fire alarm", key=game.key(), now=game.now, **stop)
    assert "Clock stopped since 12:10: fire alarm. Left of the down: 30:00" in card(screen, game.minute(15))
    acting(clock.start_clock, key=game.key(), now=game.now, **stop)
    game.cash_out(2)
    assert "Clock waits since 12:45 for a second player" in card(screen, game.minute(60))


def test_the_tablet_says_of_the_clock_what_the_card_says(screen, game, floor):
    def tablet(number=1, ends_at=None, stopped=False):
        return {"number": number, "ends_at": ends_at, "stopped": stopped, "next_fee": "10.00"}

    def on_tablet():
        state = state_of(game.fresh_session())
        return plan_shape(state, plan_round(state, game.now))["down"]

    game.seat("Ann", "Bob")
    assert on_tablet() is None
    game.play()
    assert on_tablet() == tablet(ends_at="2026-03-07T20:40:00+00:00")
    assert on_tablet()["ends_at"] in card(screen, game)
    game.cash_out(2)
    game.minute(50)
    assert on_tablet() is None
    acting(
        clock.stop_clock,
        reason="fire alarm",
        key=game.key(),
        now=game.now,
        session_id=game.session.pk,
        actor=floor,
    )
    assert "Clock stopped since 12:50: fire alarm. Left of the down: 0:00" in card(screen, game)
    assert on_tablet() == tablet(stopped=True)


def test_a_correction_that_waits_is_on_the_card_with_a_link(screen, game):
    game.seat("Ann", "Bob")
    round_ = game.play((PLAIN, LOW))
    game.ask(round_, (LOW, PLAIN), actor=game.dealer)
    page = card(screen, game)
    assert "A correction waits" in page
    assert f"/floor/sessions/{game.session.pk}/#corrections" in page


def queries(screen, path):
    screen.get(path)
    with CaptureQueriesContext(connection) as captured:
        assert screen.get(path).status_code == 200
    return len(captured)


def busy(game):
    """Two players, a correction that waits, and a running round."""
    game.seat("Ann", "Bob")
    game.ask(game.play((PLAIN, LOW)), (LOW, PLAIN), actor=game.dealer)
    for seat in (1, 2):
        game.set_stack(seat, 30_000)
    game.start()


def test_the_board_costs_the_same_for_one_table_and_for_six(screen, game, dealer):
    busy(game)
    one = queries(screen, "/floor/")
    for number in range(2, 7):
        names = {
            name: Player.objects.create(site=game.site, name=f"{name} {number}") for name in ("Ann", "Bob")
        }
        busy(Game(game.site, game.floor, dealer, names, number=number))
    assert queries(screen, "/floor/") == one
    assert len(screen.get("/floor/").context["cards"]) == 6


def test_the_page_of_a_table_costs_the_same_after_one_round_and_after_many(screen, game):
    path = f"/floor/sessions/{game.session.pk}/"
    game.seat("Ann", "Bob", "Cat")
    game.play()
    one = queries(screen, path)
    for seat in (1, 2, 3):
        game.set_stack(seat, 50_000)
    for _ in range(4):
        game.play()
    assert queries(screen, path) == one


def test_the_page_says_who_is_dealt_next_who_waits_and_why(screen, game):
    game.seat("Ann", "Bob", "Cat")
    game.sit_out(2)
    page = screen.get(f"/floor/sessions/{game.session.pk}/")
    assert [seat.seat for seat in page.context["facts"].plan.dealt_in] == [1, 3]
    assert "Bob sits out." in page.content.decode()


def test_the_last_rounds_are_listed_with_what_everybody_won(screen, game):
    game.seat("Ann", "Bob")
    round_ = game.play((PLAIN, LOW))
    game.void(game.start())
    page = screen.get(f"/floor/sessions/{game.session.pk}/").content.decode()
    assert f"/rounds/{round_.pk}/" in page
    assert "a card was exposed" in page
    row = screen.get(f"/floor/sessions/{game.session.pk}/panel/").context["rounds"][-1]
    assert sum(cents for _, _, cents in row.net) == 0
    assert [name for _, name, _ in row.net] == ["Ann", "Bob"]


def test_a_dealer_sees_no_other_tables_money(screen, game, dealer):
    screen.as_(dealer)
    session = game.session.pk
    for path in (
        "/floor/",
        f"/floor/sessions/{session}/",
        f"/floor/sessions/{session}/panel/",
    ):
        assert screen.get(path).status_code == 403


def test_a_regulator_sees_everything_and_may_do_nothing(screen, game, regulator):
    game.seat("Ann", "Bob")
    screen.as_(regulator)
    page = screen.get(f"/floor/sessions/{game.session.pk}/").content.decode()
    assert "Ann" in page
    for word in ("Cash out", "Stop the clock", "Close the table", "/buy-in/"):
        assert word not in page
    assert "/buy-in/" not in board(screen)
    assert "/floor/open/" not in board(screen)


def test_whoever_is_out_comes_to_the_sign_in_page(client, game):
    for path in ("/floor/", f"/floor/sessions/{game.session.pk}/", f"/sessions/{game.session.pk}/seats/"):
        assert client.get(path).url.startswith("/sign-in/")


def open_form(at, **changed):
    table = Table.objects.get_or_create(site=at.site, number=7)[0]
    form = {"table": table.pk, "game": "face-up", "rate": at.rate.pk}
    return form | changed


def test_a_table_is_opened_once_with_the_usual_maximum_and_its_page_comes(screen, game):
    form = open_form(game, key=game.key())
    answers = [screen.post("/floor/open/", **form) for _ in range(2)]
    session = Table.objects.get(number=7).sessions.get()
    assert [answer.url for answer in answers] == [f"/floor/sessions/{session.pk}/"] * 2
    assert session.max_buy_in_cents == 50_000
    assert session.bank_chips.balance_cents == 0


@pytest.mark.parametrize(
    ("changed", "field", "code", "status"),
    [
        ({"game": ""}, "game", "bad_entry", 400),
        ({"game": "canasta"}, "game", "bad_entry", 400),
        ({"rate": "0"}, "rate", "bad_entry", 400),
        ({"table": ""}, "table", "bad_entry", 400),
        ({"max_buy_in": "149.99"}, "max_buy_in", "bad_buy_in_maximum", 400),
        ({"max_buy_in": "-5"}, "max_buy_in", "bad_amount", 400),
    ],
)
def test_what_is_missing_or_wrong_is_said_and_no_table_opens(screen, game, changed, field, code, status):
    answer = screen.post("/floor/open/", **open_form(game, **changed))
    assert answer.status_code == status
    assert screen.codes(answer) == [code]
    assert field in answer.context["form"].errors
    assert not Table.objects.get(number=7).sessions.exists()


def test_a_table_is_filled_in_as_last_time_at_the_rate_that_is_in_force(screen, game, floor2):
    game.close(floor2)
    game.rate.pk, game.rate.version = None, 2
    game.rate.save()
    page = screen.get("/floor/open/")
    [(session, query)] = page.context["last"]
    assert session == game.session
    assert f'href="?{query.replace("&", "&amp;")}"' in page.content.decode()
    form = screen.get(f"/floor/open/?{query}").context["form"]
    filled = {name: form[name].value() for name in ("table", "game", "rate", "max_buy_in")}
    assert filled == {
        "table": str(game.table.pk),
        "game": "face-up",
        "rate": str(game.rate.pk),
        "max_buy_in": "500.00",
    }
    screen.post("/floor/open/", key=game.key(), **filled)
    assert game.table.sessions.get(closed_at=None).rate == game.rate


def test_an_open_table_is_not_opened_twice(screen, game):
    answer = screen.post("/floor/open/", **open_form(game, table=game.table.pk))
    assert (answer.status_code, screen.codes(answer)) == (409, ["table_open"])
    assert game.table.sessions.count() == 1


def test_r60_only_the_newest_rate_in_force_is_offered(screen, game):
    newer = {"site": game.site, "option": game.rate.option, "limit_cents": 500, "fee_cents": 1100}
    newer["approval_reference"] = "BGC-2"
    in_force = Rate.objects.create(version=2, effective_from=date(2026, 3, 7), **newer)
    Rate.objects.create(version=3, effective_from=date(2026, 3, 8), **newer)
    form = screen.get("/floor/open/").context["form"]
    assert [rate.pk for rate in form.fields["rate"].queryset] == [in_force.pk]


def test_every_game_of_the_house_is_offered_each_with_its_rules(screen, game):
    page = screen.get("/floor/open/")
    codes = [code for code, _ in page.context["games"]]
    assert {sheet.code for sheet in library()} <= set(codes)
    for code in codes:
        assert f"/floor/games/{code}/" in page.content.decode()
        assert screen.get(f"/floor/games/{code}/").status_code == 200
    assert "a pair of queens or better in front" in screen.get("/floor/games/face-up/").content.decode()
    assert screen.get("/floor/games/canasta/").status_code == 404


def test_only_the_floor_opens_tables(screen, game, manager):
    screen.as_(manager)
    assert screen.get("/floor/open/").status_code == 403
    assert screen.post("/floor/open/", **open_form(game)).status_code == 403
    assert not Table.objects.get(number=7).sessions.exists()


def test_a_card_says_who_deals_since_when_and_that_nobody_does(screen, game):
    game.minute(12).push(None)
    assert "No dealer" in screen.get("/floor/").content.decode()
    game.minute(13.5).push(game.dealer)
    shown = " ".join(card(screen, game).split())
    assert f"<bdi>{game.dealer}</bdi> deals since 12:13" in shown


def test_the_waiting_lists_are_offered_to_the_floor_alone(screen, game, manager):
    assert "/waiting/" in board(screen).partition("<main")[2]
    assert "/waiting/" not in board(screen.as_(manager) or screen).partition("<main")[2]


def test_a_house_at_its_licensed_number_of_tables_is_told_so_without_an_alert(screen, game):
    game.site.authorised_tables = 1
    game.site.save(update_fields=["authorised_tables"])
    page = board(screen)
    assert "1 table is open, and no more are authorised" in page
    assert "alert--warn" not in page


def line_of(page, session):
    """A table's line on the board with its end, of a whole page."""
    start = page.rindex('<div class="board-line"', 0, page.index(f'data-piece="card-{session.pk}"'))
    return page[start : page.index("</p>", page.index(f'data-piece="mark-{session.pk}"'))]


def test_a_line_says_free_seats_who_waits_and_the_worst_need(screen, game, desk):
    game.seat("Ann", "Bob", "Cat", "Dan")
    assert " data-need" not in line_of(board(screen), game.session)
    game.set_stack(2, 0)
    desk.join("Eve")
    line = line_of(board(screen), game.session)
    for shown in ("1 free", "4 in", "1 waits", "badge--warn", " data-need", " data-free"):
        assert shown in line


def test_a_player_is_found_however_the_name_is_written_and_the_others_are_left_out(screen, game, beside):
    game.seat("Ann")
    beside.seat("Bob")
    Player.objects.filter(name="Bob").update(name="José Martínez")
    page = screen.get("/floor/?player=jose+mart&only=need").content.decode()
    assert "hidden>" in line_of(page, game.session).partition("article")[0]
    assert "hidden>" not in line_of(page, beside.session).partition("article")[0]
    assert 'hx-get="/floor/?only=need&amp;player=jose+mart"' in page
    assert 'href="?player=jose+mart"' in page  # all of them again


@pytest.mark.parametrize(
    ("query", "shows"),
    [
        ("?only=free", 'class="board" data-only="free"'),
        ("?seats=on", 'class="board board--seats"'),
        ("?only=nonsense&player=%00", 'class="board">'),
    ],
)
def test_what_is_chosen_stands_in_the_address_and_what_cannot_be_read_chooses_nothing(
    screen, game, query, shows
):
    assert shows in screen.get(f"/floor/{query}").content.decode()
