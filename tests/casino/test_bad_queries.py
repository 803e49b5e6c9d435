"""Query strings: whatever they contain, the answer is a page with a sentence, never an error."""

from datetime import date
from urllib.parse import quote

import pytest
from django.urls import reverse

from tests.support.addresses import SAMPLES

pytestmark = pytest.mark.django_db

VALUES = {
    "long": "x" * 60_000,
    "nul": "a\x00b",
    "surrogate": "%ED%A0%80",
    "number": "9" * 20,
    "negative": "-1",
    "last day": "9999-12-31",
    "first day": "0001-01-01",
    "no day": "2026-02-30",
    "arabic digits": "٣",
    "format": "{0.__class__}%s%(a)s\u202e",
}
# URLs that read a query, with the parameters they read, and some that they do not.
QUERIES = {
    "players": ("q", "page", "here", "day", "sort"),
    "suggest-players": ("q",),
    "find-other-player": ("q",),
    "find-rounds": ("table", "day", "number", "at", "id", "state", "dealer", "sort", "page"),
    "exclusions": ("page", "q", "sort"),
    "terminals": ("page", "q", "sort"),
    "handovers": ("page",),
    "exclusion-looks": ("page", "day"),
    "cashier-vault": ("day",),
    "cashier-day": ("day",),
    "reconciliation": ("day",),
    "audit": ("day", "page"),
    "audit-day": ("day",),
    "box-variance": ("day",),
    "replay": ("first", "last", "table", "sheet", "limit", "fee"),
    "replay-csv": ("first", "last", "table", "sheet", "limit", "fee"),
    "journal": ("kind", "table", "person", "sort", "entry", "at", "page", "from", "on"),
    "journal-csv": ("kind", "table", "entry", "at", "page"),
    "journal-jsonl": ("kind", "table", "page"),
    "staff-csv": ("person", "page"),
    "audit-player": ("day",),
    "player-csv": ("day",),
    "account": ("day", "page", "to-on", "to-time", "from-on"),
    "account-csv": ("day", "on", "time", "to-on", "to-time"),
    "trial-balance": ("on", "time", "again"),
    "trial-balance-csv": ("on", "time"),
    "audit-log": ("page", "day"),
    "audit-export": ("from", "to", "since", "day", "older"),
    "rates": ("day", "page"),
    "game": ("version",),
    "floor-open": ("game", "table", "rate"),
    "dispute": ("game", "limit", "button", "seat1", "stack1", "front1", "version"),
    "staff": ("q", "page", "sort"),
    "waiting": ("game", "q"),
    "sign-in": ("next",),
    "set-up": ("token",),
}


@pytest.fixture
def reader(client, game, employ):
    """Somebody who may open every page asked here, in a house with a table and a round."""
    game.seat("Ann", "Bob")
    game.play()
    person = employ("zoe")
    person.is_superuser = True
    person.save(update_fields=["is_superuser"])
    client.force_login(person)
    client.raise_request_exception = False
    return client


def address_of(name, game):
    samples = {
        "find-other-player": [game.players["Ann"].pk],
        "audit-player": [game.players["Ann"].pk],
        "player-csv": [game.players["Ann"].pk],
        "account": [game.sitting(1).stack_id],
        "account-csv": [game.sitting(1).stack_id],
        "game": ["face-up"],
    }
    days = (
        [date.fromisoformat(SAMPLES["day"])]
        if name in ("audit-day", "reconciliation", "journal", "journal-csv", "journal-jsonl", "staff-csv")
        else []
    )
    return reverse(name, args=samples.get(name, days))


@pytest.mark.parametrize("name", QUERIES)
def test_no_query_breaks_a_page(reader, game, name):
    address, broken = address_of(name, game), []
    for what, value in VALUES.items():
        text = value if what == "surrogate" else quote(value)
        answer = reader.get(f"{address}?" + "&".join(f"{one}={text}" for one in QUERIES[name]))
        if answer.status_code >= 500:
            broken.append((what, answer.status_code))
        elif answer.status_code == 400 and not answer.streaming:
            assert b"<code>" in answer.content or b"error" in answer.content, what
    assert broken == []
