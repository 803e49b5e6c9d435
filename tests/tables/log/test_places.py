"""Both identities of the places in a house in which everything happens: corrections, what was taken back,
boxes that were signed off, documents, drawers."""

import pytest

from ledger.reports.places import places_now

pytestmark = pytest.mark.django_db(databases=["default", "reading"])


def test_both_identities_hold_in_a_busy_house(busy_house):
    now = places_now(busy_house, {})
    assert [(one.title, one.sums) for one in now.identities if not one.holds] == []
    assert all(cents for cents in now.identities[1].sums)
