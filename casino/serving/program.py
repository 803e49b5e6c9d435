"""Record program starts, and with them upgrades, in the audit log."""

import tomllib
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from django.conf import settings
from django.db import transaction

from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.journal.particulars import houses
from ledger.journal.posting import lock_house
from ledger.proof.audit.checks.upkeep import PROGRAM
from ledger.proof.log.continuing import program_digest
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
