"""The roles of the house, their permissions, and which of them one person may not hold together. A role is a
Django group of the same name, synchronised from this table after every migration. The verbs of `ledger` and
`tables` check the permissions."""

from collections.abc import Set as AbstractSet
from typing import Any

from django.apps import apps as installed
from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import AnonymousUser, Group, Permission
from django.db import transaction
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from casino.models import Staff
from ledger.errors import LedgerError
from ledger.rights import (
    COUNT_BOXES,
    KEEP_EXCLUSIONS,
    OPEN_WITHHELD,
    READ_BOOKS,
    SIGN_OFF_DROPS,
    TAKE_NAMES,
    TAKE_WITHHELD,
    TEST_CONTROLS,
    WORK_CAGE,
)
from tables.rights import (
    APPROVE_CORRECTIONS,
    ASK_CORRECTIONS,
    DEAL,
    HANDLE_CHIPS,
    MANAGE_HOUSE,
    READ_TABLES,
    RUN_FLOOR,
)

# Permissions by role. Somebody with several roles starts as, and is shown as, the first of them here. The
# first permission of each role identifies who works in it.
ROLES: dict[str, tuple[str, ...]] = {
    "floor": (RUN_FLOOR, HANDLE_CHIPS, ASK_CORRECTIONS, APPROVE_CORRECTIONS, READ_TABLES),
    "dealer": (DEAL, HANDLE_CHIPS, ASK_CORRECTIONS, READ_TABLES),
    "cashier": (WORK_CAGE, SIGN_OFF_DROPS, READ_TABLES),
    "counter": (COUNT_BOXES,),
    "manager": (MANAGE_HOUSE, READ_BOOKS, READ_TABLES, TEST_CONTROLS),
    "compliance": (
        *(KEEP_EXCLUSIONS, READ_BOOKS, READ_TABLES, TAKE_NAMES),
        *(OPEN_WITHHELD, TAKE_WITHHELD, TEST_CONTROLS),
    ),
    "regulator": (READ_BOOKS, READ_TABLES, TAKE_NAMES, OPEN_WITHHELD, TAKE_WITHHELD),
}
APPS = ("casino", "tables", "ledger")
DEALER = "dealer"
MANAGER = "manager"
REGULATOR = "regulator"
# Two roles that one person may not hold together, and why. docs/operations.md has the same table.
KEPT_APART = (
    ("cashier", "compliance", "Compliance looks into the cash that the cashiers take in and pay out."),
    ("cashier", "counter", "A counted box is signed off by somebody who did not count it."),
    ("cashier", "floor", "The floor approves what happens at the tables, and somebody else pays it out."),
    ("cashier", MANAGER, "A manager sets the rates and hires the staff, and moves no money."),
    ("cashier", REGULATOR, "A regulator inspects the house and does no work in it."),
    (
        "compliance",
        "counter",
        "Compliance reads the books, and whoever counts a box must not know what to expect.",
    ),
    ("compliance", REGULATOR, "A regulator inspects the house and does no work in it."),
    ("counter", "dealer", "A dealer takes the fees, and whoever counts a box must not know what to expect."),
    (
        "counter",
        "floor",
        "The floor pulls the boxes and sees the fees; whoever counts must not know what to expect.",
    ),
    ("counter", MANAGER, "A manager reads the books, and whoever counts a box must not know what to expect."),
    ("counter", REGULATOR, "A regulator inspects the house and does no work in it."),
    ("dealer", REGULATOR, "A regulator inspects the house and does no work in it."),
    ("floor", REGULATOR, "A regulator inspects the house and does no work in it."),
    (MANAGER, REGULATOR, "A regulator inspects the house and does no work in it."),
)

# Every right by its name without the app, as templates ask for it.
RIGHTS = {right.partition(".")[2]: right for rights in ROLES.values() for right in rights}
# The page (its name in urls.py) where the work of a role starts, if it is not called like the role.
HOMES = {"counter": "count", "manager": "house", "compliance": "exclusions", REGULATOR: "audit"}


