"""A screen of the floor: somebody signed in, at the time of the game's clock."""

import re

import pytest
import time_machine

from tests.support.desk import desk, table3  # noqa: F401 (fixtures)


class Screen:
    """What one person sees and sends; `codes(answer)` are the codes of the refusals that a page shows."""

    def __init__(self, client, game):
        self.client, self.game = client, game

    def as_(self, person):
        self.client.force_login(person)
        return self

    def get(self, path, *, htmx=False, **data):
        return self._send(self.client.get, path, htmx, data)

    def post(self, path, *, htmx=False, **data):
        return self._send(self.client.post, path, htmx, {"key": self.game.key(), **data})

    def _send(self, method, path, htmx, data):
        with time_machine.travel(self.game.now, tick=False):
            return method(path, data, headers={"HX-Request": "true"} if htmx else {})

    @staticmethod
    def codes(answer):
        return re.findall(r"<code>([a-z_]+)</code>", answer.content.decode())


@pytest.fixture
def screen(client, game, floor):
    """The floor's screen at the open $5 table."""
    return Screen(client, game).as_(floor)
