"""The people who work here and how they sign in; what they may do is in roles.py."""

from datetime import datetime

from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.models import AbstractUser
from django.db import models

LONGEST_NAME = 60
LONGEST_BADGE = 30


class SetUpLink(models.Model):
    """An address at which a new house is set up, as it was printed. Only the hash of its token is kept."""

    token_hash = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token, in hex")
    made_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"set-up address of {self.made_at:%Y-%m-%d %H:%M} UTC"


class Staff(AbstractUser):
    """One member of staff, or a regulator: who acted, in every record of the house."""

    secrets = ("password", "pin", "code")
    """Columns with hashes, which a role of the database that only reads does not see."""

    first_name = last_name = None  # type: ignore[assignment]
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
    must_renew = models.BooleanField(
        default=False, help_text="given a one-time code, and has set no own password since"
    )

    class Meta:
        verbose_name = "member of staff"
        verbose_name_plural = "staff"

    def get_full_name(self) -> str:
        """The full name, or the username where none is known."""
        return self.full_name or self.username

    def get_short_name(self) -> str:
        """The name by which everybody is known here."""
        return self.username

    def set_pin(self, digits: str) -> None:
        """Give this person a PIN, kept as a hash; empty digits take it away."""
        self.pin = make_password(digits) if digits else ""

    def has_pin(self, digits: str) -> bool:
        """Whether this is the person's PIN. Nobody without one has any."""
        return bool(self.pin) and check_password(digits, self.pin)

    def has_code(self, code: str, now: datetime) -> bool:
        """Whether this is the one-time code that this person was given, and it still holds."""
        return (
            bool(self.code)
            and self.code_until is not None
            and now < self.code_until
            and check_password(code, self.code)
        )

    @property
    def roles(self) -> frozenset[str]:
        """The names of the roles this person holds now; one query."""
        return frozenset(self.groups.values_list("name", flat=True))
