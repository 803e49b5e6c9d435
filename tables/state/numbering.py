"""Numbered series of a house, without gaps: waivers, uncollected fees, recoveries."""

from typing import Any

from django.db.models import Max

from ledger.journal import posting


def next_number(series: Any, site: Any) -> int:
    """Return the next number of a series of this site, from 1, and keep others from taking it until the transaction ends.

    The house is locked for it, which comes before any account: a verb that may take a number after it has moved chips
    locks the house before that.
    """
    posting.lock_house(site)
    return (series.objects.filter(site=site).aggregate(last=Max("number"))["last"] or 0) + 1
