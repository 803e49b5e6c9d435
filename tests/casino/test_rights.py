"""The matrix of rights in docs/security.md is true: every URL, requested by every role and by nobody. Entries
are valid (`tests/support/whole_house.py`), so that only the permission decides."""

import json
import re
from functools import cache
from http.cookies import SimpleCookie
from pathlib import Path
from types import SimpleNamespace

import pytest
from allauth.mfa.totp.internal import auth as app_codes
from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.db import transaction
from django.forms import BaseForm
from django.template.backends.django import Template
from django.urls import URLPattern, get_resolver, reverse
from django.utils import timezone

from casino.roles import KEPT_APART, ROLES
from tests.support import second_steps
from tests.support.kept import kept
from tests.support.whole_house import OTHER_PARTS, another_house, entries, our_house

PAGE = (Path(settings.BASE_DIR) / "docs" / "security.md").read_text()
ROW = re.compile(r"^\| `([a-z-]+)` \| ([a-z, -]+) \| ([a-z, -]+) \|$", re.M)
DOORS = {"sign-in", "sign-in-badge", "sign-in-passkey", "second-step", "sign-out", "set-up", "set-up-manager"}
DOORS |= {"tv", "wait"}
ELSEWHERE = {"live", *DOORS}
"""The stream would close the test's connection; the sign-in pages have tests of their own."""
OPEN = {"healthz", "healthz-alive", "healthz-ready", "healthz-well"}
REFUSED_FOR_THE_RIGHT = ((403, "not_allowed"), (405, ""), (405, "method_not_allowed"))
BY_THE_STATE = (409, 503)
"""The state is not ready for it, or the house not well: form and permission were fine."""
BY_THE_VERB = ("nothing_changes", "not_your_act", "did_not_count")
"""It is so already, somebody else's act would be undone, or another count signed."""

BESIDE = re.compile(r"^\| `([a-z-]+)\?([a-z]+)=on` \| ([a-z, -]+) \|$", re.M)
"""What a URL gives only to some of its readers, if they ask for it."""


def named(cell):
    return set(ROLES) if cell == "all" else set() if cell == "-" else set(cell.split(", "))


NEW = {"get": set(), "post": set()}
MATRIX = {name: {"get": named(reads), "post": named(acts)} for name, reads, acts in ROW.findall(PAGE)}


def addresses(resolver=None):
    for pattern in (resolver or get_resolver()).url_patterns:
        if not isinstance(pattern, URLPattern):
            yield from addresses(pattern)
        elif pattern.name:
            yield pattern.name, tuple(pattern.pattern.converters)


ADDRESSES = [(name, parts) for name, parts in addresses() if name not in ELSEWHERE]


@kept
def house(game, beside, floor, floor2, dealer, cashier, manager, employ):
    return our_house(game, beside, floor, floor2, dealer, cashier, manager, employ)


@kept
def people(house, dealer, employ):
    """Somebody with each single role and two passkeys; the dealer deals at the house's table."""
    found = {role: dealer if role == "dealer" else employ(f"another-{role}", role) for role in ROLES}
    for person in found.values():
        for name in ("key ring", "telephone"):
            second_steps.has_passkey(person, f"{name} of {person.username}")
    return found


def path_of(name, parts, house):
    return reverse(name, kwargs={part: house[OTHER_PARTS.get(name, {}).get(part, part)] for part in parts})


def what_is_refused(page, facts=None, request=None):
    """Replace a page by the code of the refusal on it or in one of its forms."""
    shown = facts or {}
    forms = [one for one in shown.values() if isinstance(one, BaseForm) and one.is_bound]
    codes = {error.code for form in forms for errors in form.errors.as_data().values() for error in errors}
    return shown.get("code") or " ".join(sorted(codes))


