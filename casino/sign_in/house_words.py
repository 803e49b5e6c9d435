"""Words that everybody associates with the house. A password of little else would be guessed first."""

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
"""Words of the trade, of signing in, and of the work here; docs/operations.md lists them."""
LEFT = 8
"""The characters that have to remain of a password without these words."""
SHORTEST = 4
"""The shortest word of the house's name and licence that counts."""


class NotHouseWords:
    def validate(self, password: str, user: Staff | None = None) -> None:
        if len(without(password, words_of_house())) < LEFT:
            raise ValidationError(self.get_help_text(), code="house_words")

    def get_help_text(self) -> str:
        return f"Beside words of the trade and of the house, the password needs {LEFT} characters of its own."


def words_of_house() -> list[str]:
    own = " ".join(f"{site.name} {site.licence}" for site in houses()).lower()
    found = {word for word in re.findall(r"\w+", own) if len(word) >= SHORTEST}
    return sorted({*WORDS, *found}, key=lambda word: (-len(word), word))


def without(password: str, words: list[str]) -> str:
    """Return a password without these words, punctuation and trailing digits; unchanged if it has none."""
    text = password.lower()
    for word in words:
        text = text.replace(word, "")
    return password if text == password.lower() else re.sub(r"[\W_]|\d+\W*$", "", text)
