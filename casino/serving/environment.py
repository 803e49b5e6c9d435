"""The settings that come from the environment: one table to read, validate and document them. An invalid
value ends the process with a sentence before anything is done. Settings import this, so no Django."""

import base64
import contextlib
import os
import re
import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from email.utils import parseaddr
from ipaddress import ip_address
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dj_database_url

from casino.serving.edge import networks
from ledger import lengths

OTHERS = 0o077
"""Permissions of group and others."""


def own_folder(path: Path) -> Path:
    """Create the house's folder and restrict new files to their owner. Exits with a sentence if it can't."""
    os.umask(OTHERS)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        sys.exit(
            f"{path} can't hold the data of the house: {error.strerror}. CASINO_VAR names another folder."
        )
    return path


def close_to_others(folder: Path, *, but: Path) -> None:
    """Take others' permissions, left by older versions, from the owner's files, except the folder `but`."""
    for path in (folder, *folder.iterdir()):
        found = path.stat()
        if found.st_mode & OTHERS and found.st_uid == os.geteuid() and path.resolve() != but.resolve():
            path.chmod(found.st_mode & ~OTHERS)


def database(url: str) -> dict[str, Any]:
    """Return Django's database settings for this URL. ValueError if it is malformed."""
    return dict(dj_database_url.parse(url, conn_max_age=0, conn_health_checks=True))


def _try_again(pool: Any) -> None:
    pool.check()  # also reconnects when the pool has no connection left


EACH_SECOND = {"reconnect_timeout": 1, "reconnect_failed": _try_again}
"""Pool options: retry every second; by default the wait doubles each time."""


# -- the key that signs sessions -------------------------------------------------------------------


def kept_secret_key(folder: Path) -> str:
    """Return the key stored in the folder, created at the first call and readable by its owner alone."""
    path = folder / "secret_key"
    fresh = folder / f"secret_key.{os.getpid()}"
    if not path.exists():
        # Write it under another name first, so that nobody reads half a key.
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(64))
        with contextlib.suppress(FileExistsError):  # another process was first: its key holds
            os.link(fresh, path)
        fresh.unlink()
    return path.read_text().strip()


CODE = "bad_setting"
OURS = "CASINO_"
SHOWN = 40
"""Characters of a wrong value that are repeated in the sentence; none of a secret."""
SHORTEST_KEY, FEWEST_PAIRS = 50, 30
"""Least length of SECRET_KEY, and least number of different neighbouring pairs in it. Random text has nearly
40 pairs in 50 characters; a repeated word of 16 letters has 16."""
A_KEY = "python3 -c 'import secrets; print(secrets.token_urlsafe(64))' makes one"


