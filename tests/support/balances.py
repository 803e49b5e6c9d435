"""Account balances computed from their transfers."""

from collections import Counter
from datetime import datetime

from django.db.models import Q, Sum
from django.db.models.functions import Coalesce

from ledger.models import Account, Transfer


def balance_at(account: Account, at: datetime) -> int:
    """Return the balance in cents from the transfers recorded up to and including this moment."""
    sums = Transfer.objects.filter(
        Q(source=account) | Q(target=account), entry__recorded_at__lte=at
    ).aggregate(
        came=Coalesce(Sum("cents", filter=Q(target=account)), 0),
        went=Coalesce(Sum("cents", filter=Q(source=account)), 0),
    )
    return sums["came"] - sums["went"]


def differences(site) -> dict[int, tuple[int, int]]:
    """Return stored and computed balance, in cents, of each account where they differ; always empty."""
    moved: Counter[int] = Counter()
    for source, target, cents in Transfer.objects.filter(entry__site=site).values_list(
        "source", "target", "cents"
    ):
        moved[source] -= cents
        moved[target] += cents
    stored = site.accounts.values_list("pk", "balance_cents")
    return {pk: (cents, moved[pk]) for pk, cents in stored if cents != moved[pk]}
