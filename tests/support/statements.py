"""Which statements the house sends in each test, so that PostgreSQL runs each at least once without repeating
whole tests. What a test asks the database itself counts only where it is refused.
The run on SQLite writes them into the folder CASINO_STATEMENTS. The run on PostgreSQL selects the fewest
tests of verbs and screens that send all of them."""

import heapq
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from zlib import crc32

from django.db import DatabaseError

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ["CASINO_STATEMENTS"]) if os.environ.get("CASINO_STATEMENTS") else None

_VALUES = re.compile(r"%s(?:, %s)+")
_ROWS = re.compile(r"\(%s\)(?:, \(%s\))+")
_SAVEPOINT = re.compile(r'"s\d+_x\d+"')

Sent = dict[str, tuple[float, frozenset[int]]]
"""By test: its processor seconds, and its statements."""

_sent: Sent = {}


@lru_cache(maxsize=1 << 14)
def alike(sql: str) -> int:
    """Return the same number for statements that differ only in the number of values."""
    return crc32(_SAVEPOINT.sub("", _ROWS.sub("(%s)", _VALUES.sub("%s", sql))).encode())


@cache
def _is_of_the_house(file: str) -> bool | None:
    """Return whether a file is one of the product's, or else of the tests; None if of neither."""
    inside = file.removeprefix(f"{ROOT}/")
    return None if inside == file or inside.startswith(".venv/") else not inside.startswith("tests/")


def by_the_house() -> bool:
    """Return whether the product sends the statement that is on its way, and not a test."""
    frame = sys._getframe(1)
    while frame is not None:
        found = _is_of_the_house(frame.f_code.co_filename)
        if found is not None and frame.f_code.co_filename != __file__:
            return found
        frame = frame.f_back
    return False


@contextmanager
def noted(connection: Any, test: str) -> Iterator[None]:
    """Note the statements inside the block, if there is a folder for them."""
    if FOLDER is None:
        yield
        return
    numbers: set[int] = set()

    def note(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        number = alike(sql)
        if number not in numbers and by_the_house():
            numbers.add(number)
        try:
            return execute(sql, params, many, context)
        except DatabaseError:  # a refused statement counts separately
            numbers.add(-1 - number)
            raise

    began = time.process_time()
    with connection.execute_wrapper(note):
        yield
    _sent[test] = (time.process_time() - began, frozenset(numbers))


def forget() -> None:
    """Delete the files of an earlier run."""
    if FOLDER is not None:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for path in FOLDER.glob("*.json"):
            path.unlink()


def write(worker: str) -> None:
    if FOLDER is not None and _sent:
        told = {test: [seconds, sorted(numbers)] for test, (seconds, numbers) in _sent.items()}
        (FOLDER / f"{worker}.json").write_text(json.dumps(told))


def read() -> Sent:
    paths = sorted(FOLDER.glob("*.json")) if FOLDER is not None else []
    told: dict[str, Any] = {}
    for path in paths:
        told |= json.loads(path.read_text())
    return {test: (seconds, frozenset(numbers)) for test, (seconds, numbers) in told.items()}


def fewest(tests: Iterable[str], sent: Sent, others: Iterable[str]) -> set[str]:
    """Return few tests that send every statement no other test sends, and all unknown tests (greedy)."""
    known = [test for test in tests if test in sent]
    chosen = {test for test in tests if test not in sent}
    seen: set[int] = set().union(*(sent[test][1] for test in others if test in sent))

    def worth(test: str) -> float:
        seconds, numbers = sent[test]
        return -len(numbers - seen) / (0.05 + seconds)

    queue = [(worth(test), place, test) for place, test in enumerate(known)]
    heapq.heapify(queue)
    while queue:
        told, place, test = heapq.heappop(queue)
        now = worth(test)
        if now == 0:
            continue
        if now > told:  # others have sent some of it meanwhile
            heapq.heappush(queue, (now, place, test))
            continue
        chosen.add(test)
        seen |= sent[test][1]
    return chosen - needless(chosen & sent.keys(), sent, others)


def needless(chosen: set[str], sent: Sent, others: Iterable[str]) -> set[str]:
    """Return chosen tests of which the others send every statement, the dearest first."""
    times = Counter(number for test in {*chosen, *others} & sent.keys() for number in sent[test][1])
    found = set()
    for test in sorted(chosen, key=lambda test: (-sent[test][0], test)):
        if all(times[number] > 1 for number in sent[test][1]):
            found.add(test)
            times.subtract(sent[test][1])
    return found
