"""The list of staff for the manager."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import QuerySet, Value
from django.db.models.functions import Coalesce, Lower, NullIf

from casino.models import Staff
from casino.roles import ROLES

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
