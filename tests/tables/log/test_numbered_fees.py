"""What a numbered waiver or recovery has of its own is on its paper and on the desk of the day."""

import pytest
from django.db import transaction

from ledger.db.columns import columns_to_write
from ledger.records import declaring
from tables.audit.records.entries import COLLECTIONS
from tables.models import Charge, Recovery, Waiver
from tests.support import declarations
from tests.support.behind import behind_the_triggers

NUMBERED = ((Waiver, "waiver"), (Recovery, "collection"))
TELLING = {int: 987_654, str: "Q7X"}
"""Values that are on no page by chance."""


def own(model):
    return [field for field in columns_to_write(model) if not field.is_relation]


@pytest.mark.parametrize(("model", "kind"), NUMBERED)
def test_what_a_numbered_fee_has_of_its_own_is_a_column_of_its_paper(model, kind):
    names = {field.attname for field in own(model)}
    (form,) = declarations.forms_of("entry", kind)
    declared = declaring.columns_of("entry", kind, model._meta.label, names)
    cells = {name: [cell.paper for cell in one.cells] for name, (_, one) in declared.items()}
    missing = {name for name in names if COLLECTIONS not in cells.get(name, ())}
    assert missing == set(), f"Its field in {declarations.where(form)} names no Cell of {COLLECTIONS}."


@pytest.fixture
def numbered(at, cashier, busy_house):
    """`numbered(model)`: the first one, what the page of its day says of it, and its charge."""

    def numbered(model):
        row = model.objects.order_by("pk").select_related("payment__charge", "payment__entry").first()
        page = at(cashier).get(f"/cashier/day/?day={row.payment.entry.gaming_day}").content.decode()
        return row, page.partition("Waived, uncollected, recovered</h2>")[2], row.payment.charge.serials

    return numbered


@pytest.mark.parametrize(("model", "kind"), NUMBERED)
def test_what_a_numbered_fee_has_of_its_own_is_on_the_page_of_its_day_and_with_its_charge(
    numbered, model, kind
):
    row, page, charge = numbered(model)
    assert str(row) in page
    assert str(row) in charge
    for field in own(model):
        value = TELLING[type(getattr(row, field.attname))]
        with transaction.atomic():
            with behind_the_triggers(model._meta.db_table):
                model.objects.filter(pk=row.pk).update(**{field.attname: value})
                _, page, charge = numbered(model)
            transaction.set_rollback(True)
        what = f"does not show {field.attname} of {model._meta.label}"
        assert str(value) in page, f"{model.__name__}.why in {declarations.file_of(model)} {what}."
        assert str(value) in charge, (
            f"Charge.serials in {declarations.file_of(Charge)} {what}: see its callers."
        )
