"""Keys of acts: whether any row of a house, of whatever kind, was written under a key (decision 13)."""

from collections.abc import Collection, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar

from django.db.models import Model, UniqueConstraint

from ledger.db import keeping
from ledger.db.compiled import executed, placeholders
from ledger.errors import KeyReused
from ledger.models import JournalEntry

USED = "This key was used for something else."
Row = TypeVar("Row", bound=Model)


class KeyColumn(NamedTuple):
    """A column that a constraint keeps unique within a house; `where` is the constraint's condition, if any.
    It must be spelt exactly as in the constraint: otherwise SQLite does not use the index and reads every
    row."""

    table: str
    column: str = "key"
    where: str = ""


@cache
def _columns() -> tuple[KeyColumn, ...]:
    """Return the columns of keys of every app, by the constraints of its models; that of entries first."""
    found = {
        KeyColumn(
            model._meta.db_table, rule.fields[1], f"NOT ({rule.fields[1]} = '')" if rule.condition else ""
        )
        for model in keeping.models()
        for rule in model._meta.constraints
        if isinstance(rule, UniqueConstraint) and rule.fields[:1] == ("site",) and _is_key(rule.fields[1:])
    }
    entries = KeyColumn(JournalEntry._meta.db_table)
    return entries, *sorted(found - {entries})


def _is_key(names: Sequence[str]) -> bool:
    return len(names) == 1 and (names[0] == "key" or names[0].endswith("_key"))


def registered() -> set[tuple[str, str]]:
    return {(column.table, column.column) for column in _columns()}


def known(site_id: int, keys: Collection[str]) -> bool:
    """Return whether a row of the house has one of these keys. Ask under the lock, before writing."""
    return any(used(site_id, keys))


def require_new(site_id: int, key: str) -> None:
    """Raise KeyReused if the house used this key. Ask after locking, if the act's own row is not there."""
    if known(site_id, [key]):
        raise KeyReused(USED, field="key")


def made_before(model: type[Row], site_id: int, key: str, **same: Any) -> Row | None:
    """Return the row that an act wrote under this key when it was sent before; None if the key is new. Raises
    KeyReused if the key was used for anything else, or if the row differs from `same`."""
    if not known(site_id, [key]):
        return None
    row = model._default_manager.filter(site=site_id, key=key).first()
    if row is None or any(getattr(row, name) != value for name, value in same.items()):
        raise KeyReused(USED, field="key")
    return row


def used(site_id: int, keys: Collection[str]) -> tuple[bool, bool]:
    """Return whether an entry of the house has one of these keys, and whether another row has."""
    found = executed(_asking(len(keys)), [*keys, *[site_id] * len(_columns())])
    return any(entry for entry, _ in found), any(other for _, other in found)


def used_elsewhere(key: str, site: str) -> str:
    """Return a condition in SQL: a row other than an entry has the key and the site in these columns. It
    has no parameters of its own: psycopg reads a statement of more than 50 anew each time."""
    return _elsewhere(key, site)


@cache
def _asking(count: int) -> str:
    # One key after the other: SQLite makes a table of a list of keys, and would make one for each column.
    asked = f"WITH asked (key) AS (VALUES {placeholders(count, 1)})"
    return (
        f"{asked} SELECT {_exists(_columns()[0], 'asked.key')}, {_elsewhere('asked.key')} FROM"  # noqa: S608
        " asked"
    )


@cache
def _elsewhere(key: str, site: str = "%s") -> str:
    return f"({' OR '.join(_exists(column, key, site) for column in _columns()[1:])})"


def _exists(column: KeyColumn, key: str, site: str = "%s") -> str:
    where = f" AND {column.where}" if column.where else ""
    return (
        f"EXISTS (SELECT 1 FROM {column.table} WHERE site_id = {site} AND {column.column} ="  # noqa: S608
        f" {key}{where})"
    )
