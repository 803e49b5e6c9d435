"""What the house runs on is stated in the log when it changes, without a secret, and shown beside it."""

import json
from datetime import UTC, datetime

import pytest
from django.urls import reverse

from casino.serving import environment, system
from ledger.models import AuditRecord
from ledger.papers.paper import Papers, PaperSource
from ledger.proof.audit.checks.books import BooksCheck

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 7, 20, 0, tzinfo=UTC)


@pytest.fixture
def started(site):
    system.note_start("serve", now=NOW)
    system.state(now=NOW)
    return site


def bodies():
    return [json.loads(one.text)[1] for one in AuditRecord.objects.order_by("pk")]


def wrong(found):
    check = BooksCheck(whole=True)
    kinds = ("program_started", "system_stated")
    return [
        code.code
        for leaf, one in enumerate(found)
        if one.get("kind") in kinds
        for code in check.take(leaf, one)
    ]


def test_it_is_stated_once_and_again_when_something_is_another(started, monkeypatch):
    system.state(now=NOW)
    assert started.events.filter(kind="system_stated").count() == 1
    monkeypatch.setenv("BUSY_SECONDS", "9")
    system.state(now=NOW)
    assert started.events.filter(kind="system_stated").count() == 2
    said = {(one["part"], one["name"]): one["value"] for one in system.stated(started).data["facts"]}
    assert said["settings", "BUSY_SECONDS"] == "9"
    assert said["platform", "django"].startswith("5.")
    assert said["migrations", "ledger"].endswith(")")
    assert len(said["jurisdiction", "california"]) == 64
    assert wrong(bodies()) == []


def test_no_secret_and_no_setting_of_one_process_is_stated(started, monkeypatch):
    monkeypatch.setenv("EMAIL_PASSWORD", "hush-hush")
    names = {one["name"] for one in system.facts(started)}
    secret = {one.name for one in environment.TABLE if one.secret}
    assert len(secret) > 3
    assert not names & (secret | system.OF_ONE_PROCESS)
    assert "hush-hush" not in str(system.facts(started))


def test_a_statement_of_another_program_than_the_one_that_started_is_found(started):
    found = bodies()
    for fact in found[-1]["data"]["facts"]:
        fact["value"] = "9.9.9" if fact["name"] == "version" else fact["value"]
    assert wrong(found) == ["upkeep_differs"]


def test_the_paper_has_a_line_for_each_fact(started):
    paper = Papers(PaperSource(), only={"system.csv"})
    lines = [line for body in bodies() for _, line in paper.take(body)]
    assert len(lines) == len(system.facts(started))
    assert b"platform,django,5." in b"".join(lines)


def test_the_page_shows_what_is_now_and_where_the_log_states_otherwise(
    client, regulator, started, monkeypatch
):
    client.force_login(regulator)
    page = client.get(reverse("system")).text
    assert "California asks for 7 years" in page
    assert "Something is not as the log states it" not in page
    monkeypatch.setenv("BUSY_SECONDS", "9")
    assert "Something is not as the log states it" in client.get(reverse("system")).text


def test_before_the_first_statement_the_page_says_so(client, regulator, site):
    client.force_login(regulator)
    assert "no statement of it yet" in client.get(reverse("system")).text
