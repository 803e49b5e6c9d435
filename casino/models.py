"""The staff and how they sign in; their permissions are in roles.py."""

from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.models import AbstractUser
from django.contrib.auth.validators import ASCIIUsernameValidator
from django.db import models
from django.db.models.functions import Lower

from ledger.cage.names import isolated
from ledger.db.keeping import mutable

LONGEST_NAME = 60
LONGEST_BADGE = 30
LONGEST_TERMINAL = 40


class SetUpLink(models.Model):
    keeping = mutable(
        why="It is made before there is a house and its log. The founding that uses it up is in the log."
    )

    token_hash = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token, in hex")
    made_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"set-up address of {self.made_at:%Y-%m-%d %H:%M} UTC"


class Attempts(models.Model):
    """Refused attempts at a name on one device, or at a terminal, until success, lift or a quiet time."""

    keeping = mutable("house_event")

    class At(models.TextChoices):
        """The kind of secret guessed; each has its own runs, and `terminal` counts all by their origin."""

        PASSWORD = "password"  # noqa: S105  (what was guessed)
        PIN = "pin"
        FACTOR = "factor"
        TERMINAL = "terminal"

    at = models.CharField(max_length=10, choices=At)
    subject = models.CharField(
        max_length=64, help_text="SHA-256 of the name as typed, or of the terminal, in hex"
    )
    device = models.CharField(
        max_length=40,
        blank=True,
        help_text="terminal or known browser, with its number, or all terminals; empty: all others together",
    )
    person = models.ForeignKey(
        "Staff", models.PROTECT, null=True, related_name="+", help_text="who has this name, if anybody"
    )
    terminal = models.CharField(max_length=100, blank=True, help_text="where the last one came from")
    judged = models.PositiveIntegerField(
        default=0, help_text="wrong ones that were looked at: waits follow from it"
    )
    refused = models.PositiveIntegerField(default=0, help_text="all, with those that were sent away unread")
    unnoted = models.PositiveIntegerField(
        default=0, help_text="of these, what the audit log does not have yet"
    )
    since = models.DateTimeField(null=True, help_text="the first that the audit log does not have")
    last_at = models.DateTimeField()
    until = models.DateTimeField(null=True, help_text="nothing is looked at before")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["at", "subject", "device"], name="casino_attempts_once")
        ]

    def __str__(self) -> str:
        return f"{self.refused} refused at {self.person or self.terminal}"


class KnownBrowser(models.Model):
    """A browser in which somebody has signed in; its wrong attempts are counted apart from strangers'."""

    keeping = mutable(why="It only keeps runs of wrong attempts apart; signing in is in the log.")

    person = models.ForeignKey("Staff", models.PROTECT, related_name="+")
    token_hash = models.CharField(max_length=64, help_text="SHA-256 of the browser's cookie, in hex")
    seen_at = models.DateTimeField(help_text="the last sign-in there")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "token_hash"], name="casino_known_browser_once")
        ]

    def __str__(self) -> str:
        return f"browser {self.pk} of {self.person}"


class Notice(models.Model):
    """A mail about somebody's own sign-in, waiting to be sent; the row is deleted once it is."""

    keeping = mutable(why="It waits to be sent; what it tells of is in the log.")

    address = models.EmailField()
    sentence = models.CharField(max_length=200)
    made_at = models.DateTimeField()
    next_at = models.DateTimeField(
        help_text="not tried before; who tries moves it on, so that nobody else does"
    )

    def __str__(self) -> str:
        return f"notice of {self.made_at:%Y-%m-%d %H:%M} UTC"


class Pulse(models.Model):
    """When the scheduler (or the probe of /healthz) last worked: one row each, updated in place."""

    keeping = mutable(why="It is how the machine does; no paper reads it.")

    name = models.CharField(max_length=20, unique=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.at:%Y-%m-%d %H:%M:%S} UTC"

    @classmethod
    def beat(cls, name: str, now: datetime) -> None:
        if not cls.objects.filter(name=name).update(at=now):
            cls.objects.get_or_create(name=name, defaults={"at": now})

    @classmethod
    def last(cls, name: str) -> datetime | None:
        return cls.objects.filter(name=name).values_list("at", flat=True).first()


