"""The reader's language in templates; loaded in every template (settings.py).

What the product says is English where it is written, so the log, records and papers are English too. A screen
translates it where it is shown: templates by `translate`, sentences of Python by `said`, scripts by the texts
that come with their page (`script_texts`).
"""

import json
import re
from collections import defaultdict
from functools import cache, lru_cache
from gettext import translation
from typing import Any

from django import template
from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, to_locale

from ledger.rules.saying import Phrasebook, texts_of

register = template.Library()

PLACE = re.compile(r"\{(\w+)\}")
EXACT = {
    "dollars": r"[+\u2212-]?\$[\d,]+\.\d\d",
    "in_words": r"[a-z -]+",
    "pieces": r"\d+",
    "serial": r"\d+",
    "series": r"[A-Z][a-z]+(?: [a-z]+)?",
    "time": r"\d\d?:\d\d(?::\d\d)?",
}
"""What stands in a place by how its name begins; in others anything."""
ENGLISH = "en"
PEOPLE = frozenset(
    {
        *("actor", "asked_by", "cashier", "counted_by", "creditor", "dealer", "debtor", "loser", "name"),
        *("names", "names2", "next_dealer", "payer", "person", "player", "receiver", "second_person"),
        *("seen_by", "who", "winner"),
    }
)
"""Places in which a name stands, which is nobody's to translate: Jack is no jack."""
LISTS = frozenset({"named", "numbers", "off", "tables", "several", "whom"})
BETWEEN = re.compile("; |, | or | and ")
"""What stands between the things in a place of several, each said by itself."""
SENTENCES = re.compile(r"(?<=[.?!]) (?=[A-Z])")
"""Where one sentence ends and the next begins."""
LETTER = re.compile("[A-Za-z]")
MOST_INSIDE = 2
"""How deep what fills a place of a sentence is itself a sentence: `Table 3, seat 2`."""
KEPT = 20_000
"""How many sentences of how many languages are kept as they were last said, the latest."""


@register.filter
def said(sentence: Any) -> Any:
    """Return a sentence of the product in the reader's language; anything unknown as it is.

    `Seat 3 has two hands.` is found by its message `Seat {seat} has two hands.`
    """
    language = get_language() or ENGLISH
    if language == ENGLISH or not sentence or hasattr(sentence, "__html__"):
        return sentence
    known = _said(language, str(sentence), inside)
    return sentence if known is None else known


@lru_cache(maxsize=KEPT)
def _said(language: str, text: str, inside: int) -> str | None:
    exact = gettext(text)
    if exact != text:
        return exact
    word = text[0].upper() + text[1:]
    if inside and (begins := gettext(word)) != word:  # a word within a sentence that stands alone elsewhere
        return begins[0].lower() + begins[1:]
    sentences = SENTENCES.split(text)
    for pattern, parts, message in _near(language, text):
        if len(sentences) > 1 and not LETTER.search("".join(parts)):
            continue  # signs alone hold no sentences together
        found = pattern.fullmatch(text) if all(part in text for part in parts) else None
        if found is not None:
            filled = {name: _inside(name, value, inside + 1) for name, value in found.groupdict().items()}
            return _filled(gettext(message), filled)
    if len(sentences) > 1:
        return " ".join(str(said(one, inside)) for one in sentences)
    if inside and text[:1].islower():  # a word within a sentence that begins one elsewhere
        known = _said(language, word, inside)
        return known and known[0].lower() + known[1:]
    return None


def _inside(name: str, value: str, inside: int) -> str:
    """Return what stands in a place of a sentence in the reader's language."""
    if name in PEOPLE or inside > MOST_INSIDE:
        return value
    parts = [value]
    if name in LISTS:
        parts = value.split("; ") if "; " in value else BETWEEN.split(value)
    return ", ".join(str(said(part, inside)) for part in parts)


@register.filter
def each_said(several: Any) -> Any:
    """Return several sentences of one line, each in the reader's language."""
    if (get_language() or ENGLISH) == ENGLISH or not several:
        return several
    return ", ".join(str(said(one)) for one in BETWEEN.split(str(several)))


@register.filter
def choices_said(field: Any) -> Any:
    """Return a field of a form with its choices in the reader's language."""
    if (get_language() or ENGLISH) != ENGLISH and (choices := getattr(field.field.widget, "choices", None)):
        field.field.widget.choices = [(value, _label(label)) for value, label in choices]
    return field


def _label(label: Any) -> Any:
    return [(value, said(one)) for value, one in label] if isinstance(label, list | tuple) else said(label)


def _filled(message: str, values: dict[str, str]) -> str:
    return PLACE.sub(lambda place: values.get(place[1], place[0]), message)


Known = tuple[re.Pattern[str], tuple[str, ...], str]
"""A message with places: its pattern, its literal parts, the longest first, and the message."""


def _near(language: str, text: str) -> list[Known]:
    """Return the messages that begin as this text does or with a place, the most literal first."""
    begins = _patterns(language)
    return begins.get(text[:1]) or begins.get("", [])


@cache
def _patterns(language: str) -> dict[str, list[Known]]:
    """Return the messages with places by the letter that they begin with, each with those that begin with a
    place (alone under ""), the most literal first, and of those the ones with the fewest names."""
    catalog = _catalog("django", language)
    known = [message for message in catalog if isinstance(message, str) and PLACE.search(message)]
    known.sort(key=lambda message: (-len(PLACE.sub("", message)), len(PEOPLE & {*PLACE.findall(message)})))
    begins = {message[0] for message in known} - {"{"}
    found: dict[str, list[Known]] = defaultdict(list)
    for message in known:
        parts = tuple(sorted(filter(None, PLACE.split(message)[::2]), key=len, reverse=True))
        one = re.compile(_pattern(message), re.DOTALL), parts, message
        for letter in ("", *begins) if message[0] == "{" else message[0]:
            found[letter].append(one)
    return dict(found)


def _pattern(message: str) -> str:
    literal = PLACE.split(message)  # text, name, text, name, text
    return "".join(
        f"(?P<{part}>{_fits(part)})" if at % 2 else re.escape(part) for at, part in enumerate(literal)
    )


def _fits(place: str) -> str:
    return next((exact for begins, exact in EXACT.items() if place.startswith(begins)), ".+?")


def _catalog(domain: str, language: str) -> dict[Any, str]:
    """Return our own catalog, without those of Django and of libraries: text by message, or by message and
    form where there is a plural."""
    return texts_of(translation(domain, settings.LOCALE_PATHS[0], [to_locale(language)], fallback=True))


@register.simple_tag
def languages() -> list[tuple[str, str]]:
    """Return the languages as (code, its own name)."""
    return list(settings.LANGUAGES)


@register.simple_tag
def and_language() -> SafeString | str:
    """Return `&amp;language=vi` for an address that a page asks, and nothing for an English page."""
    language = get_language() or ENGLISH
    return "" if language == ENGLISH else format_html("&amp;language={}", language)


@register.simple_tag
def script_texts() -> str:
    """Return the texts of scripts in the reader's language, as JSON for an attribute; empty in English."""
    language = get_language() or ENGLISH
    return "" if language == ENGLISH else _script_texts(language)


@cache
def _script_texts(language: str) -> str:
    """Return the texts by their English, those with a plural as a list of forms."""
    texts: dict[str, Any] = {}
    for message, text in sorted(_catalog("djangojs", language).items(), key=str):
        if isinstance(message, tuple):
            texts.setdefault(message[0], []).append(text)
        else:
            texts[message] = text
    return json.dumps(texts, ensure_ascii=False, separators=(",", ":"))
