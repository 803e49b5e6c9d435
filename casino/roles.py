"""Who may do what: the roles of the house, their permissions, and which of them one person may not hold together.

A role is a Django group of the same name, created again after every migration from the table below. What a permission
allows is said where it is checked: by the verbs of `ledger` and `tables`.
"""

from collections.abc import Set as AbstractSet
from typing import Any

from django.apps import apps as installed
from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import AnonymousUser, Group, Permission
from django.db import transaction

from casino.models import Staff
from ledger.errors import LedgerError
from ledger.rights import COUNT_BOXES, KEEP_EXCLUSIONS, READ_BOOKS, WORK_CAGE
from tables.rights import DEAL, MANAGE_HOUSE, RUN_FLOOR

# Permission codes by role; a code without a dot is looked up in the apps below, where each occurs once.
ROLES: dict[str, tuple[str, ...]] = {
    "floor": ("run_floor", "handle_chips", "ask_corrections", "approve_corrections", "read_tables"),
    "dealer": ("deal", "handle_chips", "ask_corrections", "read_tables"),
    "cashier": ("sign_off_drops", "work_cage", "read_tables"),
    "counter": ("count_boxes",),
    "compliance": (
        *("keep_exclusions", "read_books", "read_tables", "take_names"),
        *("open_withheld", "take_withheld"),
    ),
    "regulator": ("read_books", "read_tables", "take_names", "open_withheld", "take_withheld"),
    "manager": ("manage_house", "read_books", "read_tables"),
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

# The page (its name in urls.py) where each permission's holder starts; the first that fits. Who only reads is the last of them.
READERS_HOME = "audit"
HOMES = (
    (RUN_FLOOR, "floor"),
    (DEAL, "dealer"),
    (WORK_CAGE, "cashier"),
    (COUNT_BOXES, "count"),
    (MANAGE_HOUSE, "house"),
    (KEEP_EXCLUSIONS, "exclusions"),
    (READ_BOOKS, READERS_HOME),
)


class RolesConflict(LedgerError, status=409):
    """One person may not hold these roles together. The sentence names two of them and says why."""


def conflicts(roles: AbstractSet[str]) -> list[tuple[str, str, str]]:
    """Return the rows of KEPT_APART that these roles of one person break."""
    return [row for row in KEPT_APART if {row[0], row[1]} <= roles]


def verify_together(roles: AbstractSet[str]) -> None:
    """Raise RolesConflict where one person may not hold all these roles."""
    for first, second, why in conflicts(roles):
        raise RolesConflict(f"Nobody is {first} and {second} at once. {why}", field="roles")


def people_in_conflict(using: str = "default") -> list[tuple[Staff, str, str]]:
    """Return everybody who holds roles that are kept apart, with the two roles; two queries."""
    people = Staff.objects.using(using).filter(groups__isnull=False).distinct().order_by("username")
    return [
        (person, first, second)
        for person in people.prefetch_related("groups")
        for first, second, _why in conflicts({group.name for group in person.groups.all()})
    ]


def assign(staff: Staff, role: str) -> None:
    """Give a person one role more. Raises RolesConflict (`roles_conflict`); an unknown role is a KeyError."""
    if role not in ROLES:
        raise KeyError(role)
    with transaction.atomic():
        Staff.objects.select_for_update().get(
            pk=staff.pk
        )  # two changes of one person's roles, one after the other
        staff.groups.add(Group.objects.get(name=role))


def home_of(staff: Staff | AnonymousUser) -> str | None:
    """Give the name of the page where this person's work starts; None without a role."""
    return next((page for permission, page in HOMES if staff.has_perm(permission)), None)


def only_reads(staff: Staff | AnonymousUser) -> bool:
    """Whether this person reads the books and has nothing to do here: a regulator."""
    return home_of(staff) == READERS_HOME


def guard_groups(instance: Staff | Group, action: str, pk_set: set[int] | None, using: str, **_: Any) -> None:
    """Refuse a conflict of roles by whatever door groups change.

    Receives m2m_changed of a person's groups, from either side.
    """
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
    """Make one group a role, with exactly the role's permissions. Receives post_migrate, also after the flush of a test;
    may run any number of times.

    Permissions of apps that come later in this migration are made here first.
    """
    try:
        apps.get_model("auth", "Permission")
    except LookupError:  # migrated to a point before permissions exist
        return
    for label in APPS:
        create_permissions(installed.get_app_config(label), using=using, verbosity=0, apps=apps)
    codes = {code for role in ROLES.values() for code in role}
    known = {
        permission.codename: permission
        for permission in Permission.objects.using(using).filter(
            codename__in=codes, content_type__app_label__in=APPS
        )
    }
    for role, wanted in ROLES.items():
        group, _created = Group.objects.using(using).get_or_create(name=role)
        group.permissions.set([known[code] for code in wanted if code in known])
