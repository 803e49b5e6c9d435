"""Sessions: idle ones end by role, nothing of them is cached, and superusers are kept out."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from casino.models import Staff
from ledger.models import HouseEvent

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("identity_verifies")]


@pytest.fixture
def clock():
    with time_machine.travel(timezone.now(), tick=False) as moved:
        yield moved


@pytest.mark.parametrize(
    ("roles", "minutes"),
    [(("cashier",), 30), (("floor",), 120), (("dealer",), 240), (("dealer", "manager"), 30), ((), 30)],
)
def test_a_session_ends_after_the_minutes_of_its_work(client, site, employ, clock, roles, minutes):
    client.force_login(employ("zoe", *roles))
    clock.shift(timedelta(minutes=minutes))
    assert client.get("/dispute/").status_code == 200
    clock.shift(timedelta(minutes=minutes, seconds=1))
    assert client.get("/dispute/").url == "/sign-in/?next=/dispute/"
    assert HouseEvent.objects.get(kind="signed_out").data == {"why": "idle"}


def test_a_session_ends_after_twelve_hours_however_busy_it_was(client, site, dealer, clock):
    client.force_login(dealer)
    for _ in range(12):
        clock.shift(timedelta(hours=1))
        assert client.get("/dispute/").status_code == 200
    clock.shift(timedelta(seconds=1))
    assert client.get("/dispute/").status_code == 302
    assert HouseEvent.objects.get(kind="signed_out").data == {"why": "lifetime"}


@pytest.mark.parametrize("headers", [{"hx-request": "true"}, {"sec-fetch-mode": "cors"}])
def test_what_a_page_asks_by_itself_is_no_act(client, site, cashier, clock, headers):
    client.force_login(cashier)
    for _ in range(3):
        clock.shift(timedelta(minutes=11))
        answer = client.get("/dispute/", headers=headers)
    assert answer.status_code == (401 if "hx-request" in headers else 302)


def test_in_a_demo_nobody_is_signed_out(client, site, cashier, clock, settings):
    settings.DEMO = True
    client.force_login(cashier)
    clock.shift(timedelta(hours=5))
    assert client.get("/dispute/").status_code == 200


def test_no_page_of_somebody_who_is_signed_in_is_kept(client, site, cashier):
    client.force_login(cashier)
    for path in ("/cashier/", "/dispute/", "/nothing/here/", "/"):
        assert client.get(path)["Cache-Control"] == "private, no-store"
    assert "no-store" in Client().get("/sign-in/")["Cache-Control"]


def test_a_superuser_reaches_nothing_of_the_house_and_no_console(client, site):
    client.force_login(Staff.objects.create_superuser("owner"))
    assert client.get("/manage/").status_code == 404
    for path in ("/", "/floor/", "/cashier/", "/house/", "/audit/", "/players/", "/api/rounds/1"):
        assert client.get(path).status_code == 403
    assert client.get("/password/").status_code == 200
    assert client.post("/sign-out/").status_code == 302
