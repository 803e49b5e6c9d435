"""The session, the person and their permissions, read at every request by precompiled queries. Nothing is
cached between requests, so a role that was taken away is gone at the next one in every process.
`settings.SESSION_ENGINE` is this module."""

from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import Permission
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import Q
from django.db.models.signals import m2m_changed, post_delete, post_save
from django.dispatch import receiver
from django.utils import timezone
from django.utils.crypto import RANDOM_STRING_CHARS, constant_time_compare, get_random_string, salted_hmac

from casino.models import Staff
from ledger.db.compiled import Compiled, after
from tables.errors import StalePage
from tables.live import RIGHTS, publish

KEY_LENGTH, MARK = 40, 12
"""Length of a key (Django's limit) and of its mark; 143 random bits (ASVS 7.2.3 asks for 128), 48 of mark.
The server ranks people at work before strangers without asking the database, and a stranger can send any
cookie: so the key of a signed-in session ends in a mark that only SECRET_KEY can make."""
SALT = "casino.sign_in.session_keys"


def marked_key() -> str:
    chance = get_random_string(KEY_LENGTH - MARK, RANDOM_STRING_CHARS.lower())
    return chance + _mark(chance)


def is_of_somebody(key: str) -> bool:
    return len(key) == KEY_LENGTH and constant_time_compare(key[-MARK:], _mark(key[:-MARK]))


def _mark(chance: str) -> str:
    return salted_hmac(SALT, chance, algorithm="sha256").hexdigest()[:MARK]


_SESSION = Compiled(lambda key: Session.objects.filter(after("expire_date"), session_key=key))
_PERSON = Compiled(lambda pk: Staff.objects.filter(pk=pk))
_RIGHTS: Compiled[Any] = Compiled(
    lambda pk: Permission.objects.filter(
        Q(pk__in=Permission.objects.filter(group__user=pk).order_by().values("pk"))
        | Q(pk__in=Permission.objects.filter(user=pk).order_by().values("pk"))
    ).order_by(),
    plain=True,
    read="content_type__app_label codename",
)


@receiver(post_delete, sender=Session)
@receiver(post_save, sender=Staff)
@receiver(m2m_changed, sender=Staff.groups.through)
def _changed(**_: Any) -> None:
    """Wake open screens when somebody signs out, leaves or gets other roles."""
    publish(RIGHTS)


class SessionStore(db.SessionStore):
    """Django's database sessions. Signing in gives a session a marked kind of key (`marked_key`)."""

    _comes_in = False

    def cycle_key(self) -> None:
        """Replace the key; Django calls this only when somebody signs in."""
        self._comes_in = True
        super().cycle_key()

    def change_key(self) -> None:
        """Replace the key of a session that has not signed in; the new one is a stranger's too."""
        super().cycle_key()

    def _get_new_session_key(self) -> str:
        if not self._comes_in and SESSION_KEY not in self._session:  # type: ignore[attr-defined]
            return str(super()._get_new_session_key())  # type: ignore[misc]
        while self.exists(key := marked_key()):
            pass
        return key

    def _get_session_from_db(self) -> Session | None:
        key = self.session_key
        found = _SESSION.first(key, timezone.now()) if key else None
        if found is None:
            self._session_key = None
        return found


def person(pk: int) -> Staff | None:
    found = _PERSON.first(pk)
    return found if found is not None and found.is_active else None


def unchanged(person: Staff) -> Staff:
    """Lock and return this person's row. Refuses `stale_page` if it has changed, or a code waits."""
    now = Staff.objects.select_for_update().get(pk=person.pk)
    same = now.password == person.password and now.must_renew == person.must_renew
    if now.code or not now.is_active or not same:
        raise StalePage("Your sign-in was changed meanwhile, so nothing was set. Sign in again.")
    now.by_pin = person.by_pin
    return now


def rights(pk: int) -> set[str]:
    return {f"{app}.{code}" for app, code in _RIGHTS.values(pk)}
