"""Fixtures that many tests share, made once. A `@kept` fixture is made in a transaction that stays open
beneath the tests. A test works in a savepoint above it, with copies of the fixture's value, so the order of
tests never decides what a test finds. Kept fixtures may need only kept fixtures, and their values must be
copyable."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, wraps
from inspect import signature
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

FIRST = ("site", "stocked_site", "game", "stocked", "stacks")
"""Made first, beneath what only some tests need."""


@dataclass
class Layer:
    """One kept fixture above those before it: its transaction, and a copy of all values so far."""

    function: Callable[..., Any]
    atomic: transaction.Atomic
    copies: bytes


@dataclass
class Layers:
    """The fixtures kept now, oldest first, and what the running test was given of them."""

    layers: list[Layer] = field(default_factory=list)
    given: dict[str, Any] = field(default_factory=dict)

    def unmake(self, down_to: int = 0) -> None:
        """Roll back the layers above this number."""
        self.given = {}
        while len(self.layers) > down_to:
            layer = self.layers.pop()
            if not connection.closed_in_transaction:
                transaction.set_rollback(True)
            layer.atomic.__exit__(None, None, None)

    def prepare(self, wanted: list[Any], defined: Callable[[str], Any]) -> None:
        """Make exactly these fixtures, and copies of their values."""
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
    """Decorate a fixture to be made once for consecutive tests."""

    @wraps(function)
    def give(*instance: Any, **arguments: Any) -> Any:
        if function.__name__ in LAYERS.given:
            return LAYERS.given[function.__name__]
        return function(*instance, **arguments)

    give.makes = function
    return pytest.fixture(give)


def wanted(item: pytest.Function) -> tuple[list[Any], Callable[[str], Any]]:
    """Return a test's kept fixtures in order of creation, and a function that finds a fixture by name."""
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


def together(items: list[pytest.Function]) -> list[pytest.Function]:
    """Order tests by what is kept beneath them, so that it is made once for all files: first those with
    nothing, file by file. A file with a fixture of its own for all its tests stays in one piece."""
    places: dict[Any, int] = {}
    pieces = []
    for _, own in groupby(items, lambda item: item.path):
        tests = [(_beneath(item, places), item) for item in own]
        if any(map(_has_a_fixture_for_its_file, (item for _, item in tests))):
            tests = [(tests[0][0], item) for _, item in sorted(tests, key=lambda test: test[0])]
        pieces += tests
    return [item for _, item in sorted(pieces, key=lambda test: test[0])]


def _beneath(item: pytest.Function, places: dict[Any, int]) -> tuple[int, ...]:
    """Return a key that has the same beginning for tests on the same kept fixtures."""
    if has_rows_of_its_own(item):
        return ()
    return tuple(places.setdefault(fixture.func, len(places)) for fixture in wanted(item)[0])


def _has_a_fixture_for_its_file(item: pytest.Function) -> bool:
    known = item._fixtureinfo.name2fixturedefs
    return any(
        found[-1].scope in ("class", "module", "package") and not name.startswith("_")
        for name, found in known.items()
    )


def has_rows_of_its_own(item: pytest.Function) -> bool:
    """Return whether a test commits, or uses rows of a fixture for its whole file."""
    marker = item.get_closest_marker("django_db")
    if (marker and marker.kwargs.get("transaction")) or "transactional_db" in item.fixturenames:
        return True
    return item.path in _files_with_rows(item.session)


@cache
def _files_with_rows(session: pytest.Session) -> set[Path]:
    """Return the files with a module fixture that uses the database; their tests use no kept fixtures."""
    return {
        item.path
        for item in session.items
        if any(map(_makes_rows, item._fixtureinfo.name2fixturedefs.values()))
    }


def _makes_rows(found: Any) -> bool:
    return found[-1].scope in ("module", "package") and "django_db_blocker" in found[-1].argnames
