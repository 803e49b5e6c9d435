"""The reader's language in templates; loaded in every template (settings.py).

What the product says is English where it is written, so the log, records and papers are English too. A screen
translates it where it is shown: templates by `translate`, sentences of Python by `said`, scripts by the texts
that come with their page (`script_texts`).
"""

import json
import re
from functools import cache
from gettext import translation
from typing import Any

from django import template
from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, to_locale

register = template.Library()

PLACE = re.compile(r"\{(\w+)\}")
MONEY = r"[+\u2212-]?\$[\d,]+\.\d\d"
"""What stands in a place that is named `dollars`."""
ENGLISH = "en"
PEOPLE = frozenset(
    {"dealer", "name", "names", "names2", "next_dealer", "person", "player", "second_person", "who"}
)
"""Places in which a name stands, which is nobody's to translate: Jack is no jack."""
MOST_INSIDE = 2
"""How deep what fills a place of a sentence is itself a sentence: `Table 3, seat 2`."""


@register.filter
def said(sentence: Any, inside: int = 0) -> Any:
    """Return a sentence of the product in the reader's language; anything unknown as it is.

    `Seat 3 has two hands.` is found by its message `Seat {seat} has two hands.`
    """
    language = get_language() or ENGLISH
    if language == ENGLISH or not sentence or hasattr(sentence, "__html__"):
        return sentence
    text = str(sentence)
    exact = gettext(text)
    if exact != text:
        return exact
    for pattern, message in _patterns(language):
        found = pattern.fullmatch(text)
        if found is not None:
            filled = {
                name: value if name in PEOPLE or inside >= MOST_INSIDE else said(value, inside + 1)
                for name, value in found.groupdict().items()
            }
            return _filled(gettext(message), filled)
    return sentence


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


@cache
def _patterns(language: str) -> list[tuple[re.Pattern[str], str]]:
    """Return the messages with places, the most literal first."""
    catalog = _catalog("django", language)
    known = [message for message in catalog if isinstance(message, str) and PLACE.search(message)]
    known.sort(key=lambda message: len(PLACE.sub("", message)), reverse=True)
    return [(re.compile(_pattern(message), re.DOTALL), message) for message in known]


def _pattern(message: str) -> str:
    literal = PLACE.split(message)  # text, name, text, name, text
    return "".join(
        f"(?P<{part}>{MONEY if part.startswith('dollars') else '.+?'})" if at % 2 else re.escape(part)
        for at, part in enumerate(literal)
    )


def _catalog(domain: str, language: str) -> dict[Any, str]:
    """Return our own catalog: text by message, or by message and form where there is a plural."""
    found: Any = translation(domain, settings.LOCALE_PATHS[0], [to_locale(language)], fallback=True)
    return {message: text for message, text in getattr(found, "_catalog", {}).items() if message}


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
