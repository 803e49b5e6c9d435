"""Make .venv and install a hashed lock into it: `python3 tools/set_up.py run|test|bench|next`. Needs only
Python 3.11 with venv. An interrupted set-up is resumed: a stamp says "unfinished" until the end."""

from __future__ import (
    annotations,
)  # an older Python has to get as far as the sentence that asks for a newer one

import ast
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
UV_LOCK = ROOT / "requirements" / "uv.txt"
# What each purpose installs; a later purpose contains the earlier ones.
LOCKS = {
    "run": ROOT / "requirements.txt",
    "test": ROOT / "requirements-test.txt",
    "bench": ROOT / "requirements-bench.txt",
    # The tests on the next Django, in an environment of their own.
    "next": ROOT / "requirements" / "next.txt",
}
UNFINISHED = "unfinished"
OLDEST = (3, 11)
OLDEST_FOR_NEXT = (3, 12)
# pip's settings that uv does not read from pip's files, with uv's names for them and their separators.
INDEX_SETTINGS = {
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "cert": ("SSL_CERT_FILE", " "),
}


def main(arguments: list[str]) -> int:
    purpose = arguments[0] if arguments else "run"
    if purpose not in LOCKS:
        return fail(f"there is no set-up for {purpose!r}; there is one for {', '.join(LOCKS)}.")
    venv, oldest = (VENV / "next", OLDEST_FOR_NEXT) if purpose == "next" else (VENV, OLDEST)
    if sys.version_info < oldest:
        return run_newer_python(arguments, oldest)
    if not LOCKS[purpose].exists():
        purpose = "test"
    try:
        make_environment(venv)
        install(venv, UV_LOCK, "uv", ["-m", "pip", "install", "--quiet", "--no-input"], plain_environment)
        install(venv, LOCKS[purpose], purpose, ["-m", "uv", "pip", "install", "--quiet"], uv_environment)
    except SetUpError as error:
        return fail(str(error))
    return 0


class SetUpError(Exception):
    """The machine lacks something; the message says what to install or to check."""


def fail(sentence: str) -> int:
    print(f"Set-up failed: {sentence}", file=sys.stderr)
    return 1


def run_newer_python(arguments: list[str], oldest: tuple[int, int]) -> int:
    """Run a newer Python if the machine has one under its own name that starts: a shim of pyenv may not."""
    for minor in range(20, oldest[1] - 1, -1):
        newer = shutil.which(f"python3.{minor}")
        if newer and subprocess.call([newer, "-c", ""], stderr=subprocess.DEVNULL) == 0:
            return subprocess.call([newer, __file__, *arguments])
    found = ".".join(str(part) for part in sys.version_info[:3])
    needed = f"3.{oldest[1]}"
    return fail(
        f"Python {needed} or newer is needed, this is {found}. Install python{needed} (with "
        f"python{needed}-venv), or name one: PYTHON=/path/to/python3 make ..."
    )


def python(venv: Path) -> Path:
    return venv / "bin" / "python"


def make_environment(venv: Path) -> None:
    """Create the environment, also where it does not start: its Python is gone, or it was interrupted."""
    if python(venv).exists():
        probe = subprocess.run([python(venv), "-m", "pip", "--version"], capture_output=True, check=False)
        if probe.returncode == 0:
            return
    try:
        import ensurepip  # noqa: F401  (Debian ships venv without it)
        import venv as _  # noqa: F401
    except ImportError:
        raise SetUpError(
            f"this Python ({sys.executable}) cannot make virtual environments. "
            "Install python3-venv (Debian, Ubuntu: apt install python3-venv)."
        ) from None
    print(f"Making {venv.relative_to(ROOT)} ...", flush=True)
    if subprocess.call([sys.executable, "-m", "venv", "--clear", venv]):
        raise SetUpError("python3 -m venv did not work. Install python3-venv, and see the message above.")


def install(
    venv: Path, lock: Path, name: str, command: list[str], environment: Callable[[Path], dict[str, str]]
) -> None:
    """Install a hashed lock unless its stamp says that exactly this lock is installed."""
    stamp = venv / f"installed-{name}"
    wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
    found = stamp.read_text() if stamp.exists() else ""
    if found == wanted:
        return
    print(f"Installing {lock.relative_to(ROOT)} ...", flush=True)
    again = []
    if found == UNFINISHED:
        again = ["--force-reinstall"] if name == "uv" else ["--reinstall"]
    stamp.write_text(UNFINISHED)
    whole: list[str | Path] = [python(venv), *command, *again, "--require-hashes", "-r", lock]
    done = subprocess.call(whole, env=environment(venv))
    if done:
        raise SetUpError(
            f"{lock.name} could not be installed. The message above says why; "
            "a package index must be reachable (pip's own settings are used)."
        )
    stamp.write_text(wanted)


def plain_environment(_venv: Path) -> dict[str, str]:
    return dict(os.environ)


def uv_environment(venv: Path) -> dict[str, str]:
    """Return the environment for uv, with pip's index settings, which it does not read. Searching all indexes
    alike is what pip does; it is safe because the lock has the hash of every file."""
    environment = dict(os.environ, UV_PYTHON_DOWNLOADS="never")
    environment.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")
    settings = pip_settings(venv)
    for setting, (variable, separator) in INDEX_SETTINGS.items():
        if setting in settings:
            environment.setdefault(variable, separator.join(settings[setting].split()))
    return environment


def pip_settings(venv: Path) -> dict[str, str]:
    """Return pip's settings by name from its files and variables; variables win, as in pip."""
    asked = subprocess.run(
        [python(venv), "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    )
    settings = {}
    for line in sorted(asked.stdout.splitlines(), key=lambda line: line.startswith(":env:")):
        name, _, value = line.partition("=")
        settings[name.rpartition(".")[2]] = str(ast.literal_eval(value))
    return settings


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        print("\nSet-up interrupted; the next start takes it up again.", file=sys.stderr)
        sys.exit(130)
