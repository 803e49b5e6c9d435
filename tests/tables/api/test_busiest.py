"""What the busiest addresses ask of the database: how many statements, and how many tables they join in all.

PostgreSQL plans a statement of ten joins longer than it carries it out, so joins count like statements. Where
a number may be smaller, make it smaller here; where it has to grow, say why in the commit.
"""

import json

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.game import FULL_HOUSE, QUEENS

# Statements and joins of each, on the database that has more. The first three statements read the session,
# the person and their rights.
MOST = {
    "plan": (13, 23),
    "start": (15, 23),
    "round": (7, 14),
    "draft": (8, 15),
    "settle": (16, 18),
    # Two look up where the log was sealed, leaf by leaf of this house; two ask which counts differ.
    # Two more ask since when something needs somebody, and who has taken it; one what tablets told,
    # and one when they were heard. A plan says that once a minute.
    "board": (44, 57),
    "lists": (13, 34),
    "panel": (20, 49),
    "seats": (11, 29),
    "due": (12, 30),
}


@pytest.mark.django_db
def test_the_busiest_addresses_ask_no_more_than_they_did(client, game, floor):
    game.seat("Ann", "Bob")
    game.play()
    asked = {}

    def call(name, method, path, body=None):
        with time_machine.travel(game.now, tick=False), CaptureQueriesContext(connection) as queries:
            sent = json.dumps(body) if body is not None else ""
            answer = client.generic(method, path, sent, content_type="application/json")
        assert answer.status_code in (200, 201), answer.content
        savepoints = sum("SAVEPOINT" in query["sql"] for query in queries)
        joins = sum(query["sql"].upper().count(" JOIN ") for query in queries)
        asked[name] = len(queries) - savepoints, joins
        return answer

    session = game.session.pk
    hands = [{"seat": seat, **hand} for seat, hand in enumerate((QUEENS, FULL_HOUSE), 1)]
    client.force_login(game.dealer)
    call("plan", "GET", f"/api/sessions/{session}/plan")
    round_ = call("start", "POST", f"/api/sessions/{session}/rounds", {"key": "start-it"}).json()["id"]
    call("round", "GET", f"/api/rounds/{round_}")
    call("draft", "PUT", f"/api/rounds/{round_}/draft", {"version": 0, "hands": hands})
    call("settle", "POST", f"/api/rounds/{round_}/settle", {"key": "settle-it", "hands": hands})
    client.force_login(floor)
    call("board", "GET", "/floor/")
    call("lists", "GET", "/waiting/")
    call("panel", "GET", f"/floor/sessions/{session}/panel/")
    call("seats", "GET", f"/sessions/{session}/seats/")
    call("due", "GET", "/floor/due/")
    above = {
        name: found for name, found in asked.items() if found[0] > MOST[name][0] or found[1] > MOST[name][1]
    }
    assert above == {}, asked
