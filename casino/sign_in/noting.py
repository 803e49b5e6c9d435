"""Audit records of sign-ins, sign-outs, refusals, and changes of staff and house. They hang on Django's
signals, so that no page or command can forget them. Verbs say who acts with `acting`. Notices of
one's own sign-in follow from the events."""

import getpass
import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY
from django.contrib.auth.hashers import is_password_usable
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.core.mail import send_mail
from django.db import connection
from django.db.models.signals import m2m_changed, post_save, pre_save
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from casino.models import Notice, Staff
from ledger.journal import house_events, posting
from ledger.journal.acts import Act
from ledger.journal.particulars import houses
from ledger.records.house import PersonFacts
from ledger.rules.addresses import COMMAND_LINE
from ledger.views.terminal import terminal_of

SENTENCES = {
    "password_set": "Your password was set.",
    "pin_set": "Your PIN was set.",
    "code_made": "A manager made a one-time code for you. Your password and PIN have stopped working.",
    "factor_added": "A second step, or new recovery codes, were set up for you.",
    "factor_removed": "A second step of yours was removed.",
    "factors_reset": "A manager removed your second steps. You set up a new one when you sign in.",
    "attempts_locked": "Signing in as you is locked after too many wrong attempts. A manager lifts the lock.",
    "token_made": "A token was made with which a program reads the books in your name.",
    "mail_set": "Your address for notices was set.",
}
AGAIN_AFTER, DROPPED_AFTER = timedelta(minutes=10), timedelta(days=2)

log = logging.getLogger(__name__)


def tell(kind: str, data: dict[str, Any]) -> None:
    """Write a notice to people with an address, where there is mail. A task sends it; no outage loses it."""
    if not settings.MAIL_HOST or kind not in SENTENCES or not data.get("staff"):
        return
    address = Staff.objects.filter(pk=data["staff"]).values_list("email", flat=True).first()
    if address:
        now = timezone.now()
        Notice.objects.create(address=address, sentence=SENTENCES[kind], made_at=now, next_at=now)


def send_waiting(now: datetime) -> None:
    """Mail waiting notices, oldest first. Retry failed ones later, and drop them after two days."""
    Notice.objects.filter(made_at__lt=now - DROPPED_AFTER).delete()
    for notice in Notice.objects.filter(next_at__lte=now).order_by("pk"):
        taken = Notice.objects.filter(pk=notice.pk, next_at=notice.next_at)
        if not taken.update(next_at=now + AGAIN_AFTER):  # another worker has it
            continue
        text = f"{notice.sentence}\n\nIf that was not you, tell a manager of the house at once.\n"
        try:
            send_mail("Your sign-in", text, None, [notice.address])
        except OSError as error:
            log.warning("A notice cannot be mailed: %s", error)
            return
        notice.delete()


# The facts about a person that the log keeps; never their password.
KNOWN = tuple(name for name in PersonFacts.__annotations__ if name != "roles")


@dataclass
class _Person:
    facts: dict[str, Any] | None = None
    password: str = ""


@dataclass
class _Acting:
    """An act that changes staff, and how each of them was before it."""

    act: Act
    before: dict[int, _Person] = field(default_factory=dict)


_acting: ContextVar[_Acting | None] = ContextVar("acting", default=None)


def note(
    kind: str, *, actor: Any = None, request: HttpRequest | None = None, act: Act | None = None, **data: Any
) -> None:
    """Note an event in the house's log, if there is one: by `act`, else by `actor` now."""
    site = houses().first()
    if site is None:  # no house, no log
        return
    if act is None:
        terminal = terminal_of(request, "") if request is not None else command_line()
        act = Act(now=timezone.now(), actor=actor, terminal=terminal)
    house_events.note(site, kind, act=act, **data)
    tell(kind, data)


def command_line() -> str:
    """Return the terminal label for acts on the server itself, which names the operating system's account."""
    try:
        account = getpass.getuser()
    except (KeyError, OSError):  # a container may have no name for it
        account = f"account {os.getuid()}"
    return f"{COMMAND_LINE} {account}"[: posting.LABEL_LENGTH]


def approver_of(act: Act | None) -> int | None:
    return act.approver.pk if act is not None and act.approver is not None else None


def in_turn() -> None:
    """Lock the house, first in a transaction: acts that change who can be a second person run one by one."""
    if (site := houses().first()) is not None:
        posting.lock_house(site)


