"""Triggers that keep roles apart in the database, for rows that SQL writes past the program. A constraint
sees one row and a pair is two, so these are triggers. They are made from casino/roles.py after every
migration. `manage.py check --database default` names one that is missing."""

from typing import Any

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from casino.models import Staff
from casino.roles import KEPT_APART
from ledger.db import guards

TABLE = Staff.groups.through._meta.db_table
TRIGGERS = {
    "sqlite": (f"{TABLE}_kept_apart_added", f"{TABLE}_kept_apart_changed"),
    "postgresql": (f"{TABLE}_kept_apart",),
}
PAIRS = ", ".join(f"'{first}+{second}', '{second}+{first}'" for first, second, _why in KEPT_APART)
# True where the person of the new row holds a role that is kept apart from the new one.
CONFLICT = f"""EXISTS (
    SELECT 1 FROM {TABLE} AS other
    JOIN auth_group AS held ON held.id = other.group_id
    JOIN auth_group AS given ON given.id = NEW.group_id
    WHERE other.staff_id = NEW.staff_id AND held.name || '+' || given.name IN ({PAIRS})
)"""  # noqa: S608  (names of ours)
SAID = "roles of one person are kept apart"
SQLITE = "".join(
    f"""DROP TRIGGER IF EXISTS {trigger};
CREATE TRIGGER {trigger} BEFORE {event} ON {TABLE} WHEN {CONFLICT}
BEGIN SELECT RAISE(ABORT, '{SAID}'); END;
"""
    for trigger, event in zip(TRIGGERS["sqlite"], ("INSERT", "UPDATE"), strict=True)
)
# Lock the person's row, so that two roles given at the same moment see each other.
POSTGRESQL = f"""
CREATE OR REPLACE FUNCTION {TABLE}_kept_apart() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM {Staff._meta.db_table} WHERE id = NEW.staff_id FOR UPDATE;
    IF {CONFLICT} THEN
        RAISE EXCEPTION '{SAID}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER {TABLE}_kept_apart BEFORE INSERT OR UPDATE ON {TABLE}
    FOR EACH ROW EXECUTE FUNCTION {TABLE}_kept_apart();
"""


def hold_roles_apart(using: str, **_: Any) -> None:
    guards.make(connections[using], scripts(connections[using]))


def missing(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the triggers that are missing, disabled or altered."""
    return guards.lacking(connection, scripts(connection))


def scripts(connection: BaseDatabaseWrapper) -> list[str]:
    there = TABLE in connection.introspection.table_names()
    return [POSTGRESQL if connection.vendor == "postgresql" else SQLITE] if there else []
