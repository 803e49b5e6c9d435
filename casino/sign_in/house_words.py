"""Words that everybody connects with the house: a password that is little else than these would be tried first."""

import re

from django.core.exceptions import ValidationError

from casino.models import Staff
from casino.roles import ROLES
from ledger.journal.particulars import houses

WORDS = (
    *("casino", "cardroom", "cards", "poker", "chinese", "pineapple", "fantasy", "chips", "tables", "house"),
    *("password", "welcome", "login", "secret", "admin"),
    *sorted(ROLES),
)
"""The words of the trade, of signing in and of the work here; docs/operations.md lists them."""
LEFT = 8
"""So many characters have to be left of a password that has such words in it."""
SHORTEST = 4
"""Of a word in the name of a house that counts."""


class NotHouseWords:
    """Refuses a password made of such words, and of those in the name and licence of the house."""

    def validate(self, password: str, user: Staff | None = None) -> None:
        """Raise ValidationError for it (`house_words`)."""
        if len(without(password, words_of_house())) < LEFT:
            raise ValidationError(self.get_help_text(), code="house_words")

    def get_help_text(self) -> str:
        """The sentence beside the field."""
        return f"Beside words of the trade and of the house, the password needs {LEFT} characters of its own."


def words_of_house() -> list[str]:
    """Return all words, the longest first, with those of the houses' names and licences."""
    own = " ".join(f"{site.name} {site.licence}" for site in houses()).lower()
    found = {word for word in re.findall(r"\w+", own) if len(word) >= SHORTEST}
    return sorted({*WORDS, *found}, key=lambda word: (-len(word), word))


def without(password: str, words: list[str]) -> str:
    """Return what is left of a password without these words, spaces, punctuation, and digits at its end. One that has none of the
    words stays as it is."""
    text = password.lower()
    for word in words:
        text = text.replace(word, "")
    return password if text == password.lower() else re.sub(r"[\W_]|\d+\W*$", "", text)