@pytest.fixture
def ask(client, house, monkeypatch):
    """`ask(method, path, entry)`: return status and code of an answer, and roll back."""
    monkeypatch.setattr(timezone, "now", lambda: house["now"])
    monkeypatch.setattr(app_codes, "time", SimpleNamespace(time=house["now"].timestamp))
    monkeypatch.setattr(Template, "render", what_is_refused)
    rights_of = cache(ModelBackend._get_permissions)
    monkeypatch.setattr(ModelBackend, "_get_permissions", lambda *asked: rights_of(*asked))

    def ask(method, path, entry=None):
        cookies = {name: morsel.value for name, morsel in client.cookies.items()}
        with transaction.atomic():
            if path.startswith("/api/") and method == "post":
                verb = "PUT" if path.endswith("/draft") else "POST"
                answer = client.generic(verb, path, json.dumps(entry), content_type="application/json")
            else:
                answer = getattr(client, method)(path, entry)
            if getattr(answer, "streaming", False):
                b"".join(answer.streaming_content)
            transaction.set_rollback(True)
        client.cookies = SimpleCookie(cookies)  # a new password brought a new session, which is gone
        if answer.headers.get("Content-Type") == "application/json" and answer.status_code >= 400:
            return answer.status_code, answer.json().get("code", "")
        shown = "" if answer.streaming or answer.status_code < 400 else answer.content.decode()
        return answer.status_code, shown

    return ask


@pytest.fixture
def come_in(client):
    """`come_in(person)`: sign in, with the pages of second steps open."""

    def sign_in(person):
        client.force_login(person)
        session = client.session
        session.update(second_steps.OPENED)
        session.save()

    return sign_in


def asked(ask, house, person, only=None):
    """Yield the answers to GET and POST at every URL (or `only` those), as (name, method, (status, code))."""
    sent = entries(house, person.username if person else "nobody")
    for name, parts in ADDRESSES:
        if only is not None and name not in only:
            continue
        path = path_of(name, parts, house)
        for method in ("get", "post"):
            yield name, method, ask(method, path, sent.get(name) if method == "post" else None)


def is_let_in(status, code):
    """Return whether the permission and the form were accepted."""
    return status < 400 or status in BY_THE_STATE or code in BY_THE_VERB


def test_the_matrix_has_every_address():
    known = {name for name, _ in addresses()}
    assert set(MATRIX) == known - ELSEWHERE
    assert set().union(*(roles for row in MATRIX.values() for roles in row.values())) == set(ROLES)


def test_there_is_an_entry_for_every_address_that_acts(house):
    acting = {name for name, row in MATRIX.items() if row["post"]}
    assert acting == set(entries(house, "zoe")) & acting
    assert set(entries(house, "zoe")) <= acting


def test_the_page_has_the_pairs_that_are_kept_apart():
    flat = " ".join(PAGE.split())
    assert ", ".join(f"{first} and {second}" for first, second, _ in KEPT_APART) in flat


@pytest.mark.parametrize("role", ROLES)
def test_a_role_reads_and_acts_where_the_matrix_says_and_nowhere_else(role, ask, house, people, come_in):
    come_in(people[role])
    wrong = {}
    for name, method, answer in asked(ask, house, people[role]):
        if name == "design":
            assert answer[0] in (403, 404, 405)
        elif role in MATRIX.get(name, NEW)[method]:
            if not is_let_in(*answer):
                wrong[name, method] = answer
        elif answer not in REFUSED_FOR_THE_RIGHT:
            wrong[name, method] = answer
    assert wrong == {}


OF_ADDRESS = {name: {"name": "staff", "form": "csv"} for name in ("paper", "api-paper")}


def test_what_an_address_gives_beside_is_given_to_whom_the_page_names(house, people, client):
    asked_for = BESIDE.findall(PAGE)
    who = "compliance, regulator"
    assert asked_for == [
        *(("audit-export", "players", who), ("audit-export", "opened", who)),
        *(("paper", "players", who), ("api-paper", "players", who)),
    ]
    for name, given, roles in asked_for:
        for role in MATRIX[name]["get"]:
            client.force_login(people[role])
            address = reverse(name, kwargs=OF_ADDRESS.get(name))
            answer = client.get(address, {given: "on"})
            assert (answer.status_code, role in named(roles)) in ((200, True), (403, False)), role
            assert client.get(address).status_code == 200


def test_nobody_is_let_in_without_signing_in(ask, house):
    let_in = {
        (name, method): answer
        for name, method, answer in asked(ask, house, None, MATRIX.keys() - OPEN)
        if answer not in ((302, ""), (403, "not_signed_in"))
    }
    assert let_in == {}


def test_somebody_without_a_role_finds_nothing(ask, house, come_in, employ):
    nina = employ("nina")
    come_in(nina)
    own = OPEN | {"pin", "password", "first", "design", "dispute", "mail", "places"}
    own |= {"steps", "new-codes", "add-app", "add-passkey", "remove-step"}
    let_in = {
        (name, method): answer
        for name, method, answer in asked(ask, house, nina, MATRIX.keys() - own)
        if answer not in REFUSED_FOR_THE_RIGHT
    }
    assert let_in == {}


