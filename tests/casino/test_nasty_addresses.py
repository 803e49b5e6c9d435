"""Whatever is in a URL or its query, the answer is never an error of ours. The parameters a URL reads are
observed while it is requested, so new ones are tried at once. In the long form everybody who may read a URL
tries every value, in the short form one of them a few."""

from datetime import date
from itertools import cycle, islice
from urllib.parse import quote

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.http import QueryDict
from django.test import Client

from casino.roles import ROLES
from tests.casino.test_rights import ADDRESSES, MATRIX, OTHER_PARTS, house, path_of, people  # noqa: F401
from tests.support.lengths import LONG

VALUES = {
    "long": quote("x" * 7_000),
    "nul": "a%00b",
    "lone surrogate": "%ED%A0%80",
    "no UTF-8": "%FF%FE",
    "number": "9" * 20,
    "largest": str(2**63 - 1),
    "past the largest": str(2**63),
    "negative": "-1",
    "zero": "0",
    "nan": "NaN",
    "infinite": "1e999",
    "last day": "9999-12-31",
    "first day": "0001-01-01",
    "no day": "2026-02-30",
    "last moment": "9999-12-31T23:59:59Z",
    "midnight": "23:59:59.999999",
    "arabic digits": quote("٣"),
    "format": quote("{0.__class__}%s%(a)s\u202e"),
    "nothing": "",
}
FEW = 1
NUMBERS = [2**63 - 1, 2**63, 10**20, 0]
DAYS = ["0001-01-01", "9999-12-31", "1582-10-15"]


class Read(QueryDict):
    """A query that notes which names are read."""

    def __getitem__(self, name):
        self.asked.add(name)
        return super().__getitem__(name)

    def __contains__(self, name):
        self.asked.add(name)
        return super().__contains__(name)

    def getlist(self, name, default=None):
        self.asked.add(name)
        return super().getlist(name, default)


@pytest.fixture
def get(monkeypatch, people, settings, tmp_path, bare_refusals):  # noqa: F811
    """`get(role, path)`: return the status for this role, and the names that were read."""
    settings.PAPERS, clients = tmp_path, {}

    def get(role, path):
        query = type("Query", (Read,), {"asked": set()})
        monkeypatch.setattr(
            WSGIRequest,
            "GET",
            property(lambda request: query(request.META["QUERY_STRING"], encoding="utf-8")),
        )
        if role not in clients:
            clients[role] = Client(raise_request_exception=False)
            clients[role].force_login(people[role])
        answer = clients[role].get(path)
        if answer.streaming:
            b"".join(answer.streaming_content)
        return answer.status_code, query.asked

    return get


def nasty_like(known):
    if isinstance(known, int):
        return NUMBERS
    return [date.fromisoformat(day) for day in DAYS] if isinstance(known, date) else ["x" * 3000, "-", "0"]


def readers(name):
    return [role for role in ROLES if role in MATRIX[name]["get"]]


def tried_by(name, number):
    """Return everybody who may read it, or, in the short form, one in turn."""
    who = readers(name)
    return who if LONG or not who else [who[number % len(who)]]


def test_no_query_is_an_error_of_ours(get, house):  # noqa: F811
    found, values, tried = {}, cycle(VALUES.items()), set()
    for number, (name, parts) in enumerate(ADDRESSES):
        path = path_of(name, parts, house)
        for role in tried_by(name, number):
            names = get(role, path)[1]
            if names:
                names |= get(role, f"{path}?" + "&".join(f"{one}=1" for one in sorted(names)))[1]
            for one in sorted(names):
                tried.add((name, one))
                for what, value in VALUES.items() if LONG else islice(values, FEW):
                    status, _ = get(role, f"{path}?{one}={value}")
                    if status >= 500:
                        found[name, one, what, role] = status
    assert found == {}
    assert {("audit-export", "first"), ("find-rounds", "day"), ("players", "q")} <= tried


@pytest.mark.parametrize("role", ROLES)
def test_no_number_and_no_day_in_an_address_is_an_error_of_ours(role, get, house):  # noqa: F811
    found = {}
    for number, (name, parts) in enumerate(ADDRESSES):
        if role not in tried_by(name, number):
            continue
        for part in parts:
            known = house[OTHER_PARTS.get(name, {}).get(part, part)]
            for value in nasty_like(known):
                odd = {**house, OTHER_PARTS.get(name, {}).get(part, part): value}
                status, _ = get(role, path_of(name, parts, odd))
                if status >= 500:
                    found[name, part, value] = status
    assert found == {}
