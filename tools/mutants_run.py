"""Run one room's tests against its mutants, in one process: `tools/mutants_run.py JOB`, for tools/mutants.py.

A mutant is never written into a source file. The tests are collected once; each mutant is a fork of that
process in which the changed function gets its changed code, and which runs the tests that were seen to call
it. What changes when a module is imported, or is called by no test, needs a process of its own.
"""

import gc
import importlib.machinery
import json
import os
import resource
import signal
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from functools import partial
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest

PYTEST = ["-q", "-x", "-p", "no:cacheprovider", "-n", "0", "-m", "not browser"]
TIMES, WAITING = 5, 20
"""How often the processor's time of its tests a mutant may take, and how often that on the clock."""
Key = tuple[str, str, int]
"""A function: its file, its qualified name, its first line."""


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and all that it contains."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def changed(path: str, source: str, mutated: str) -> dict[CodeType, CodeType]:
    """Return the functions that a mutation changes, with their new code; none if only the import differs."""
    by_name: list[dict[tuple[str, int], CodeType]] = []
    for text in (source, mutated):
        count: Counter[str] = Counter()
        named = {}
        for code in codes(compile(text, path, "exec", dont_inherit=True)):
            named[code.co_qualname, count[code.co_qualname]] = code
            count[code.co_qualname] += 1
        by_name.append(named)
    before, after = by_name
    return {
        code: after[name]
        for name, code in before.items()
        if name in after and code != after[name] and code.co_flags & CO_OPTIMIZED
    }


def put_in(codes: dict[CodeType, CodeType]) -> int:
    """Give functions their new code, wherever they were imported or decorated; return how many."""
    gc.unfreeze()
    functions = [one for one in gc.get_objects() if isinstance(one, FunctionType) and one.__code__ in codes]
    for function in functions:
        function.__code__ = codes[function.__code__]
    return len(functions)


def load_mutated(path: str, mutated: str) -> None:
    """Have a module imported as its mutant."""
    whole = importlib.machinery.SourceFileLoader.get_code

    def get_code(self: Any, fullname: str) -> CodeType | None:
        if Path(self.get_filename(fullname)) == Path(path):
            return compile(mutated, path, "exec", dont_inherit=True)
        return whole(self, fullname)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign]


@dataclass
class Seen:
    """What each test calls and how long it takes; `beneath` is called to set tests up, perhaps for others."""

    tests: defaultdict[Key, set[int]] = field(default_factory=lambda: defaultdict(set))
    beneath: set[Key] = field(default_factory=set)
    seconds: list[float] = field(default_factory=list)

    def chosen(self, codes: dict[CodeType, CodeType]) -> list[int]:
        """Return the tests to run for changed functions: all if rows may be kept that one of them makes."""
        keys = {key_of(code) for code in codes}
        calling = sorted(set().union(*(self.tests.get(key, set()) for key in keys)))
        if not keys & self.beneath:
            return calling
        return [*calling, *sorted(set(range(len(self.seconds))) - set(calling))]


def key_of(code: CodeType) -> Key:
    return code.co_filename, code.co_qualname, code.co_firstlineno


class Room:
    """A pytest plugin that runs the collected tests once for what they call, then for each mutant."""

    def __init__(self, job: dict[str, Any], tell: Callable[..., None]) -> None:
        self.job, self.tell = job, tell
        self.paths = {mutant["path"] for mutant in job["mutants"]}
        self.around, self.called, self.seen = set[CodeType](), set[CodeType](), set[CodeType]()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        learnt = Path(self.job["learnt"])
        status = forked(partial(self.learn, session, learnt), None)
        if status:
            raise pytest.UsageError("The tests fail without any mutant.")
        told = json.loads(learnt.read_text())
        seen = Seen(seconds=told["seconds"], beneath={tuple(key) for key in told["beneath"]})
        for *key, tests in told["tests"]:
            seen.tests[tuple(key)] = set(tests)
        self.tell(seconds=sum(seen.seconds))
        for mutant in self.job["mutants"]:
            codes = changed(mutant["path"], Path(mutant["path"]).read_text(), mutant["mutated"])
            chosen = seen.chosen(codes)
            if not chosen:
                self.tell(id=mutant["id"], outcome="alone")
                continue
            limit = self.job["least"] + TIMES * sum(seen.seconds[number] for number in chosen)
            status = forked(partial(run, session, codes, chosen), limit)
            self.tell(id=mutant["id"], outcome=OUTCOMES.get(status, "killed"), tests=len(chosen))
        return True

    def learn(self, session: pytest.Session, learnt: Path) -> int:
        """Run every test and write down the functions of the room that it calls."""
        found = Seen()
        threading.settrace(self.note)
        for number, (item, following) in enumerate(in_turn(session.items)):
            self.around, self.called, self.seen = set(), set(), set()
            begun = time.process_time()
            sys.settrace(self.note)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            sys.settrace(None)
            found.seconds.append(time.process_time() - begun)
            if session.testsfailed:
                return 1
            for code in self.called:
                found.tests[key_of(code)].add(number)
            found.beneath |= {key_of(code) for code in self.around}
        tests = [[*key, sorted(tests)] for key, tests in found.tests.items()]
        written = {"seconds": found.seconds, "beneath": sorted(found.beneath), "tests": tests}
        learnt.write_text(json.dumps(written))
        return 0

    def note(self, frame: FrameType, *_: Any) -> None:
        if frame.f_code.co_filename in self.paths:
            self.seen.add(frame.f_code)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        self.around, self.seen = self.seen, set()
        try:
            return (yield)
        finally:
            self.called, self.seen = self.seen, set()


NOT_THERE = 3
OUTCOMES = {0: "survived", NOT_THERE: "alone", -signal.SIGXCPU: "timed out", -signal.SIGKILL: "timed out"}


def in_turn(items: list[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    return zip(items, [*items[1:], None], strict=True)


def run(session: pytest.Session, codes: dict[CodeType, CodeType], chosen: list[int]) -> int:
    if not put_in(codes):
        return NOT_THERE
    for item, following in in_turn([session.items[number] for number in chosen]):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return 1
    return 0


def forked(work: Callable[[], int], limit: float | None) -> int:
    """Run work in a fork for `limit` seconds of processor; return its exit status, negative for a signal."""
    pid = os.fork()
    if pid == 0:
        status = 2
        try:
            os.setsid()
            if limit:
                resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))
            status = work()
        finally:
            sys.stdout.flush()
            os._exit(status)
    until = time.monotonic() + (limit * WAITING if limit else 36_000)
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > until:
            os.killpg(pid, signal.SIGKILL)
        time.sleep(0.02)


def main(path: str) -> int:
    job = json.loads(Path(path).read_text())
    results = Path(job["results"])

    def tell(**said: Any) -> None:
        with results.open("a") as file:
            file.write(json.dumps(said) + "\n")

    if not job.get("alone"):
        return int(pytest.main([*PYTEST, *job["tests"]], plugins=[Room(job, tell)]))
    (mutant,) = job["mutants"]
    load_mutated(mutant["path"], mutant["mutated"])
    resource.setrlimit(resource.RLIMIT_CPU, (int(job["limit"]), int(job["limit"]) + 5))
    return int(pytest.main([*PYTEST, *job["tests"]]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
