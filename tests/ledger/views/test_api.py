"""The API of papers: what the portal has, as lines, read on by cursors, and noted like every download."""

import base64
import csv
import io
import json
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from casino.models import ApiToken
from casino.sign_in import tokens
from ledger.journal.acts import Act
from ledger.models import HouseEvent
from ledger.papers.paper import declared
from ledger.proof.audit.tree import merkle
from ledger.proof.log import sealing
from ledger.views import api as books_api
from tests.casino.test_every_door import BOOKS_API, VIEWS, verb  # noqa: F401
from tests.support.refused import answers

pytestmark = pytest.mark.django_db
DAYS = "first=2026-11-21&last=2026-11-22"


@pytest.fixture
def token(stocked, regulator, manager):
    """A token of the regulator, as the manager was shown it."""
    now = timezone.now()
    _, secret = tokens.make(
        person_id=regulator.pk,
        name="Laptop of the bureau",
        last=(now + timedelta(days=29)).date(),
        act=Act(manager, now, key="a-key-of-this-act"),
    )
    return secret


@pytest.fixture
def program(token):
    """`program(address)`: what a program with this token is answered; `sent` are other headers."""

    def fetch(address, secret=token, method="get", **sent):
        headers = {"Authorization": f"Bearer {secret}", **sent}
        answer = getattr(Client(), method)(f"/api/books/{address}", headers=headers)
        if answer.streaming:
            answer.text_of = b"".join(answer.streaming_content).decode()
        return answer

    return fetch


def noted(kind):
    return [event.data for event in HouseEvent.objects.filter(kind=kind).order_by("pk")]


def test_every_paper_that_names_no_player_is_listed_with_its_columns(program):
    listed = json.loads(program("papers").text_of)["papers"]
    assert [one["name"] + ".csv" for one in listed] == [one.name for one in declared(players=False)]
    slips = next(one for one in listed if one["name"] == "cage_slips")
    assert slips["lines"]["jsonl"] == "/api/books/papers/cage_slips.jsonl"
    assert {"name": "amount", "kind": "amount", "type": ["string", "null"]} in slips["columns"]


def test_csv_and_json_lines_say_what_the_portal_says(program, client, regulator):
    client.force_login(regulator)
    for paper in declared(players=False):
        name = paper.name.removesuffix(".csv")
        portal = b"".join(client.get(f"{reverse('paper', args=[name, 'csv'])}?{DAYS}").streaming_content)
        if "downloaded" in portal.decode() or not paper.by_day:
            continue  # it says what was fetched meanwhile
        assert program(f"papers/{name}.csv?{DAYS}").text_of == portal.decode(), name
        said = [json.loads(line) for line in program(f"papers/{name}.jsonl?{DAYS}").text_of.splitlines()]
        rows = csv.DictReader(io.StringIO(portal.decode(), newline=""))
        assert [[str(value or "") for value in one.values()] for one in said] == [
            [text.removeprefix("'") for text in row.values()] for row in rows
        ], name


def test_a_cursor_goes_on_where_the_last_page_ended(program):
    whole = program(f"papers/journal.jsonl?{DAYS}").text_of
    address, pages = f"papers/journal.jsonl?{DAYS}&most=1", []
    while address:
        answer = program(address)
        pages.append(answer.text_of)
        link = answer.headers.get("Link", "")
        address = link[1:].partition(">")[0].removeprefix("/api/books/")
    assert ("".join(pages), len(pages) > 2) == (whole, True)
    assert all(page.count("\n") == 1 for page in pages)
    again = program(f"papers/journal.jsonl?{DAYS}&after={answer.headers['Cursor']}")
    assert (again.text_of, again.headers["Cursor"]) == ("", answer.headers["Cursor"])


