"""Find the browser for the browser tests, or install it: `python tools/chromium.py` prints its path.

Chromium's headless shell is preferred: a window of it takes a third of the time (measured: 0.25 s of CPU against 0.9 s).
"""

import os
import shutil
import subprocess
import sys

SHELL = "chromium-headless-shell"
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = f"No Chromium for the browser tests: install the package {SHELL}, or set CHROMIUM to its path."


def find() -> str:
    """Give the path of a Chromium on this machine; FileNotFoundError names the package where there is none."""
    for name in (os.environ.get("CHROMIUM"), *NAMES):
        path = shutil.which(name) if name else None
        if path:
            return path
    raise FileNotFoundError(MISSING)


def install() -> None:
    """Install Debian's package where that takes no password: as root, with apt-get."""
    apt = shutil.which("apt-get")
    if os.geteuid() != 0 or apt is None:
        return
    print(f"Installing {SHELL} with apt-get ...", file=sys.stderr, flush=True)
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    for arguments in (["update"], ["install", "-y", "--no-install-recommends", SHELL]):
        # Its progress goes where messages go: what is printed here is the path alone.
        subprocess.run(
            [apt, "-qq", *arguments],
            check=False,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
        )


def main() -> int:
    """Find the shell, else try to install it, else take any Chromium; give the exit status."""
    if not os.environ.get("CHROMIUM") and shutil.which(SHELL) is None:
        install()
    try:
        print(find())
    except FileNotFoundError as missing:
        print(missing, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
