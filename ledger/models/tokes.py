"""Tokes: chips that players gave a dealer, held in an account until the dealer takes them to the cage."""

from django.conf import settings
from django.db import models

from ledger.db.keeping import mutable


class TokeAccount(models.Model):
    """The account of one dealer's tokes (R52): never the box, never the bank."""

    keeping = mutable("entry")

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="toke_accounts", db_index=False)
    dealer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    account = models.OneToOneField("ledger.Account", models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["site", "dealer"], name="ledger_one_toke_account_per_dealer"),
        ]

    def __str__(self) -> str:
        return f"Tokes of {self.dealer!s}"