def test_each_page_of_csv_has_the_names_of_its_columns(program):
    first = program(f"papers/journal.csv?{DAYS}&most=1")
    after = first.headers["Cursor"]
    second = program(f"papers/journal.csv?{DAYS}&most=1&after={after}")
    assert first.text_of.splitlines()[0] == second.text_of.splitlines()[0]
    assert first.text_of.splitlines()[1] != second.text_of.splitlines()[1]
    assert [data["rows"] for data in noted("downloaded")] == [1, 1]


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("first=2026-11-22&last=2026-11-21", 400, "bad_period"),
        ("first=yesterday", 400, "bad_text"),
        ("most=0", 400, "bad_text"),
        ("mots=3", 400, "bad_text"),
        ("most=1&most=2", 400, "bad_text"),
        ("after=12", 400, "bad_text"),
        (f"{DAYS}&after=1-0123456789abcdef", 409, "stale_cursor"),
        (f"{DAYS}&after=999999-0123456789abcdef", 409, "stale_cursor"),
        ("players=on", 403, "not_allowed"),
    ],
)
def test_what_cannot_be_is_refused_with_a_code_and_noted(program, query, status, code):
    answer = program(f"papers/journal.jsonl?{query}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    [refused] = noted("token_refused")
    assert (refused["code"], refused["number"]) == (code, ApiToken.objects.get().pk)
    assert noted("downloaded") == []


def test_a_cursor_of_another_paper_opens_nothing(program):
    cursor = program(f"papers/journal.jsonl?{DAYS}&most=1").headers["Cursor"]
    answer = program(f"papers/cage_slips.jsonl?{DAYS}&after={cursor}")
    assert answer.json()["code"] == "stale_cursor"


@pytest.mark.parametrize("address", ["papers/wages.csv", "papers/journal.pdf", "papers/all.xlsx"])
def test_what_there_is_not_is_not_found(program, address):
    assert (program(address).status_code, program(address).json()["code"]) == (404, "not_found")


def test_what_was_fetched_is_noted_with_the_token_and_its_person(program, regulator):
    program(f"papers/cage_slips.csv?{DAYS}")
    event = HouseEvent.objects.filter(kind="downloaded").latest("pk")
    assert (event.actor, event.terminal) == (regulator, "api 127.0.0.1")
    assert event.data["token"] == ApiToken.objects.get().pk
    assert event.data["address"] == f"/api/books/papers/cage_slips.csv?{DAYS}"


def test_whoever_is_signed_in_and_reads_the_books_needs_no_token(client, stocked, manager, floor):
    client.force_login(manager)
    assert client.get("/api/books/papers").status_code == 200
    client.force_login(floor)
    assert client.get("/api/books/papers").json()["code"] == "not_allowed"
    assert Client().get("/api/books/papers").json()["code"] == "not_signed_in"


def test_what_the_box_finds_is_found(program):
    [kind] = json.loads(program("search?q=entry 1").text_of)["found"]
    assert (kind["kind"], kind["lines"][0]["exact"]) == ("Journal entries", True)
    assert json.loads(program("search").text_of) == {"found": []}
    assert program("search?p=entry 1").json()["code"] == "bad_text"


@pytest.fixture
def sealed(stocked, site):
    sealing.seal(site, now=timezone.now(), whole=True)


def records(program, query=""):
    answer = program(f"records.jsonl{query}")
    return answer, [json.loads(line) for line in answer.text_of.splitlines()]


def test_the_sealed_records_come_with_leaf_text_and_proof_to_the_signed_root(program, sealed):
    answer, lines = records(program, "?proof=on")
    note = base64.b64decode(answer["Checkpoint"]).decode().splitlines()
    size, root = int(note[1]), base64.b64decode(note[2])
    assert [one["leaf"] for one in lines] == [*range(size)]
    for one in lines:
        leaf = merkle.leaf_hash(one["record"].encode())
        way = [bytes.fromhex(step) for step in one["proof"]]
        assert leaf.hex() == one["hash"]
        merkle.verify_inclusion(leaf=leaf, index=one["leaf"], size=size, proof=way, root=root)
    assert "Link" not in answer


def test_records_are_read_on_by_a_cursor_and_noted(program, sealed):
    whole, lines = records(program)
    read, address = [], "records.jsonl?most=7"
    while address:
        answer = program(address)
        read += [json.loads(line) for line in answer.text_of.splitlines()]
        address = re.findall(r"<.*?/books/(.*)>", answer.get("Link", ""))
        address = address[0] if address else ""
    assert read == lines
    assert records(program, f"?after={whole['Cursor']}")[1] == []
    assert noted("downloaded")[0]["rows"] == len(lines)


@pytest.mark.parametrize("query", ["?after=-1", "?after=x", "?after=99999999", "?most=0", "?day=1"])
def test_records_that_there_cannot_be_are_refused(program, sealed, query):
    assert (program(f"records.jsonl{query}").status_code, noted("downloaded")) == (400, [])


def test_before_the_first_sealing_there_are_no_records_yet(program):
    assert program("records.jsonl").status_code == 409


def test_a_count_that_is_blind_has_no_text_yet(program, sealed, monkeypatch):
    monkeypatch.setattr(books_api, "is_blind", lambda record, person: record.kind == "cage_slip")
    _, lines = records(program)
    assert {one["kind"] for one in lines if one["record"] is None} == {"cage_slip"}


@pytest.mark.parametrize("name", BOOKS_API)
def test_it_refuses_with_every_class_of_refusal(name, verb, monkeypatch, rf, regulator):  # noqa: F811
    monkeypatch.setattr(books_api, "require", verb)
    found_by = {"name": "journal", "form": "csv"} if name == "api-paper" else {}

    def door():
        request = rf.get("/api/books/somewhere")
        request.user = regulator
        return VIEWS[name](request, **found_by)

    assert answers(door, verb.refuse_with) == {}
