"""Running one thing in many real processes at once, against the database of the test.

The work is a function of this package, named as "module:function", that takes plain JSON and returns plain JSON. One process
of its own sets the project up, for that takes longer than most work, and becomes all the others before it has a connection.
"""

import importlib
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from typing import Any

from django.db import connection


def run_together(work: str, arguments: list[dict[str, Any]], **environment: str) -> list[Any]:
    """Call `work(**arguments[i])` in a process each, all released at the same moment; return what each gave back.

    `environment` is what their environment has besides; a DATABASE_URL there names another database than the test's.
    """
    connection.close()  # nobody waits for this process
    database = "" if "DATABASE_URL" in environment else str(connection.settings_dict["NAME"])
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.together", work, database],
        input=json.dumps(arguments),
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return [given for (given,) in json.loads(done.stdout.splitlines()[-1])]


def _main(work: str, database: str) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django
    from django.conf import settings

    if database:
        settings.DATABASES["default"]["NAME"] = database
    django.setup()
    module, function = work.split(":")
    call = getattr(importlib.import_module(module), function)
    held, release = os.pipe()
    begun = [_begin(call, each, held, release) for each in json.load(sys.stdin)]
    os.close(held)
    os.close(release)  # all of them read their end at this moment
    answers = [_answer(pid, told) for pid, told in begun]
    print(json.dumps(answers))
    sys.exit(any(answer is None for answer in answers))


def _begin(call: Callable[..., Any], arguments: dict[str, Any], held: int, release: int) -> tuple[int, int]:
    """A process that waits to be released and then calls; its number, and where it writes what it has to say."""
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
    """What a process gave back, in a list; None where it failed."""
    with os.fdopen(told) as saying:
        said = saying.read()
    _, status = os.waitpid(pid, 0)
    return json.loads(said) if status == 0 else None


if __name__ == "__main__":
    _main(*sys.argv[1:])
