"""Running one thing in many real processes at once, against the database of the test.

The work is a function of this package, named as "module:function", that takes plain JSON and returns plain JSON.
"""

import importlib
import json
import subprocess
import sys
from typing import Any

from django.db import connection

READY = "ready\n"


def run_together(work: str, arguments: list[dict[str, Any]]) -> list[Any]:
    """Call `work(**arguments[i])` in a process each, all released at the same moment; return what each gave back."""
    connection.close()  # nobody waits for this process
    database = str(connection.settings_dict["NAME"])
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.together", work, json.dumps(each), database],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for each in arguments
    ]
    for process in running:
        assert process.stdout.readline() == READY, process.wait()
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=180)[0] for process in running]
    assert [process.returncode for process in running] == [0] * len(running), outputs
    return [json.loads(output.splitlines()[-1]) for output in outputs]


def _main(work: str, arguments: str, database: str) -> None:
    import os

    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django
    from django.conf import settings

    settings.DATABASES["default"]["NAME"] = database
    django.setup()
    module, function = work.split(":")
    call = getattr(importlib.import_module(module), function)
    print(READY, end="", flush=True)
    sys.stdin.readline()
    print(json.dumps(call(**json.loads(arguments))))


if __name__ == "__main__":
    _main(*sys.argv[1:])
