"""What tests of one file only read is made once: a worker plays a night for the first of them and remembers its log."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_kept: dict[tuple[Path, str], Any] = {}


def remembered(request: pytest.FixtureRequest, fixture: str, read: Callable[[], Any]) -> Any:
    """A copy of what `read()` gave when the fixture had been made, the first time in this file."""
    key = (request.path, fixture)
    if key not in _kept:
        request.getfixturevalue(fixture)
        _kept[key] = read()
    return copy.deepcopy(_kept[key])
