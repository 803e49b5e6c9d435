"""Restart a hanging worker or beat: it ends itself, and systemd or Docker starts it again. While it works, it
tells systemd's watchdog and touches a file for a container's health check."""

import contextlib
import logging
import os
import socket
import threading
import time
from typing import Any

from celery.beat import Scheduler
from celery.signals import task_postrun
from django.conf import settings

from tables.live.breaker import breaker

LOOK_SECONDS = 5.0
SILENT_SECONDS = {"beat": 60.0, "worker": 300.0}
"""Seconds without activity that count as hanging: beat looks every second, and a task comes every few."""

log = logging.getLogger(__name__)


class Watchdog:
    """Watches one process, which calls `pulse` after every piece of work."""

    def __init__(self, name: str) -> None:
        self.name, self.limit = name, SILENT_SECONDS[name]
        self.pulse()

    def pulse(self) -> None:
        self._last = time.monotonic()

    def look(self) -> bool:
        """Report to the supervisor, or return False for a hang. Waiting for Redis does not count."""
        if breaker.away:
            self.pulse()
        if time.monotonic() - self._last > self.limit:
            return False
        tell_systemd(b"WATCHDOG=1")
        with contextlib.suppress(OSError):  # /healthz reports a full disk
            (settings.VAR_DIR / f"{self.name}.alive").touch()
        return True

    def watch(self) -> None:
        """Keep looking; kill the process if it hangs, because a hanging thread could not end by itself."""
        while self.look():
            time.sleep(LOOK_SECONDS)
        log.critical(
            "This %s has done nothing for %d seconds: it ends, to be started again", self.name, self.limit
        )
        os._exit(1)

    def begin(self) -> None:
        self.pulse()
        threading.Thread(target=self.watch, name="watchdog", daemon=True).start()


_beat, _worker = Watchdog("beat"), Watchdog("worker")


class Ticking(Scheduler):
    """Celery's scheduler with a pulse at each tick."""

    def tick(self, *args: Any, **options: Any) -> Any:
        _beat.pulse()
        return super().tick(*args, **options)


@task_postrun.connect(weak=False)
def _ran(**_: Any) -> None:
    _worker.pulse()


def watch_beat(**_: Any) -> None:
    _beat.begin()


def watch_worker(**_: Any) -> None:
    _worker.begin()


def tell_systemd(state: bytes) -> None:
    """Send a state to systemd, if it started this process."""
    listens = settings.NOTIFY_SOCKET
    if listens:
        # a socket in Linux's abstract namespace
        address = f"\0{listens[1:]}" if listens.startswith("@") else listens
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
            systemd.sendto(state, address)
