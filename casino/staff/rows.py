"""Verification of staff, roles and terminals against the log, and of permissions against the program."""

from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import Group, Permission

from casino.models import Staff
from casino.roles import APPS, ROLES
from casino.sign_in.noting import KNOWN, facts_of
from ledger.journal.particulars import houses
from ledger.proof.log.following import (
    Body,
    Follows,
    Question,
    Says,
    at_end,
    data,
    declared,
    fields,
    following,
    named,
    nothing,
    of,
    without,
)
from ledger.records.findings import Finding

CHANGED = ("house_event", "staff_changed")
TOKEN_MADE, TOKEN_REVOKED = ("house_event", "token_made"), ("house_event", "token_revoked")
ENROLLED, REVOKED = ("house_event", "terminal_enrolled"), ("house_event", "terminal_revoked")


def _note(body: Body, noted: dict[Any, Any]) -> None:
    noted[body["data"].get("staff")] = body["data"].get("after")


def people(site: Any, noted: dict[Any, Any]) -> Iterator[Finding]:
    """Compare each person and their roles with their last record, in the first house's log."""
    if site != houses().first():
        return
    for pk in Staff.objects.order_by("pk").values_list("pk", flat=True):
        after, row = noted.pop(pk, None), facts_of(pk)
        if not isinstance(after, dict):
            yield Finding("no_record", "no record says that they work here.", None, f"staff {pk}")
            continue
        for name, value in (row or {}).items():
            if after.get(name) != value:
                sentence = f"{name} is {value}, but {after.get(name)} in the log."
                yield Finding("row_differs", sentence, None, f"staff {pk}")
    for pk in noted:
        yield Finding("row_missing", "they are in the log, but their row is missing.", None, f"staff {pk}")


def rights(site: Any) -> Iterator[Finding]:
    """Compare the roles' permissions with the program, and find permissions given besides roles."""
    for group in Group.objects.order_by("name").prefetch_related("permissions__content_type"):
        there = sorted(_right(permission) for permission in group.permissions.all())
        if group.name not in ROLES:
            yield Finding("no_record", "the program has no such role.", None, f"role {group.name}")
        elif there != sorted(right.partition(".")[2] for right in ROLES[group.name]):
            wrong = f"it allows {', '.join(there) or 'nothing'}, which is not what the program gives it."
            yield Finding("row_differs", wrong, None, f"role {group.name}")
    for name in ROLES.keys() - set(Group.objects.values_list("name", flat=True)):
        yield Finding("row_missing", "its row is missing.", None, f"role {name}")
    for pk in _BESIDE.objects.order_by("staff").values_list("staff", flat=True).distinct():
        yield Finding("row_differs", "they have rights beside their roles.", None, f"staff {pk}")
    yield from named(without(Staff.groups.through, "staff", "group"), "its role or its person is not there.")
    yield from named(
        without(Group.permissions.through, "group", "permission"), "its role or its right is not there."
    )


_BESIDE: Any = Staff.user_permissions.through


def _right(permission: Permission) -> str:
    """Return a permission's codename, prefixed with the app unless it is one of ours."""
    app = permission.content_type.app_label
    return permission.codename if app in APPS else f"{app}.{permission.codename}"


def terminals() -> Follows:
    enrolled = declared(ENROLLED, "casino.Terminal") | nothing("revoked_at")
    enrolled |= fields(of, enrolled_by_id="actor", enrolled_at="recorded_at")
    says = {
        ENROLLED: Says((data("number"),), enrolled, begins=True),
        REVOKED: Says((data("number"),), fields(of, revoked_at="recorded_at")),
    }
    return Follows("casino.Terminal", says, site="", open={})


def tokens() -> Follows:
    made = declared(TOKEN_MADE, "casino.ApiToken") | nothing("revoked_at")
    made |= fields(of, made_by_id="actor", made_at="recorded_at") | fields(data, person_id="staff")
    says = {
        TOKEN_MADE: Says((data("number"),), made, begins=True),
        TOKEN_REVOKED: Says((data("number"),), fields(of, revoked_at="recorded_at")),
    }
    return Follows("casino.ApiToken", says, site="", open={})


_PEOPLE = {"casino.Staff": KNOWN, "casino.Staff_groups": ("staff_id", "group_id")}
_RIGHTS = {
    "auth.Group": ("name",),
    "auth.Permission": ("codename",),
    "auth.Group_permissions": ("group_id", "permission_id"),
    "casino.Staff_user_permissions": ("staff_id", "permission_id"),
}
QUESTIONS: tuple[Question, ...] = (
    ("people and their roles against the log", at_end(people, _PEOPLE, {CHANGED: _note})),
    ("what roles allow against the program", at_end(rights, _RIGHTS)),
    ("terminals against their events", following(terminals)),
    ("tokens against their events", following(tokens)),
)
