"""The list of staff for the manager, and what the search box finds of staff and their devices."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import QuerySet, Value
from django.db.models.functions import Coalesce, Lower, NullIf

from casino.models import Staff
from casino.roles import ROLES
from casino.sign_in import terminals
from ledger.cage.names import words
from ledger.rights import READ_BOOKS
from tables.reports.searching import FindKind, FoundLine, Search, at
from tables.rights import MANAGE_HOUSE, RUN_FLOOR

SOON = timedelta(days=30)
"""A badge that expires within this time is shown as expiring soon."""


@dataclass(frozen=True)
class StaffRow:
    """`badge`: none, valid, soon or expired. `pin`: none, due or set. `password`: see `password_state`."""

    person: Staff
    roles: tuple[str, ...]
    badge: str
    pin: str
    password: str


def by_name(**chosen: Any) -> QuerySet[Staff]:
    """Return everybody but superusers of whom this holds, each as they are `called`, with their groups."""
    called = Lower(Coalesce(NullIf("full_name", Value("")), "username"))
    found = Staff.objects.filter(is_superuser=False, **chosen)
    return found.annotate(called=called).prefetch_related("groups")


def staff(*, today: date, now: datetime) -> list[StaffRow]:
    """Return everybody but superusers: current staff first, each part by name. Two queries."""
    people = Staff.objects.filter(is_superuser=False).prefetch_related("groups")
    rows = [staff_row(person, today=today, now=now) for person in people]
    return sorted(rows, key=lambda row: (not row.person.is_active, row.person.get_full_name().casefold()))


def staff_row(person: Staff, *, today: date, now: datetime) -> StaffRow:
    held = {group.name for group in person.groups.all()}
    return StaffRow(
        person=person,
        roles=tuple(role for role in ROLES if role in held),
        badge=badge_state(person, today),
        pin="set" if person.pin else "due" if person.must_renew else "none",
        password=password_state(person, now),
    )


def badge_state(person: Staff, today: date) -> str:
    """Return a badge's state on a day; it is still valid on its last day."""
    expires = person.badge_expires
    if expires is None:
        return "valid" if person.badge else "none"
    if expires < today:
        return "expired"
    return "soon" if expires < today + SOON else "valid"


def password_state(person: Staff, now: datetime) -> str:
    """Return `none`; `code` or (expired) `late`; `due` once it was used and no password set; or `set`."""
    if not person.must_renew:
        return "set" if person.has_usable_password() else "none"
    if not person.code:
        return "due"
    return "code" if person.code_until and now < person.code_until else "late"


def expired_badges(rows: list[StaffRow]) -> list[StaffRow]:
    return [row for row in rows if row.person.is_active and row.badge == "expired"]


def _begins(search: Search, *texts: str) -> bool:
    """Return whether each word asked for begins a word of these texts, as the register of players finds."""
    theirs = [word for text in texts for word in words(text)]
    return all(any(one.startswith(word) for one in theirs) for word in words(search.asked.text))


def _asks_for_a_name(search: Search) -> bool:
    return bool(words(search.asked.words)) and search.asked.cents is None and search.asked.at is None


def find_staff(search: Search, page: str) -> Iterator[FoundLine]:
    if not _asks_for_a_name(search):
        return
    for one in Staff.objects.order_by("username"):
        if _begins(search, one.username, one.full_name, one.badge):
            address = at(page, one.pk) if page == "staff-person" else at(page, person=one.pk)
            detail = one.username if one.is_active else f"{one.username}, works here no more"
            yield FoundLine(str(one), detail, address, exact=_is(search, one.username, one.full_name))


def find_devices(search: Search, page: str) -> Iterator[FoundLine]:
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
    FindKind("Staff", ((MANAGE_HOUSE, "staff-person"), (READ_BOOKS, "who-did-what")), find_staff),
    FindKind("Terminals", ((RUN_FLOOR, "terminals"), (MANAGE_HOUSE, "terminals")), find_devices),
)
