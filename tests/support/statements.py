"""Which statements each test sends: so PostgreSQL reads every one of them, and not the same ones again in every test.

The run on SQLite writes them into the folder CASINO_STATEMENTS. The run on PostgreSQL takes from there, of the verbs and the
screens, the fewest tests that together send all of them.
"""

import heapq
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any
from zlib import crc32

from django.db import DatabaseError

FOLDER = Path(os.environ["CASINO_STATEMENTS"]) if os.environ.get("CASINO_STATEMENTS") else None

_VALUES = re.compile(r"%s(?:, %s)+")
_ROWS = re.compile(r"\(%s\)(?:, \(%s\))+")
_SAVEPOINT = re.compile(r'"s\d+_x\d+"')

Sent = dict[str, tuple[float, frozenset[int]]]
"""By test: the seconds of processor that it took, and its statements."""

_sent: Sent = {}


@lru_cache(maxsize=1 << 14)
def alike(sql: str) -> int:
    """The same for statements that differ in nothing but how many values there are."""
    return crc32(_SAVEPOINT.sub("", _ROWS.sub("(%s)", _VALUES.sub("%s", sql))).encode())


@contextmanager
def noted(connection: Any, test: str) -> Iterator[None]:
    """Note what is sent inside the block, where a folder for it is named."""
    if FOLDER is None:
        yield
        return
    numbers: set[int] = set()

    def note(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        number = alike(sql)
        numbers.add(number)
        try:
            return execute(sql, params, many, context)
        except DatabaseError:  # what the database refuses is another thing than what it does
            numbers.add(-1 - number)
            raise

    began = time.process_time()
    with connection.execute_wrapper(note):
        yield
    _sent[test] = (time.process_time() - began, frozenset(numbers))


def forget() -> None:
    """Before the first test: what an earlier run has written is of earlier tests."""
    if FOLDER is not None:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for path in FOLDER.glob("*.json"):
            path.unlink()


def write(worker: str) -> None:
    """At the end of a worker."""
    if FOLDER is not None and _sent:
        told = {test: [seconds, sorted(numbers)] for test, (seconds, numbers) in _sent.items()}
        (FOLDER / f"{worker}.json").write_text(json.dumps(told))


def read() -> Sent:
    """What all workers of the run before have written; nothing where there was none."""
    paths = sorted(FOLDER.glob("*.json")) if FOLDER is not None else []
    told: dict[str, Any] = {}
    for path in paths:
        told |= json.loads(path.read_text())
    return {test: (seconds, frozenset(numbers)) for test, (seconds, numbers) in told.items()}


def fewest(tests: Iterable[str], sent: Sent, others: Iterable[str]) -> set[str]:
    """Which of these tests together send whatever statement one of them sends and none of the others does.

    Always next the test that adds the most for its time; a test of which nothing is known is among them.
    """
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
    return chosen
