"""The transfers of accounts, and the sums of all balances. Reads only; not on the hot path."""

from collections.abc import Iterable

from django.db.models import Q, QuerySet, Sum

from ledger.chart import Asset
from ledger.models import Account, Site, Transfer


def transfers_of(accounts: Iterable[int]) -> QuerySet[Transfer]:
    """Return every transfer into or out of these accounts, with its entry and actor, in the order of recording."""
    accounts = list(accounts)
    transfers = Transfer.objects.filter(Q(source__in=accounts) | Q(target__in=accounts))
    return transfers.select_related("entry__actor").order_by("entry_id", "line")


def asset_sums(site: Site) -> dict[str, int]:
    """Return the sum of all stored balances by asset, in cents. Anything but zero means that money was made or lost."""
    stored = Account.objects.filter(site=site).values_list("asset").annotate(sum=Sum("balance_cents"))
    return {**{asset.value: 0 for asset in Asset}, **dict(stored)}