@contextmanager
def acting(act: Act) -> Iterator[None]:
    """Note the staff changes within as done by this act, once for each person. Use inside its transaction."""
    doing = _Acting(act)
    token = _acting.set(doing)
    try:
        yield
    finally:
        _acting.reset(token)
    for person_id, before in doing.before.items():
        _note_change(person_id, before, act)


def is_by_pin(request: HttpRequest) -> bool:
    return bool(request.session.get(BACKEND_SESSION_KEY, "").endswith(".PinBackend"))


@receiver(user_logged_in)
def _signed_in(request: HttpRequest, user: Staff, **_: Any) -> None:
    by = "pin" if is_by_pin(request) else getattr(request, "came_by", "password")
    note("signed_in", actor=user, request=request, by=by)


@receiver(user_logged_out)
def _signed_out(request: HttpRequest, user: Staff | None, **_: Any) -> None:
    if user is not None:
        note("signed_out", actor=user, request=request, why=getattr(request, "ended_by", "asked"))


@receiver(pre_save, sender=Staff)
def _before_saving(instance: Staff, update_fields: Any = None, **_: Any) -> None:
    # Django saves `last_login` at each sign-in
    if update_fields is None or set(update_fields) & {*KNOWN, "password"}:
        _remember(instance, [instance.pk] if instance.pk else [])


@receiver(post_save, sender=Staff)
def _person_saved(instance: Staff, created: bool, **_: Any) -> None:
    if created:
        _remember(instance, [instance.pk], new=True)
    _settle(instance)


@receiver(m2m_changed, sender=Staff.groups.through)
def _roles_changed(instance: Any, action: str, reverse: bool, pk_set: set[int] | None, **_: Any) -> None:
    if action.startswith("post_"):
        _settle(instance)
    elif not reverse:
        _remember(instance, [instance.pk])
    elif pk_set is None:  # everybody loses this role
        _remember(instance, instance.user_set.values_list("pk", flat=True))
    else:
        _remember(instance, pk_set)


def _remember(holder: Any, people: Iterable[int], *, new: bool = False) -> None:
    """Remember how these people are before a change, in the current act or, without one, on the saved row."""
    doing = _acting.get()
    before = doing.before if doing else vars(holder).setdefault("_people_before", {})
    for person_id in people:
        if person_id not in before:
            before[person_id] = _Person() if new else _as_known(person_id, lock=connection.in_atomic_block)


def _settle(holder: Any) -> None:
    for person_id, before in vars(holder).pop("_people_before", {}).items():
        _note_change(person_id, before, None)


def _note_change(person_id: int, before: _Person, act: Act | None) -> None:
    after = _as_known(person_id)
    if after.facts != before.facts:
        note(
            "staff_changed",
            act=act,
            staff=person_id,
            before=before.facts,
            after=after.facts,
            approver=approver_of(act),
        )
    if before.facts and after.password != before.password and is_password_usable(after.password):
        note("password_set", act=act, staff=person_id)


def facts_of(person_id: int) -> dict[str, Any] | None:
    """Return a person's facts for the log; None if there is no such person."""
    row = Staff.objects.filter(pk=person_id).values(*KNOWN).first()
    return None if row is None else _facts(person_id, row)


def _as_known(person_id: int, *, lock: bool = False) -> _Person:
    """Read a person's facts, locked before a change so that each record follows from the one before it."""
    rows = Staff.objects.select_for_update() if lock else Staff.objects
    row = rows.filter(pk=person_id).values("password", *KNOWN).first()
    if row is None:
        return _Person()
    password = row.pop("password")
    return _Person(_facts(person_id, row), password)


def _facts(person_id: int, row: dict[str, Any]) -> dict[str, Any]:
    expires = row["badge_expires"]
    roles = sorted(Staff(pk=person_id).roles)
    return row | {"badge_expires": expires.isoformat() if expires else None, "roles": roles}


@receiver(post_save, sender="ledger.Site")
def _house_saved(instance: Any, created: bool, **_: Any) -> None:
    house_events.note_particulars(
        instance, act=Act(None, timezone.now(), terminal=command_line()), opened=created
    )
    if created:
        note_everybody(None)


def note_everybody(act: Act | None) -> None:
    for person_id in Staff.objects.order_by("pk").values_list("pk", flat=True):
        _note_change(person_id, _Person(), act)
