"""The figures of both identities of the places, by rows: the holdings of each kind of place, and what no
balance shows. Reads only."""

from collections import Counter

from django.db.models import F, Q, Sum

from ledger.chart import AccountKind, Asset, EntryKind
from ledger.models import Account, DocumentStep, DropSignOff, Site, Transfer
from ledger.rules.documents import KINDS
from ledger.rules.places import FeesTaken, Held


def held(site: Site) -> dict[tuple[str, str], int]:
    """Return the total of all accounts of each (kind, asset), in cents. One query."""
    sums = Account.objects.filter(site=site).order_by().values_list("kind", "asset")
    return {(kind, asset): cents for kind, asset, cents in sums.annotate(cents=Sum("balance_cents"))}


def taken(site: Site, held: Held) -> FeesTaken:
    """Return what no balance shows, from other rows: the fees from boxes' expected contents and from
    receipts, the rest from transfers. Seven queries."""
    signed = DropSignOff.objects.filter(box__site=site).aggregate(
        cents=Sum(F("expected_chips") + F("expected_cash"))
    )
    in_boxes = sum(held.get((AccountKind.DROP_BOX, asset), 0) for asset in Asset)
    at_window = Transfer.objects.filter(
        entry__receipt__site=site, entry__kind=EntryKind.COLLECTION, entry__reversed_by__isnull=True
    ).aggregate(cents=Sum("cents"))
    fees = (signed["cents"] or 0) + in_boxes + (at_window["cents"] or 0)
    return FeesTaken.of(fees, _chips_moved(site))


def _chips_moved(site: Site) -> Counter[tuple[str, str]]:
    """Return the cents of chips moved by (kind of source, kind of target), for the few that FeesTaken
    needs."""
    accounts = Account.objects.filter(site=site, asset=Asset.CHIPS)
    few = (AccountKind.CHIP_MAKER, AccountKind.OVER_SHORT, AccountKind.UNCLAIMED)
    ends = list(accounts.filter(kind__in=few).values_list("pk", flat=True))
    found: Counter[tuple[str, str]] = Counter()
    kinds = [kind.code for kind in KINDS.values() if kind.is_held]
    steps = DocumentStep.objects.filter(site=site, document__kind__in=kinds, entry__isnull=False)
    held_under = Q(entry__in=list(steps.values_list("entry", flat=True)))
    for where in (Q(source__in=ends), Q(target__in=ends) & ~Q(source__in=ends), held_under):
        sums = Transfer.objects.filter(where).order_by().values_list("source__kind", "target__kind")
        for source, target, cents in sums.annotate(cents=Sum("cents")):
            if where is not held_under or AccountKind.PATRONS in (source, target):
                found[source, target] += cents
    return found
