"""What this house runs on, fact by fact: versions, migrations, the jurisdiction's file, settings without
secrets, sheets. The log states it whenever a program starts on something else, and notes each start."""

import os
import platform
import tomllib
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import Any

import django
from django.conf import settings
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder

from casino.roles import APPS
from casino.serving import environment
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.journal.particulars import houses
from ledger.journal.posting import lock_house
from ledger.jurisdiction import digest_of
from ledger.proof.audit.checks.upkeep import PROGRAM
from ledger.proof.log.continuing import program_digest
from tables.log.bundle import stored_sheets
from tables.rules.game.rounds import RULES_VERSION

AGAIN = timedelta(minutes=10)
"""A start like the last within this time is not recorded: processes start together, or over and over."""
_STARTED = "program_started"


@cache
def program() -> dict[str, Any]:
    """Return the version of the running program, that of its rules, and a digest of its sources."""
    version = "unknown"
    path = settings.BASE_DIR / "pyproject.toml"
    if path.exists():
        version = str(tomllib.loads(path.read_text())["project"]["version"])
    return {"version": version, "rules": RULES_VERSION, "sources": program_digest()}


def note_start(process: str, *, now: datetime) -> None:
    """Record that a `process` (`serve`, `worker`) started, and the program that ran before."""
    for site in houses():
        with transaction.atomic():
            lock_house(site)  # of several starts at once, one is recorded
            _note(site, process, now)


def _note(site: Any, process: str, now: datetime) -> None:
    started = site.events.filter(kind=_STARTED).order_by("-pk")
    last = started.first()
    before = None if last is None else {name: last.data.get(name) for name in PROGRAM}
    if before == program():
        same = started.filter(data__process=process).first()
        if same is not None and timedelta() <= now - same.recorded_at < AGAIN:
            return
    house_events.note(
        site, _STARTED, act=Act(actor=None, now=now), process=process, before=before, **program()
    )


STATED = "system_stated"
OF_ONE_PROCESS = frozenset({"HOST", "PORT", "NOTIFY_SOCKET", "CASINO_VAR"})
"""The settings that may differ between the processes of a house without making it another system."""
Fact = dict[str, str]


def facts(site: Any) -> list[Fact]:
    """Return the facts as pairs of a name and a value, by part."""
    law = site.jurisdiction
    told = [
        *(("program", name, value) for name, value in program().items()),
        ("platform", "python", platform.python_version()),
        ("platform", "django", django.get_version()),
        ("platform", "database", _database()),
        *(("migrations", app, told) for app, told in _migrations().items()),
        ("jurisdiction", law, digest_of(law)),
        *(("settings", name, text) for name, text in _settings()),
        *(
            ("sheets", f"{code} {version}", sha256(raw).hexdigest())
            for (code, version), raw in sorted(stored_sheets(site).items())
        ),
    ]
    return [{"part": part, "name": name, "value": str(value)} for part, name, value in told]


def state(*, now: datetime) -> None:
    """State the facts of each house in its log, if they differ from the newest statement."""
    for site in houses():
        with transaction.atomic():
            lock_house(site)  # of several starts at once, one states it
            said, last = facts(site), stated(site)
            if last is None or last.data["facts"] != said:
                house_events.note(site, STATED, act=Act(actor=None, now=now), facts=said)


def stated(site: Any) -> Any:
    """Return the newest statement of a house, an event; None before the first."""
    return site.events.filter(kind=STATED).order_by("-pk").first()


def _database() -> str:
    version = ".".join(map(str, connection.get_database_version()))
    return f"{connection.display_name} {version}"


def _migrations() -> dict[str, str]:
    """Return the newest applied migration of each of our apps, and how many there are."""
    applied: dict[str, list[str]] = {}
    for app, name in sorted(MigrationRecorder(connection).applied_migrations()):
        applied.setdefault(app, []).append(name)
    return {app: f"{applied[app][-1]} ({len(applied[app])})" for app in APPS if app in applied}


def _settings() -> list[tuple[str, str]]:
    named = environment.in_force(os.environ, base=settings.BASE_DIR)
    return [(name, text) for name, text in named if name not in OF_ONE_PROCESS]
