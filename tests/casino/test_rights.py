"""The matrix of rights in docs/security.md is what the house does: every address, asked by every role and by nobody."""

import json
import re
from datetime import date
from pathlib import Path

import pytest
from django.conf import settings
from django.db import transaction
from django.template.backends.django import Template
from django.urls import URLPattern, get_resolver, reverse

from casino.roles import KEPT_APART, ROLES
from tests.casino.test_every_door import API_ENTRIES
from tests.support.evening import DAY
from tests.support.game import HANDS

PAGE = (Path(settings.BASE_DIR) / "docs" / "security.md").read_text()
ROW = re.compile(r"^\| `([a-z-]+)` \| ([a-z, -]+) \| ([a-z, -]+) \|$", re.M)
DOORS = {"sign-in", "sign-in-badge", "sign-in-passkey", "second-step", "sign-out", "set-up", "set-up-manager"}
ELSEWHERE = {"live", *DOORS}
"""The stream closes the test's connection; the doors let everybody in and have tests of their own."""
OPEN = {"healthz", "healthz-alive", "healthz-ready", "healthz-well"}
NOT_LET_IN = (401, 403)


def named(cell):
    return set(ROLES) if cell == "all" else set() if cell == "-" else set(cell.split(", "))


NEW = {"get": set(), "post": set()}
"""An address that the page does not have yet is nobody's."""
MATRIX = {name: {"get": named(reads), "post": named(acts)} for name, reads, acts in ROW.findall(PAGE)}


def addresses(resolver=None):
    """Every address of the house but Django's own /manage/: its name, and the names of its parts."""
    for pattern in (resolver or get_resolver()).url_patterns:
        if not isinstance(pattern, URLPattern):
            if pattern.app_name != "admin":
                yield from addresses(pattern)
        elif pattern.name:
            yield pattern.name, tuple(pattern.pattern.converters)


@pytest.fixture
def parts(evening, pulled_box, floor, dealer):
    """Something that is there for each part of an address."""
    game, round_ = evening, evening.session.rounds.order_by("pk")[0]
    here = game.sitting(1)
    return {
        "session_id": game.session.pk,
        "round_id": round_.pk,
        "sitting_id": here.pk,
        "seat": 5,
        "day": date.fromisoformat(DAY),
        "code": "face-up",
        "box_id": pulled_box.pk,
        "player_id": here.player_id,
        "other_id": game.sitting(2).player_id,
        "person_id": floor.pk,
        "dealer_id": dealer.pk,
        "table_id": game.session.table_id,
        "down_id": round_.down_id,
        "entry_id": round_.settlements.get().entry_id,
        "account_id": here.stack_id,
        "correction_id": game.ask(round_, HANDS[::-1]).pk,
    }


@pytest.fixture
def ask(client, monkeypatch):
    """`ask(method, path, name)`: the status of an answer whose consequences are taken back."""
    monkeypatch.setattr(Template, "render", lambda *_, **__: "")

    def ask(method, path, name):
        with transaction.atomic():
            if path.startswith("/api/") and method == "post":
                entry, verb = json.dumps(API_ENTRIES.get(name, {})), "PUT" if name == "api-draft" else "POST"
                answer = client.generic(verb, path, entry, content_type="application/json")
            else:
                answer = getattr(client, method)(
                    path, {"key": "a-key-of-this-act"} if method == "post" else {}
                )
            if getattr(answer, "streaming", False):
                b"".join(answer.streaming_content)
            transaction.set_rollback(True)
        return answer.status_code

    return ask


def asked(ask, parts):
    """The answers to reading and acting at every address, as (name, method, status)."""
    for name, wanted in addresses():
        if name in ELSEWHERE:
            continue
        path = reverse(name, kwargs={part: parts.get(part, 1) for part in wanted})
        for method in ("get", "post"):
            yield name, method, ask(method, path, name)


def test_the_matrix_has_every_address():
    known = {name for name, _ in addresses()}
    assert set(MATRIX) == known - ELSEWHERE
    assert set().union(*(roles for row in MATRIX.values() for roles in row.values())) == set(ROLES)


def test_the_page_has_the_pairs_that_are_kept_apart():
    flat = " ".join(PAGE.split())
    assert ", ".join(f"{first} and {second}" for first, second, _ in KEPT_APART) in flat


@pytest.mark.parametrize("role", ROLES)
def test_a_role_reads_and_acts_where_the_matrix_says_and_nowhere_else(
    role, ask, parts, client, employ, dealer
):
    client.force_login(dealer if role == "dealer" else employ(f"another-{role}", role))
    wrong = {}
    for name, method, status in asked(ask, parts):
        may = role in MATRIX.get(name, NEW)[method]
        let_in = status not in (*NOT_LET_IN, 405) and name != "design"
        assert status != 500
        if may != let_in:
            wrong[name, method] = status
    assert wrong == {}


def test_nobody_is_let_in_without_signing_in(ask, parts):
    let_in = {
        (name, method): status
        for name, method, status in asked(ask, parts)
        if name not in OPEN and status not in (302, *NOT_LET_IN)
    }
    assert let_in == {}


def test_somebody_without_a_role_finds_nothing(ask, parts, client, employ):
    client.force_login(employ("nina"))
    own = OPEN | {"pin", "password", "first", "design", "dispute", "mail", "places"}
    own |= {"steps", "add-app", "add-passkey", "remove-step", "new-codes"}
    let_in = {
        (name, method): status
        for name, method, status in asked(ask, parts)
        if name not in own and status not in (*NOT_LET_IN, 405)
    }
    assert let_in == {}


def test_a_dealer_finds_no_other_table(ask, parts, client, employ):
    """Whatever names a session, round, sitting or correction is of a table where this dealer is not pushed in."""
    client.force_login(employ("dora", "dealer"))
    at_a_table = {name for name, wanted in addresses() if {"session_id", "round_id"} & {*wanted}}
    found = {
        (name, method): status
        for name, method, status in asked(ask, parts)
        if name in at_a_table and name != "take-table" and status not in (*NOT_LET_IN, 404, 405)
    }
    assert found == {}
