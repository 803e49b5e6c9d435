"""Who came, who went, who was refused, and what changed about people and the house: noted in the audit log.

These come from Django's own signals, so that no door into the house can forget them.
"""

from typing import Any

from django.apps import apps
from django.contrib.auth.models import Group
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db.models.signals import m2m_changed, post_save
from django.http import HttpRequest
from django.utils import timezone

from casino.models import Staff
from ledger.journal import house_events
from ledger.journal.acts import Act

# What of a person the log keeps: who they are to the house, never their password.
KNOWN = ("username", "first_name", "last_name", "is_active", "is_superuser")


def connect() -> None:
    """Listen from now on. Called once, when the project starts."""
    user_logged_in.connect(_signed_in, dispatch_uid="casino.sign_in.noting.in")
    user_logged_out.connect(_signed_out, dispatch_uid="casino.sign_in.noting.out")
    user_login_failed.connect(_refused, dispatch_uid="casino.sign_in.noting.refused")
    post_save.connect(_person_saved, sender=Staff, dispatch_uid="casino.sign_in.noting.person")
    m2m_changed.connect(
        _roles_changed, sender=Staff.groups.through, dispatch_uid="casino.sign_in.noting.roles"
    )
    post_save.connect(_house_saved, sender="ledger.Site", dispatch_uid="casino.sign_in.noting.house")


def note(kind: str, *, actor: Any = None, request: HttpRequest | None = None, **data: Any) -> None:
    """Note something in the log of the house, if there is a house yet."""
    site = apps.get_model("ledger", "Site").objects.order_by("pk").first()
    if site is not None:  # before there is a house there is no log
        address = str(request.META.get("REMOTE_ADDR", "")) if request is not None else ""
        house_events.note(site, kind, act=Act(now=timezone.now(), actor=actor, terminal=address), **data)


def _signed_in(request: HttpRequest, user: Staff, **_: Any) -> None:
    note("signed_in", actor=user, request=request)


def _signed_out(request: HttpRequest, user: Staff | None, **_: Any) -> None:
    if user is not None:
        note("signed_out", actor=user, request=request)


def _refused(credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    # Somebody may have typed a password into the field of the name: a name that nobody has is not written down.
    name = str(credentials.get("username", ""))
    known = Staff.objects.filter(username=name).exists()
    note("sign_in_refused", request=request, username=name if known else "")


def _person_saved(instance: Staff, update_fields: Any = None, **_: Any) -> None:
    if update_fields is None or set(update_fields) & set(
        KNOWN
    ):  # Django notes each sign-in with a save of its own
        _note_person(instance)


def _roles_changed(instance: Any, action: str, reverse: bool, pk_set: set[int] | None, **_: Any) -> None:
    if not action.startswith("post_"):
        return
    people = Staff.objects.filter(pk__in=pk_set or ()) if reverse else [instance]
    for person in people:
        _note_person(person)


def _note_person(person: Staff) -> None:
    roles = sorted(Group.objects.filter(user=person).values_list("name", flat=True))
    note("staff_changed", staff=person.pk, roles=roles, **{name: getattr(person, name) for name in KNOWN})


def _house_saved(instance: Any, created: bool, **_: Any) -> None:
    house_events.note_particulars(instance, act=Act(actor=None, now=timezone.now()), opened=created)
    if created:
        note_everybody()


def note_everybody() -> None:
    """Note everybody who works here: in a new house's log they are as well."""
    for person in Staff.objects.order_by("pk"):
        _note_person(person)
