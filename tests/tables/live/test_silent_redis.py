"""A Redis that is away, or accepts and never answers: no act waits for it,
and screens say at once that they hear nothing."""

import asyncio
import contextlib
import logging
import socket
import sys
import time
from types import FunctionType

import pytest
import redis
from celery.beat import SchedulingError
from django.db import transaction
from kombu.exceptions import OperationalError

from casino.serving import faults as machine
from casino.serving.cache import HouseCache
from casino.serving.faults import OncePerOutage
from tables import live
from tables.live import breaker as breakers, publishing
from tables.live.breaker import TIMEOUT_SECONDS, Breaker, call_options
from tables.live.hub import AWAY, HEARTBEAT, Hub, Listener, Viewer, channel
from tests.support.lengths import BUSY_MACHINE
from tests.support.loops import finished

MOMENT = TIMEOUT_SECONDS + BUSY_MACHINE


@pytest.fixture(params=["silent", "away"])
def address(request):
    """Of a server that takes connections and says nothing, and of none at all."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        if request.param == "silent":
            server.listen()
        yield f"redis://127.0.0.1:{server.getsockname()[1]}/0"


@pytest.fixture(autouse=True)
def breaker(monkeypatch):
    """A breaker of its own for each test, in all places."""
    own = Breaker()
    for module in (
        "tables.live.publishing",
        "tables.live.hub",
        "casino.serving.cache",
        "casino.serving.faults",
    ):
        monkeypatch.setattr(f"{module}.breaker", own)
    # Its thread asks this test's Redis as long as the process lives: not by the breaker of all others.
    send_all = FunctionType(publishing._send_all.__code__, vars(publishing) | {"breaker": own})
    monkeypatch.setattr(publishing, "_send_all", send_all)
    monkeypatch.setattr(publishing, "publisher", publishing.Publisher())
    return own


def took(call, *args):
    began = time.monotonic()
    call(*args)
    return time.monotonic() - began


def test_a_page_finds_no_cache_after_a_moment_and_then_at_once(address, monkeypatch):
    cache = HouseCache(address, {"OPTIONS": call_options()})
    assert took(cache.get, "heartbeat") < MOMENT
    monkeypatch.setattr(breakers, "PAUSE_SECONDS", 60.0)
    cache.get("heartbeat")  # whoever tries again, if the pause has ended meanwhile
    before = time.monotonic()
    for _ in range(100):
        assert cache.get("heartbeat") is None
        assert cache.get("heartbeat", "nothing") == "nothing"
        cache.set("heartbeat", 1)
        assert not cache.add("attempts", 0)
    assert time.monotonic() - before < MOMENT
    with pytest.raises(ValueError, match="no cache"):
        cache.incr("attempts")


@pytest.mark.django_db(transaction=True)
def test_an_act_commits_and_answers_without_waiting_for_its_message(address, settings):
    settings.REDIS_URL = address

    def act():
        with transaction.atomic():
            for session in range(200):
                live.publish(session)

    assert took(act) < MOMENT


def test_a_screen_hears_at_once_that_it_is_not_live(address, settings):
    settings.REDIS_URL = address

    async def first_word():
        hub, listener = Hub(), Listener(Viewer("board"), "", time.time() + 60)
        hub.join(listener)
        async with asyncio.timeout(2 * MOMENT):
            word = await anext(listener.said())
        hub.leave(listener)
        for task in list(hub._tasks.values()):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        return word, hub.hears

    assert finished(first_word()) == (AWAY, False)


def test_an_outage_is_two_lines_however_many_ask(caplog):
    own = Breaker()
    for _ in range(1000):
        with contextlib.suppress(redis.RedisError), own.call():
            raise redis.ConnectionError
        own.failed()
    own.worked()
    own.worked()
    assert [record.message.partition(":")[0] for record in caplog.records] == [
        "Redis does not answer",
        "Redis answers again",
    ]


def test_what_celery_says_of_the_outage_is_not_said_again(breaker, caplog):
    once, said = OncePerOutage(), []
    for name, message in (
        (
            "celery.worker.consumer.consumer",
            "consumer: Cannot connect to redis://x: Trying again in 2.00 seconds",
        ),
        ("celery.beat", "beat: Connection error: Error 111. Trying again in 4.0 seconds..."),
        ("celery.app.trace", "Task tables.tasks.tend_attention raised unexpected: KeyError()"),
        ("ledger.tasks", "Cannot connect to what is not Celery's"),
    ):
        record = logging.LogRecord(name, logging.ERROR, "", 1, message, (), None)
        if once.filter(record):
            said.append(name)
    assert said == ["celery.app.trace", "ledger.tasks"]
    assert len(caplog.records) == 1


def unsent(why):
    """What beat logs where it cannot send a task: Celery's own error,
    raised while it handles the one of Redis."""
    try:
        try:
            raise why
        except type(why):
            raise SchedulingError(f"Couldn't apply scheduled task: {why}")  # noqa: B904  (as Celery does)
    except SchedulingError:
        return logging.LogRecord("celery.beat", logging.ERROR, "", 1, "Message Error", (), sys.exc_info())


def test_a_minute_of_a_frozen_redis_is_one_line_of_beat_s_too(breaker, caplog):
    once = OncePerOutage()
    frozen = [
        OperationalError("Timeout reading from socket"),
        redis.TimeoutError("Timeout reading from socket"),
    ]
    assert not any(once.filter(unsent(why)) for why in frozen * 100)
    assert len(caplog.records) == 1


def test_what_else_keeps_beat_from_sending_is_said_once_a_minute_for_each_kind(breaker, caplog, monkeypatch):
    once, now = OncePerOutage(), [100.0]
    monkeypatch.setattr(machine.time, "monotonic", lambda: now[0])
    faults = [KeyError("queue"), ValueError("name")] * 5
    assert [once.filter(unsent(why)) for why in faults] == [True, True, *[False] * 8]
    now[0] += 60
    assert once.filter(unsent(KeyError("queue")))
    assert caplog.records == []


def test_while_redis_is_away_one_caller_in_each_pause_tries(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(breakers.time, "monotonic", lambda: now[0])
    own = Breaker()
    own.failed()
    assert [own.may_call() for _ in range(3)] == [False] * 3
    now[0] += breakers.PAUSE_SECONDS
    assert [own.may_call() for _ in range(3)] == [True, False, False]
    own.worked()
    assert [own.may_call() for _ in range(3)] == [True] * 3


def test_two_houses_on_one_redis_have_channels_of_their_own(settings):
    mine = channel()
    settings.HOUSE_MARK = "casino-another"
    assert channel() != mine


def test_a_page_is_told_in_words_of_its_own(settings):
    assert AWAY.startswith("event: away\n")
    assert HEARTBEAT.startswith("event: heartbeat\n")


def test_a_process_that_was_forked_sends_in_a_thread_of_its_own(monkeypatch, settings):
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    begun = []
    monkeypatch.setattr(publishing.threading, "Thread", lambda **options: begun.append(options) or Silent())
    own = publishing.Publisher()
    own.send(1)
    own.send(2)
    monkeypatch.setattr(publishing.os, "getpid", lambda: -1)
    own.send(3)
    assert len(begun) == 2


class Silent:
    def start(self):
        pass
