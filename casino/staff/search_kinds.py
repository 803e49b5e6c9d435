"""The kinds of things that the search box finds about staff and their devices."""

from collections.abc import Iterator
from typing import Any

from casino.models import Staff
from casino.sign_in import terminals
from ledger.cage.names import words
from ledger.rights import READ_BOOKS
from tables.reports.searching import FindKind, FoundLine, Search, at
from tables.rights import MANAGE_HOUSE, RUN_FLOOR


def _begins(search: Search, *texts: str) -> bool:
    """Return whether each word asked for begins a word of these texts, as the register of players finds."""
    theirs = [word for text in texts for word in words(text)]
    return all(any(one.startswith(word) for one in theirs) for word in words(search.asked.text))


def _asks_for_a_name(search: Search) -> bool:
    return bool(words(search.asked.words)) and search.asked.cents is None and search.asked.at is None


def staff(search: Search, page: str) -> Iterator[FoundLine]:
    if not _asks_for_a_name(search):
        return
    for one in Staff.objects.order_by("username"):
        if _begins(search, one.username, one.full_name, one.badge):
            address = at(page, one.pk) if page == "staff-person" else at(page, person=one.pk)
            detail = one.username if one.is_active else f"{one.username}, works here no more"
            yield FoundLine(str(one), detail, address, exact=_is(search, one.username, one.full_name))


def devices(search: Search, page: str) -> Iterator[FoundLine]:
    """Find terminals by name; one may be called like a table."""
    here: Any = terminals.in_service().order_by("name") if words(search.asked.text) else ()
    for one in here:
        if _begins(search, one.name):
            yield FoundLine(
                one.name, "a terminal", at(page), exact=_is(search, one.name) and not search.asked.named
            )


def _is(search: Search, *texts: str) -> bool:
    return any(words(text) == words(search.asked.text) for text in texts)


KINDS = (
    FindKind("Staff", ((MANAGE_HOUSE, "staff-person"), (READ_BOOKS, "who-did-what")), staff),
    FindKind("Terminals", ((RUN_FLOOR, "terminals"), (MANAGE_HOUSE, "terminals")), devices),
)
