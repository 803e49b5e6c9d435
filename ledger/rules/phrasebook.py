"""Sentences of the product in another language, each found by the message that it was made of. Pure; a
dealer's tablet runs it too."""

import heapq
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import Any

PLACE = re.compile(r"\{(\w+)\}")
ONE_WORD = r"\S*[^\s.]"
EXACT = {
    "dollars": r"[+\u2212-]?\$[\d,]+\.\d\d",
    "time": r"\d\d?:\d\d(?::\d\d)?",
    "numbers": r".+?",
    "number": r"[^\s,:]+",
    "down": r"\d+",
    "rank": r"[a-z]+",
    "serial": r"\d+",
    "counts": ONE_WORD,
    "suit": r"spade|heart|diamond|club",
    "count": r"\d+",
    "in_words": r"[a-z -]+",
    "pieces": r"\d+",
    "series": r"[A-Z][a-z]+(?: [a-z]+)?",
}
"""What stands in a place by how its name begins; in others anything."""
NAMED = {"in_segment": "in .+", "len": ONE_WORD, "owner": ".+?: ", "pk": ONE_WORD, "seat": ONE_WORD}
"""What stands in a place of just this name."""
PEOPLE = frozenset(
    {
        *("actor", "asked_by", "cashier", "counted_by", "creditor", "dealer", "debtor", "loser", "name"),
        *("names", "names2", "next_dealer", "payer", "person", "player", "receiver", "second_person"),
        *("seen_by", "who", "winner", "key_in_file"),
    }
)
"""Places in which a name stands, which is nobody's to translate: Jack is no jack, the key `code` no word."""
LISTS = frozenset({"named", "numbers", "off", "tables", "several", "whom"})
IN_LIST = re.compile(r"(, | and | or (?!better))")
COMMA = ", "
"""What stands between the things of a list; each language has its own."""
MOST_WORDS = 3
"""How long a thing in a list is at most where a list is looked for before sentences."""
ENDS = re.compile(r"(?<=[.?!]) (?=[A-Z{])")
"""Where one sentence ends and the next begins."""
MOST_INSIDE = 6
"""How deep what fills a place of a sentence is itself a sentence: `Table 3, seat 2`."""
KEPT = 20_000
"""How many texts of a language are kept as they were last said, the latest."""
SENTENCES = frozenset({"error", "why_not", "badge", "sentence", "following"})
"""The fields of the API in which sentences and words for people stand."""


def things_in(text: str) -> list[str]:
    """Return the things of a list, each to be said by itself: `front, middle and back`."""
    return IN_LIST.split(text)[::2]


Form = tuple[str, Callable[[str], str]]
"""A text as its message may have it, and what makes the translation of that one the text's."""


