"""When a session is over: what it keeps of that, and the rule. casino/sign_in/idle.py writes it down; a stream that is open
longer than any request asks here."""

from typing import Any

from django.conf import settings

SEEN, LIMIT, BEGUN = "seen", "idle", "begun"
"""In the session: when its owner did something last and when they signed in, in seconds since 1970, and for how many seconds
they may do nothing."""


def is_idle(session: Any, now: float) -> bool:
    """Whether nothing has been done in this session for longer than the work of its owner allows."""
    seen = session.get(SEEN)
    return seen is not None and now - seen > session[LIMIT]


def is_over(session: Any, now: float) -> bool:
    """Whether it has been idle for too long, or has lasted as long as any session may."""
    lasted = now - session.get(BEGUN, now)
    return is_idle(session, now) or lasted > settings.SESSION_COOKIE_AGE