@dataclass(frozen=True, slots=True)
class Kind:
    """`takes` describes the valid values; `reads` parses a text or raises ValueError."""

    takes: str
    reads: Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable; if it is not set or empty, `default` (`in_demo`) is parsed. `told` is for operators."""

    name: str
    kind: Kind
    meaning: str
    default: str = ""
    in_demo: str | None = None
    told: str = ""
    secret: bool = False


# -- kinds -----------------------------------------------------------------------------------------


def _refuse(text: str) -> Any:
    raise ValueError(text)


def number(least: int, most: int) -> Kind:
    def read(text: str) -> int:
        plain = text.isascii() and text.isdigit() and len(text) < 10
        return int(text) if plain and least <= int(text) <= most else _refuse(text)

    return Kind(f"a number from {least} to {most}", read)


_LABEL = r"[a-zA-Z0-9]([a-zA-Z0-9_-]*[a-zA-Z0-9])?"
_NAME = re.compile(rf"\.?{_LABEL}(\.{_LABEL})*")


def _host(text: str) -> str:
    """Read a host name or address. Digits and dots alone have to be a valid address."""
    if ":" in text or re.fullmatch(r"[\d.]+", text):
        ip_address(text)
        return text
    return text if _NAME.fullmatch(text) and not text.startswith(".") else _refuse(text)


def _name_of_house(text: str) -> str:
    """Read one of ALLOWED_HOSTS: a name, `.example.com` with all below it, or an address."""
    if text.startswith("["):
        return f"[{ip_address(text.removeprefix('[').removesuffix(']'))}]"
    if text.startswith("."):
        return text if _NAME.fullmatch(text) and text.count(".") > 1 else _refuse(text)
    return _host(text) if ":" not in text else _refuse(text)


def _listed(text: str, read: Callable[[str], str]) -> list[str]:
    return [read(part.strip()) for part in text.split(",")]


def _proxies(text: str) -> list[str]:
    """Read TRUSTED_PROXIES, none wider than /8 or, in IPv6, /32."""
    given = [part.strip() for part in text.split(",")]
    wide = any(network.prefixlen < (8 if network.version == 4 else 32) for network in networks(given))
    return _refuse(text) if wide or not all(given) else given


def _session_key(text: str) -> str:
    """Read SECRET_KEY: long enough and not repetitive."""
    weak = len(text) < SHORTEST_KEY or len(set(pairwise(text))) < FEWEST_PAIRS
    return _refuse(text) if weak or text.startswith("django-insecure-") else text


def _signing_key(text: str) -> str:
    return text if len(base64.b64decode(text, validate=True)) == 32 else _refuse(text)


def _database(text: str) -> str:
    engine = str(database(text)["ENGINE"])
    return text if engine.endswith((".postgresql", ".sqlite3")) else _refuse(text)


def _redis(text: str) -> str:
    parts = urlsplit(text)
    there = parts.path if parts.scheme == "unix" else parts.hostname
    number_of_port = parts.port  # ValueError if malformed
    known = parts.scheme in ("redis", "rediss", "unix") and number_of_port != 0
    return text if known and there else _refuse(text)


def _sender(text: str) -> str:
    return text if re.fullmatch(r"[^@\s]+@[^@\s]+", parseaddr(text)[1]) else _refuse(text)


SWITCH = Kind("`1` or `0`", lambda text: {"1": True, "0": False}[text])
PATH = Kind("a path", Path)
FILE = Kind("a path", str)
TEXT = Kind("text", str)
HOST_NAME = Kind("a name or an address", _host)
HOUSE_NAMES = Kind(
    "names or addresses with commas between, without a port and without `*`",
    lambda text: _listed(text, _name_of_house),
)
PROXIES = Kind("addresses or networks with commas between, none wider than `/8` (of IPv6 `/32`)", _proxies)
SESSION_KEY = Kind(f"{SHORTEST_KEY} characters or more that do not repeat themselves", _session_key)
SIGNING_KEY = Kind("32 bytes in base64", _signing_key)
DATABASE = Kind("`postgresql://user:password@host/name` or `sqlite:////folder/file`", _database)
REDIS = Kind("`redis://host:6379/0`, `rediss://` with TLS, or `unix:///run/redis.sock`", _redis)
SENDER = Kind("a mail address", _sender)

# -- the table -------------------------------------------------------------------------------------

TABLE = (
    Variable(
        "CASINO_DEMO",
        SWITCH,
        "`1` makes a demo: invented people whose password is `demo`, which is refused everywhere else; "
        "refused on the database of a real house",
        default="0",
    ),
    Variable(
        "CASINO_VAR",
        PATH,
        "the folder for the SQLite file and the demo's key; only its owner can read what is written there",
        default="{base}/var",
        told="`var` beside `manage.py`",
    ),
    Variable(
        "SECRET_KEY",
        SESSION_KEY,
        "signs browser sessions; the same for every process; a new one signs everybody out",
        told="none; a demo makes its own in `var/secret_key`",
        secret=True,
    ),
    Variable(
        "ALLOWED_HOSTS",
        HOUSE_NAMES,
        "the names under which browsers reach the house",
        default="localhost,127.0.0.1,[::1]",
    ),
    Variable(
        "DATABASE_URL",
        DATABASE,
        "the database; for a socket `postgresql://user@/name?host=/run/postgresql`",
        default="sqlite:///{CASINO_VAR}/room.sqlite3",
        told="SQLite in `CASINO_VAR`",
        secret=True,
    ),
    Variable(
        "REDIS_URL",
        REDIS,
        "carries tasks and messages to screens; needed for more than one process",
        told="none: the scheduler runs inside `serve`",
        secret=True,
    ),
    Variable("HOST", HOST_NAME, "the address `serve` listens on", default="127.0.0.1"),
    Variable(
        "PORT",
        number(0, 65535),
        "the port `serve` listens on; with 0 any that is free, which it says",
        default="8000",
    ),
    Variable(
        "TRUSTED_PROXIES",
        PROXIES,
        "the proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed",
        default="127.0.0.1,::1",
    ),
    Variable(
        "SECURE",
        SWITCH,
        "`1`: TLS only, with secure cookies, redirects to https and HSTS; `0` is for trying a house on one "
        "machine without TLS",
        default="1",
        in_demo="0",
    ),
    Variable(
        "LIVE_SCREENS",
        number(1, 100_000),
        "how many screens may listen to one web process; each is a connection that stays open. A further one "
        "says so, and asks for changes by itself",
        default="500",
    ),
    Variable(
        "BUSY_SECONDS",
        number(1, 29),
        "how long an act waits for a lock that somebody else holds before it is told to try again",
        default="5",
    ),
    Variable(
        "PIN_DIGITS",
        number(lengths.FEWEST_PIN_DIGITS, lengths.MOST_PIN_DIGITS),
        f"the fewest digits of a PIN that somebody sets; the most are {lengths.MOST_PIN_DIGITS}",
        default=str(lengths.FEWEST_PIN_DIGITS),
    ),
    Variable(
        "BREACHED_PASSWORDS",
        FILE,
        "the file of leaked passwords that nobody may set, [above](#a-real-house-on-one-machine)",
    ),
    Variable(
        "EMAIL_HOST",
        HOST_NAME,
        "mail server for notices to people about their own sign-in; none are sent without it",
    ),
    Variable("EMAIL_PORT", number(1, 65535), "its port; 587 speaks STARTTLS", default="587"),
    Variable("EMAIL_USER", TEXT, "its account"),
    Variable("EMAIL_PASSWORD", TEXT, "the account's password", secret=True),
    Variable("EMAIL_FROM", SENDER, "the sender of the notices", told="`EMAIL_USER`"),
    Variable(
        "HOUSE_SHEETS",
        PATH,
        "the folder of the house's own game sheets; read by every process that serves",
        default="{CASINO_VAR}/sheets",
        told="`sheets` in `CASINO_VAR`",
    ),
    Variable(
        "PAPERS",
        PATH,
        "the folder for the papers of closed gaming days; one folder that every worker can reach",
        default="{CASINO_VAR}/papers",
        told="`papers` in `CASINO_VAR`",
    ),
    Variable(
        "AUDIT_KEY",
        SIGNING_KEY,
        "the key that signs the audit log; the same for every process",
        told="none: the file below",
        secret=True,
    ),
    Variable(
        "AUDIT_KEY_FILE",
        PATH,
        "where that key is kept; made at the first start, readable only by its owner; keep it apart from "
        "backups of the database",
        default="{CASINO_VAR}/audit_key",
        told="`audit_key` in `CASINO_VAR`",
    ),
    Variable(
        "CASINO_CHECKPOINTS",
        PATH,
        "the folder where every checkpoint of the audit log is written at once;"
        " [who should own it](#the-folder-of-checkpoints)",
        default="{CASINO_VAR}/checkpoints",
        told="`checkpoints` in `CASINO_VAR`",
    ),
    Variable(
        "AUDIT_POLICY",
        FILE,
        "the file that names the [witnesses](#witnesses) of the audit log, and how many are enough",
        told="none: nobody is asked",
    ),
    Variable(
        "ACCESS_LOG", SWITCH, "a line of JSON for each request, on standard error", default="1", in_demo="0"
    ),
    Variable(
        "NOTIFY_SOCKET",
        FILE,
        "set by systemd, which hears there that worker and beat work (`WatchdogSec=` in their units)",
    ),
)
NAMES = [variable.name for variable in TABLE]

# -- reading and refusing --------------------------------------------------------------------------


def read(given: Mapping[str, str], *, base: Path) -> dict[str, Any]:
    """Return the value of each variable by name, `""` for one that is not set and has no default. Exits with
    a sentence on an invalid value. `base` is the program's folder."""
    values: dict[str, Any] = {"base": base}
    for variable in TABLE:
        text = given.get(variable.name) or _default(variable, values)
        try:
            values[variable.name] = variable.kind.reads(text) if text else ""
        except (ValueError, KeyError):
            sys.exit(refusal(variable, text))
    return values


