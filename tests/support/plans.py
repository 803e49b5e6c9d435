"""Query plans of statements: which tables are read whole. A growing table must be read by an index on a
selective value, which site, kind and state are not. SQLite plans as if all tables were large."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from django.apps import apps
from django.db import connection, transaction
from django.db.models import UniqueConstraint

from tests.support.statements import alike

FEW = {
    "Site": "one a house",
    "AuditLog": "one a house",
    "Staff": "people who have worked here",
    "Terminal": "devices of the house",
    "ApiToken": "made for a regulator now and then",
    "SetUpLink": "before there is a house",
    "Pulse": "one for each thing that beats",
    "Attempts": "names and devices that were guessed at; they are forgotten after a quiet time",
    "Notice": "mails that have not gone out",
    "Rate": "published now and then",
    "WaiverReason": "published now and then",
    "SheetVersion": "the games of the house",
    "GameOffer": "the games of the house",
    "Table": "tables of the floor",
    "TokeAccount": "one for each dealer",
    "Exclusion": "the list of the state",
    "ClosedDay": "365 a year",
    "ClosedShift": "three a day at most",
}
"""Models with few rows a year; all other tables grow."""
OF_MANY = frozenset({"site_id", "log_id", "kind", "asset", "state", "source_kind", "target_kind"})
"""Columns where one value is shared by many rows."""
END = re.compile(r"SELECT (?:COALESCE\()?(?:MAX|MIN)\(", re.I)
"""MAX or MIN reads one end of an index, not all of it."""
_EXPLAINED = ("SELECT", "UPDATE", "WITH")
_DETAIL = re.compile(r"(SCAN|SEARCH) (\w+)(?: USING (.*))?")
_BOUND = re.compile(r"(\w+)(?=[<>=]+\?|=)")
_NAMED = re.compile(
    r'(?:\b(?:FROM|JOIN|UPDATE|INTO)\s+|,\s*)"?(\w+)"?(?:\s+(?:AS\s+)?"?([A-Za-z]\w*)"?)?', re.I
)


@cache
def growing() -> frozenset[str]:
    ours = (
        model for app in ("ledger", "tables", "casino") for model in apps.get_app_config(app).get_models()
    )
    return frozenset(model._meta.db_table for model in ours if model.__name__ not in FEW)


@cache
def open_ones() -> frozenset[str]:
    """Return the partial indexes over what is still open, which is little."""
    return frozenset(
        one.name
        for model in apps.get_models()
        for one in model._meta.constraints
        if isinstance(one, UniqueConstraint) and one.condition is not None
        if all(name.endswith("__isnull") or name.startswith("state") for name, _ in one.condition.children)
    )


class Statements:
    """Statements that were sent, each once, with their sender."""

    def __init__(self) -> None:
        self.sent: dict[int, tuple[str, Any, str]] = {}

    @contextmanager
    def noted(self, by: str) -> Iterator[None]:
        def note(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
            if sql.lstrip().upper().startswith(_EXPLAINED):
                self.sent.setdefault(alike(sql), (sql, params[0] if many else params, by))
            return execute(sql, params, many, context)

        with connection.execute_wrapper(note):
            yield

    def read_whole(self) -> Iterator[tuple[str, str, str]]:
        """Yield (sender, table, statement) for each growing table that would be read whole."""
        with transaction.atomic(), connection.cursor() as cursor:
            for sql, params, by in self.sent.values():
                for table in sorted(set(scanned(cursor, sql, params)) & growing()):
                    yield by, table, sql


def scanned(cursor: Any, sql: str, params: Any) -> Iterator[str]:
    """Yield the tables of a statement that would be read whole."""
    cursor.execute(f"EXPLAIN QUERY PLAN {sql}", params)
    names: dict[str, str] = {}
    for table, alias in _NAMED.findall(sql):
        # Subqueries may share an alias such as U0; a small table is then the one read whole.
        if names.get(alias or table, table) in growing() or table not in growing():
            names[alias or table] = table
        names[table] = table
    details = [detail for *_, detail in cursor.fetchall()]
    for detail in details:
        found = _DETAIL.match(detail)
        using = (found and found[3]) or ""
        if not found or open_ones() & set(using.split()) or END.match(sql):
            continue
        weak = found[1] == "SCAN" or "AUTOMATIC" in using or _is_weak(using)
        if weak and not _is_limited(sql, details):
            yield names.get(found[2], found[2])


def _is_limited(sql: str, details: list[str]) -> bool:
    """Return whether some rows are taken from one end of the only table's index."""
    return len(details) == 1 and re.search(r"LIMIT [0-9]+$", sql) is not None


def _is_weak(using: str) -> bool:
    """Return whether the index is only used with unselective values."""
    return set(_BOUND.findall(using.partition("(")[2])) <= OF_MANY
