"""The forms for two people: only who was offered can sign, and nobody learns whose PIN was right."""

import re

import pytest

from casino.models import Attempts, Staff
from tests.support.cast import PIN

pytestmark = pytest.mark.django_db


@pytest.fixture
def pull(game, at, floor):
    """Pull the box of table 1 with this second person: what the form says."""
    page = at(floor)
    path = f"/floor/sessions/{game.session.pk}/box/"

    def send(second, pin):
        return page.post(path, {"key": game.key(), "second": second, "second_pin": pin})

    return send


@pytest.mark.parametrize("second", ["cashier", "manager", "nobody", "floor", "dealer"])
def test_a_wrong_person_is_answered_like_a_wrong_pin(pull, cashier, manager, dealer, second):
    pin = "864209" if second == "dealer" else PIN
    answer = pull(second, pin)
    said = answer.context["form"].errors.get_json_data()
    assert (answer.status_code, list(said)) == (400, ["second_pin"])
    assert said["second_pin"] == [
        {"message": "This name and PIN do not belong together.", "code": "wrong_pin"}
    ]


def test_a_superuser_signs_nothing(pull, floor2):
    Staff.objects.filter(pk=floor2.pk).update(is_superuser=True)
    answer = pull("floor2", PIN)
    assert [e.code for e in answer.context["form"].errors.as_data()["second_pin"]] == ["wrong_pin"]


@pytest.mark.parametrize(
    ("second", "pin", "cursor"),
    [
        ("counter1", "864209", "second_pin"),
        ("", PIN, "second"),
        ("counter1", "", "second_pin"),
        ("", "", "second"),
    ],
)
def test_the_cursor_is_where_something_is_wrong(pull, counter1, second, pin, cursor):
    shown = pull(second, pin).content.decode()
    assert re.findall(r'<(?:input|select)[^>]*name="(\w+)"[^>]* autofocus', shown) == [cursor]


def test_the_pin_of_somebody_who_was_not_offered_is_not_looked_at(pull, cashier, monkeypatch):
    monkeypatch.setattr(Staff, "has_pin", lambda *_: pytest.fail("it was looked at"))
    assert pull("cashier", PIN).status_code == 400


def test_guessing_at_names_that_were_not_offered_counts_at_the_terminal(pull, site, cashier):
    for _ in range(3):
        pull("cashier", PIN)
    (run,) = Attempts.objects.all()
    assert (run.at, run.judged, run.person) == ("terminal", 3, None)
