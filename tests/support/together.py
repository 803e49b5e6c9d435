"""Run one function in many real processes at once, on the test's database. The work is a function of this
package, "module:function", from plain JSON to plain JSON. A starter process sets the project up once for all
tests; it has no connection itself, and forks for each request."""

import atexit
import importlib
import json
import os
import select
import subprocess
import sys
import traceback
from collections.abc import Callable
from typing import Any

from django.db import connection

from tests.support.lengths import LONG

PATIENCE_SECONDS = 900 if LONG else 180


class Starter:
    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.together"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        atexit.register(self.stop)

    def ask(self, *request: Any) -> list[Any] | None:
        """Return each process's result in a list of its own, or None if one failed."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE_SECONDS)
        assert ready, "no answer"
        return json.loads(self.process.stdout.readline())

    def stop(self) -> None:
        atexit.unregister(self.stop)
        if self.process.stdin is not None and not self.process.stdin.closed:
            self.process.kill()
            self.process.communicate()


_kept: list[Starter] = []


def run_together(work: str, arguments: list[dict[str, Any]], **environment: str) -> list[Any]:
    """Call `work(**arguments[i])` in a process each, released together; return the results. A DATABASE_URL in
    `environment` replaces the test's database."""
    connection.close()  # the connection is not shared with forked processes
    database = "" if "DATABASE_URL" in environment else str(connection.settings_dict["NAME"])
    wanted = os.environ | environment
    wanted.pop("PYTEST_CURRENT_TEST", None)
    if not _kept:
        _kept.append(Starter(wanted))
    starter = _kept[0] if _kept[0].environment == wanted else Starter(wanted)
    try:
        answers = starter.ask(work, database, arguments)
    except BaseException:
        _kept.clear()  # a late answer would be taken for the next one's
        raise
    finally:
        if starter not in _kept:
            starter.stop()
    assert answers is not None
    assert None not in answers, answers
    return [given for (given,) in answers]


def _main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    for line in sys.stdin:
        work, database, arguments = json.loads(line)
        module, function = work.split(":")
        call = getattr(importlib.import_module(module), function)
        pid = os.fork()
        if not pid:
            status = 1
            try:
                print(json.dumps(_all(call, database, arguments)), flush=True)
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        _, status = os.waitpid(pid, 0)
        if status:
            print("null", flush=True)


def _all(call: Callable[..., Any], database: str, arguments: list[dict[str, Any]]) -> list[list[Any] | None]:
    from django.conf import settings

    if database:
        settings.DATABASES["default"]["NAME"] = database
    held, release = os.pipe()
    begun = [_begin(call, each, held, release) for each in arguments]
    os.close(held)
    os.close(release)  # all read end of file at this moment
    return [_answer(pid, told) for pid, told in begun]


def _begin(call: Callable[..., Any], arguments: dict[str, Any], held: int, release: int) -> tuple[int, int]:
    """Fork a process that waits for its release, then calls; return its id and the pipe it reports on."""
    told, tell = os.pipe()
    pid = os.fork()
    if pid:
        os.close(tell)
        return pid, told
    status = 1
    try:
        os.close(told)
        os.close(release)
        os.read(held, 1)
        said = json.dumps([call(**arguments)])
        with os.fdopen(tell, "w") as out:
            out.write(said)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _answer(pid: int, told: int) -> list[Any] | None:
    with os.fdopen(told) as saying:
        said = saying.read()
    _, status = os.waitpid(pid, 0)
    return json.loads(said) if status == 0 else None


if __name__ == "__main__":
    _main()
