"""Sentences of the product in another language, each found by the message that it was made of. Pure; a
dealer's tablet runs it too."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from typing import Any

PLACE = re.compile(r"\{(\w+)\}")
EXACT = {
    "dollars": r"[+\u2212-]?\$[\d,]+\.\d\d",
    "time": r"\d\d?:\d\d(?::\d\d)?",
    "numbers": r".+?",
    "number": r"[^\s,:]+",
    "down": r"\d+",
    "rank": r"[a-z]+",
    "serial": r"\d+",
    "suit": r"spade|heart|diamond|club",
    "count": r"\d+",
}
"""What stands in a place by how its name begins; in others anything."""
PEOPLE = frozenset(
    {
        *("actor", "asked_by", "creditor", "dealer", "debtor", "loser", "name", "names", "names2"),
        *(
            "next_dealer",
            "payer",
            "person",
            "player",
            "receiver",
            "second_person",
            "seen_by",
            "who",
            "winner",
        ),
    }
)
"""Places in which a name stands, which is nobody's to translate: Jack is no jack."""
LISTS = frozenset({"named", "off", "whom"})
BETWEEN = re.compile(", | or | and ")
"""What stands between the things in a place of several, each said by itself."""
MOST_INSIDE = 3
"""How deep what fills a place of a sentence is itself a sentence: `Table 3, seat 2`."""
KEPT = 20_000
"""How many texts of a language are kept as they were last said, the latest."""
SENTENCES = frozenset({"error", "why_not", "badge", "sentence", "following"})
"""The fields of the API in which sentences and words for people stand."""


class Phrasebook:
    """One language: `texts` by their English, without plurals; `exact` says what others have texts of."""

    def __init__(self, texts: Mapping[Any, str], exact: Callable[[str], str] = str) -> None:
        self._texts, self._exact = texts, exact
        self.said = lru_cache(maxsize=KEPT)(self._said)

    def _said(self, text: str, inside: int = 0) -> str | None:
        """Return a text in this language, or None where nobody knows it. `inside`: how deep it stands in
        others."""
        begun = text[:1].swapcase() + text[1:]
        if (exact := self._texts.get(text) or self._exact(text)) != text:
            return exact
        if begun != text and (known := self._texts.get(begun)):
            return _begun(known, text)
        found = self._made_of_places(text, inside)
        if found is None and begun != text and (other := self._made_of_places(begun, inside)):
            return _begun(other, text)
        return found

    def _made_of_places(self, text: str, inside: int) -> str | None:
        for parts, message in self._near.get(text[:1]) or self._near.get("", []):
            found = _pattern(message).fullmatch(text) if all(part in text for part in parts) else None
            if found is not None:
                return self._filled(self._texts[message] or message, found, inside + 1)
        return None

    def _filled(self, message: str, values: re.Match[str], inside: int) -> str:
        return PLACE.sub(lambda place: self._placed(place[1], values[place[1]], inside), message)

    def _placed(self, name: str, value: str, inside: int) -> str:
        """Return what stands in a place of a sentence, in this language."""
        if name in PEOPLE or inside > MOST_INSIDE:
            return value
        parts = BETWEEN.split(value) if name in LISTS else [value]
        return ", ".join(self.said(part, inside) or part for part in parts)

    @cached_property
    def _near(self) -> dict[str, list[tuple[tuple[str, ...], str]]]:
        """The messages with places by the letter that they begin with, each with those that begin with a
        place (alone under ""), with their literal parts; the most literal first, and of those the ones with
        the fewest names."""
        known = [message for message in self._texts if isinstance(message, str) and PLACE.search(message)]
        known.sort(
            key=lambda message: (-len(PLACE.sub("", message)), len(PEOPLE & {*PLACE.findall(message)}))
        )
        begins = {message[0] for message in known} - {"{"}
        found: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        for message in known:
            parts = tuple(sorted(filter(None, PLACE.split(message)[::2]), key=len, reverse=True))
            for letter in ("", *begins) if message[0] == "{" else message[0]:
                found[letter].append((parts, message))
        return dict(found)

    def said_in(self, data: Any) -> Any:
        """Return data of the API with its sentences in this language."""
        if isinstance(data, dict):
            return {
                name: self.said(value) or value
                if name in SENTENCES and isinstance(value, str)
                else self.said_in(value)
                for name, value in data.items()
            }
        return [self.said_in(one) for one in data] if isinstance(data, list | tuple) else data


def _begun(text: str, like: str) -> str:
    """Return a text that begins large or small, as the other does: what begins a sentence here stands within
    one elsewhere."""
    first = text[:1].upper() if like[:1].isupper() else text[:1].lower()
    return first + text[1:]


@lru_cache(maxsize=KEPT)
def _pattern(message: str) -> re.Pattern[str]:
    literal = PLACE.split(message)  # text, name, text, name, text
    text = "".join(
        f"(?P<{part}>{_fits(part)})" if at % 2 else re.escape(part) for at, part in enumerate(literal)
    )
    return re.compile(text, re.DOTALL)


def _fits(place: str) -> str:
    return next((exact for begins, exact in EXACT.items() if place.startswith(begins)), ".+?")


def texts_of(translations: Any) -> dict[Any, str]:
    """Return what a compiled catalog (gettext) says: text by message, or by message and form where there is a
    plural."""
    return {message: text for message, text in getattr(translations, "_catalog", {}).items() if message}
