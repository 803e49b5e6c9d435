"""Recompute balances from transfers and compare them with the stored ones. Reads only; not on the hot path."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import BigIntegerField, F, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce

from ledger.chart import Asset
from ledger.models import Account, Site, Transfer


@dataclass(frozen=True)
class BalanceDifference:
    """An account whose stored balance is not the sum of its transfers, in cents."""

    account_id: int
    label: str
    asset: str
    stored_cents: int
    transfers_cents: int


def transfers_of(accounts: Iterable[int]) -> QuerySet[Transfer]:
    """Return every transfer into or out of these accounts, with its entry and actor, in the order of recording."""
    accounts = list(accounts)
    transfers = Transfer.objects.filter(Q(source__in=accounts) | Q(target__in=accounts))
    return transfers.select_related("entry__actor").order_by("entry_id", "line")


def asset_sums(site: Site) -> dict[str, int]:
    """Return the sum of all stored balances by asset, in cents. Anything but zero means that money was made or lost."""
    stored = Account.objects.filter(site=site).values_list("asset").annotate(sum=Sum("balance_cents"))
    return {**{asset.value: 0 for asset in Asset}, **dict(stored)}


def differences(site: Site) -> list[BalanceDifference]:
    """Return every account whose stored balance differs from its transfers: none, unless somebody tampered. One query."""
    accounts = (
        Account.objects.filter(site=site)
        .annotate(transfers_cents=_moved("target") - _moved("source"))
        .exclude(balance_cents=F("transfers_cents"))
        .order_by("pk")
    )
    return [
        BalanceDifference(
            account.pk, account.label, account.asset, account.balance_cents, account.transfers_cents
        )
        for account in accounts
    ]


def _moved(end: str) -> Coalesce:
    sums = Transfer.objects.filter(**{end: OuterRef("pk")}).order_by().values(end).annotate(sum=Sum("cents"))
    return Coalesce(Subquery(sums.values("sum")), Value(0), output_field=BigIntegerField())
