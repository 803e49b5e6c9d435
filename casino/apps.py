"""The app's configuration: register checks, receivers, and the groups of the roles."""

from celery.signals import beat_init, worker_init, worker_ready
from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.db.models.signals import m2m_changed, post_migrate


class CasinoConfig(AppConfig):
    name = "casino"
    default = True

    def ready(self) -> None:
        # Importing these modules registers their checks and signal receivers.
        from casino import celery, checks, role_triggers, roles  # noqa: F401
        from casino.models import Staff
        from casino.serving import starting, watchdog
        from casino.sign_in import asking, noting, places, terminals  # noqa: F401
        from casino.staff import people, rows
        from ledger.db import append_only, guards, keeping
        from ledger.proof.log.verifying import register_rows
        from tables.floor import readiness
        from tables.reports import searching

        celery.app.set_default()
        register_rows(*rows.QUESTIONS)
        readiness.register("terminals", terminals.in_service)
        searching.register(*people.KINDS)
        append_only.register(*keeping.tables_written_once("casino"))
        guards.register(role_triggers.scripts)
        connection_created.connect(starting.look_at_first, dispatch_uid="casino.starting.look_at_first")
        worker_init.connect(starting.before_worker, weak=False)
        beat_init.connect(starting.before_beat, weak=False)
        beat_init.connect(watchdog.watch_beat, weak=False)
        worker_ready.connect(watchdog.watch_worker, weak=False)
        post_migrate.connect(roles.sync_groups, sender=self, dispatch_uid="casino.roles.sync_groups")
        post_migrate.connect(
            role_triggers.hold_roles_apart, sender=self, dispatch_uid="casino.role_triggers.hold_roles_apart"
        )
        m2m_changed.connect(
            roles.guard_groups, sender=Staff.groups.through, dispatch_uid="casino.roles.guard_groups"
        )
