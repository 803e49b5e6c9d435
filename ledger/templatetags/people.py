"""People's names as templates write them, and whose page a form is on; loaded in every template (settings.py)."""

from typing import Any

from django import template
from django.template.defaulttags import CsrfTokenNode
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


@register.simple_tag(takes_context=True)
def csrf_token(context: template.Context) -> SafeString | str:
    """Django's token, and with it who opened the page: no form can have the one without the other."""
    token = CsrfTokenNode().render(context)
    person = getattr(context.get("request"), "user", None)
    if not token or person is None or not person.is_authenticated:
        return token
    opened_by = '{}<input type="hidden" name="opened_by" value="{}" autocomplete="off">'
    return format_html(opened_by, token, person.pk)
