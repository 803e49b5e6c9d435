"""The search box finds for each role what they may open, and nothing that no page shows them."""

import pytest
from django.template.backends.django import Template
from django.utils import timezone

from casino.roles import ROLES
from tables.reports import searching
from tests.casino.test_rights import come_in, house, people, what_is_refused  # noqa: F401

pytestmark = pytest.mark.django_db

ASKED = (
    *("1", "2", "table 1", "table 8", "table 1 round 2", "round 1", "table 1 seat 2", "bob", "ev", "12:30"),
    *("7 Mar 12:30", "table 1 2026-03-07 12:30", "2026-03-07", "300.00", "$10.00 7 Mar", "box 1", "sheet 1"),
    *("fill 1", "opener 1", "closer 1", "slip 1", "drawer 1", "receipt 1", "waiver 1", "uncollected 1"),
    *("claim 1", "account 1", "entry 12", "paper 1", "journal", "dealer", "cora", "tablet", "leaf 0"),
)


@pytest.fixture
def now(monkeypatch, house):  # noqa: F811
    monkeypatch.setattr(timezone, "now", lambda: house["now"])
    return house["now"]


@pytest.fixture
def search(client, now, people, come_in):  # noqa: F811
    """`search(text)`: return the titles that a regulator finds by kind, or the address that opens at once."""
    come_in(people["regulator"])

    def asked(text):
        answer = client.get("/search/", {"q": text})
        if answer.status_code == 302:
            return answer.headers["Location"]
        assert answer.status_code == 200
        return {kind.title: [line.title for line in kind.lines] for kind in answer.context["found"]}

    return asked


def found_by(person, site, now, *texts):
    """Yield what somebody finds: the text, the kind, a line."""
    for text in texts:
        for kind in searching.results(searching.Search(site, person, text, now)):
            for line in kind.lines:
                yield text, kind, line


@pytest.mark.parametrize("role", ROLES)
def test_whatever_a_role_finds_opens(role, client, now, people, come_in, site, monkeypatch):  # noqa: F811
    """And no line tells an amount but the one that was asked for."""
    come_in(people[role])
    found = list(found_by(people[role], site, now, *ASKED))
    for text, _, line in found:
        said = f"{line.title} {line.detail}"
        assert "$" not in said or text.removeprefix("$").split()[0] in said
    monkeypatch.setattr(Template, "render", what_is_refused)
    addresses = {line.address for _, _, line in found} | {kind.more for _, kind, _ in found if kind.more}
    assert addresses
    assert {one: status for one in addresses if (status := client.get(one).status_code) != 200} == {}


def test_every_kind_is_found(now, people, site):  # noqa: F811
    found = {kind.title for _, kind, _ in found_by(people["manager"], site, now, *ASKED)}
    of_fees = {"Waivers", "Uncollected fees", "Recoveries", "Reversal slips"}
    sealed = {"Records of the log"}
    assert found == {kind.title for kind in searching.KINDS} - of_fees - sealed


def test_a_counter_finds_boxes_and_sheets_and_nothing_else(now, people, site):  # noqa: F811
    found = found_by(people["counter"], site, now, *ASKED)
    assert {kind.title for _, kind, _ in found} == {"Drop boxes", "Count sheets"}


def test_nobody_finds_the_exclusion_list(now, people, site):  # noqa: F811
    """Reading it leaves a record of who looked, and a search would not."""
    for person in people.values():
        assert list(found_by(person, site, now, "Mallory", "GEGE-7")) == []


def test_who_has_no_table_or_no_role_finds_nothing(now, site, employ, client, come_in):  # noqa: F811
    assert list(found_by(employ("dora", "dealer"), site, now, *ASKED)) == []
    come_in(employ("nina"))
    assert client.get("/search/", {"q": "1"}).status_code == 403


def test_one_exact_match_opens_and_half_a_name_does_not(search, house):  # noqa: F811
    assert search("table 1 round 2") == f"/rounds/{house['round_id']}/"
    assert search("F-000001") == f"/documents/{house['document_id']}/"
    assert search("7 Mar") == "/audit/days/2026-03-07/"
    assert search("ev")["Players"] == ["Eve"]
    assert search("12:30")["Rounds"] == ["Table 1, round 2"]
    assert set(search("2")) > {"Rounds", "Receipts", "Documents"}


def test_a_moment_finds_what_was_written_then_and_an_amount_what_moved_it(search):
    assert search("2026-03-07 12:25:00")["Journal entries"]
    assert search("$10.00 7 Mar")["Journal entries"]
    assert search("$10.00 6 Mar") == {}


def test_nothing_found_says_what_can_be_found(search, client):
    search("1")
    page = client.get("/search/", {"q": "nobody at all"}).content.decode()
    assert "Nothing found" in page
    assert "R 214" in page
    assert client.get("/search/", {"q": "x" * 81}).status_code == 400