def test_a_dealer_finds_no_other_table(ask, house, come_in, employ):
    """Sessions, rounds, sittings and corrections of tables where this dealer does not deal are 404."""
    dora = employ("dora", "dealer")
    come_in(dora)
    of_a_table = {"session_id", "round_id", "sitting_id", "down_id"}
    at_a_table = {name for name, parts in addresses() if of_a_table & {*parts}} | {"correct-chips", "undo"}
    found = {
        (name, method): answer
        for name, method, answer in asked(ask, house, dora, at_a_table - {"take-table"})
        if answer not in (*REFUSED_FOR_THE_RIGHT, (404, "not_your_table"))
    }
    assert found == {}


@kept
def other_house(house):
    return another_house(house["cast"])


OF_A_HOUSE = {part for _, parts in ADDRESSES for part in parts}
OF_A_HOUSE -= {
    "day",
    "number",
    "code",
    "kind",
    "seat",
    "person_id",
    "dealer_id",
    "does",
    "lock_id",
    "name",
    "form",
}
OF_A_HOUSE -= {"record_kind", "control"}
"""URL arguments of objects of one house; staff and their locks belong to the database."""


@pytest.mark.parametrize("method", ["get", "post"])
def test_nothing_of_another_house_is_found_by_its_address(method, ask, house, other_house, people, come_in):
    found = {}
    for role, person in people.items():
        come_in(person)
        sent = entries(house, person.username)
        for name, parts in ADDRESSES:
            foreign = OF_A_HOUSE & {*parts}
            if not foreign or role not in MATRIX[name][method]:
                continue
            for part in foreign:  # one at a time, beside arguments of our own
                path = path_of(name, parts, house | {key: other_house[key] for key in stands_for(name, part)})
                answer = ask(method, path, sent.get(name) if method == "post" else None)
                if answer[0] != 404 and (method, answer[0]) != ("get", 302):  # to the page with its form
                    found[name, part, role] = answer
    assert found == {}


def stands_for(name, part):
    return {part, OTHER_PARTS.get(name, {}).get(part, part)}


def foreign_values(other_house):
    there = f"{other_house['beside']}-4"
    return {
        "place": there,
        "table": other_house["beside"],
        "main": other_house["beside"],
        "rate": other_house["rate"],
        "reason": other_house["reason_id"],
        "stays": other_house["player_id"],
    }


def test_nothing_of_another_house_is_found_by_a_field(ask, house, other_house, people, come_in):
    """A table, a seat, a rate, a reason, a player of the other house: no entry here can name it."""
    found, tried = {}, set()
    for role, person in people.items():
        come_in(person)
        sent = entries(house, person.username)
        for name, parts in ADDRESSES:
            if role not in MATRIX[name]["post"] or name.startswith("api-"):
                continue
            for field, value in foreign_values(other_house).items():
                if not is_an_id(name, field, sent[name]):
                    continue
                tried.add((name, field))
                answer = ask("post", path_of(name, parts, house), sent[name] | {field: value})
                if answer[0] != 400:
                    found[name, field, role] = answer
    assert found == {}
    assert {field for _, field in tried} == set(foreign_values(other_house))


def is_an_id(name, field, entry):
    """Return whether this field names a row; a reason is a text everywhere else."""
    return field in entry and (field != "reason" or name == "waive-fee")


@pytest.mark.parametrize("twice", [False, True])
def test_a_key_that_nobody_knows_or_that_comes_twice_is_refused_at_every_door(
    twice, ask, house, people, come_in
):
    wrong = {}
    doors = {name: roles["post"] for name, roles in MATRIX.items() if roles["post"]}
    for role, person in people.items():
        come_in(person)
        sent = entries(house, person.username)
        mine = [name for name, roles in doors.items() if role == min(roles)]
        for name, parts in ADDRESSES:
            if name not in mine or name == "first" or name.startswith("api-"):
                continue
            single = [key for key, value in sent[name].items() if not isinstance(value, list)]
            if twice and not single:
                continue
            changed = {single[-1]: [sent[name][single[-1]]] * 2} if twice else {"reasn": "a card"}
            answer = ask("post", path_of(name, parts, house), sent[name] | changed)
            if answer != (400, "bad_text"):
                wrong[name] = answer
    assert wrong == {}
