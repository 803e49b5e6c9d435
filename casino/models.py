"""The people who work here and how they sign in; what they may do is in roles.py."""

from django.contrib.auth.models import AbstractUser


class Staff(AbstractUser):
    """One member of staff, or a regulator: who acted, in every record of the house."""

    class Meta:
        verbose_name = "member of staff"
        verbose_name_plural = "staff"

    @property
    def roles(self) -> frozenset[str]:
        """The names of the roles this person holds now; one query."""
        return frozenset(self.groups.values_list("name", flat=True))
