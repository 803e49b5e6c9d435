"""A device's language: where it is chosen, which pages have it, and what stays English."""

import json
from datetime import UTC, datetime

import pytest
from django.template import Context, Template
from django.utils import formats, translation
from django.utils.safestring import mark_safe

from casino.languages import LANGUAGES
from casino.requests.languages import COOKIE
from ledger.models import AuditRecord
from ledger.templatetags.languages import each_said, said, script_texts
from tables.rules.errors import BadSheet
from tables.rules.game.sheet import parse_sheet
from tests.support.game import FULL_HOUSE, QUEENS

CHINESE = "zh-hant"


@pytest.fixture
def seated(game):
    game.seat("Ann", "Bob")
    return game


@pytest.fixture
def in_chinese():
    with translation.override(CHINESE):
        yield


@pytest.mark.django_db
class TestAPage:
    def test_is_in_the_language_that_this_device_has_chosen(self, client, site):
        chosen = client.get("/sign-in/?language=zh-hant&next=/dealer/")
        assert '<html lang="zh-hant"' in chosen.content.decode()
        assert 'name="next" value="/dealer/"' in chosen.content.decode()
        again = client.get("/sign-in/").content.decode()
        assert ">登入<" in again
        assert ">Sign in<" not in again

    def test_is_english_on_a_device_that_has_chosen_nothing_whatever_its_browser_speaks(self, client, site):
        page = client.get("/sign-in/", headers={"accept-language": "zh-TW,zh;q=0.9"}).content.decode()
        assert '<html lang="en"' in page
        assert "Sign in" in page

    def test_is_english_again_after_english_was_chosen(self, client, site):
        client.get("/sign-in/?language=vi")
        client.get("/sign-in/?language=en")
        assert '<html lang="en"' in client.get("/sign-in/").content.decode()

    @pytest.mark.parametrize("asked", ["xx", "", "zh-hant'", "../vi"])
    def test_knows_its_languages_alone(self, client, site, asked):
        answer = client.get("/sign-in/", {"language": asked})
        assert '<html lang="en"' in answer.content.decode()
        assert COOKIE not in answer.cookies

    def test_that_is_not_translated_is_english_and_says_so(self, client, floor):
        client.force_login(floor)
        client.get("/pin/?language=zh-hant")
        assert '<html lang="zh-hant"' in client.get("/pin/").content.decode()
        page = client.get("/audit/log/").content.decode()
        assert '<html lang="en"' in page
        assert "樓面" not in page

    def test_is_english_as_a_paper_and_in_its_language_again_afterwards(self, client, cashier, site):
        client.force_login(cashier)
        page = client.get("/cashier/day/?language=zh-hant").content.decode()
        assert ">列印當日<" in "".join(page.split())
        assert 'href="?language=zh-hant&amp;paper=en"' in page
        paper = client.get("/cashier/day/?paper=en").content.decode()
        assert '<html lang="en"' in paper
        assert "data-print" in paper
        assert '<html lang="zh-hant"' in client.get("/cashier/day/").content.decode()

    def test_offers_every_language_by_its_own_name(self, client, site):
        page = client.get("/sign-in/?language=vi").content.decode()
        assert all(f'lang="{code}" hreflang="{code}"' in page and name in page for code, name in LANGUAGES)

    def test_keeps_the_choice_where_no_script_and_no_other_site_reads_it(self, client, site):
        cookie = client.get("/sign-in/?language=vi").cookies[COOKIE]
        assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/")
        assert 0 < cookie["max-age"] <= 400 * 24 * 60 * 60

    def test_gives_the_next_request_of_its_thread_no_language(self, client, site):
        client.get("/sign-in/?language=vi")
        assert translation.get_language() == "en"


def settle(client, seated, language):
    """Start and settle a round, then settle it again under another key; return the refusal."""
    client.force_login(seated.dealer)
    spoken = {"accept-language": language}

    def post(path, body):
        return client.post(f"/api/{path}", json.dumps(body), content_type="application/json", headers=spoken)

    made = post(f"sessions/{seated.session.pk}/rounds", {"key": "start-the-round"}).json()
    hands = [{"seat": 1, **QUEENS}, {"seat": 2, **FULL_HOUSE}]
    assert post(f"rounds/{made['id']}/settle", {"key": "settle-it-once", "hands": hands}).status_code == 200
    return post(f"rounds/{made['id']}/settle", {"key": "settle-it-again", "hands": hands})


@pytest.mark.django_db
class TestTheTabletsApi:
    def test_refuses_in_the_language_of_the_page_with_the_same_code(self, client, seated):
        answer = settle(client, seated, CHINESE)
        assert answer.status_code == 409
        assert (answer.json()["code"], answer.json()["error"]) == ("already_settled", "第 1 局已經結算。")

    def test_records_in_english_whatever_the_page_speaks(self, client, seated):
        settle(client, seated, CHINESE)
        records = "".join(map(str, AuditRecord.objects.values_list("text", flat=True)))
        assert "settle" in records
        assert not any("\u4e00" <= letter <= "\u9fff" for letter in records)

    def test_says_why_nobody_is_dealt_in(self, client, seated):
        client.force_login(seated.dealer)
        address = f"/api/sessions/{seated.session.pk}/plan?decline=2"
        plan = client.get(address, headers={"accept-language": CHINESE}).json()
        assert plan["why_not"] == "要有兩位可入局的玩家才能開局。"
        assert {seat["badge"] for seat in plan["waiting"] if seat["reason"]} == {"不參加"}

    def test_is_english_for_a_program_that_says_nothing(self, client, seated):
        assert settle(client, seated, "").json()["error"] == "Round 1 has already been settled."


