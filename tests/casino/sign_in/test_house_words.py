"""No password may consist of words that everybody associates with the house."""

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from casino.sign_in import passwords


def codes_of(password):
    try:
        validate_password(password)
    except ValidationError as error:
        return {problem.code for problem in error.error_list}
    return set()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "password",
    [
        "Casino-Poker-2026",
        "chinesepoker123!",
        "welcome dealer 77",
        "FifthStreetRoom1",
        "GEGE-001234-gege",
        "manager.manager.9",
    ],
)
def test_words_of_the_trade_and_of_the_house_make_no_password(site, password):
    assert "house_words" in codes_of(password)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "password", ["a fine long password", "plum tart 4 the dealer", "qvzw-7713-kkwy", "1848 maple walnut"]
)
def test_beside_characters_of_its_own_they_do_no_harm(site, password):
    assert codes_of(password) == set()


def test_what_has_no_such_word_stays_whole():
    assert passwords.without("  91-82-73 ", ["casino"]) == "  91-82-73 "
    assert passwords.without("My Casino 2026!", ["casino"]) == "my"


def test_the_words_are_the_documented_ones(settings):
    page = (settings.BASE_DIR / "docs" / "operations.md").read_text()
    (listed,) = [line for line in page.splitlines() if line.startswith("> ")]
    assert listed.removeprefix("> ").split(", ") == list(passwords.WORDS)
