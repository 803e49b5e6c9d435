"""System checks. Django runs them before every command that serves or migrates."""

import sys
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.exceptions import ImproperlyConfigured
from django.db import connections

from casino.models import Staff
from casino.role_triggers import missing
from casino.roles import people_in_conflict
from casino.serving import environment
from casino.sign_in import passwords


@checks.register(checks.Tags.security)
def secret_key(**_: Any) -> list[checks.CheckMessage]:
    """Exit with a sentence if SECRET_KEY is missing outside a demo: sessions could be forged without one."""
    try:
        given = settings.SECRET_KEY
    except ImproperlyConfigured:
        given = ""
    if not given:
        sys.exit(environment.missing("SECRET_KEY"))
    return []


@checks.register()
def misspelt(**_: Any) -> list[checks.CheckMessage]:
    """W004: an environment variable looks like a misspelt setting."""
    return [checks.Warning(sentence, id="casino.W004") for sentence in settings.MISSPELT_VARIABLES]


@checks.register()
def time_zone(**_: Any) -> list[checks.CheckMessage]:
    """E002: times are stored in UTC; a house's own zone is on its `Site` row."""
    if settings.USE_TZ and settings.TIME_ZONE == "UTC":
        return []
    return [checks.Error("TIME_ZONE must stay UTC; a site's own zone is set on the site.", id="casino.E002")]


@checks.register(checks.Tags.security)
def demo_stays_here(**_: Any) -> list[checks.CheckMessage]:
    """W003: a demo, whose passwords everybody knows, is reachable from other machines."""
    if not settings.DEMO or settings.HOST in ("127.0.0.1", "localhost", "::1"):
        return []
    sentence = (
        f"A demo is served on {settings.HOST}: anybody who reaches it can sign in with the demo password."
    )
    return [checks.Warning(sentence, id="casino.W003")]


@checks.register(checks.Tags.security)
def breached_passwords(**_: Any) -> list[checks.CheckMessage]:
    """E011: BREACHED_PASSWORDS names a file that is not a usable list of leaked passwords."""
    wrong = passwords.wrong_with(settings.BREACHED_PASSWORDS) if settings.BREACHED_PASSWORDS else ""
    hint = "haveibeenpwned-downloader writes such a list."
    return [checks.Error(wrong, hint=hint, id="casino.E011")] if wrong else []


@checks.register(checks.Tags.database)
def roles_kept_apart(
    app_configs: Any, databases: Sequence[str] | None = None, **_: Any
) -> list[checks.CheckMessage]:
    """E004: somebody holds roles that are kept apart. E005: their trigger is missing. With `--database`."""
    found: list[checks.CheckMessage] = []
    for alias in databases or ():
        found += [
            checks.Error(
                f"The trigger {name} is missing or disabled on {alias}: SQL could give roles that are kept "
                "apart.",
                hint="Find out who removed it, then run `manage.py prepare`, which creates it again.",
                id="casino.E005",
            )
            for name in missing(connections[alias])
        ]
        if Staff._meta.db_table in connections[alias].introspection.table_names():
            found += [
                checks.Error(
                    f"{person} is {first} and {second}, which one person may not be at once.",
                    hint="Take one of the two roles away. docs/operations.md says why they are kept apart.",
                    id="casino.E004",
                )
                for person, first, second in people_in_conflict(alias)
            ]
    return found
