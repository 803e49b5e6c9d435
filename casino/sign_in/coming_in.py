"""The last step of every sign-in by password or passkey, and the wait for a second step before it."""

from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from casino.models import Staff
from casino.sign_in import browsers, factors
from casino.sign_in.errors import StrangeTerminal
from casino.sign_in.passwords import StaffBackend

BACKEND = f"{StaffBackend.__module__}.{StaffBackend.__name__}"
MUST_ADD, WAITING, CAME = "must-add-factor", "second-step", "came-at"
WAITS_SECONDS = 600
"""Time for the second step after a right password, during which the password is not asked for again."""


def come_in(request: HttpRequest, person: Staff, by: str) -> None:
    """Sign somebody in. `by` says how, for the log. Demand setting up a second step first where it is due."""
    request.session.pop(WAITING, None)
    now, is_terminal = timezone.now(), bool(getattr(request, "terminal", None))
    request.came_by = by  # type: ignore[attr-defined]
    with transaction.atomic():
        # serialise with role changes: they find this session, or this sees the new role
        Staff.objects.select_for_update(no_key=True).get(pk=person.pk)
        must_add = factors.must_add(person, now, is_terminal=is_terminal)
        login(request, person, backend=BACKEND)
    proved_again(request)
    browsers.remember(request, person, now)
    if must_add:
        request.session[MUST_ADD] = True


def needs_terminal(person: Staff) -> bool:
    """Return whether the password works on terminals alone: no second step, in a role that needs none."""
    return not (settings.DEMO or factors.is_demanded(person) or factors.has_step(person))


def require_place(request: HttpRequest, person: Staff) -> None:
    """Refuse a password away from the terminals (`strange_terminal`); a code is let through."""
    if needs_terminal(person) and not person.must_renew and not getattr(request, "terminal", None):
        raise StrangeTerminal(
            "Dealers and counters sign in on a terminal of the house. With a second step, which you set up "
            "there, you sign in anywhere."
        )


def wait_for_step(request: HttpRequest, person: Staff, then: str) -> None:
    request.session.change_key()  # type: ignore[attr-defined]
    request.session[WAITING] = {
        "person": person.pk,
        "hash": person.get_session_auth_hash(),
        "at": timezone.now().timestamp(),
        "then": then,
    }


def waiting(request: HttpRequest) -> tuple[Staff | None, str]:
    """Return who waits for the second step here and where they were going; None after ten minutes."""
    kept: dict[str, Any] = request.session.get(WAITING) or {}
    if not kept or timezone.now().timestamp() - kept["at"] > WAITS_SECONDS:
        return None, ""
    person = Staff.objects.filter(pk=kept["person"], is_active=True).first()
    # refuse if the password was changed meanwhile
    if person is None or person.get_session_auth_hash() != kept["hash"]:
        return None, ""
    return person, kept["then"]


def proved_again(request: HttpRequest) -> None:
    request.session[CAME] = timezone.now().timestamp()


def came_just_now(request: HttpRequest) -> bool:
    """Return whether the password was typed so recently that it need not be asked for again."""
    return bool(timezone.now().timestamp() - request.session.get(CAME, 0) < WAITS_SECONDS)
