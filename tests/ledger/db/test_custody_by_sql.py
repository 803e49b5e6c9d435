"""Rows of the cage that SQL writes past the program, beside documents (test_step_order.py) and count sheets
(test_sheet_order.py): what the database itself takes and refuses."""

import pytest
from django.db import IntegrityError, transaction

from ledger.cage import drawers
from ledger.models import Account, CageSlip, Count, Drawer
from tests.support.cage import close_drawer
from tests.support.counting import begin_sheet, enter_count

pytestmark = pytest.mark.django_db
NOTHING = {"pieces": {"cash": [], "chips": []}, "chips_cents": 0, "cash_cents": 0}


def refused(call):
    with pytest.raises(IntegrityError), transaction.atomic():
        call()


@pytest.fixture
def drawer_row(stocked, now):
    """`drawer_row(7, cashier)`: write a drawer of this number."""

    def write(number, cashier, **columns):
        accounts = {
            asset: Account.objects.create(site=stocked, kind="drawer", asset=asset, label=f"Drawer {number}")
            for asset in ("chips", "cash")
        }
        row = {"number": number, "cashier_id": cashier, "gaming_day": now.date(), "opened_at": now}
        return Drawer.objects.create(site=stocked, key=f"by SQL {number}", **accounts, **row | columns)

    return write


def test_a_drawer_has_a_cashier_and_a_number_of_its_own(drawer_row, dealer):
    refused(lambda: drawer_row(2, None))
    refused(lambda: drawer_row(1, dealer.pk))
    refused(lambda: drawer_row(0, dealer.pk))
    drawer_row(2, dealer.pk)


def test_a_cashier_has_one_drawer_open(stocked, drawer_row, cashier, floor, now):
    refused(lambda: drawer_row(2, cashier.pk))
    own = drawers.drawer_of(stocked, cashier)
    close_drawer(own, chips=1_000_000, cash=1_000_000, by=cashier, second=floor, now=now)
    drawer_row(2, cashier.pk)
    refused(lambda: drawer_row(3, cashier.pk))


def test_patrons_and_places_of_the_house_are_never_below_zero(stocked, house):
    for kind in ("patrons", "vault", "drawer"):
        refused(lambda kind=kind: Account.objects.filter(pk=house(kind)).update(balance_cents=-1))
    Account.objects.filter(pk=house("chip_maker")).update(balance_cents=-1)


@pytest.mark.parametrize("way", ["to_drawer", "from_drawer", "closing"])
def test_a_slip_of_a_drawer_names_one_and_counts_something(stocked, cashier, now, way):
    own = drawers.drawer_of(stocked, cashier)
    row = {"site": stocked, "way": way, "gaming_day": now.date(), "counted_by": cashier, "counted_at": now}
    one = {**NOTHING, "pieces": {"cash": [], "chips": [[500, 1]]}, "chips_cents": 500}
    refused(lambda: CageSlip.objects.create(number=90, key="a", **row, **one))
    refused(lambda: CageSlip.objects.create(number=1, key="b", drawer=own, **row, **one))
    refused(
        lambda: CageSlip.objects.create(number=91, key="c", drawer=own, **row, **one | {"cash_cents": -5})
    )
    CageSlip.objects.create(number=92, key="d", drawer=own, **row, **one)


def test_a_count_is_kept_and_another_attempt_stands_beside_it(pulled, counter1, now):
    enter_count(pulled, counter1, now)
    sheet = begin_sheet(pulled, counter1, now)
    row = {
        "site": pulled.site,
        "box": pulled,
        "sheet": sheet,
        "counter": counter1,
        "counted_at": now,
        **NOTHING,
    }
    refused(lambda: Count.objects.create(attempt=1, key="again", **row))
    Count.objects.create(attempt=2, key="another", **row)
    refused(lambda: Count.objects.create(attempt=3, key="another", **row))
    refused(lambda: Count.objects.update(chips_cents=1))
    refused(lambda: Count.objects.filter(attempt=1).delete())
