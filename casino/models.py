"""The people who work here and how they sign in; what they may do is in roles.py."""

from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.models import AbstractUser
from django.db import models


class SetUpLink(models.Model):
    """An address at which a new house is set up, as it was printed. Only the hash of its token is kept."""

    token_hash = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token, in hex")
    made_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"set-up address of {self.made_at:%Y-%m-%d %H:%M} UTC"


class Staff(AbstractUser):
    """One member of staff, or a regulator: who acted, in every record of the house."""

    pin = models.CharField(
        max_length=128, blank=True, help_text="hashed; what a dealer or a second person types at a table"
    )

    class Meta:
        verbose_name = "member of staff"
        verbose_name_plural = "staff"

    def set_pin(self, digits: str) -> None:
        """Give this person a PIN, kept as a hash; empty digits take it away."""
        self.pin = make_password(digits) if digits else ""

    def has_pin(self, digits: str) -> bool:
        """Whether this is the person's PIN. Nobody without one has any."""
        return bool(self.pin) and check_password(digits, self.pin)

    @property
    def roles(self) -> frozenset[str]:
        """The names of the roles this person holds now; one query."""
        return frozenset(self.groups.values_list("name", flat=True))
