"""Receipts of the window, in one series without gaps, for all cash that moves between a drawer and somebody:
chips sold and redeemed, tokes paid out, fees paid at the cage."""

from collections.abc import Iterable

from django.db.models import QuerySet

from ledger.cage.taking_back import CASH_OF_TOKES
from ledger.journal import posting
from ledger.models import JournalEntry, Receipt, Site


def next_number(site: Site) -> int:
    """Lock the house until the transaction ends, and return the number of the next receipt."""
    posting.lock_house(site)
    return posting.next_number(Receipt.objects.filter(site=site))


def to_show() -> QuerySet[Receipt]:
    of_entry = ("actor", "approver", "reversed_by__reversal_slip")
    shown = Receipt.objects.select_related("site", *(f"entry__{name}" for name in of_entry))
    return shown.prefetch_related("entry__transfers")


def of_payout(payout: JournalEntry) -> Receipt:
    """Return the receipt of the cash that was paid for tokes."""
    return Receipt.objects.get(entry__site=payout.site_id, entry__key=f"{payout.key}{CASH_OF_TOKES}")


def write(site: Site, entries: Iterable[JournalEntry], first: int) -> None:
    """Write a receipt for each entry, numbered from `first` on, as their evidence already says."""
    numbered = enumerate(entries, first)
    Receipt.objects.bulk_create(Receipt(site=site, number=number, entry=entry) for number, entry in numbered)
