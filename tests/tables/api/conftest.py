"""A dealer's tablet at a table of any game, at the time of that table's clock."""

import json

import pytest
import time_machine

from tests.support.kept import kept

START = {"key": "start-the-round"}


@kept
def seated(game):
    """The open table, with Ann and Bob."""
    game.seat("Ann", "Bob")
    return game


@pytest.fixture
def tablet_at(client, table_of):
    """A signed-in dealer's tablet at a table of a game: `tablet_at("western", "Ann", "Bob")`, or at a table
    that is open already."""

    def open_tablet(code, *names):
        game = table_of(code) if isinstance(code, str) else code
        game.seat(*names)
        client.force_login(game.dealer)

        def call(method, path, body=None, expect=200):
            sent = json.dumps(body) if body is not None else ""
            with time_machine.travel(game.now, tick=False):
                answer = client.generic(method, f"/api/{path}", sent, content_type="application/json")
            assert answer.status_code == expect, answer.content
            told = answer.json()
            if method == "POST" and expect < 300 and path.endswith(("/rounds", "/settle")):
                # Acts answer from what they know; whoever asks afterwards is told the same from the rows.
                assert told == call("GET", f"rounds/{told['id']}")
            return told

        call.client, call.game, call.session = client, game, game.session.pk
        call.plan = lambda query="": call("GET", f"sessions/{game.session.pk}/plan{query}")
        call.start = lambda expect=201, **body: call(
            "POST", f"sessions/{game.session.pk}/rounds", START | body, expect=expect
        )
        return call

    return open_tablet
