"""The browser of the browser tests: `python tools/chromium.py` prints its path. Chromium's headless shell is
preferred, because a window of it takes 0.25 s of CPU instead of 0.9 s. tools/prerequisites.py installs it."""

import os
import shutil
import sys

SHELL = "chromium-headless-shell"
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = f"No Chromium for the browser tests: install the package {SHELL}, or set CHROMIUM to its path."
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


def found() -> str | None:
    names = [name for name in (os.environ.get("CHROMIUM"), *NAMES) if name]
    return next(filter(None, map(shutil.which, names)), None)


def find() -> str:
    """Return the path of a Chromium. FileNotFoundError names the package to install."""
    path = found()
    if path is None:
        raise FileNotFoundError(MISSING)
    return path


def is_settled() -> bool:
    """Return whether nothing better can be installed: CHROMIUM names it, or it is the headless shell."""
    return bool(os.environ.get("CHROMIUM") or shutil.which(SHELL))


if __name__ == "__main__":
    try:
        print(find())
    except FileNotFoundError as missing:
        sys.exit(str(missing))
