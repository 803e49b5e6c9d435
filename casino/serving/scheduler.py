"""A Celery worker and beat inside the web process, for a house on one machine without Redis."""

import contextlib
import logging
import threading
from collections.abc import Iterator
from typing import Any

from celery.beat import Service
from celery.worker import WorkController

from casino import tasks
from casino.celery import app

CONCURRENCY = 2
STOP_SECONDS, ASK_SECONDS = 10, 5


@contextlib.contextmanager
def embedded_scheduler() -> Iterator[None]:
    """Run worker and beat in threads for the block. Tasks still queued at the end are lost."""
    worker = WorkController(
        app=app,
        pool_cls="threads",
        concurrency=CONCURRENCY,
        loglevel="WARNING",
        without_heartbeat=True,
        without_mingle=True,
        without_gossip=True,
    )
    name: Any = worker.hostname  # type: ignore[attr-defined]  # of which the stubs know nothing
    working = threading.Thread(target=worker.start, name="celery-worker", daemon=True)
    beat = Service(app, scheduler_cls=app.conf.beat_scheduler)
    ticking = threading.Thread(target=beat.start, name="celery-beat", daemon=True)
    working.start()
    ticking.start()
    tasks.heartbeat.delay()  # beat sends the first one only after its interval
    try:
        yield
    finally:
        beat.stop()
        logging.getLogger("celery.worker.control").setLevel(logging.ERROR)  # a stop is no warning here
        # Repeated, because a worker that is still starting does not hear it.
        for _ in range(STOP_SECONDS // ASK_SECONDS):
            app.control.shutdown(destination=[name])
            working.join(ASK_SECONDS)
            if not working.is_alive():
                break
        ticking.join(STOP_SECONDS)
