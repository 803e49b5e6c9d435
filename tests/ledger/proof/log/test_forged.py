"""A forger who writes to the database while the house seals, in the right form, is exposed by the content."""

from datetime import date, timedelta

import pytest

from ledger.journal.acts import Act
from ledger.journal.house_events import note
from ledger.models import Receipt
from ledger.proof.log import sealing
from ledger.proof.log.verifying import Verification
from tests.support.cage import in_pockets
from tests.support.forged import forged

pytestmark = pytest.mark.usefixtures("books_alone")


@pytest.fixture
def found(stocked, now):
    """Return what verifying finds once everything is sealed: codes with the record that is named."""

    def found():
        sealing.seal(stocked, now=now)
        return [(finding.code, finding.record) for finding in Verification(stocked).run()]

    return found


@pytest.fixture
def sides(house):
    return (
        (house("public", "cash"), house("drawer", "cash"), 10_000),
        (house("drawer"), house("patrons"), 10_000),
    )


@pytest.fixture
def forge(stocked, cashier, now):
    def forge(kind, *moves, **more):
        said = {"cents": 10_000, "receipt": Receipt.objects.count() + 1}
        given = {"actor": cashier, "now": now, "evidence": said, **more}
        return forged(stocked, kind, *moves, **given)

    return forge


def test_a_sale_that_is_whole_passes(forge, sides, found):
    forge("chip_sale", *sides)
    assert found() == []


def test_an_hour_decades_before_the_house_is_named(forge, sides, found, now):
    entry = forge("chip_sale", *sides, occurred_at=now.replace(year=1926), day=date(2026, 11, 21))
    assert found() == [("wrong_day", f"entry {entry.pk}")]


@pytest.mark.parametrize(
    "evidence", [{}, {"cents": "10000"}, {"cents": 10_000, "name": "Ann"}, {"slip": 1, "cents": 10_000}]
)
def test_an_entry_that_says_more_or_less_than_its_kind_is_named(forge, sides, found, evidence):
    entry = forge("chip_sale", *sides, evidence=evidence | {"receipt": 1})
    assert found() == [("bad_record", f"entry {entry.pk}")]


@pytest.mark.parametrize("data", [{}, {"name": "cage", "number": 1, "said": True}, {"name": 1, "number": 1}])
def test_an_event_that_says_more_or_less_than_its_kind_is_named(stocked, found, manager, now, data):
    event = note(stocked, "terminal_revoked", **data, act=Act(actor=manager, now=now))
    assert ("bad_record", f"house event {event.pk}") in found()


@pytest.mark.parametrize("side", [0, 1])
def test_a_sale_with_one_of_its_sides_is_named(forge, sides, found, side):
    entry = forge("chip_sale", sides[side])
    named = [("not_in_chart", f"entry {entry.pk}"), ("not_paid_for", f"house {entry.site_id}")]
    assert found() == named


@pytest.mark.parametrize("side", [0, 1])
def test_a_redemption_with_one_of_its_sides_is_named(forge, sides, found, side, stocked, cashier, floor, now):
    in_pockets(stocked, 10_000, by=cashier, second=floor, now=now)
    source, target, cents = sides[side]
    entry = forge("chip_redemption", (target, source, cents))
    named = [("not_in_chart", f"entry {entry.pk}"), ("not_paid_for", f"house {entry.site_id}")]
    assert found() == named


def test_an_entry_recorded_at_another_time_than_those_around_it_is_named(forge, sides, found, now):
    forge("chip_sale", *sides)
    entry = forge("chip_sale", *sides, now=now + timedelta(hours=1), occurred_at=now)
    forge("chip_sale", *sides)
    assert found() == [("other_time", f"entry {entry.pk}")]