class UnknownRight(Exception):
    """A template misspells a right. Unnoticed, that would hide a part of the page from everybody."""


class RolesConflict(LedgerError, status=409):
    """One person may not hold these roles together. The sentence names two of them and says why."""


def conflicts(roles: AbstractSet[str]) -> list[tuple[str, str, str]]:
    return [row for row in KEPT_APART if {row[0], row[1]} <= roles]


def verify_together(roles: AbstractSet[str]) -> None:
    for first, second, why in conflicts(roles):
        raise RolesConflict(f"Nobody is {first} and {second} at once. {why}", field="roles")


def people_in_conflict(using: str = "default") -> list[tuple[Staff, str, str]]:
    """Return everybody who holds two roles that are kept apart, with the two; two queries."""
    people = Staff.objects.using(using).filter(groups__isnull=False).distinct().order_by("username")
    return [
        (person, first, second)
        for person in people.prefetch_related("groups")
        for first, second, _why in conflicts({group.name for group in person.groups.all()})
    ]


def assign(staff: Staff, role: str) -> None:
    """Give a person another role. Raises RolesConflict; KeyError for an unknown role."""
    if role not in ROLES:
        raise KeyError(role)
    with transaction.atomic():
        Staff.objects.select_for_update().get(pk=staff.pk)  # serialise changes to one person's roles
        staff.groups.add(Group.objects.get(name=role))


def role_of(staff: Staff | AnonymousUser) -> str | None:
    return next((role for role, rights in ROLES.items() if staff.has_perm(rights[0])), None)


def home_of(staff: Staff | AnonymousUser) -> str | None:
    """Return the URL name of the page where this person's work starts."""
    role = role_of(staff)
    return role and HOMES.get(role, role)


def only_reads(staff: Staff | AnonymousUser) -> bool:
    return role_of(staff) == REGULATOR


class May:
    """What one person may do, for templates: `may.run_floor`. A right that no role has is an UnknownRight."""

    def __init__(self, person: Staff | AnonymousUser) -> None:
        self._person = person

    def __getitem__(self, name: str) -> bool:
        if name not in RIGHTS:
            raise UnknownRight(f"A page asks for the right {name!r}, and no role has it.")
        return self._person.has_perm(RIGHTS[name])


def reader(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `may`, the reader's rights, and `shown_role`, the role that they are shown as.

    `shown_role` is None without a role.
    """
    person = getattr(request, "user", None) or AnonymousUser()
    return {"may": May(person), "shown_role": SimpleLazyObject(lambda: role_of(person))}


def guard_groups(instance: Staff | Group, action: str, pk_set: set[int] | None, using: str, **_: Any) -> None:
    """Receive m2m_changed of a person's groups, from either side, and refuse conflicting roles."""
    if action != "pre_add":
        return
    if isinstance(instance, Group):
        people = list(Staff.objects.using(using).filter(pk__in=pk_set or ()))
        joined = {instance.name}
    else:
        people = [instance]
        joined = set(Group.objects.using(using).filter(pk__in=pk_set or ()).values_list("name", flat=True))
    for person in people:
        verify_together(person.roles | joined)


def sync_groups(using: str, apps: Apps = installed, **_: Any) -> None:
    """Receive post_migrate: give each role's group exactly the role's permissions. Repeating it does no harm.
    Creates the permissions of apps that migrate later first."""
    try:
        apps.get_model("auth", "Permission")
    except LookupError:  # migrated to a point before permissions exist
        return
    for label in APPS:
        create_permissions(installed.get_app_config(label), using=using, verbosity=0, apps=apps)
    known = {
        f"{permission.content_type.app_label}.{permission.codename}": permission
        for permission in Permission.objects.using(using)
        .filter(content_type__app_label__in=APPS)
        .select_related("content_type")
    }
    for role, wanted in ROLES.items():
        group, _created = Group.objects.using(using).get_or_create(name=role)
        group.permissions.set([known[right] for right in wanted if right in known])
