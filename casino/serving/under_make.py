"""Stopping with make: where `make run` is interrupted or killed alone, it tells its child nothing.

Ctrl-C at a terminal reaches make and the server alike. A supervisor, a script or a `kill` reaches make only: make then
waits for ever for a server that knows of nothing, or leaves it behind.
"""

import os
import signal
import threading
import time
from pathlib import Path

POLL_SECONDS = 0.5


def stop_with_make() -> None:
    """End this process with SIGTERM once its parent make is gone, or has been interrupted and only waits."""
    make = os.getppid()
    armed = catches_interrupt(make)

    def watch() -> None:
        while os.getppid() == make and catches_interrupt(make) == armed:
            time.sleep(POLL_SECONDS)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="under-make", daemon=True).start()


def catches_interrupt(process: int) -> bool:
    """Whether a process has a handler for SIGINT: make takes its own away on the first one.

    Always false where the system has no /proc to tell; then only make's end is seen.
    """
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False
    caught = next((line for line in status.splitlines() if line.startswith("SigCgt:")), "SigCgt: 0")
    return bool(int(caught.split()[1], 16) >> (signal.SIGINT - 1) & 1)
