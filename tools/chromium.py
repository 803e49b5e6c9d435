"""Find the browser for the browser tests, or install it: `python tools/chromium.py` prints its path."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = "No Chromium for the browser tests: install the package chromium, or set CHROMIUM to its path."


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
    print("Installing chromium with apt-get ...", file=sys.stderr, flush=True)
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    for arguments in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
        # Its progress goes where messages go: what is printed here is the path alone.
        subprocess.run(
            [apt, "-qq", *arguments],
            check=False,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
        )


def main() -> int:
    """Find, else install and find again; give the exit status."""
    try:
        print(find())
    except FileNotFoundError:
        install()
        try:
            print(find())
        except FileNotFoundError as missing:
            print(missing, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