def in_force(given: Mapping[str, str], *, base: Path) -> list[tuple[str, str]]:
    """Return name and text of every variable that is no secret, as given or by default."""
    values = read(given, base=base)
    return [
        (one.name, given.get(one.name) or one.told.replace("`", "") or _default(one, values))
        for one in TABLE
        if not one.secret
    ]


def _default(variable: Variable, values: Mapping[str, Any]) -> str:
    in_demo = variable.in_demo is not None and values["CASINO_DEMO"]
    return str(variable.in_demo if in_demo else variable.default).format_map(values)


def refusal(variable: Variable, text: str) -> str:
    """Return the sentence for an invalid value, or with an empty text for a missing one."""
    takes = variable.kind.takes.replace("`", "")
    more = f"; {A_KEY}" if variable.kind is SESSION_KEY else ""
    if not text:
        return f"{variable.name} is missing: it has to be {takes}{more} ({CODE})."
    shown = "" if variable.secret else f", not {text[:SHOWN]!a}"
    return f"{variable.name} has to be {takes}{shown}{more} ({CODE})."


def missing(name: str) -> str:
    return refusal(TABLE[NAMES.index(name)], "")


def misspelt(given: Mapping[str, str]) -> list[str]:
    """Return a sentence for each variable that is set and looks like a misspelt one of the table."""
    unknown = []
    by_end = {name.removeprefix(OURS): name for name in NAMES}
    for name in sorted(name for name, text in given.items() if text and name not in NAMES):
        ours = name.startswith(OURS)
        meant = get_close_matches(name.removeprefix(OURS), by_end, n=1, cutoff=0.7 if ours else 0.9)
        if ours or meant:
            hint = f": {by_end[meant[0]]} may be meant" if meant else ""
            unknown.append(f"{name} is not a setting of this program{hint}.")
    return unknown


# -- the page for operators ------------------------------------------------------------------------


def table() -> str:
    rows = ["| variable | takes | default | meaning |", "|---|---|---|---|"]
    for variable in TABLE:
        default = variable.told or (f"`{variable.default}`" if variable.default else "none")
        if variable.in_demo is not None:
            default += f", in a demo `{variable.in_demo}`"
        secret = "; a secret" if variable.secret else ""
        rows.append(f"| `{variable.name}` | {variable.kind.takes}{secret} | {default} | {variable.meaning} |")
    return "\n".join(rows) + "\n"
