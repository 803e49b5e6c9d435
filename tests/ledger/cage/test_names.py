"""Names are compared and found without case, accents or the order of their words, in any script."""

import unicodedata

import pytest
from hypothesis import given, strategies as st

from ledger.cage.names import fold, found_by, isolated, near, spelled, words


@pytest.mark.parametrize(
    ("typed", "folded"),
    [
        ("  Jürgen   MÜLLER ", "jurgen muller"),
        ("Straße", "strasse"),
        ("Łukasz Żółć", "lukasz zolc"),
        ("O’Brien", "obrien"),
        ("Ёлкин Андрей", "елкин андреи"),
        ("مُحَمَّد", "محمد"),
        ("أحمد", "احمد"),
        ("محمـــد", "محمد"),
        ("王小明", "王小明"),
        ("ＷＡＮＧ", "wang"),
        ("김민준", "김민준"),
        ("İpek Yıldız", "ipek yildiz"),
        ("Jose\u0301", "jose"),
        ("\u202bعمر\u202c", "عمر"),
    ],
)
def test_a_name_folds_to_what_is_typed_without_marks(typed, folded):
    assert fold(typed) == folded


def test_words_leave_out_what_stands_between_them():
    assert words("Müller-Lüdenscheid, Dr. J.") == ["muller", "ludenscheid", "dr", "j"]
    assert words(" -- ") == []


def test_a_chinese_name_is_found_from_each_of_its_characters_on():
    assert found_by(["王小明 Wang"]) == {"王小明", "小明", "明", "wang"}


@given(st.text())
def test_folding_twice_changes_nothing_more(text):
    assert fold(fold(text)) == fold(text)


@given(
    st.text(alphabet=st.characters(categories=["Lu", "Ll"], max_codepoint=0x24F)),
    st.sampled_from("\u0301\u0308\u0327"),
)
def test_a_mark_on_a_letter_never_keeps_somebody_from_being_found(name, mark):
    accented = "".join(letter + mark for letter in unicodedata.normalize("NFD", name))
    assert fold(accented) == fold(name)


@given(st.lists(st.text(), max_size=4), st.randoms())
def test_every_word_of_a_search_finds_whoever_has_it(texts, chance):
    asked = words(" ".join(texts))
    chance.shuffle(asked)
    index = found_by([" ".join(texts)])
    assert all(any(word.startswith(part) for word in index) for part in asked)


@pytest.mark.parametrize("name", ["محمد", "דוד", "Dr. محمد", "٣٧", "\u202eAnn", "\u2067Ann"])
def test_a_name_that_turns_what_stands_beside_it_is_isolated_in_a_sentence(name):
    assert isolated(name) == f"\u2068{name}\u2069"


@pytest.mark.parametrize(
    "name", ["", "Ann", "O’Brien-Müller, Jr.", "欧阳小明", "김민준", "No. 37", "Ёлкин Андрей"]
)
def test_any_other_name_stands_in_a_sentence_as_it_is(name):
    assert isolated(name) == name


@pytest.mark.parametrize("other", ["Jose Martinez", "Martínez, José", "JOSÉ  martínez"])
def test_one_name_has_one_spelling_when_folded(other):
    assert spelled(other) == spelled("José Martínez")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("José Martínez", "Jose Martines"),
        ("José Martínez", "Jose Matrinez"),
        ("José Martínez", "Martinez, J."),
        ("José Martínez", "José Luis Martínez"),
        ("Sean McDonald", "Sean Mc Donald"),
        ("Anne Lee", "Ann Lee"),
        ("Mallory", "Malory"),
    ],
)
def test_a_slip_an_initial_or_a_further_name_is_near(one, other):
    assert near(one, other)
    assert near(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann Lee", "lee, ann"),
        ("Ann", "Ann Lee"),
        ("Ann", "Anne"),
        ("Ann Lee", "Ann Lea"),
        ("Rex Black", "Rex Blackwell"),
        ("Rex Black", "Tom Black"),
        ("J Martinez", "M Martinez"),
        ("", "Ann"),
    ],
)
def test_one_spelling_a_first_name_or_another_word_is_not_near(one, other):
    assert not near(one, other)
