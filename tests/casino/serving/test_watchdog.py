"""A hanging worker or beat ends itself, to be restarted; one that works, or waits for Redis, reports that."""

import logging
import socket
import time

import pytest
from celery.signals import beat_init, task_postrun, worker_ready
from django.conf import settings as real_settings

from casino.celery import app
from casino.serving import watchdog
from casino.serving.watchdog import Ticking, Watchdog


class Clock:
    def __init__(self):
        self.now, self.slept = 1000.0, []

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


class Away:
    away = False


@pytest.fixture
def clock(monkeypatch):
    found = Clock()
    monkeypatch.setattr(watchdog, "time", found)
    return found


@pytest.fixture
def redis(monkeypatch):
    found = Away()
    monkeypatch.setattr(watchdog, "breaker", found)
    return found


@pytest.mark.parametrize("name", ["beat", "worker"])
def test_a_process_that_does_nothing_for_its_limit_is_ended(clock, redis, name, monkeypatch, caplog):
    ended = []
    monkeypatch.setattr(watchdog.os, "_exit", ended.append)
    began = clock.now
    Watchdog(name).watch()
    assert ended == [1]
    limit = watchdog.SILENT_SECONDS[name]
    assert limit < clock.now - began <= limit + watchdog.LOOK_SECONDS
    (line,) = [record for record in caplog.records if record.levelno == logging.CRITICAL]
    assert f"This {name} has done nothing for {limit:.0f} seconds" in line.message


def test_what_it_does_keeps_it(clock, redis):
    watched = Watchdog("beat")
    for _ in range(100):
        clock.now += watchdog.SILENT_SECONDS["beat"] - 1
        watched.pulse()
        assert watched.look()


def test_waiting_for_redis_is_no_hanging_and_it_has_its_time_once_redis_is_back(clock, redis):
    watched, redis.away = Watchdog("worker"), True
    clock.now += 10 * watchdog.SILENT_SECONDS["worker"]
    assert watched.look()
    redis.away = False
    clock.now += watchdog.SILENT_SECONDS["worker"]
    assert watched.look()
    clock.now += 1
    assert not watched.look()


@pytest.mark.parametrize("abstract", [False, True])
def test_systemd_and_a_health_check_see_that_it_works(redis, settings, tmp_path, abstract):
    settings.VAR_DIR = tmp_path
    name = f"casino-{time.monotonic_ns()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(f"\0{name}" if abstract else str(tmp_path / name))
        settings.NOTIFY_SOCKET = f"@{name}" if abstract else str(tmp_path / name)
        assert Watchdog("beat").look()
        assert systemd.recv(100) == b"WATCHDOG=1"
    assert time.time() - (tmp_path / "beat.alive").stat().st_mtime < 60
    assert Watchdog("beat").look()  # also where systemd has gone, or the disk is full
    settings.VAR_DIR = tmp_path / "gone"
    assert Watchdog("beat").look()


def test_each_tick_of_beat_and_each_task_of_a_worker_is_a_pulse(clock, monkeypatch):
    monkeypatch.setattr(watchdog, "_beat", Watchdog("beat"))
    monkeypatch.setattr(watchdog, "_worker", Watchdog("worker"))
    clock.now += 1000
    Ticking(app, schedule={}, lazy=True).tick()
    task_postrun.send(sender=None)
    assert (watchdog._beat._last, watchdog._worker._last) == (clock.now, clock.now)
    assert app.conf.beat_scheduler == "casino.serving.watchdog:Ticking"
    for signal, receiver in ((beat_init, watchdog.watch_beat), (worker_ready, watchdog.watch_worker)):
        assert receiver in [found() if hasattr(found, "__self__") else found for _, found in signal.receivers]
    assert real_settings.NOTIFY_SOCKET == ""
