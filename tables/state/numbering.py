"""A house's numbered series without gaps: waivers, uncollected fees, recoveries."""

from typing import Any

from django.db.models import Max

from ledger.journal import posting


def next_number(series: Any, site: Any) -> int:
    """Return the next number of a site's series, starting at 1, reserved until the transaction ends.

    Locks the house, and the house is locked before any account: a verb that may take a number after moving chips must
    lock the house before it moves them.
    """
    posting.lock_house(site)
    return (series.objects.filter(site=site).aggregate(last=Max("number"))["last"] or 0) + 1
