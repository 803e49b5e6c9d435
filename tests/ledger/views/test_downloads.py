"""Downloads of CSV or JSON lines are recorded in the audit log: who, what, when, how many rows, whole or
not."""

import csv
import io
from datetime import date

import pytest
from django.core.signals import request_finished
from django.db import close_old_connections
from django.urls import reverse

from ledger.journal.posting import post
from ledger.models import HouseEvent
from ledger.views import journal

pytestmark = pytest.mark.django_db
DAY = "2026-11-21"
FILES = {
    "journal.csv": lambda account: f"/audit/days/{DAY}/journal.csv",
    "journal.jsonl": lambda account: f"/audit/days/{DAY}/journal.jsonl",
    "staff.csv": lambda account: f"/audit/days/{DAY}/staff.csv",
    "balance": lambda account: reverse("trial-balance-csv"),
    "account": lambda account: reverse("account-csv", args=[account]) + "?from-day=",
}


@pytest.fixture
def reader(client, regulator):
    client.force_login(regulator)
    return client


def noted():
    return [event.data for event in HouseEvent.objects.filter(kind="downloaded").order_by("pk")]


@pytest.mark.parametrize("sent_by", ["cross-site", "same-site"])
@pytest.mark.parametrize("name", FILES)
def test_another_site_notes_no_download_under_somebodys_name(reader, stacks, name, sent_by):
    answer = reader.get(FILES[name](stacks[0].pk), headers={"sec-fetch-site": sent_by})
    assert (answer.status_code, "cross_site" in answer.text) == (403, True)
    assert noted() == []


@pytest.mark.parametrize("sent_by", [{"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "none"}, {}])
def test_a_page_of_the_house_a_bookmark_and_a_script_download(reader, sent_by, site):
    answer = reader.get(FILES["journal.csv"](0), headers=sent_by)
    assert answer.status_code == 200
    close(answer)


def close(answer):
    """Close an answer as a server does when its reader has gone, but keep the test's connection open."""
    request_finished.disconnect(close_old_connections)
    answer.close()
    request_finished.connect(close_old_connections)


@pytest.mark.parametrize("name", FILES)
def test_a_download_is_noted_with_its_rows(reader, regulator, stacks, draft, name):
    ann, bob = stacks
    post(site=ann.site, draft=draft("one", "round", (ann.pk, bob.pk, 1), reason='a "line\nof two", he said'))
    address = FILES[name](ann.pk)
    answer = reader.get(address)
    assert noted() == []  # nothing has been sent yet
    text = b"".join(answer.streaming_content).decode()
    rows = text.splitlines() if name.endswith("jsonl") else list(csv.reader(io.StringIO(text)))[1:]
    assert len(rows) > 1
    (data,) = noted()
    assert data == {
        "file": answer["Content-Disposition"].split('"')[1],
        "address": address,
        "rows": len(rows),
        "whole": True,
    }
    event = HouseEvent.objects.get(kind="downloaded")
    assert (event.actor, event.terminal) == (regulator, "books 127.0.0.1")


def test_one_that_is_broken_off_is_noted_with_what_was_sent(rf, regulator, stacks, monkeypatch):
    monkeypatch.setattr("ledger.reports.journal_csv.ROWS_AT_A_TIME", 1)
    request = rf.get(FILES["journal.csv"](0))
    request.user = regulator
    answer = journal.journal_csv(request, date.fromisoformat(DAY))
    sent = iter(answer.streaming_content)
    next(sent), next(sent)
    close(answer)
    (data,) = noted()
    assert (data["rows"], data["whole"]) == (2, False)  # the two lines of the first entry


def test_a_look_at_the_head_takes_nothing_away(reader, stacks):
    close(reader.head(FILES["journal.csv"](0)))
    assert noted() == []
