"""Checks of every process before it works: database, keys, clock, and that it is the only server of a
SQLite file."""

import contextlib
import fcntl
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from casino.models import Pulse
from casino.roles import APPS
from casino.serving import faults, system
from ledger.errors import LedgerError
from ledger.journal.particulars import houses
from ledger.proof.log import keys
from tables.floor import house_clock

log = logging.getLogger(__name__)


def make_ready(process: str = "") -> None:
    """Check the database, start watching the clock, and record the start of a named `process`. CommandError
    if the database is away, unwritable, or of another version."""
    try:
        reach_database()
        refuse_unknown_database(connection)
        if needs_upgrade():
            raise CommandError(faults.OLDER)
        refuse_real_house()
        Pulse.beat("probe", timezone.now())
        house_clock.begin()
        if process:
            system.note_start(process, now=timezone.now())
            system.state(now=timezone.now())
    except DatabaseError as error:
        sentence = faults.ending(error)
        if sentence is None:
            raise
        raise CommandError(sentence) from error
    finally:
        connections.close_all()


def reach_database() -> None:
    """Connect past the pool, which would keep retrying without giving a reason."""
    connections["reading"].ensure_connection()


def refuse_real_house() -> None:
    """CommandError for a demo on the database of a real house: everybody knows a demo's passwords."""
    if not settings.DEMO or "ledger_site" not in connection.introspection.table_names():
        return
    # Only the name: a house that is not upgraded yet lacks newer columns.
    real = houses().filter(demo=False).values_list("name", flat=True).first()
    if real is not None:
        raise CommandError(f"{real} is a real house, which no demo may touch: start without CASINO_DEMO.")


def refuse_unknown_database(database: BaseDatabaseWrapper) -> None:
    """CommandError if the database has migrations that this program does not know."""
    applied = MigrationRecorder(database).applied_migrations()
    unknown = [key for key in applied if key[0] in APPS and key not in _known_migrations()]
    if unknown:
        app, name = min(unknown)
        raise CommandError(
            f"Another version of this program made this database ({app} {name} is unknown here). Start that "
            "version, or begin with an empty database: for a demo, move the folder of CASINO_VAR away."
        )


@cache
def _known_migrations() -> set[tuple[str, str]]:
    """Return this program's own migrations, without importing them, because every command asks."""
    places = {app: Path(apps.get_app_config(app).path) / "migrations" for app in APPS}
    return {(app, found.stem) for app, place in places.items() for found in place.glob("[0-9]*.py")}


_looked = threading.Event()


def look_at_first(*, connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Receive connection_created: refuse a newer program's database before anything is read or written."""
    if not _looked.is_set():
        _looked.set()
        refuse_unknown_database(connection)


def needs_upgrade() -> bool:
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


check = partial(BaseCommand().check, databases=[])
"""Run the system checks that ask no database. CommandError for an error; warnings go to stderr."""


def before_worker(**_: Any) -> None:
    """Receive worker_init; workers also sign the audit log."""
    _or_end(check, keys.require_key, partial(make_ready, "worker"))


def before_beat(**_: Any) -> None:
    _or_end(check, make_ready)


def _or_end(*demands: Callable[[], None]) -> None:
    """Exit with a sentence if a check fails; Celery would log an exception and go on."""
    try:
        for demand in demands:
            demand()
    except (CommandError, LedgerError) as refused:
        sys.exit(str(refused))
    except Exception:
        log.exception("This process could not begin")
        sys.exit(1)


_held = False


@contextlib.contextmanager
def only_server() -> Iterator[None]:
    """Lock this house's SQLite file for the block. CommandError if another process serves it: two would each
    have a scheduler, a cache and live screens of their own."""
    global _held
    if connection.vendor != "sqlite" or _held:
        yield
        return
    path = Path(f"{connection.settings_dict['NAME']}.server")
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    except OSError as error:
        raise CommandError(
            f"Can't write {path}: {error.strerror}. The house has to write its folder."
        ) from None
    with contextlib.closing(os.fdopen(descriptor, "w")) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CommandError(
                f"Another server works on {connection.settings_dict['NAME']}: stop it first. Several servers "
                "need PostgreSQL and Redis (DATABASE_URL, REDIS_URL)."
            ) from None
        _held = True
        try:
            yield
        finally:
            _held = False
