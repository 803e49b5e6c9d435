"""People's names in templates, and who opened the page of a form; loaded in every template (settings.py)."""

from typing import Any

from django import template
from django.template.defaulttags import CsrfTokenNode
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ledger.cage import names

register = template.Library()


@register.filter
def isolated(person: Any) -> str:
    """Isolate a name in a title or an attribute, where no element can."""
    return names.isolated(str(person))


@register.filter
def bdi(person: Any) -> SafeString | str:
    """Isolate a name: if it runs right to left, the text around it keeps its order."""
    name = "" if person is None else str(person)
    return format_html("<bdi>{}</bdi>", name) if name else ""


@register.simple_tag(takes_context=True)
def csrf_token(context: template.Context) -> SafeString | str:
    """Return Django's token with the field of who opened the page: no form can have one without the other."""
    token = CsrfTokenNode().render(context)
    person = getattr(context.get("request"), "user", None)
    if not token or person is None or not person.is_authenticated:
        return token
    opened_by = '{}<input type="hidden" name="opened_by" value="{}" autocomplete="off">'
    return format_html(opened_by, token, person.pk)
