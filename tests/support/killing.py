"""Post and seal in processes that are killed at random; each reports what was confirmed to it. The span in
which one is killed depends on how long its kind takes, so that a busy machine kills more slowly."""

import contextlib
import os
import random
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ledger.journal.acts import Act

ROLES = ("post-a", "post-b", "seal")


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
    rng = random.Random(seed)
    told, tell = os.pipe()
    os.set_blocking(told, False)
    running: dict[str, Running] = {}
    takes = dict.fromkeys(ROLES, 0.05)
    lines: list[tuple[str, str, str]] = []
    for number in range(10 * times):
        if number >= times and _is_enough(lines, times):
            break
        for role in ROLES:
            if role not in running:
                pid = _begin(role, number, tell, site, stacks, actor)
                running[role] = Running(pid, time.monotonic())
        role = rng.choice(ROLES)
        share = rng.uniform(0, 2)
        while time.monotonic() < running[role].begun + share * takes[role]:
            time.sleep(0.002)
            lines += _hear(told, running, takes)
        if not running[role].heard:
            takes[role] *= 1.2  # otherwise none would ever report on a busy machine
        _kill(running.pop(role).pid)
        lines += _hear(told, running, takes)
    for left in running.values():
        _kill(left.pid)
    lines += _hear(told, {}, takes)
    return {
        "keys": [said for _, what, said in lines if what == "posted"],
        "sizes": [int(said) for _, what, said in lines if what == "signed"],
        "refused": [said for _, what, said in lines if what == "refused"],
    }


def _is_enough(lines: list[tuple[str, str, str]], times: int) -> bool:
    """Return whether enough entries, and a checkpoint for every twenty of them, were confirmed."""
    posted, signed = ({said for _, what, said in lines if what == told} for told in ("posted", "signed"))
    return len(posted) > times and len(signed) > times / 20


def _begin(role: str, number: int, tell: int, site: int, stacks: list[int], actor: int) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        if role == "seal":
            _seal_for_ever(role, tell, site)
        else:
            _post_for_ever(role, number, tell, site, stacks, actor)
    except BaseException as error:
        _say(tell, role, "refused", f"{type(error).__name__} {error}")
    os._exit(1)


def _post_for_ever(role: str, begun: int, tell: int, site_id: int, stacks: list[int], actor_id: int) -> None:
    from casino.models import Staff
    from ledger.journal.posting import EntryDraft, Move, post
    from ledger.models import Site
    from tests.support.evidence import evidence_of

    site, actor = Site.objects.get(pk=site_id), Staff.objects.get(pk=actor_id)
    number = 0
    while True:
        number += 1
        now = datetime.now(UTC)
        key = f"{role}-{begun}-{number}"
        moves = (Move(*stacks, 1),) if number % 2 else (Move(*stacks[::-1], 1),)
        act, said = Act(actor, now, key), evidence_of("round")
        draft = EntryDraft(kind="round", moves=moves, evidence=said, content={}, act=act)
        post(site=site, draft=draft)
        _say(tell, role, "posted", key)


def _seal_for_ever(role: str, tell: int, site_id: int) -> None:
    from ledger.models import Site
    from ledger.proof.log import sealing

    site = Site.objects.get(pk=site_id)
    while True:
        sealing.seal(site, now=datetime.now(UTC))
        latest = sealing.latest(sealing.log_of(site))
        if latest is not None:
            _say(tell, role, "signed", str(latest.size))


def _say(tell: int, role: str, what: str, said: str) -> None:
    """Write one line, short enough that a pipe takes it atomically."""
    line = f"{role} {what} {said}".replace("\n", " ").encode()[:2000]
    os.write(tell, line + b"\n")


def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _hear(told: int, running: dict[str, Running], takes: dict[str, float]) -> Iterator[tuple[str, str, str]]:
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