@pytest.mark.usefixtures("in_chinese")
class TestASentence:
    def test_is_found_by_its_message_and_keeps_what_stands_in_its_places(self):
        assert said("Seat 3 was not dealt into this round.") == "座位 3 沒有參加這一局。"
        assert said("Ann O'Neill has left the table.") == "Ann O'Neill 已離桌。"

    def test_has_sentences_in_its_places_translated_too(self):
        assert said("You are not the dealer of Table 4.") == "您不是4 號桌的荷官。"
        assert said("Table 3, seat 2") == "3 號桌，座位 2"
        assert said("The first hand of seat 2 is missing.") == "缺少座位 2 的第一手。"

    @pytest.mark.parametrize(
        ("toml", "sentence"),
        [
            (b"code", "own.toml：不是 TOML 檔："),
            (b'code = "A"', "own.toml：code：小寫字母、數字和連字號，最多 40 個"),
            (b'code = "a"\ntitle = "A"\nversion = 0', "own.toml：version：1 到 1000000 的整數"),
        ],
    )
    def test_says_what_is_wrong_with_a_sheet_of_the_house(self, toml, sentence):
        with pytest.raises(BadSheet) as refused:
            parse_sheet(toml, "own.toml")
        assert said(refused.value.message).startswith(sentence)

    def test_has_each_of_several_things_translated(self):
        assert said("Still open: Drawer 2; Drawer 3.") == "仍未關閉：抽屜 2、抽屜 3。"
        assert each_said("13 × $5 chips, 2 × $10 cash") == "13 × $5 籌碼、2 × $10 現金"
        assert said("To be authorised by a manager").endswith("（經理）")

    def test_may_be_two_sentences_that_are_known_one_by_one(self):
        assert (
            said("The two counts differ: count again. Say why.") == "兩次點算不符：請重新點算。 請說明原因。"
        )

    def test_never_translates_a_name(self):
        assert said("jack sits out.") == "jack 暫離。"
        assert said("Fee has left the table.") == "Fee 已離桌。"

    def test_that_nobody_knows_stays_as_it_is(self):
        for other in ("Ann", "ann and bob, seated", "", None, "Cards, chips and cash"):
            assert said(other) == other

    def test_with_markup_of_its_own_stays_as_it_is(self):
        assert said(mark_safe("<b>Sign in</b>")) == "<b>Sign in</b>"

    def test_is_escaped_like_any_other(self):
        shown = Template("{{ sentence|said }}").render(Context({"sentence": "<i> has left the table."}))
        assert shown == "&lt;i&gt; 已離桌。"


@pytest.mark.parametrize("language", [code for code, _ in LANGUAGES])
def test_figures_and_times_have_their_english_form_in_every_language(language):
    at = datetime(2026, 3, 1, 17, 5, tzinfo=UTC)

    def shown():
        return formats.number_format(1234.5), formats.date_format(at, "SHORT_DATETIME_FORMAT", use_l10n=True)

    with translation.override("en"):
        english = shown()
    with translation.override(language):
        assert shown() == english == ("1234.5", "03/01/2026 5:05 p.m.")


def test_scripts_get_their_texts_with_the_page_and_in_english_none():
    assert script_texts() == ""
    with translation.override("es"):
        texts = json.loads(script_texts())
    assert texts["Saved"] == "Guardado"
    assert texts["{count} card"] == ["{count} carta", "{count} cartas"]


@pytest.mark.usefixtures("in_chinese")
def test_a_place_for_money_holds_money_alone():
    assert said("$150.00 to $500.00") == "$150.00 至 $500.00"
    assert said("Ann to Bob") == "Ann to Bob"
    assert said("Push: Table 1") == "換荷官：1 號桌"


@pytest.mark.usefixtures("in_chinese")
class TestASentenceInsideAnother:
    def test_is_found_with_another_capital_and_without_its_full_stop(self):
        assert said("pair of queens with 10-9-4 beats high card A-K-J") == "一對 Q 帶 10-9-4大於散牌 A-K-J"
        assert said("Seat 2: front holds 3 cards, not 2.") == "座位 2：前墩 應有 3 張牌，不是 2 張。"

    def test_is_found_in_a_list_of_which_everything_is_known(self):
        assert said("front, middle and back") == "前墩、中墩 與 後墩"
        assert said("seat 1, seat 2 and seat 4") == "座位 1、座位 2 與 座位 4"
        assert said("front, Ann and back") == "front, Ann and back"

    def test_that_is_one_word_with_a_capital_may_be_a_name(self):
        assert said("jack") == "J"
        assert said("Jack") == "Jack"

    def test_has_a_number_of_one_word(self):
        assert said("Complaint 4 is noted.") == "投訴 4已記下。"
