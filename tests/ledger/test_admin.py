"""In the admin the books can be read, and nothing but a site's particulars can be changed."""

import pytest
from django.contrib import admin
from django.test import RequestFactory
from django.urls import reverse

from ledger import models

READ_ONLY = [
    models.Account,
    models.Count,
    models.DropBox,
    models.DropSignOff,
    models.JournalEntry,
]


@pytest.fixture
def chief(db):
    """Holds every right there is."""
    from casino.models import Staff

    return Staff.objects.create_superuser("chief", password="x")


@pytest.mark.parametrize("model", READ_ONLY)
def test_rows_of_the_books_are_neither_made_nor_changed_nor_removed_there(model, chief):
    request = RequestFactory().get("/")
    request.user = chief
    page = admin.site.get_model_admin(model)
    assert page.has_view_permission(request)
    assert not page.has_add_permission(request)
    assert not page.has_change_permission(request)
    assert not page.has_delete_permission(request)


def test_a_site_is_never_removed(chief):
    request = RequestFactory().get("/")
    request.user = chief
    assert not admin.site.get_model_admin(models.Site).has_delete_permission(request)


@pytest.mark.parametrize("model", [*READ_ONLY, models.Site])
def test_every_list_and_entry_can_be_looked_at(model, chief, client, stacks, pulled, counter1, count_of):
    count_of(pulled, counter1, 1, 1)
    client.force_login(chief)
    name = f"admin:ledger_{model._meta.model_name}"
    assert client.get(reverse(f"{name}_changelist")).status_code == 200
    row = model.objects.first()
    if row is not None:
        assert client.get(reverse(f"{name}_change", args=[row.pk])).status_code == 200
