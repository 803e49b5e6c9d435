"""What brings a worker or a beat back that hangs: it ends itself, and whoever supervises it starts it again.

systemd and Docker restart a process that has ended. systemd is also told every few seconds that this one works (its watchdog),
and a file in the folder of the house is as young as that, for the health check of a container.
"""

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
"""How long nothing may happen: beat looks every second which task is due, and a task comes every few."""

log = logging.getLogger(__name__)


class Watchdog:
    """Watches one process: `pulse` whenever it has done something."""

    def __init__(self, name: str) -> None:
        self.name, self.limit = name, SILENT_SECONDS[name]
        self.pulse()

    def pulse(self) -> None:
        """Note that something was done."""
        self._last = time.monotonic()

    def look(self) -> bool:
        """Tell the supervisor that this works, or return False. Waiting for a Redis that is away is no hanging."""
        if breaker.away:
            self.pulse()
        if time.monotonic() - self._last > self.limit:
            return False
        tell_systemd(b"WATCHDOG=1")
        with contextlib.suppress(OSError):  # a full disk is said by /healthz
            (settings.VAR_DIR / f"{self.name}.alive").touch()
        return True

    def watch(self) -> None:
        """Look again and again, and end the process where it hangs: no thread of it could be asked to."""
        while self.look():
            time.sleep(LOOK_SECONDS)
        log.critical(
            "This %s has done nothing for %d seconds: it ends, to be started again", self.name, self.limit
        )
        os._exit(1)

    def begin(self) -> None:
        """Watch from now on."""
        self.pulse()
        threading.Thread(target=self.watch, name="watchdog", daemon=True).start()


_beat, _worker = Watchdog("beat"), Watchdog("worker")


class Ticking(Scheduler):
    """Celery's scheduler, each tick of which is a pulse."""

    def tick(self, *args: Any, **options: Any) -> Any:
        """Send what is due; return in how many seconds to look again."""
        _beat.pulse()
        return super().tick(*args, **options)


@task_postrun.connect(weak=False)
def _ran(**_: Any) -> None:
    """Receive Celery's signal that a task has run, well or not."""
    _worker.pulse()


def watch_beat(**_: Any) -> None:
    """Receive Celery's signal that beat begins."""
    _beat.begin()


def watch_worker(**_: Any) -> None:
    """Receive Celery's signal that a worker takes tasks."""
    _worker.begin()


def tell_systemd(state: bytes) -> None:
    """Send a state to systemd, where it has started this process and listens."""
    listens = settings.NOTIFY_SOCKET
    if listens:
        address = f"\0{listens[1:]}" if listens.startswith("@") else listens  # of Linux's abstract names
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
            systemd.sendto(state, address)
