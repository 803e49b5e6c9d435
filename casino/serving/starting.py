"""What every process of the house does before it works: refuse a database older than the program, and watch the clock."""

import sys
from typing import Any

from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tables.floor import house_clock


def make_ready() -> None:
    """Refuse tables that are older than this code (CommandError), then begin to watch the clock."""
    if needs_upgrade():
        raise CommandError("The database is older than the program: run `manage.py prepare` first.")
    house_clock.begin()
    connection.close()


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
