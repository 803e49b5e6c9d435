"""What the driver of PostgreSQL keeps of a statement, so that the dearest act is not read anew each time."""

import pytest
from django.db import connection

from tests.support.game import FULL_HOUSE, LOW, PLAIN, QUEENS

pytestmark = pytest.mark.django_db

PARAMETERS, CHARACTERS = 50, 4096
"""psycopg splits a longer statement at its places again whenever it is sent (3.3, `psycopg/_queries.py`)."""


def test_a_settlement_of_four_hands_sends_no_statement_that_is_too_long_to_be_kept(game):
    game.seat("Ann", "Bob", "Cat", "Dan")
    running = game.start()
    sent = []

    def note(execute, sql, params, many, context):
        sent.append((len(params or ()), len(sql)))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        game.settle(running, [QUEENS, FULL_HOUSE, PLAIN, LOW])
    assert sent
    assert max(count for count, _ in sent) <= PARAMETERS
    assert max(length for _, length in sent) <= CHARACTERS
