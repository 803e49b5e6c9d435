"""The stream of live pages through the whole application: who hears what, until when,
and how many may listen."""

import asyncio
import re
import threading
import time
from importlib import import_module
from unittest import mock

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from casino.asgi import application
from casino.sign_in import places
from ledger.journal.acts import Act
from tables.live import hub as hubs
from tables.live.hub import HEARTBEAT, Hub, Listener, Viewer
from tables.views.floor import board_cache
from tables.views.live import stream
from tests.support.game import LOW, PLAIN
from tests.support.loops import finished

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


@pytest.fixture(autouse=True)
def own_hub(monkeypatch):
    """A hub of its own for each test, in all places."""
    own = Hub(stream.make, stream.ask_again, stream.overlooked)
    for module in ("tables.live.publishing", "tables.live.hub", "tables.views.live.stream"):
        monkeypatch.setattr(f"{module}.hub", own)
    return own


class Screen:
    """A page that listens, as the server has it: `said` is all that was sent so far."""

    def __init__(self, person, asked=""):
        client = Client()
        client.force_login(person)
        self.session = client.cookies[settings.SESSION_COOKIE_NAME].value
        cookie = f"{settings.SESSION_COOKIE_NAME}={self.session}".encode()
        self.scope = {"type": "http", "method": "GET", "path": "/live/", "query_string": asked.encode()}
        self.scope |= {"headers": [(b"cookie", cookie), (b"host", b"localhost")], "scheme": "http"}
        self.scope |= {"http_version": "1.1", "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80)}
        self.said, self.status, self.ended = "", None, False

    def open(self):
        """Begin to listen, in the running loop."""
        self.more, self.gone = asyncio.Event(), asyncio.Event()
        begun = iter([{"type": "http.request", "body": b"", "more_body": False}])

        async def receive():
            for message in begun:
                return message
            await self.gone.wait()
            return {"type": "http.disconnect"}

        async def send(message):
            self.status = message.get("status", self.status)
            self.said += message.get("body", b"").decode()
            self.ended = message["type"] == "http.response.body" and not message.get("more_body")
            self.more.set()

        self.task = asyncio.create_task(application(self.scope, receive, send))
        return self

    async def until(self, holds):
        """Wait until this is so."""
        async with asyncio.timeout(20):
            while not holds(self):
                await self.more.wait()
                self.more.clear()

    async def close(self):
        """Go, and have the stream end."""
        self.gone.set()
        await self.task


def listening(*screens):
    """What `act` leads to while these screens listen; they are closed afterwards."""

    def decorate(act):
        async def run():
            made = stream.hub._hears_since
            for number, screen in enumerate(screens, 1):
                await screen.open().until(lambda one: "retry" in one.said)
                while len(stream.hub.listeners) < number:  # it joins after its first word
                    await asyncio.sleep(0)
            # Until a process hears of changes, it has everything fetched instead.
            async with asyncio.timeout(20):
                while settings.REDIS_URL and stream.hub._hears_since == made:
                    await asyncio.sleep(0.001)
            try:
                return await act()
            finally:
                for screen in screens:
                    await screen.close()

        return finished(run())

    return decorate


def let_go(person):
    person.is_active = False
    person.save(update_fields=["is_active"])


def take_role(person):
    person.groups.clear()


def sign_out(person):
    for session in Session.objects.all():
        store = import_module(settings.SESSION_ENGINE).SessionStore(session.session_key)
        if store.get("_auth_user_id") == str(person.pk):
            store.flush()


def end_elsewhere(person):
    assert places.end_others(person, "another session", Act(actor=person, now=timezone.now())) == 1


@pytest.mark.parametrize("end", [let_go, take_role, sign_out, end_elsewhere])
def test_it_ends_at_once_for_whoever_was_let_go_or_lost_the_role_or_signed_out(site, floor, floor2, end):
    screen, other = Screen(floor, "page=board"), Screen(floor2, "page=board")

    @listening(screen, other)
    async def _act():
        await sync_to_async(end)(floor)
        await screen.until(lambda one: one.ended)
        assert not other.ended

    assert screen.status == 200
    assert screen.said.endswith(hubs.OVER)  # so that the page does not ask again


def test_rights_are_asked_again_at_a_heartbeat_and_the_others_go_on(site, floor, monkeypatch, own_hub):
    monkeypatch.setattr(hubs, "HEARTBEAT_SECONDS", 0.05)
    screen, told = Screen(floor, "page=board"), own_hub.ask_again
    own_hub.ask_again = mock.Mock(side_effect=told)

    @listening(screen)
    async def _act():
        await screen.until(lambda one: one.said.count(HEARTBEAT) == 2)

    assert own_hub.ask_again.called
    assert not own_hub.listeners


def test_a_card_is_made_once_for_all_who_see_the_same_of_it(floor, floor2, regulator, game, monkeypatch):
    made, render = [], board_cache.render_to_string
    monkeypatch.setattr(board_cache, "render_to_string", lambda *shows: made.append(shows) or render(*shows))
    screens = [Screen(person, "page=board") for person in (floor, floor2, regulator)]
    name = f"data: card-{game.session.pk}\n"

    @listening(*screens)
    async def _act():
        await sync_to_async(game.buy_in)("Ann", 1)
        for screen in screens:
            await screen.until(lambda one: name in one.said)

    mine, same, reads = (screen.said.partition(name)[2].partition("\n\n")[0] for screen in screens)
    assert mine == same
    assert len(made) == 2
    assert "Ann" in reads
    assert "/buy-in/" in mine
    assert "/buy-in/" not in reads


def test_a_dealer_who_was_pushed_out_is_told_so_and_shown_no_more(game, dealer, employ):
    screen = Screen(dealer, f"page=tablet&session={game.session.pk}")
    game.seat("Ann", "Bob")
    other = employ("other-dealer", "dealer")

    @listening(screen)
    async def _act():
        await sync_to_async(game.push)(other)
        await screen.until(lambda one: f"event: table-{game.session.pk}\n" in one.said)

    assert "Ann" not in screen.said


def test_whoever_asked_for_a_correction_is_not_offered_to_approve_it_by_a_live_update(game, floor2):
    game.seat("Ann", "Bob")
    own = game.ask(game.play((PLAIN, LOW)), (LOW, PLAIN), actor=game.floor)
    told = {}
    readers = {person: stream.reader_of(person, "table", game.session.pk) for person in (game.floor, floor2)}
    made = stream.make({game.session.pk}, set(readers.values()), False)
    for person, reader in readers.items():
        told[person] = made[reader][game.session.pk][f"panel-{game.session.pk}"]
    assert f"/corrections/{own.pk}/approve/" not in told[game.floor]
    assert "You asked for it: somebody else decides." in told[game.floor]
    assert f"/corrections/{own.pk}/approve/" in told[floor2]


def test_nobody_hears_of_a_table_that_they_may_not_see(game, employ):
    other = employ("other-dealer", "dealer")
    for page in ("tablet", "table", "board", "dues", "lists"):
        reader = stream.reader_of(other, page, game.session.pk)
        for house in (False, True):
            assert not any(stream.make({game.session.pk}, {reader}, house)[reader].values())


def test_a_page_says_when_it_was_asked_for_and_its_stream_begins_there(floor, game, own_hub):
    client = Client()
    client.force_login(floor)
    before = time.time()
    page = client.get("/floor/").content.decode()
    (since,) = re.findall(r'sse-connect="/live/\?page=board&amp;since=([0-9.]+)"', page)
    assert before <= float(since) <= time.time()
    game.buy_in("Ann", 1)
    screen = Screen(floor, f"page=board&since={since}")

    # Of what others said before it listened to them, a process of several knows nothing.
    wanted = hubs.BEHIND if settings.REDIS_URL else f"data: card-{game.session.pk}\n"

    @listening(screen)
    async def _act():
        await screen.until(lambda one: wanted in one.said)


def test_at_a_heartbeat_a_card_comes_of_a_table_of_which_no_message_came(floor, game, own_hub, monkeypatch):
    monkeypatch.setattr(hubs, "HEARTBEAT_SECONDS", 0.05)
    screen = Screen(floor, f"page=board&since={time.time()}")

    @listening(screen)
    async def _act():
        await screen.until(lambda one: HEARTBEAT in one.said)
        with mock.patch.object(own_hub, "changed"):
            await sync_to_async(game.buy_in)("Ann", 1)
        await screen.until(lambda one: "Ann" in one.said)


def test_streams_have_no_thread_each(floor, game):
    screens, before = [Screen(floor, "page=board") for _ in range(30)], threading.active_count()

    @listening(*screens)
    async def _act():
        await sync_to_async(game.buy_in)("Ann", 1)
        for screen in screens:
            await screen.until(lambda one: "data: card-" in one.said)
        assert threading.active_count() < before + 25  # those that answer requests, and a few


def test_one_more_than_may_listen_is_told_so_in_a_sentence(site, floor, settings):
    settings.LIVE_SCREENS = 1
    first, second = Screen(floor, "page=board"), Screen(floor, "page=board")

    @listening(first)
    async def _act():
        await second.open().until(lambda one: one.ended)
        await second.close()
        assert not first.ended

    assert f"event: away\ndata: {stream.FULL}\n" in second.said


@pytest.mark.parametrize("of", ["OF_ONE_SESSION", "OF_ONE_PERSON"])
def test_one_session_and_one_person_leave_room_for_others(site, floor, dealer, monkeypatch, of):
    monkeypatch.setattr(f"tables.live.hub.{of}", 1)
    first, second, another = Screen(floor, "page=board"), Screen(floor, "page=board"), Screen(dealer, "page=")
    if of == "OF_ONE_SESSION":
        second.scope["headers"] = first.scope["headers"]

    @listening(first, another)
    async def _act():
        await second.open().until(lambda one: one.ended)
        await second.close()
        assert not first.ended
        assert not another.ended

    assert f"event: away\ndata: {stream.ENOUGH}\n" in second.said


def test_a_screen_that_falls_behind_finds_the_newest_piece():
    async def act():
        listener = Listener(Viewer("board"), "")
        for number in range(3):
            listener.tell(
                {"card-7": f"event: card-7\ndata: {number}\n\n", "card-8": "event: card-8\ndata: 0\n\n"}
            )
        listener.end()
        return [text async for text in listener.said()]

    assert finished(act()) == ["event: card-7\ndata: 2\n\nevent: card-8\ndata: 0\n\n"]


def test_what_cannot_be_made_is_said_and_made_later(floor, game, own_hub, monkeypatch):
    monkeypatch.setattr(hubs, "AGAIN_SECONDS", 0.01)
    make, fails = own_hub.make, [OSError("the database is away")]

    def sometimes(changed, readers, house):
        if fails:
            raise fails.pop()
        return make(changed, readers, house)

    own_hub.make = sometimes
    screen = Screen(floor, "page=board")

    @listening(screen)
    async def _act():
        await sync_to_async(game.buy_in)("Ann", 1)
        await screen.until(lambda one: hubs.AWAY in one.said)
        await screen.until(lambda one: HEARTBEAT in one.said and "data: card-" in one.said)
