"""What `make test` needs of the machine beyond `make run`: installed for root, then checked.

Debian's packages for it are listed here alone, each with its purpose. Root's `make test` installs them;
anybody else's stops with the command that root has to run. Then, before the first test, a browser opens a
page and both servers answer.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import chromium
import other_readers
import servers

INSTALL = ("install", "-y", "--no-install-recommends")
OPENED = "It opens"


class Missing(Exception):
    """The tests cannot run on this machine; the message says why and what to do."""


class Package(NamedTuple):
    """A Debian package, what the tests need it for, and whether the machine has that from any source."""

    name: str
    purpose: str
    is_there: Callable[[], bool]


def node_starts() -> bool:
    """Return whether the Node.js in Playwright's wheel finds its libraries."""
    asked = subprocess.run(
        [sys.executable, "-m", "playwright", "--version"], capture_output=True, check=False
    )
    return asked.returncode == 0


def dumps() -> bool:
    return all(shutil.which(name, path=servers.path()) for name in ("pg_dump", "pg_restore"))


BROWSER = Package(chromium.SHELL, "the browser of the browser tests", lambda: bool(chromium.found()))
PACKAGES = (
    BROWSER,
    Package("libatomic1", "a library of Playwright's Node.js", node_starts),
    Package("postgresql-client", "pg_dump and pg_restore of the tests of backups", dumps),
)
JUDGING = "judging printed papers in the long form"
OF_THE_LONG_FORM = (
    Package("default-jre-headless", JUDGING, lambda: bool(shutil.which("java"))),
    *(Package(name, JUDGING, other_readers.judges) for name in other_readers.PACKAGES),
    Package("poppler-utils", "finding words of printed papers in the long form", other_readers.finds_words),
    Package("libreoffice-calc-nogui", "opening workbooks in the long form", other_readers.opens),
)


def packages() -> list[Package]:
    return [*PACKAGES, *(OF_THE_LONG_FORM if os.environ.get("CASINO_LONG") == "1" else ())]


def require_packages() -> None:
    lacking = [package for package in packages() if not package.is_there()]
    wanted = lacking if chromium.is_settled() or BROWSER in lacking else [BROWSER, *lacking]
    if wanted and os.geteuid() == 0 and shutil.which("apt-get"):
        install([package.name for package in wanted])
        lacking = [package for package in lacking if not package.is_there()]
    if lacking:
        needs = " and ".join(f"{package.name} ({package.purpose})" for package in lacking)
        names = " ".join(package.name for package in lacking)
        raise Missing(
            f"the tests need {needs}; as root: apt-get update && apt-get {' '.join(INSTALL)} {names}"
        )


def install(names: list[str]) -> None:
    """Install packages with apt-get; failures show in what is still lacking."""
    print(f"Installing {' '.join(names)} with apt-get ...", flush=True)
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    for arguments in (["update"], [*INSTALL, *names]):
        command = ["apt-get", "-qq", *arguments]
        subprocess.run(command, check=False, env=environment, stdin=subprocess.DEVNULL)


def prove_browser() -> None:
    """Open a page as the browser tests do, or raise Missing."""
    from playwright.sync_api import Error, sync_playwright

    path = chromium.find()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=chromium.FLAGS)
            page = browser.new_page()
            page.goto(f"data:text/html,<title>{OPENED}</title>")
            title = page.title()
            browser.close()
    except Error as error:
        raise Missing(f"{path} opens no page for the browser tests: {first_line(error.message)}") from None
    if title != OPENED:
        raise Missing(f"{path} opens another page than the browser tests ask for: {title!r}")


def prove_servers() -> None:
    """Ask both servers and copy the database, or raise Missing."""
    import psycopg
    import redis

    with tempfile.TemporaryDirectory(prefix="casino-servers-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        with servers.both(folder) as found:
            try:
                psycopg.connect(found["DATABASE_URL"], connect_timeout=10).close()
                redis.Redis.from_url(found["REDIS_URL"], socket_timeout=10).ping()
            except (psycopg.Error, redis.RedisError) as error:
                raise Missing(f"a server of the tests does not answer: {first_line(str(error))}") from None
            dump = ["pg_dump", "--schema-only", f"--file={os.devnull}", found["DATABASE_URL"]]
            copied = subprocess.run(
                dump, env=dict(os.environ, **found), capture_output=True, text=True, check=False
            )
            if copied.returncode:
                raise Missing(f"pg_dump cannot read the tests' PostgreSQL: {first_line(copied.stderr)}")


def first_line(message: str) -> str:
    return next(iter(message.strip().splitlines()), "it gave no reason").strip()


def main() -> int:
    try:
        require_packages()
        prove_browser()
        prove_servers()
    except Missing as missing:
        print(f"make test cannot start: {missing}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
