"""The pages of controls: who reads, who tests, and the way to each row that is against one."""

from datetime import date

import pytest
from django.core.cache import cache
from django.urls import reverse

from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.models import HouseEvent, KeptPaper
from ledger.proof.log import keeping_papers

pytestmark = pytest.mark.django_db
DAYS = {"first": "2026-11-21", "last": "2026-11-21"}
TEST = DAYS | {"key": "test-0001"}


def page_of(control, **days):
    return reverse("control", args=[control], query=DAYS | days)


def test_every_control_stands_under_its_area_and_one_without_evidence_is_not_kept_here(
    client, regulator, stocked
):
    client.force_login(regulator)
    page = client.get(reverse("controls")).text
    assert "Two people pull each drop box" in page
    assert page.index("Drop and count") < page.index("Keys of boxes") < page.index("Log and program")
    assert "Not kept here: 5" in page
    assert "No gaming day has been closed yet" in page
    assert "Test all controls" not in page


def test_a_regulator_looks_at_a_test_and_makes_none(client, regulator, saturday):
    client.force_login(regulator)
    page = client.get(page_of("log_verified")).text
    assert "Failed" in page
    assert reverse("audit-day", args=[date(2026, 11, 21)]) in page
    assert "Note this test" not in page
    for address in (reverse("controls"), page_of("log_verified")):
        assert client.post(address, TEST).status_code == 403
    assert not HouseEvent.objects.filter(kind="controls_tested").exists()


def test_a_manager_notes_a_test_and_the_list_has_it(client, manager, saturday):
    client.force_login(manager)
    answer = client.post(page_of("day_closed_by_two"), TEST, follow=True)
    assert "Test 1 is noted: passed." in answer.text
    page = client.get(reverse("controls")).text
    assert "Passed: 1" in page
    assert "2026-11-21 to 2026-11-21" in page


def test_all_controls_are_tested_beside_the_nights_work(
    client,
    manager,
    saturday,
    settings,
    tmp_path,
):
    settings.PAPERS = tmp_path
    cache.clear()
    client.force_login(manager)
    assert client.post(reverse("controls"), TEST).status_code == 302
    page = client.get(reverse("controls")).text
    assert ("Paper 1" in page, "every 2s" in page, "Test all controls" in page) == (True, True, False)
    assert keeping_papers.asked_of(KeptPaper.objects.get()).name == keeping_papers.TEST


def test_an_open_day_and_too_many_days_are_refused_beside_their_field(client, manager, saturday):
    client.force_login(manager)
    for address in (reverse("controls"), page_of("day_closed_by_two")):
        answer = client.post(address, TEST | {"last": "2026-11-22"})
        assert (answer.status_code, "day_not_closed" in answer.text) == (409, True)
    assert "at once" in client.get(page_of("day_closed_by_two", first="2026-01-01")).text
    assert client.get(page_of("day_closed_by_two", first="")).status_code == 200


def test_a_row_against_a_control_leads_to_its_record(client, regulator, stocked, now):
    seen = {"count": 2, "guessed": "pin", "staff": 1, "origin": "table 3"}
    lifted = house_events.note(stocked, "attempts_lifted", act=Act(None, now), **seen)
    client.force_login(regulator)
    page = client.get(page_of("lock_lifted_by")).text
    assert reverse("audit-record", args=["house_event", lifted.pk]) in page
    assert client.get(reverse("control", args=["nothing-such"])).status_code == 404