class Terminal(models.Model):
    """An enrolled device of the house. PINs are accepted on these alone, and the books name them."""

    keeping = mutable("house_event")

    name = models.CharField(max_length=LONGEST_TERMINAL)
    token_hash = models.CharField(
        max_length=64, unique=True, help_text="SHA-256 of the device's cookie, in hex"
    )
    enrolled_by = models.ForeignKey("Staff", models.PROTECT, null=True, related_name="+")
    enrolled_at = models.DateTimeField()
    seen_at = models.DateTimeField(help_text="the last sign-in or PIN there")
    revoked_at = models.DateTimeField(null=True)
    table = models.PositiveSmallIntegerField(
        null=True, help_text="the number of the table whose own it is, where it stays"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                Lower("name"), condition=models.Q(revoked_at=None), name="casino_terminal_name"
            )
        ]

    def __str__(self) -> str:
        return self.name


class ApiToken(models.Model):
    """A token with which a program reads what a regulator may read, until a day."""

    keeping = mutable("house_event")

    person = models.ForeignKey("Staff", models.PROTECT, related_name="tokens")
    name = models.CharField(max_length=LONGEST_TERMINAL, help_text="what it is for")
    token_hash = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token, in hex")
    made_by = models.ForeignKey("Staff", models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    until = models.DateTimeField(help_text="it opens nothing from then on")
    used_at = models.DateTimeField(null=True, help_text="the last time that it opened something")
    revoked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"Token {self.pk}"


class Staff(AbstractUser):
    keeping = mutable("house_event")

    first_name = last_name = None  # type: ignore[assignment]
    username = models.CharField(
        max_length=150,
        unique=True,
        validators=[ASCIIUsernameValidator()],
        help_text="unaccented letters, digits and @.+-_, so that no two look alike",
    )
    full_name = models.CharField(max_length=LONGEST_NAME, blank=True, help_text="in any script")
    badge = models.CharField(
        max_length=LONGEST_BADGE, blank=True, help_text="number of the licence or badge to work here"
    )
    badge_expires = models.DateField(null=True, blank=True, help_text="the last day on which it is valid")
    pin = models.CharField(
        max_length=128, blank=True, help_text="hashed; what a dealer or a second person types at a table"
    )
    code = models.CharField(
        max_length=128, blank=True, help_text="hashed; a one-time code from a manager, until it is used"
    )
    code_until = models.DateTimeField(null=True, blank=True)
    factor_due = models.DateTimeField(
        null=True, blank=True, help_text="until when setting up the second step was put off, once"
    )
    must_renew = models.BooleanField(
        default=False, help_text="given a one-time code, and has set no own password since"
    )

    class Meta:
        verbose_name = "member of staff"
        verbose_name_plural = "staff"
        constraints = [
            models.UniqueConstraint(
                Lower("username"),
                name="casino_staff_username_once",
                violation_error_message="Somebody has this username already, in capital or small letters.",
            )
        ]

    def __str__(self) -> str:
        """Return the name by which colleagues know them; the username where none was entered."""
        return self.get_full_name()

    def __format__(self, spec: str) -> str:
        """Return the name for a sentence, isolated from the text direction around it."""
        return isolated(str(self))

    within: frozenset[str] | None = None
    """If set, the only permissions that count in this session."""

    by_pin = False
    """True for a session that began with a PIN: it ends when the PIN changes, as all do with the password."""

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        return (self.within is None or perm in self.within) and super().has_perm(perm, obj)

    def get_full_name(self) -> str:
        return self.full_name or self.username

    def get_session_auth_hash(self) -> str:
        """Return the hash that ends a session once the password, or the PIN that began it, changes."""
        return self._with_pin(super().get_session_auth_hash())

    def get_session_auth_fallback_hash(self) -> Iterator[str]:
        """Yield the same hash under the SECRET_KEYs from before a change."""
        return map(self._with_pin, super().get_session_auth_fallback_hash())

    def _with_pin(self, of_password: str) -> str:
        return sha256(f"{of_password} {self.pin}".encode()).hexdigest() if self.by_pin else of_password

    def set_pin(self, digits: str) -> None:
        """Store a PIN as a hash; empty digits remove it."""
        self.pin = make_password(digits) if digits else ""

    def has_pin(self, digits: str) -> bool:
        return bool(self.pin) and check_password(digits, self.pin)

    def has_code(self, code: str, now: datetime) -> bool:
        return (
            bool(self.code)
            and self.code_until is not None
            and now < self.code_until
            and check_password(code, self.code)
        )

    @property
    def roles(self) -> frozenset[str]:
        """The names of this person's roles; one query."""
        return frozenset(self.groups.values_list("name", flat=True))
