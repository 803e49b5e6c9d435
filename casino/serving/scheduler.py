"""A Celery worker and beat inside the web process, for a house on one machine without Redis."""

import contextlib
import threading
from collections.abc import Iterator

from celery.beat import Service
from celery.worker import WorkController, state

from casino import tasks
from casino.celery import app

CONCURRENCY = 2
STOP_SECONDS = 10


@contextlib.contextmanager
def embedded_scheduler() -> Iterator[None]:
    """Run worker and beat in threads of this process for as long as the block lasts.

    Tasks still queued at the end are lost, which must not matter to any of them.
    """
    worker = WorkController(
        app=app,
        pool_cls="threads",
        concurrency=CONCURRENCY,
        loglevel="WARNING",
        without_heartbeat=True,
        without_mingle=True,
        without_gossip=True,
    )
    working = threading.Thread(target=worker.start, name="celery-worker", daemon=True)
    beat = Service(app, scheduler_cls=app.conf.beat_scheduler)
    ticking = threading.Thread(target=beat.start, name="celery-beat", daemon=True)
    working.start()
    ticking.start()
    tasks.heartbeat.delay()  # beat's first comes only after its interval
    try:
        yield
    finally:
        beat.stop()
        state.should_stop = 0  # type: ignore[assignment]  # read by the worker's loop; zero is the exit status to stop with
        for _ in range(2):  # the loop sleeps up to two seconds unless a message comes, and looks twice
            tasks.heartbeat.delay()
        working.join(STOP_SECONDS)
        ticking.join(STOP_SECONDS)
        state.should_stop = None
