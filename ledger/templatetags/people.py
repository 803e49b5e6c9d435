"""People's names as templates write them, loaded in every template (settings.py)."""

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ledger.cage import names

register = template.Library()


@register.filter
def isolated(person: Any) -> str:
    """A person's name in a title or an attribute, where no element can isolate it."""
    return names.isolated(str(person))


@register.filter
def bdi(person: Any) -> SafeString | str:
    """A person's name, isolated: one written from right to left leaves the figures and words around it where they are."""
    name = "" if person is None else str(person)
    return format_html("<bdi>{}</bdi>", name) if name else ""
