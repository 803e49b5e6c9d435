"""What an account held at a moment, straight from its transfers."""

from datetime import datetime

from django.db.models import Q, Sum
from django.db.models.functions import Coalesce

from ledger.models import Account, Transfer


def balance_at(account: Account, at: datetime) -> int:
    """What the account held at a moment, in cents: the transfers recorded up to and including it."""
    sums = Transfer.objects.filter(
        Q(source=account) | Q(target=account), entry__recorded_at__lte=at
    ).aggregate(
        came=Coalesce(Sum("cents", filter=Q(target=account)), 0),
        went=Coalesce(Sum("cents", filter=Q(source=account)), 0),
    )
    return sums["came"] - sums["went"]
