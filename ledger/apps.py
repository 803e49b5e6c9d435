"""Start-up of the ledger: record kinds, checks, and the append-only triggers after every migrate."""

from django.apps import AppConfig
from django.core.checks import Tags, register as register_check
from django.db.models.signals import post_migrate, pre_migrate


class LedgerConfig(AppConfig):
    name = "ledger"

    def ready(self) -> None:
        from ledger.db import (
            append_only,
            fixed_columns,
            guards,
            keeping,
            sheet_order,
            step_order,
            tables_at_once,
        )
        from ledger.journal import records
        from ledger.proof.log import book_rows, verifying

        records.register_own("ledger")
        verifying.register_rows(*book_rows.QUESTIONS)
        append_only.register(*keeping.tables_written_once("ledger"))
        guards.register(append_only.scripts)
        register_check(append_only.check_triggers, Tags.database)
        register_check(records.check_models, Tags.models)
        pre_migrate.connect(
            tables_at_once.before_migrate, sender=self, dispatch_uid="ledger.db.tables_at_once.before_migrate"
        )
        # One receiver for one sender: it runs once per migrate, when the tables of every app exist.
        post_migrate.connect(
            append_only.protect_after_migrate,
            sender=self,
            dispatch_uid="ledger.db.append_only.protect_after_migrate",
        )
        for held in (fixed_columns.HELD, step_order.HELD, sheet_order.HELD):
            held.begin(self)
