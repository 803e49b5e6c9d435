"""Lists that are chosen and sorted by their address."""

import pytest
from django import forms
from django.http import QueryDict

from ledger.views.listing import LongList, SortColumn

LIST = LongList(
    "-at",
    at=SortColumn("When", "first to last", "last to first", ("at", "pk")),
    name=SortColumn("Name", "from A", "from Z", ("name", "pk")),
)


class Form(forms.Form):
    table = forms.IntegerField(required=False)
    sort = LIST.field()
    page = forms.IntegerField(required=False)


def shown(query, **options):
    return LIST.shown(Form(QueryDict(query)), **options)


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("", ("-at", "-pk")),
        ("sort=at", ("at", "pk")),
        ("sort=name", ("name", "pk")),
        ("sort=-name", ("-name", "-pk")),
        ("sort=password", ("-at", "-pk")),
    ],
)
def test_a_list_has_the_order_of_its_address(query, order):
    assert shown(query).order == order


def test_the_pager_keeps_what_was_chosen_and_leaves_the_place():
    assert shown("table=3&sort=name&page=7&other=x").query == "table=3&sort=name&"
    assert shown("").query == ""


def test_the_head_of_a_column_turns_its_order_round_and_keeps_the_rest():
    heads = shown("table=3&sort=name&page=7").heads
    assert (heads["name"].query, heads["name"].sorted) == ("table=3&sort=-name&", "ascending")
    assert (heads["at"].query, heads["at"].sorted) == ("table=3&sort=at&", "")
    turned = shown("sort=-name").heads["name"]
    assert (turned.query, turned.sorted) == ("sort=name&", "descending")
    assert shown("sort=at").heads["at"].query == ""


def test_a_column_that_cannot_be_sorted_by_now_has_no_head():
    found = shown("sort=-name", without=["name"])
    assert (found.order, set(found.heads)) == (("-at", "-pk"), {"at"})


def test_an_order_that_there_is_not_is_refused_by_the_form():
    assert "sort" in Form(QueryDict("sort=password")).errors
    assert Form(QueryDict("sort=-name")).is_valid()
