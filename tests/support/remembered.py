"""Remember what a file's tests only read: the first test makes it."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_kept: dict[tuple[Path, str], Any] = {}


def remembered(request: pytest.FixtureRequest, fixture: str, read: Callable[[], Any]) -> Any:
    """Return a copy of `read()`, called once in this file, after the fixture was made."""
    key = (request.path, fixture)
    if key not in _kept:
        request.getfixturevalue(fixture)
        _kept[key] = read()
    return copy.deepcopy(_kept[key])
