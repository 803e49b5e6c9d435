"""What every process of the house does before it works: refuse a database that is not its own, and watch the clock."""

import sys
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tables.floor import house_clock


def make_ready() -> None:
    """Refuse tables that are older than this code (CommandError), then begin to watch the clock."""
    if needs_upgrade():
        raise CommandError("The database is older than the program: run `manage.py prepare` first.")
    refuse_real_house()
    house_clock.begin()
    connection.close()


def refuse_real_house() -> None:
    """Refuse to be a demo on the books of a real house (CommandError): everybody knows a demo's passwords."""
    if not settings.DEMO or "ledger_site" not in connection.introspection.table_names():
        return
    real = apps.get_model("ledger", "Site").objects.filter(demo=False).first()
    if real is not None:
        raise CommandError(
            f"{real.name} is a real house, which no demo may touch: start without CASINO_DEMO."
        )


def needs_upgrade() -> bool:
    """Whether the tables are older than this code."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def before_tasks(**_: Any) -> None:
    """Receive Celery's signal that a worker or beat begins; where it may not, end the process with a sentence."""
    try:
        make_ready()
    except CommandError as refused:
        sys.exit(str(refused))
