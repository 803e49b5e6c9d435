"""The reader's language in templates; loaded in every template (settings.py).

What the product says is English where it is written, so the log, records and papers are English too. A screen
translates it where it is shown: templates by `translate`, sentences of Python by `said`, scripts by the texts
that come with their page (`script_texts`).
"""

import json
from functools import cache
from gettext import translation
from typing import Any

from django import template
from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, to_locale

from ledger.rules.phrasebook import Phrasebook, texts_of, things_in

register = template.Library()

ENGLISH = "en"


@register.filter
def said(sentence: Any) -> Any:
    """Return a sentence of the product in the reader's language; anything unknown as it is.

    `Seat 3 has two hands.` is found by its message `Seat {seat} has two hands.`; what stands elsewhere within
    a sentence, with another capital, without a full stop or in a list is found as well.
    """
    language = get_language() or ENGLISH
    if language == ENGLISH or not sentence or hasattr(sentence, "__html__"):
        return sentence
    known = saying(language).said(str(sentence))
    return sentence if known is None else known


@cache
def saying(language: str) -> Phrasebook:
    """Return what the product says in a language, which is the active one."""
    return Phrasebook(_catalog("django", language), gettext)


@register.filter
def each_said(several: Any) -> Any:
    """Return several sentences of one line, each in the reader's language."""
    language = get_language() or ENGLISH
    if language == ENGLISH or not several:
        return several
    return saying(language).comma.join(str(said(one)) for one in things_in(str(several)))


@register.filter
def choices_said(field: Any) -> Any:
    """Return a field of a form with its choices in the reader's language."""
    if (get_language() or ENGLISH) != ENGLISH and (choices := getattr(field.field.widget, "choices", None)):
        field.field.widget.choices = [(value, _label(label)) for value, label in choices]
    return field


def _label(label: Any) -> Any:
    return [(value, said(one)) for value, one in label] if isinstance(label, list | tuple) else said(label)


def _catalog(domain: str, language: str) -> dict[Any, str]:
    """Return our own catalog: text by message, or by message and form where there is a plural."""
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
