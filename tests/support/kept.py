"""What many tests begin with is made once: the house, its people, an open table, a night that is only read.

A fixture that says `@kept` is made in a transaction that stays open beneath the tests. A test works in a savepoint upon it, and
with copies of what the fixture gave. The next test finds it as it was, as long as it asks for the same; where it asks
for something else, what it has no use for is rolled back first. So the order of tests decides how often something is
made, and never what a test finds.

A kept fixture needs kept fixtures, and functions over them. What it gives must be a value that can be copied.
"""

import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, wraps
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

FIRST = ("site", "stocked_site", "game", "stocked", "stacks")
"""What most tests begin with is beneath what only some need, in whatever order a test names them."""


@dataclass
class Layer:
    """One kept fixture above those before it: its transaction, and a copy of what it and they gave."""

    function: Callable[..., Any]
    atomic: transaction.Atomic
    copies: bytes


@dataclass
class Layers:
    """What is kept just now, the oldest first, and what of it the running test has been given."""

    layers: list[Layer] = field(default_factory=list)
    given: dict[str, Any] = field(default_factory=dict)

    def unmake(self, down_to: int = 0) -> None:
        """Roll back what lies above so many layers."""
        self.given = {}
        while len(self.layers) > down_to:
            layer = self.layers.pop()
            if not connection.closed_in_transaction:
                transaction.set_rollback(True)
            layer.atomic.__exit__(None, None, None)

    def prepare(self, wanted: list[Any], defined: Callable[[str], Any]) -> None:
        """Have these fixtures made, no others, and copies of what they gave ready."""
        functions = [fixture.func for fixture in wanted]
        same = 0
        for layer, function in zip(self.layers, functions, strict=False):
            if layer.function is not function:
                break
            same += 1
        self.unmake(same if not connection.closed_in_transaction else 0)
        for fixture in wanted[len(self.layers) :]:
            self._make(fixture, defined)
        self.given = self._copies()

    def _copies(self) -> dict[str, Any]:
        return pickle.loads(self.layers[-1].copies) if self.layers else {}

    def _make(self, fixture: Any, defined: Callable[[str], Any]) -> None:
        values = self._copies()
        atomic = transaction.atomic()
        atomic._from_testcase = True
        atomic.__enter__()
        self.layers.append(Layer(fixture.func, atomic, b""))
        try:
            values[fixture.argname] = _call(fixture, values, defined)
            connection.check_constraints()
            self.layers[-1].copies = pickle.dumps(values, pickle.HIGHEST_PROTOCOL)
        except BaseException:
            self.unmake(len(self.layers) - 1)
            raise


def _call(fixture: Any, values: dict[str, Any], defined: Callable[[str], Any]) -> Any:
    arguments = {}
    for name in fixture.argnames:
        if name not in values and name != "db":
            arguments[name] = _call(defined(name), values, defined)
        else:
            arguments[name] = values.get(name)
    made = getattr(fixture.func, "makes", fixture.func)
    return made(*[None for name in signature(made).parameters if name == "self"], **arguments)


LAYERS = Layers()


def kept(function: Callable[..., Any]) -> Any:
    """A fixture that is made once for the tests that need it one after the other."""

    @wraps(function)
    def give(*instance: Any, **arguments: Any) -> Any:
        if function.__name__ in LAYERS.given:
            return LAYERS.given[function.__name__]
        return function(*instance, **arguments)

    give.makes = function
    return pytest.fixture(give)


def wanted(item: pytest.Function) -> tuple[list[Any], Callable[[str], Any]]:
    """The kept fixtures of a test in the order in which they are made, and what finds a fixture by its name."""
    known = item._fixtureinfo.name2fixturedefs
    ordered: dict[str, Any] = {}

    def is_kept(name: str) -> bool:
        return name in known and hasattr(known[name][-1].func, "makes")

    def visit(name: str) -> None:
        if name in ordered or name not in known or name == "db":
            return
        for needed in known[name][-1].argnames:
            visit(needed)
        if is_kept(name):
            ordered[name] = known[name][-1]

    for name in (*FIRST, *item.fixturenames):
        if name in item.fixturenames and is_kept(name):
            visit(name)
    return list(ordered.values()), lambda name: known[name][-1]


def has_rows_of_its_own(item: pytest.Function) -> bool:
    """Whether a test commits, or stands on rows that a fixture made for its whole file."""
    marker = item.get_closest_marker("django_db")
    if (marker and marker.kwargs.get("transaction")) or "transactional_db" in item.fixturenames:
        return True
    return item.path in _files_with_rows(item.session)


@cache
def _files_with_rows(session: pytest.Session) -> set[Path]:
    """The files with a fixture of the whole module that asks the database; none of their tests has anything kept."""
    return {
        item.path
        for item in session.items
        if any(map(_makes_rows, item._fixtureinfo.name2fixturedefs.values()))
    }


def _makes_rows(found: Any) -> bool:
    return found[-1].scope in ("module", "package") and "django_db_blocker" in found[-1].argnames
