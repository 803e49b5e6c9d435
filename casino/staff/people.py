"""The list of the staff as the manager reads it: who they are, what they may do, and how they can sign in."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from casino.models import Staff
from casino.roles import ROLES

SOON = timedelta(days=30)
"""From so long before its last day on, a badge is shown as one that expires soon."""


@dataclass(frozen=True)
class StaffRow:
    """One person. `badge` is none, valid, soon or expired; `pin` none, due or set; `password` as in `password_state`."""

    person: Staff
    roles: tuple[str, ...]
    badge: str
    pin: str
    password: str


def staff(*, today: date, now: datetime) -> list[StaffRow]:
    """Return everybody but superusers: who works here first, each part by name. Two queries, however many people."""
    people = Staff.objects.filter(is_superuser=False).prefetch_related("groups")
    rows = [staff_row(person, today=today, now=now) for person in people]
    return sorted(rows, key=lambda row: (not row.person.is_active, row.person.get_full_name().casefold()))


def staff_row(person: Staff, *, today: date, now: datetime) -> StaffRow:
    """Return one person's row."""
    held = {group.name for group in person.groups.all()}
    return StaffRow(
        person=person,
        roles=tuple(role for role in ROLES if role in held),
        badge=badge_state(person, today),
        pin="set" if person.pin else "due" if person.must_renew else "none",
        password=password_state(person, now),
    )


def badge_state(person: Staff, today: date) -> str:
    """Whether somebody's badge is valid on this day, which its last day still is."""
    expires = person.badge_expires
    if expires is None:
        return "valid" if person.badge else "none"
    if expires < today:
        return "expired"
    return "soon" if expires < today + SOON else "valid"


def password_state(person: Staff, now: datetime) -> str:
    """How somebody can sign in: `none`, not at all; `code`, by a one-time code; `late`, that code is too old; `due`, it was
    used and the own password has not been set; `set`, by that password.
    """
    if not person.must_renew:
        return "set" if person.has_usable_password() else "none"
    if not person.code:
        return "due"
    return "code" if person.code_until and now < person.code_until else "late"


def expired_badges(rows: list[StaffRow]) -> list[StaffRow]:
    """Return the rows of people who work here with a badge that has expired."""
    return [row for row in rows if row.person.is_active and row.badge == "expired"]
