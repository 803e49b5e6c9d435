"""When a session is over. casino/sign_in/places.py keeps it; long streams ask here."""

from typing import Any

from django.conf import settings

SEEN, LIMIT, BEGUN = "seen", "idle", "begun"
"""Keys of the session: last act and sign-in, in seconds since 1970, and the seconds its owner may idle."""


def is_idle(session: Any, now: float) -> bool:
    """Return whether the session has been idle for longer than its owner's work allows."""
    seen = session.get(SEEN)
    return seen is not None and now - seen > session[LIMIT]


def is_over(session: Any, now: float) -> bool:
    """Return whether the session is idle for too long, or as old as any session may be."""
    lasted = now - session.get(BEGUN, now)
    return is_idle(session, now) or lasted > settings.SESSION_COOKIE_AGE
