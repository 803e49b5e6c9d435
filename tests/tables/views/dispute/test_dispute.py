"""The dispute page: cards in, every point and its rule out; open to all staff,
and nothing is ever changed by it."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import HealthCheck, given, settings as hypothesis_settings, strategies as st

from ledger.models import Site
from tables.models import TableSession
from tables.rules.game.sheet import library
from tests.support.game import FULL_HOUSE, HANDS, LOW, PLAIN, QUEENS
from tests.support.pages import words
from tests.tables.views.audit.test_changes_nothing import rows

ROLES = ["floor", "dealer", "cashier", "counter1", "manager", "regulator"]
DRAGON = "2s3c4sTsJhQsKdAc5c6d7d8s9h"
GIVEN_UP = {"front2": "", "middle2": "", "back2": "", "says2": "surrenders"}


def entry(*hands, game="face-up@1", limit="5.00", button="2", **more):
    """The parameters of a round; each hand a dict with `seat` and whatever is said of it."""
    words = {"game": game, "limit": limit, "button": button}
    for place, hand in enumerate(hands, 1):
        for name, value in hand.items():
            words[f"{name}{place}"] = value.replace(" ", "") if name in QUEENS else value
    return words | more


def typed(hand, seat, **said):
    return {"seat": str(seat), **hand, **said}


EXTRA = r'<details class="more dispute-extra"[^>]*>'
TWO = entry(typed(QUEENS, 2, stack="200.00"), typed(FULL_HOUSE, 3, stack="45.00"))


@pytest.fixture
def ask(at, dealer, site):
    """`ask(entry(...))`: the page with this entry as the dealer sees it,
    after any redirect to its short address."""

    def open_page(words, person=dealer, **headers):
        page = at(person).get("/dispute/", words, follow=True, headers=headers)
        assert page.status_code == 200
        return page

    return open_page


def text(page):
    """What can be read in the answer, without markup."""
    answer = page.content.decode().split('id="answer"', 1)[1].split("</section>", 1)[0]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", answer)))


def beside(page, field):
    """The code of the refusal that stands beside a field, or None."""
    slot = re.search(rf'id="{field}">(.*?)</div>', page.content.decode(), re.DOTALL)
    assert slot, field
    code = re.search(r"<code>(\w+)</code>", slot[1])
    return code and code[1]


def value(page, name):
    found = re.search(rf'name="{name}" value="([^"]*)"', page.content.decode())
    return found and unescape(found[1])


# -- who, and what it does to the books ----------------------------------------------------------------------


@pytest.mark.parametrize("who", ROLES)
def test_everybody_who_works_here_may_settle_a_dispute(at, site, request, who):
    person = request.getfixturevalue(who)
    page = at(person).get("/dispute/")
    assert page.status_code == 200
    assert '<a href="/dispute/" aria-current="page">Dispute</a>' in page.content.decode()


def test_a_guest_signs_in_first(client, site):
    assert client.get("/dispute/").url.startswith("/sign-in/")


def test_nothing_is_changed_and_the_page_says_so(at, dealer, evening):
    desk = at(dealer)  # whose sign-in is noted in the log
    before = rows()
    page = desk.get("/dispute/", TWO, follow=True)
    assert "It changes nothing and is no entry of the books." in text(page)
    assert desk.post("/dispute/", TWO).status_code == 405
    assert rows() == before


def test_an_answer_costs_a_few_queries_however_many_hands(client, dealer, site, django_assert_num_queries):
    client.force_login(dealer)
    for hands in (HANDS[:2], HANDS):
        words = entry(*(typed(hand, seat) for seat, hand in enumerate(hands, 1)))
        with django_assert_num_queries(
            6
        ):  # the session and its person, two of rights, the sheet, twice the house
            page = client.get("/dispute/", words)
        assert page.status_code == 200


# -- the answer ----------------------------------------------------------------------------------------------


def test_every_point_stands_with_its_rule_and_table_stakes_cut_it(ask):
    said = text(ask(TWO))
    assert "Seat 3 pays seat 2" in said
    assert "$45.00 10 points × $5.00" in said
    assert "$50.00 due, $45.00 paid : seat 3 has only $45.00 left (R33)." in said
    assert "R10 Front won : pair of queens with 2 beats high card A-K-8" in said
    assert "R13 Bonus in front : pair of queens with 2 earns 7" in said
    assert "A bonus is paid to its holder, also from a segment that was lost or tied." in said
    assert "Seat 2 17, Seat 3 7 10 net" in said
    assert "position 1, button, $200.00" in said


def test_the_cards_stand_as_text_for_the_paper_with_who_printed_it(ask):
    page = ask(TWO)
    assert "Qs Qh 2c / 5c 6d 7h 8s 9s / Ad Kd 9d 4d 2d" in text(page)
    printed = words(page.content.decode()).split('class="print-head"', 1)[1].split("</main>", 1)[0]
    assert "The Fifth Street Room" in printed
    assert "by dealer" in printed


def test_r5_a_foul_hand_says_which_segment_does_not_beat_which(ask):
    said = text(ask(entry(typed(QUEENS, 1), typed(LOW, 2))))
    assert "the back, high card J-10-9-7-3, does not beat the middle, pair of twos with K-Q-8" in said
    assert "R20 Foul hand : the hand of seat 2 is foul A foul hand pays 9 points to every opponent." in said


def test_r33_without_stacks_nothing_is_cut(ask):
    said = text(ask(entry(typed(QUEENS, 2), typed(FULL_HOUSE, 3))))
    assert "$50.00 10 points × $5.00" in said
    assert "R33" not in said
    assert "9,999" not in said


def test_r35_two_hands_each_share_a_stack_that_is_typed_once(ask):
    hands = (typed(QUEENS, 1, stack="60"), typed(FULL_HOUSE, 2), typed(PLAIN, 1), typed(LOW, 2))
    said = text(ask(entry(*hands, game="criss-cross@1")))
    assert "Seat 1, second hand" in said
    assert said.count("$60.00") >= 2


def test_r32_a_stake_of_two_players_is_theirs_alone(ask):
    hands = [typed(hand, seat) for seat, hand in enumerate((QUEENS, FULL_HOUSE, PLAIN), 1)]
    said = text(ask(entry(*hands, game="2-4@1", one1="2", two1="1", stake1="20")))
    assert said.count("× $20.00, their own stake (R32)") == 1
    assert said.count("× $5.00") == 2


def test_r25_a_hand_that_lies_unset_is_entered_in_one_row(ask):
    hands = ({"seat": "1", "dealt": DRAGON, "declares": "dragon"}, {"seat": "2", "says": "surrenders"})
    said = text(ask(entry(*hands, game="2-4@1")))
    assert "R27 Clean sweep : dragon against a surrendered hand" in said
    assert "13 points × $5.00" in said


def test_r42_a_race_has_points_and_no_money(ask):
    page = ask(entry(typed(QUEENS, 1), typed(FULL_HOUSE, 2), game="first-to-11@1"))
    said = text(page)
    assert "2 points" in said
    assert "R42 Best front : pair of queens with 2" in said
    assert "$" not in said
    assert value(page, "stack1") is None


@pytest.mark.parametrize(
    "sheet", sorted(library().newest.values(), key=lambda sheet: sheet.code), ids=lambda s: s.code
)
def test_every_game_of_the_library_is_answered_and_asks_for_what_it_has(ask, sheet):
    page = ask(
        entry(
            *(
                typed(hand, 1 + place % 2 if sheet.hands_per_player == 2 else place)
                for place, hand in enumerate(HANDS, 1)
            ),
            game=sheet.code,
        )
    )
    asks = page.content.decode()
    assert page.context["page"].answer is not None
    assert ('value="surrenders"' in asks) == sheet.surrender.allowed
    assert ('name="royalties1"' in asks) == sheet.bonus.declared
    assert ('name="declares1"' in asks) == bool(sheet.clean_sweep.kinds)
    assert ('name="dealt1"' in asks) == (bool(sheet.clean_sweep.kinds) and sheet.clean_sweep.basis == "dealt")
    assert ('value="fantasy_land"' in asks) == (sheet.fantasy_land is not None)
    assert ('name="stake1"' in asks) == (sheet.pair_stakes and not sheet.race_to)
    assert ('id="limit"' in asks) == (not sheet.race_to)


# -- refusals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "field", "code"),
    [
        ({"front2": "AhKc8x"}, "under-front2", "bad_card"),
        ({"front2": "AhKc"}, "under-front2", "card_count"),
        ({"middle1": "5c6d7h8s9s2h"}, "under-middle1", "card_count"),
        ({"front2": "QsKc8h"}, "under-front2", "duplicate_card"),
        ({"seat2": "7"}, "top2", "bad_seat"),
        ({"seat2": "2"}, "wrong-hands", "hand_count"),
        ({"stack2": "some"}, "top2", "bad_stack"),
        ({"declares1": "dragon"}, "foot1", "false_declaration"),
        ({"declares2": "no-people"}, "foot2", "unknown_clean_sweep"),
        ({"limit": "five"}, "wrong-table", "bad_limit"),
        ({"limit": ""}, "wrong-table", "bad_limit"),
        ({"button": "9"}, "wrong-table", "bad_seat"),
        ({"game": "bridge"}, "wrong-game", "unknown_game"),
        ({"game": "face-up@77"}, "wrong-game", "unknown_game"),
        ({"front2": "", "middle2": "", "back2": ""}, "wrong-hands", "hand_count"),
    ],
)
def test_a_refusal_stands_beside_its_field_and_nothing_typed_is_lost(ask, change, field, code):
    words = TWO | change
    page = ask(words)
    assert beside(page, field) == code
    assert page.context["page"].answer is None
    for name, typed_text in words.items():
        if typed_text and name.rstrip("12") not in ("seat", "game", "button", "declares"):
            assert value(page, name).replace(" ", "") == typed_text
    for name in ("seat2", "button", "declares1"):
        if name in change:
            assert f'<option value="{change[name]}" selected>' in page.content.decode()


@pytest.mark.parametrize(
    ("change", "field", "code"),
    [
        ({"says1": "surrenders", "declares1": "dragon"}, "foot1", "declares_and_surrenders"),
        (
            {"dealt1": DRAGON, "front1": "", "middle1": "", "back1": ""} | GIVEN_UP,
            "under-dealt1",
            "unset_hand",
        ),
        ({"dealt1": DRAGON} | GIVEN_UP, "under-dealt1", "bad_json"),
        ({"one1": "2", "two1": "5", "stake1": "10"}, "wrong-stake1", "bad_seat"),
        ({"one2": "1", "two2": "2", "stake2": "much"}, "wrong-stake2", "bad_limit"),
        ({"royalties1": "back", "front1": "", "middle1": "", "back1": ""}, "foot1", "unset_hand"),
    ],
)
def test_what_other_games_ask_is_refused_beside_its_field_too(ask, change, field, code):
    words = entry(typed(QUEENS, 1), typed(PLAIN, 2), game="2-4@1") | change
    assert beside(ask(words), field) == code


def test_cards_are_read_as_people_type_them(ask):
    page = ask(TWO | {"front1": "qS, q♥ 2C", "back2": "10s 10h Tc 6h 6c"})
    assert value(page, "front1") == "Qs Qh 2c"
    assert value(page, "back2") == "Ts Th Tc 6h 6c"
    assert page.context["page"].answer is not None


def test_while_somebody_types_missing_cards_are_no_error_but_a_card_twice_is(ask):
    live = {"HX-Request": "true"}
    page = ask(TWO | {"back2": "TsThTc"}, **live)
    assert beside(page, "under-back2") is None
    assert "Not complete yet" in text(page)
    assert "Seat 3: back holds 5 cards, not 3." in text(page)
    assert "Full house" not in text(page)
    assert beside(ask(TWO | {"back2": "QsThTc"}, **live), "under-back2") == "duplicate_card"
    done = ask(TWO, **live)
    assert "Seat 3 pays seat 2" in text(done)
    assert dict(parse_qsl(done["HX-Replace-Url"].split("?")[1])) == TWO


# -- the address ---------------------------------------------------------------------------------------------


def test_a_third_hand_is_open_once_something_of_it_is_entered(ask):
    def folded(entered):
        return [found.endswith("open>") for found in re.findall(EXTRA, ask(entered).content.decode())]

    three = entry(typed(QUEENS, 2), typed(FULL_HOUSE, 3), typed(PLAIN, 4))
    assert (folded(TWO), folded(three)) == ([False, False], [True, False])


def test_the_address_has_the_whole_entry_and_nothing_empty(at, dealer, site):
    empty = {
        f"{name}{place}": "" for name in ("stack", "front", "middle", "back", "declares") for place in (3, 4)
    }
    form = TWO | empty | {"seat3": "1", "seat4": "4", "game": "face-up@1"}
    moved = at(dealer).get("/dispute/", form)
    assert moved.status_code == 302
    assert dict(parse_qsl(moved.url.split("?")[1])) == TWO
    assert at(dealer).get(moved.url).status_code == 200


def test_a_change_of_game_keeps_what_the_other_game_does_not_ask(ask):
    words = entry(typed(QUEENS, 1, royalties="back", says="surrenders"), typed(PLAIN, 2), game="face-up@1")
    page = ask(words)
    assert "Surrendered" not in text(page)
    assert value(page, "royalties1") == "back"
    back = ask({**dict(parse_qsl(page.context["page"].query)), "game": "2-4@1"})
    assert "Surrendered" in text(back)


def test_a_bookmark_stays_with_the_version_of_the_game(ask, settings, tmp_path):
    (tmp_path / "own.toml").write_text('code = "own"\nversion = 1\ntitle = "Our own"\nscoop = 7\n')
    settings.HOUSE_SHEETS = tmp_path
    words = entry(typed(QUEENS, 1), typed(PLAIN, 2), game="own")
    first = ask(words)
    assert "worth 7 points more" in text(first)
    (tmp_path / "own-2.toml").write_text('code = "own"\nversion = 2\ntitle = "Our own"\nscoop = 8\n')
    assert "worth 8 points more" in text(ask(words))
    again = ask(words | {"game": "own@1"})
    assert "worth 7 points more" in text(again)
    assert '<option value="own@1" selected>Our own, version 1</option>' in again.content.decode()


def test_the_page_begins_with_the_game_and_limit_of_the_table_that_was_opened_last(ask, table_of):
    table_of("western")
    page = ask({})
    assert page.context["page"].sheet.code == "western"
    assert value(page, "limit") == "5.00"


def test_the_page_begins_with_the_table_that_the_dealer_deals_at(ask, table_of, floor, dealer, employ):
    tables = {"western": table_of("western"), "2-4": table_of("2-4", number=2)}
    usual = ask({}, floor).context["page"].sheet.code
    (mine,) = set(tables) - {usual}
    sessions = TableSession.objects
    sessions.filter(pk=tables[usual].session.pk).update(dealer=employ("other-dealer", "dealer"))
    sessions.filter(pk=tables[mine].session.pk).update(dealer=dealer)
    assert ask({}).context["page"].sheet.code == mine


def test_a_table_of_another_house_gives_the_page_no_game(ask, table_of):
    table_of("western")
    Site.objects.create(
        pk=0, name="The Other Room", licence="GEGE-2"
    )  # the house of this database is the first one
    assert value(ask({}), "limit") == ""


PARTS = "seat stack front middle back dealt declares says royalties one two stake".split()
names = st.sampled_from(
    [f"{name}{place}" for name in PARTS for place in (1, 2, 7)] + ["game", "limit", "button"]
)
values = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        [*"face-up 2-4@1 first-to-11@1 1 2 QsQh2c 5c6d7h8s9s dragon back surrenders".split(), DRAGON]
    ),
)


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(st.tuples(names, values), max_size=12))
def test_whatever_the_address_says_there_is_a_page(at, dealer, site, words):
    page = at(dealer).get(f"/dispute/?{urlencode(words, errors='surrogatepass')}", follow=True)
    assert page.status_code == 200
    assert len(page.redirect_chain) <= 1


# -- from the record -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["face-up", "western", "2-4", "low-middle", "criss-cross", "first-to-11"])
def test_a_settled_round_is_checked_with_what_was_recorded(at, floor, table_of, code):
    table = table_of(code)
    two_each = library().newest[code].hands_per_player == 2
    table.seat(*(("Ann", "Bob") if two_each else ("Ann", "Bob", "Cat")))
    race = {"match_stake_cents": 5000} if code == "first-to-11" else {}
    round_ = table.play(HANDS, **race)
    record = at(floor).get(f"/rounds/{round_.pk}/")
    assert f'href="/rounds/{round_.pk}/dispute/"' in record.content.decode()
    settled = record.context["record"].standing.answer
    page = at(floor).get(f"/rounds/{round_.pk}/dispute/", follow=True)
    answer = page.context["page"].answer.json
    for part in ("hands", "payments", "net", "score"):
        assert answer.get(part) == settled.get(part)


def test_a_round_without_a_settlement_has_nothing_to_check(at, floor, counter1, game):
    game.seat("Ann", "Bob")
    running = game.start()
    assert at(floor).get(f"/rounds/{running.pk}/dispute/").status_code == 404
    assert at(counter1).get(f"/rounds/{running.pk}/dispute/").status_code == 403
