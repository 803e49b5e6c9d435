"""The end of every sign-in with a password or passkey, and the wait in between for a second step."""

from typing import Any

from django.contrib.auth import login
from django.http import HttpRequest
from django.utils import timezone

from casino.models import Staff
from casino.sign_in import factors
from casino.sign_in.passwords import StaffBackend

BACKEND = f"{StaffBackend.__module__}.{StaffBackend.__name__}"
MUST_ADD, WAITING, CAME = "must-add-factor", "second-step", "came-at"
WAITS_SECONDS = 600
"""How long a right password waits for its second step, and how long nothing asks for the password again."""


def come_in(request: HttpRequest, person: Staff, by: str) -> None:
    """Sign somebody in; `by` is how, for the log. Who has to set up a second step is held to that first."""
    request.session.pop(WAITING, None)
    request.came_by = by  # type: ignore[attr-defined]
    login(request, person, backend=BACKEND)
    proved_again(request)
    if factors.must_add(person, timezone.now()):
        request.session[MUST_ADD] = True


def wait_for_step(request: HttpRequest, person: Staff, then: str) -> None:
    """Remember whose password was right until the second step is, and where they wanted to go."""
    request.session.cycle_key()
    request.session[WAITING] = {
        "person": person.pk,
        "hash": person.get_session_auth_hash(),
        "at": timezone.now().timestamp(),
        "then": then,
    }


def waiting(request: HttpRequest) -> tuple[Staff | None, str]:
    """Return who waits for the second step in this browser, and where they wanted to go; nobody after ten minutes."""
    kept: dict[str, Any] = request.session.get(WAITING) or {}
    if not kept or timezone.now().timestamp() - kept["at"] > WAITS_SECONDS:
        return None, ""
    person = Staff.objects.filter(pk=kept["person"], is_active=True).first()
    # a password that was changed meanwhile is not the one that was right
    if person is None or person.get_session_auth_hash() != kept["hash"]:
        return None, ""
    return person, kept["then"]


def proved_again(request: HttpRequest) -> None:
    """Remember that whoever is signed in has just proved who they are."""
    request.session[CAME] = timezone.now().timestamp()


def came_just_now(request: HttpRequest) -> bool:
    """Whether this session began, or its password was typed again, so recently that it need not be asked for."""
    return bool(timezone.now().timestamp() - request.session.get(CAME, 0) < WAITS_SECONDS)
