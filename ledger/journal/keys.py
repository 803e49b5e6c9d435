"""Keys of acts: whether any row of a house was written under a key, whatever kind of row it is (decision 13)."""

from collections.abc import Collection
from functools import cache
from typing import Any, NamedTuple

from ledger.db.compiled import executed

ENTRIES = "ledger_journalentry"


class KeyColumn(NamedTuple):
    """A column that a constraint keeps unique within a house; `where` is the condition of a constraint that has one."""

    table: str
    column: str = "key"
    where: str = ""


_columns = [KeyColumn(table) for table in (ENTRIES, "ledger_count", "ledger_closedday", "ledger_cageslip")]


def register(*columns: KeyColumn) -> None:
    """Add the key columns of another app. Called from AppConfig.ready."""
    _columns.extend(column for column in columns if column not in _columns)


def registered() -> set[tuple[str, str]]:
    """Return every key column, as table and column."""
    return {(column.table, column.column) for column in _columns}


def known(site_id: int, keys: Collection[str]) -> bool:
    """Whether a row of the house has one of these keys. Ask after taking locks, before looking for the act's own row."""
    sql, values = taken(site_id, keys)
    return bool(executed(f"SELECT {sql}", values)[0][0])


def taken(site_id: int, keys: Collection[str], *, but: str = "") -> tuple[str, list[Any]]:
    """Return a condition in SQL, and its values: a row of the house has one of these keys, in any table `but` one."""
    sql, asked = _condition(len(keys), but)
    return sql, [site_id, *keys] * asked


@cache
def _condition(count: int, but: str) -> tuple[str, int]:
    """Return the condition for `count` keys, and how often it asks for the house and the keys."""
    among = ", ".join(["%s"] * count)  # an array would cost PostgreSQL a new plan for every statement
    asked = [
        f"EXISTS (SELECT 1 FROM {table} WHERE site_id = %s AND {column} IN ({among}){where and f' AND {where}'})"  # noqa: S608
        for table, column, where in _columns
        if table != but
    ]
    return f"({' OR '.join(asked)})", len(asked)
