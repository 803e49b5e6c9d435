"""Lists that are chosen and sorted by their address."""

import pytest
from django import forms
from django.http import QueryDict
from django.test import RequestFactory

from casino.models import Staff
from ledger.views.listing import ROWS, LongList, SortColumn, list_page

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


# -- a list that is read whole -------------------------------------------------------------------------------

PEOPLE = LongList("name", name=SortColumn("Name", "from A", "from Z", ("username", "pk")))


@pytest.fixture
def people(db):
    Staff.objects.bulk_create(
        Staff(username=f"dealer{number:03}", full_name="José Ruiz") for number in range(60)
    )
    Staff.objects.filter(username="dealer007").update(full_name="Ana Núñez")
    return lambda query: list_page(
        RequestFactory().get(f"/?{query}"), PEOPLE, Staff.objects.all(), Staff.get_full_name
    )


def test_words_are_found_whatever_their_accents_and_order(people):
    (found,) = people("q=nunez+ANA").rows
    assert found.username == "dealer007"
    assert people("q=jose").page.paginator.count == 59
    assert people("q=nobody").rows == []


def test_its_page_order_and_words_are_in_the_address(people):
    second = people("q=ruiz&sort=-name&page=2")
    assert [one.username for one in second.rows] == [
        f"dealer{number:03}" for number in range(9, -1, -1) if number != 7
    ]
    assert second.shown.query == "q=ruiz&sort=-name&"
    assert len(people("").rows) == ROWS


@pytest.mark.parametrize("query", ["sort=password", "q=" + "x" * 81, "page=99", "page=x", "q=%00"])
def test_what_cannot_be_read_finds_everything(people, query):
    assert people(query).page.paginator.count == 60


def test_a_short_list_is_not_looked_through(people):
    assert people("").finds
    Staff.objects.filter(username__gt="dealer004").delete()
    assert not people("").finds
    assert people("q=ruiz").finds
