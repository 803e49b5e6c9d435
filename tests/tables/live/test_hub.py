"""No change is lost on its way to a screen: what the hub sends,
whenever a page was asked for and whatever happens meanwhile."""

import asyncio
import time

import pytest

from tables.live import hub as hubs
from tables.live.hub import AWAY, BEHIND, HEARTBEAT, HOUSE, OVER, RIGHTS, Hub, Listener, Viewer
from tests.support.loops import finished

BOARD = Viewer("board")


@pytest.fixture(autouse=True)
def _at_once_in_one_process(monkeypatch, settings):
    # A process among several is in tests/services and tests/tables/views/test_live.py.
    settings.REDIS_URL = ""
    for name, seconds in (("INTERVAL_SECONDS", 0.0), ("HOUSE_SECONDS", 0.0), ("AGAIN_SECONDS", 0.0)):
        monkeypatch.setattr(hubs, name, seconds)


class Made:
    """What makes the pieces: each says which table it is of and how many were made before. `meanwhile`
    happens as one is made."""

    def __init__(self, meanwhile=()):
        self.count, self.meanwhile = 0, list(meanwhile)

    def __call__(self, changed, readers, house):
        made, self.count = self.count, self.count + 1
        if self.meanwhile:
            self.meanwhile.pop(0)()
        about = {HOUSE} if house else changed
        return {reader: {pk: {f"piece-{pk}": f"{pk}:{made} "} for pk in about} for reader in readers}


class Screen:
    """A screen that listens to a hub in the running loop; `said` is what it heard."""

    def __init__(self, hub, since=None, key="", reader=BOARD):
        self.listener = Listener(reader, key, time.time() if since is None else since)
        self.said, self.more = "", asyncio.Event()
        hub.join(self.listener)
        self.task = asyncio.create_task(self._hear())

    async def _hear(self):
        async for text in self.listener.said():
            self.said += text
            self.more.set()

    async def hears(self, text):
        async with asyncio.timeout(10):
            while text not in self.said:
                await self.more.wait()
                self.more.clear()


def listening(hub, act):
    """What a coroutine gives; afterwards nobody listens."""

    async def run():
        try:
            return await act()
        finally:
            for listener in list(hub.listeners):
                listener.end()
                hub.leave(listener)

    return finished(run())


@pytest.mark.parametrize("somebody", [True, False])
def test_a_screen_is_sent_what_has_changed_since_its_page_was_asked_for(somebody):
    hub = Hub(Made())

    async def act():
        if somebody:
            Screen(hub)
        hub.changed(6)
        asked = time.time()
        hub.changed(7)  # the page may have been read before
        screen = Screen(hub, asked)
        await screen.hears("7:")
        hub.changed(8)
        await screen.hears("8:")
        return screen.said

    said = listening(hub, act)
    assert "6:" not in said or somebody
    assert BEHIND not in said


def test_a_change_that_waited_on_a_loop_that_ended_holds_nothing_back():
    hub = Hub(Made())

    async def change(hears):
        screen = Screen(hub)
        hub.changed(7)
        await asyncio.sleep(0)  # it waits to be made
        if hears:
            await screen.hears("7:")
        return True

    listening(hub, lambda: change(hears=False))
    assert listening(hub, lambda: change(hears=True))


@pytest.mark.parametrize("somebody", [True, False])
def test_a_page_that_is_as_it_was_asked_for_is_sent_nothing(somebody):
    hub = Hub(Made())

    async def act():
        if somebody:
            Screen(hub)
        hub.changed(7)
        await asyncio.sleep(0)  # it waits to be made when the page is asked for
        screen = Screen(hub)
        hub.changed(8)
        await screen.hears("8:")
        return screen.said

    assert "7:" not in listening(hub, act)


@pytest.mark.parametrize("older", ["than the process", "than what is remembered", "and does not say"])
def test_a_page_of_which_too_little_is_known_fetches_everything(older, monkeypatch):
    asked = time.time() if older.startswith("than") else 0.0
    hub = Hub(Made())
    if older == "than what is remembered":
        hub._hears_since = 0.0
        monkeypatch.setattr(hubs, "LATELY_SECONDS", -1.0)

    async def act():
        screen = Screen(hub, asked)
        await screen.hears(BEHIND)
        return True

    assert listening(hub, act)


def test_what_changes_while_a_piece_is_made_is_made_again():
    hub = Hub(made := Made())
    made.meanwhile = [lambda: hub.changed(7)]

    async def act():
        screen = Screen(hub)
        hub.changed(7)
        await screen.hears("7:0")
        while screen.said.count("7:") < 2:
            await screen.more.wait()
            screen.more.clear()
        return screen.said

    said = listening(hub, act)
    assert said.index("7:0") < said.rindex("7:")


def test_a_screen_that_joins_while_the_house_is_told_is_told_of_the_house_too():
    """The last piece of the house that a screen gets is made after it joined."""
    hub, late = Hub(made := Made()), []

    async def act():
        loop, asked = asyncio.get_running_loop(), time.time()

        def join():
            done = asyncio.run_coroutine_threadsafe(opened(), loop)
            late.append(done.result(10))

        async def opened():
            return Screen(hub, asked)

        made.meanwhile = [lambda: None, join]  # a table's pieces, then those of the house
        first = Screen(hub)
        hub.changed(7)
        await first.hears("0:1")
        await late[0].hears("0:")
        return True

    assert listening(hub, act)


@pytest.mark.parametrize("taken", [True, False])
def test_screens_that_were_not_live_fetch_everything_also_when_they_never_knew(taken):
    hub = Hub(Made())

    async def act():
        screen = Screen(hub)
        hub.now_hears(False)
        if taken:
            await screen.hears(AWAY)
        hub.now_hears(True)
        await screen.hears(HEARTBEAT)
        return screen.said

    said = listening(hub, act)
    assert BEHIND in said
    assert (AWAY in said) is taken


def test_a_table_of_which_no_message_came_is_sent_at_the_heartbeat(monkeypatch):
    monkeypatch.setattr(hubs, "HEARTBEAT_SECONDS", 0.01)
    hub = Hub(Made(), overlooked=lambda: {9})

    async def act():
        screen = Screen(hub)
        await screen.hears("9:")
        return True

    assert listening(hub, act)


def test_what_could_not_be_made_is_made_of_all_that_has_changed_meanwhile():
    def fail():
        raise OSError("the database is away")

    hub = Hub(Made([fail, fail]))

    async def act():
        screen = Screen(hub)
        hub.changed(7)
        await screen.hears(AWAY)
        hub.changed(8)
        for piece in ("7:", "8:", "0:"):
            await screen.hears(piece)
        return True

    assert listening(hub, act)


def test_rights_that_are_others_have_the_page_fetched_and_none_at_all_end_it():
    more = Viewer("board", rights=frozenset({"more"}))
    now = {"one": more, "other": None}
    hub = Hub(
        Made(), lambda by_key: {(key, reader): now[key] for key, some in by_key.items() for reader in some}
    )

    async def act():
        one, other = Screen(hub, key="one"), Screen(hub, key="other")
        hub.changed(RIGHTS)
        await one.hears(BEHIND)
        await other.task
        return one.listener.reader, other.said, hub.listeners == {one.listener}

    assert listening(hub, act) == (more, OVER, True)
