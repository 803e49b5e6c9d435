"""The catalogs: what the translated rooms say and no more, whole in Chinese, honest about who read them."""

import re

import pytest

from casino.languages import ENGLISH, LANGUAGES, UNREVIEWED, WHOLE
from tools import messages as catalogs

LANGUAGES_APART = [code for code, _ in LANGUAGES if code != ENGLISH]
KEPT = re.compile(r"\{\w+\}|%\(\w+\)s|</?\w+[^>]*>")
"""What a translation keeps: places of values, and elements."""
CHINESE, A_PLACE = r"[\u3001-\u9fff\uff01-\uff60]", r"(?:\{\w+\}|%\(\w+\)s|</?\w+[^>]*>)"
HALF_WIDTH = re.compile(
    rf"{CHINESE}{A_PLACE}?\s?[,;:!?](?!\d)|[,;:!?]\s?{A_PLACE}?{CHINESE}|{CHINESE}\.|\({CHINESE}|{CHINESE}\)"
)
"""Punctuation of half width beside a Chinese character, or beside a place beside one."""
RULE = re.compile(r"\bR\d+")


@pytest.fixture(scope="module")
def said():
    return catalogs.messages()


def translated(catalog):
    """Yield every message with its translations, as (texts, forms)."""
    for message in catalog:
        if message.id:
            texts = message.id if isinstance(message.id, tuple) else (message.id,)
            forms = message.string if isinstance(message.string, tuple) else (message.string,)
            yield texts, forms


@pytest.mark.parametrize("domain", catalogs.DOMAINS)
@pytest.mark.parametrize("language", LANGUAGES_APART)
class TestEachCatalog:
    def test_has_what_the_rooms_say_and_nothing_else(self, said, language, domain):
        """After a change of a translated text: `make messages`, then translate what is new."""
        kept = {catalogs.text_of(message) for message in catalogs.kept(language, domain) if message.id}
        assert kept == set(said[domain])

    def test_is_compiled_as_it_is(self, said, language, domain):
        """`make messages` compiles; a machine that only serves has no gettext."""
        now = catalogs.updated(language, domain, said[domain])
        file = catalogs.po_file(language, domain)
        assert file.with_suffix(".mo").read_bytes() == catalogs.compiled(now)
        assert file.read_bytes() == catalogs.written(now)

    def test_keeps_places_elements_and_rules_of_each_message(self, language, domain):
        wrong = [
            (texts[-1], form)
            for texts, forms in translated(catalogs.kept(language, domain))
            for form in filter(None, forms)
            if sorted(KEPT.findall(form)) not in [sorted(KEPT.findall(text)) for text in texts]
            or RULE.findall(form) != RULE.findall(texts[-1])
        ]
        assert wrong == []

    def test_says_of_each_translation_that_nobody_has_read_that_it_is_unreviewed(self, language, domain):
        catalog = catalogs.kept(language, domain)
        unread = [one for one in catalog if catalogs.UNREVIEWED in one.user_comments]
        assert all(one.id and one.string for one in unread)
        if unread:
            assert dict(LANGUAGES)[language].endswith(UNREVIEWED)
        first = catalogs.po_file(language, domain).read_text().split("\n\n")[0]
        assert f"X-Unreviewed: {len(unread)} of {len(catalog)}" in first


@pytest.mark.parametrize("domain", catalogs.DOMAINS)
@pytest.mark.parametrize("language", WHOLE)
def test_a_whole_language_misses_no_text(language, domain):
    missing = [texts[0] for texts, forms in translated(catalogs.kept(language, domain)) if not all(forms)]
    assert missing == []


@pytest.mark.parametrize("language", [code for code in LANGUAGES_APART if code not in WHOLE])
def test_a_language_that_has_begun_says_how_far_it_is(language, capsys):
    forms = [forms for domain in catalogs.DOMAINS for _, forms in translated(catalogs.kept(language, domain))]
    done = sum(1 for one in forms if all(one))
    assert 0 < done <= len(forms)


def test_a_refusal_is_a_message_with_a_place_for_each_value(tmp_path, monkeypatch):
    monkeypatch.setattr(catalogs, "ROOT", tmp_path)
    (tmp_path / "verbs.py").write_text(
        'def give_up(hand, seats):\n    """Not this."""\n'
        '    raise NoHand(f"Seat {hand.seat} and seat {seats[0].seat:03} have no {named(hand)}.")\n'
        'def ask():\n    return Row.objects.select_related("session session__table")\n'
        'ROWS = Compiled(_rows, joined="sheet document bank")\n'
        'def stop():\n    raise ValueError("nobody reads this")\n'
    )
    assert list(catalogs.of_sentences("verbs.py")) == ["Seat {seat} and seat {seat2} have no {named}."]
    assert list(catalogs.of_sentences("verbs.py:ask")) == []
    with pytest.raises(LookupError):
        list(catalogs.of_sentences("verbs.py:gone"))


def test_a_text_inside_another_text_of_a_script_is_found_too(tmp_path):
    script = tmp_path / "a.js"
    script.write_text(
        't("Before {round}", { round: t("the next") }); tn("{count} card", "{count} cards", 2);'
    )
    found = ["Before {round}", "the next", ("{count} card", "{count} cards")]
    assert list(catalogs.of_script(script)) == found


def narrow(texts):
    return [text for text in texts if HALF_WIDTH.search(text)]


@pytest.mark.parametrize("domain", catalogs.DOMAINS)
def test_chinese_has_chinese_punctuation(domain):
    found = [
        form for _, forms in translated(catalogs.kept("zh-hant", domain)) for form in filter(None, forms)
    ]
    assert narrow(found) == ["是,否"] * (domain == "django")  # Django's own form of yes and no


def test_what_is_half_width_between_chinese_is_found():
    mixed = ["桌 {number}, 座位", "牌桌已開,請入座", "（三張)", "收到 {at}:先付", "座位 3."]
    right = ["桌 {number}，座位", "{at:time} 12:05", "R52，$1,000", "A-K-Q, 12:05"]
    assert narrow([*mixed, *right]) == mixed[:4]


def test_one_english_word_that_means_two_things_has_two_translations():
    catalog = catalogs.kept("zh-hant", "django")
    meant = {one.context: one.string for one in catalog if one.id == "Full"}
    assert meant == {None: "全額", "table": "已滿"}  # of a fee, and of a table
