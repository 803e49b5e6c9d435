"""The books' app: the triggers of what is written once, after every migrate."""

from django.apps import AppConfig
from django.core.checks import Tags
from django.core.checks import register as register_check
from django.db.models.signals import post_migrate


class LedgerConfig(AppConfig):
    """Who holds which chips and cash, and the proof of it."""

    name = "ledger"

    def ready(self):
        from ledger.cage import exclusions
        from ledger.db import append_only
        from ledger.journal import records
        from ledger.log import verifying
        from ledger.log.row_checks import at_end

        records.register_books()
        for question, ask in exclusions.QUESTIONS:
            verifying.register_rows(question, at_end(ask))
        append_only.register(
            "ledger_auditlog",
            "ledger_auditrecord",
            "ledger_checkpoint",
            "ledger_closedday",
            "ledger_count",
            "ledger_dropsignoff",
            "ledger_houseevent",
            "ledger_journalentry",
            "ledger_leaf",
            "ledger_tile",
            "ledger_transfer",
            "ledger_withheld",
        )
        register_check(append_only.check_triggers, Tags.database)
        # One receiver, for one sender: it runs once a migrate, when the tables of every app are there.
        post_migrate.connect(
            append_only.protect_after_migrate,
            sender=self,
            dispatch_uid="ledger.db.append_only.protect_after_migrate",
        )
