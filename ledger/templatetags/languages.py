"""The reader's language in templates; loaded in every template (settings.py).

What the product says is English where it is written, so the log, records and papers are English too. A screen
translates it where it is shown: templates by `translate`, sentences of Python by `said`, scripts by the texts
that come with their page (`script_texts`).
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from gettext import translation
from typing import Any

from django import template
from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, to_locale

from ledger.rules.saying import Phrasebook, texts_of

register = template.Library()

IN_LIST = re.compile(r"(, | and | or (?!better))")
PLACE = re.compile(r"\{(\w+)\}")
ONE_WORD = r"\S*[^\s.]"
MONEY = r"[+\u2212-]?\$[\d,]+\.\d\d"
"""What stands in a place that is named `dollars`."""
ENGLISH = "en"
PEOPLE = frozenset(
    {
        *("actor", "asked_by", "cashier", "counted_by", "creditor", "dealer", "debtor", "loser", "name"),
        *("names", "names2", "next_dealer", "payer", "person", "player", "receiver", "second_person"),
        *("seen_by", "who", "winner"),
    }
)
"""Places in which a name stands, which is nobody's to translate: Jack is no jack."""
PLACES = {
    "counts": ONE_WORD,
    "in_segment": "in .+",
    "number": ONE_WORD,
    "pk": ONE_WORD,
    "seat": ONE_WORD,
    "len": ONE_WORD,
    "owner": ".+?: ",
}
"""What stands in a place of this name, where not anything does."""
MOST_INSIDE = 6
"""How deep what fills a place of a sentence is itself a sentence: `Table 3, seat 2`."""
KEPT = 20_000
"""How many sentences of how many languages are kept as they were last said, the latest."""


@register.filter
def said(sentence: Any) -> Any:
    """Return a sentence of the product in the reader's language; anything unknown as it is.

    `Seat 3 has two hands.` is found by its message `Seat {seat} has two hands.`; what stands elsewhere inside
    a sentence, with another capital, without a full stop or in a list is found as well.
    """
    language = get_language() or ENGLISH
    if language == ENGLISH or not sentence or hasattr(sentence, "__html__"):
        return sentence
    text = str(sentence)
    forms = list(_forms(text))
    for form, back in forms:
        if (exact := gettext(form)) != form:
            return back(exact)
    if (" and " in text or " or " in text) and (found := _listed(text, inside)):
        return found
    for pattern, message in _patterns(language):
        for form, back in forms:
            if (matched := pattern.fullmatch(form)) is not None:
                return back(_filled(gettext(message), _values(matched, inside)))
    return _listed(text, inside) or sentence


def _values(matched: re.Match[str], inside: int) -> dict[str, str]:
    """Return what stands in the places, itself translated but for names."""
    return {
        name: value if name in PEOPLE or inside >= MOST_INSIDE else said(value, inside + 1)
        for name, value in matched.groupdict().items()
    }


def _forms(text: str) -> Iterator[tuple[str, Callable[[str], str]]]:
    """Yield this text as its message may have it, each with what makes the translation this one: without its
    full stop, and beginning with another letter, as `six pairs` does where `Six pairs` is known. A single
    word with a capital may be a name."""
    turns = text[0].islower() or (text[0].isupper() and " " in text)
    yield text, str
    if turns:
        yield _turned(text), _turned
    if text.endswith("."):
        yield text[:-1], _stopped
        if turns:
            yield _turned(text[:-1]), lambda found: _stopped(_turned(found))


def _turned(text: str) -> str:
    is_word = len(text) == 1 or not text[1].isalpha() or text[1].islower()
    return text[:1].swapcase() + text[1:] if is_word and len(text) > 1 else text


def _stopped(text: str) -> str:
    return f"{text}\u3002" if "\u4e00" <= text[-1] <= "\u9fff" else f"{text}."


def _listed(text: str, inside: int) -> str:
    """Return a list of which everything is known, `front, middle and back`; empty for anything else."""
    parts = IN_LIST.split(text)
    if len(parts) == 1 or inside >= MOST_INSIDE:
        return ""
    found = [part if at % 2 else str(said(part, inside + 1)) for at, part in enumerate(parts)]
    if any(found[at] == parts[at] for at in range(0, len(parts), 2)):
        return ""
    return "".join(f" {gettext(part.strip())} " if part in (" and ", " or ") else part for part in found)


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
        f"(?P<{part}>{_value_of(part)})" if at % 2 else re.escape(part) for at, part in enumerate(literal)
    )


def _value_of(place: str) -> str:
    return MONEY if place.startswith("dollars") else PLACES.get(place, ".+?")


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