class Phrasebook:
    """One language: `texts` by their English, without plurals; `exact` says what others have texts of."""

    def __init__(self, texts: Mapping[Any, str], exact: Callable[[str], str] = str) -> None:
        self._texts, self._exact = texts, exact
        self.said = lru_cache(maxsize=KEPT)(self._said)

    def _said(self, text: str, inside: int = 0) -> str | None:
        """Return a text in this language, or None where nobody knows it. `inside`: how deep it stands in
        others."""
        forms = list(_forms(text))
        for form, back in forms:
            if (exact := self._texts.get(form) or self._exact(form)) != form:
                return back(exact)
        things = things_in(text)
        are_short = all(len(one.split()) <= MOST_WORDS for one in things)
        if are_short and (" and " in text or " or " in text) and (listed := self._listed(text, inside)):
            return listed
        if made := self._made_of_places(forms, inside):
            return made
        sentences = ENDS.split(text)
        if len(sentences) > 1:
            return " ".join(self.said(one, inside) or one for one in sentences)
        return self._listed(text, inside)

    def _listed(self, text: str, inside: int) -> str | None:
        """Return a list of which everything is known, `front, middle and back`."""
        parts = IN_LIST.split(text)
        if len(parts) == 1 or inside > MOST_INSIDE:
            return None
        things = [self.said(part, inside + 1) for part in parts[::2]]
        if not all(things):
            return None
        words = (self._texts.get(one.strip(), one.strip()) for one in parts[1::2])
        between = [self.comma if word == "," else f" {word} " for word in words]
        return "".join(part or "" for pair in zip(things, [*between, ""], strict=True) for part in pair)

    def _made_of_places(self, forms: Iterable[Form], inside: int) -> str | None:
        near = ([(*one, *form) for one in self._begun_as(form[0])] for form in forms)
        for _, parts, message, text, back in heapq.merge(*near, key=itemgetter(0)):
            if ENDS.search(text) and not ENDS.search(message):
                continue  # one sentence does not hold several
            found = _pattern(message).fullmatch(text) if all(part in text for part in parts) else None
            if found is not None:
                return back(self._filled(self._texts[message] or message, found, inside + 1))
        return None

    def _begun_as(self, text: str) -> list[tuple[int, tuple[str, ...], str]]:
        """Return the messages with places that may begin as this text does, as (rank, parts, message)."""
        return self._near.get(text[:1]) or self._near.get("", [])

    def _filled(self, message: str, values: re.Match[str], inside: int) -> str:
        return PLACE.sub(lambda place: self._placed(place[1], values[place[1]], inside), message)

    def _placed(self, name: str, value: str, inside: int) -> str:
        """Return what stands in a place of a sentence, in this language."""
        if name in PEOPLE or inside > MOST_INSIDE:
            return value
        parts = [value]
        if name in LISTS:
            parts = value.split("; ") if "; " in value else things_in(value)
        return self.comma.join(self.said(part, inside) or part for part in parts)

    @property
    def comma(self) -> str:
        return self._texts.get(COMMA) or COMMA

    @cached_property
    def _near(self) -> dict[str, list[tuple[int, tuple[str, ...], str]]]:
        """The messages with places by the letter that they begin with, each with those that begin with a
        place (alone under ""), with their rank and their literal parts; the most literal first, and of those
        the ones with the fewest names."""
        known = [message for message in self._texts if isinstance(message, str) and PLACE.search(message)]
        known.sort(
            key=lambda message: (-len(PLACE.sub("", message)), len(PEOPLE & {*PLACE.findall(message)}))
        )
        begins = {message[0] for message in known} - {"{"}
        found: dict[str, list[tuple[int, tuple[str, ...], str]]] = defaultdict(list)
        for rank, message in enumerate(known):
            parts = tuple(sorted(filter(None, PLACE.split(message)[::2]), key=len, reverse=True))
            for letter in ("", *begins) if message[0] == "{" else message[0]:
                found[letter].append((rank, parts, message))
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


def _forms(text: str) -> Iterator[Form]:
    """Yield this text as its message may have it, each with what makes the translation this one: beginning
    with another letter, as `six pairs` does where `Six pairs` is known, and without its full stop. A single
    word with a capital may be a name."""
    turns = text[:1].islower() or (text[:1].isupper() and " " in text)
    yield text, str
    if turns:
        yield _turned(text), _turned
    if text.endswith("."):
        yield text[:-1], _stopped
        if turns:
            yield _turned(text[:-1]), lambda found: _stopped(_turned(found))


def _turned(text: str) -> str:
    is_word = len(text) > 1 and (not text[1].isalpha() or text[1].islower())
    return text[0].swapcase() + text[1:] if is_word else text


def _stopped(text: str) -> str:
    return f"{text}\u3002" if "\u4e00" <= text[-1] <= "\u9fff" else f"{text}."


@lru_cache(maxsize=KEPT)
def _pattern(message: str) -> re.Pattern[str]:
    literal = PLACE.split(message)  # text, name, text, name, text
    text = "".join(
        f"(?P<{part}>{_fits(part)})" if at % 2 else re.escape(part) for at, part in enumerate(literal)
    )
    return re.compile(text, re.DOTALL)


def _fits(place: str) -> str:
    begins = (exact for beginning, exact in EXACT.items() if place.startswith(beginning))
    return NAMED.get(place) or next(begins, ".+?")


def texts_of(translations: Any) -> dict[Any, str]:
    """Return what a compiled catalog (gettext) says: text by message, or by message and form where there is a
    plural."""
    return {message: text for message, text in getattr(translations, "_catalog", {}).items() if message}
