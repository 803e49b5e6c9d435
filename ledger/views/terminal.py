"""From where somebody acted: which part of the house the page belongs to, and the address of the device."""

from django.http import HttpRequest

from ledger.journal.posting import LABEL_LENGTH


def terminal_of(request: HttpRequest, room: str) -> str:
    """What entries and events keep of it, `cage 10.0.0.7`: fifty tablets of one table have one name and fifty addresses."""
    return f"{room} {request.META.get('REMOTE_ADDR', '')}".strip()[:LABEL_LENGTH]
