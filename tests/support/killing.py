"""Post and seal in processes that are killed at random; each reports what was confirmed to it. The span in
which one is killed depends on how long its kind takes, so that a busy machine kills more slowly."""

import contextlib
import os
import random
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any

from ledger.journal.acts import Act

Say = Callable[[str, str], None]
"""Report what was confirmed: `say("posted", key)`."""
Work = Callable[[int, Say], None]
"""What a process does for ever, told the number that no other process of this run has."""
Told = tuple[str, str, str]
"""Who reported, what, and how."""


@dataclass
class Running:
    """A process that posts or seals, and whether it has reported anything."""

    pid: int
    begun: float
    heard: bool = False


def kill_again_and_again(
    *, times: int, seed: int, site: int, stacks: list[int], actor: int
) -> dict[str, Any]:
    """Keep two posting processes and a sealing one alive, killing one at random so many times, or more on a
    slow machine. Return the confirmed keys of entries and checkpoints."""

    def post(role: str) -> Work:
        return lambda number, say: _post_for_ever(f"{role}-{number}", say, site, stacks, actor)

    works = {
        "post-a": post("post-a"),
        "post-b": post("post-b"),
        "seal": lambda number, say: _seal_for_ever(say, site),
    }
    lines = keep_killing(works, times=times, seed=seed, is_enough=lambda lines: _is_enough(lines, times))
    return {
        "keys": [said for _, what, said in lines if what == "posted"],
        "sizes": [int(said) for _, what, said in lines if what == "signed"],
        "refused": [said for _, what, said in lines if what == "refused"],
    }


def keep_killing(
    works: Mapping[str, Work],
    *,
    times: int,
    seed: int,
    is_enough: Callable[[list[Told]], bool],
    lives: float = 2,
) -> list[Told]:
    """Keep a process alive for each of the works by its role, killing one at random so many times, or up to
    ten times as many until `is_enough`; one lives for up to `lives` times what its first report takes. Return
    all that was reported; an exception as `refused`."""
    rng, roles = random.Random(seed), list(works)
    told, tell = os.pipe()
    os.set_blocking(told, False)
    running: dict[str, Running] = {}
    takes = dict.fromkeys(roles, 0.05)
    lines: list[Told] = []
    begun = count()
    for number in range(10 * times):
        if number >= times and is_enough(lines):
            break
        for role in roles:
            if role not in running:
                pid = _begin(works[role], role, next(begun), tell)
                running[role] = Running(pid, time.monotonic())
        role = rng.choice(roles)
        share = rng.uniform(0, lives)
        while time.monotonic() < running[role].begun + share * takes[role]:
            time.sleep(0.002)
            lines += _hear(told, running, takes)
        if not running[role].heard:
            takes[role] *= 1.2  # otherwise none would ever report on a busy machine
        _kill(running.pop(role).pid)
        lines += _hear(told, running, takes)
    for left in running.values():
        _kill(left.pid)
    return lines + list(_hear(told, {}, takes))


def _is_enough(lines: list[Told], times: int) -> bool:
    """Return whether enough entries, and a checkpoint for every twenty of them, were confirmed."""
    posted, signed = ({said for _, what, said in lines if what == told} for told in ("posted", "signed"))
    return len(posted) > times and len(signed) > times / 20


def _begin(work: Work, role: str, number: int, tell: int) -> int:
    pid = os.fork()
    if pid:
        return pid

    def say(what: str, said: str) -> None:
        """Write one line, short enough that a pipe takes it atomically."""
        line = f"{role} {what} {said}".replace("\n", " ").encode()[:2000]
        os.write(tell, line + b"\n")

    try:
        work(number, say)
    except BaseException as error:
        say("refused", f"{type(error).__name__} {error}")
    os._exit(1)


def _post_for_ever(prefix: str, say: Say, site_id: int, stacks: list[int], actor_id: int) -> None:
    from casino.models import Staff
    from ledger.journal.posting import EntryDraft, Move, post
    from ledger.models import Site
    from tests.support.evidence import evidence_of

    site, actor = Site.objects.get(pk=site_id), Staff.objects.get(pk=actor_id)
    number = 0
    while True:
        number += 1
        now = datetime.now(UTC)
        key = f"{prefix}-{number}"
        moves = (Move(*stacks, 1),) if number % 2 else (Move(*stacks[::-1], 1),)
        act, said = Act(actor, now, key), evidence_of("round")
        draft = EntryDraft(kind="round", moves=moves, evidence=said, content={}, act=act)
        post(site=site, draft=draft)
        say("posted", key)


def _seal_for_ever(say: Say, site_id: int) -> None:
    from ledger.models import Site
    from ledger.proof.log import sealing

    site = Site.objects.get(pk=site_id)
    while True:
        sealing.seal(site, now=datetime.now(UTC))
        latest = sealing.latest(sealing.log_of(site))
        if latest is not None:
            say("signed", str(latest.size))


def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _hear(told: int, running: dict[str, Running], takes: dict[str, float]) -> Iterator[Told]:
    """Yield what was reported since: who, what and how. A first report adjusts the span for its kind."""
    heard = b""
    with contextlib.suppress(BlockingIOError):
        while True:
            heard += os.read(told, 65536)
    for line in heard.decode().splitlines():
        role, what, said = line.split(" ", 2)
        one = running.get(role)
        if one is not None and not one.heard and what != "refused":
            one.heard = True
            takes[role] = (2 * takes[role] + time.monotonic() - one.begun) / 3
        yield role, what, said
