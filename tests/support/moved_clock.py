"""Run a command under a clock that a test sets: `python -m tests.support.moved_clock FILE COMMAND...` The
file has the offset in seconds; its name identifies the simulated machine. Elapsed time stays true."""

import runpy
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import time_machine

BOOT = "/proc/sys/kernel/random/boot_id"


def follow(said, traveller):
    off = 0.0
    while True:
        wanted = float(said.read_text())
        if wanted != off:
            traveller.shift(wanted - off)
            off = wanted
        time.sleep(0.02)


def main(said, command):
    read_text = Path.read_text

    def read(path, *given, **options):
        return said.name if str(path) == BOOT else read_text(path, *given, **options)

    Path.read_text = read
    traveller = time_machine.travel(datetime.now(UTC)).start()
    threading.Thread(target=follow, args=(said, traveller), daemon=True).start()
    if command[0] == "-m":
        sys.argv = command[1:]
        runpy.run_module(command[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = command
        runpy.run_path(command[0], run_name="__main__")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
