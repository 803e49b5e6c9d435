"""Posting and sealing in processes that are killed: each tells what was confirmed to it, and nobody asks whether it was ready."""

import os
import random
import signal
import time
from datetime import UTC, datetime
from typing import Any

PATIENCE_SECONDS = 5


def kill_again_and_again(
    *, times: int, seed: int, site: int, stacks: list[int], actor: int
) -> dict[str, Any]:
    """Keep two posting processes and a sealing one alive, and kill one of them at a random moment, so many times.

    Returns the keys of the entries that were confirmed to a process, and the checkpoints that were.
    """
    rng = random.Random(seed)
    told, tell = os.pipe()
    os.set_blocking(told, False)
    running: dict[str, int] = {}
    heard = b""
    for number in range(times):
        for role in ("post-a", "post-b", "seal"):
            if role not in running:
                running[role] = _begin(role, number, tell, site, stacks, actor)
        time.sleep(rng.uniform(0.01, 0.12))
        role = rng.choice(sorted(running))
        _kill(running.pop(role))
        heard += _hear(told)
    for pid in running.values():
        _kill(pid)
    heard += _hear(told)
    lines = [line.split(" ", 1) for line in heard.decode().splitlines() if " " in line]
    return {
        "keys": [said for what, said in lines if what == "posted"],
        "sizes": [int(said) for what, said in lines if what == "signed"],
        "refused": [said for what, said in lines if what == "refused"],
    }


def _begin(role: str, number: int, tell: int, site: int, stacks: list[int], actor: int) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        if role == "seal":
            _seal_for_ever(tell, site)
        else:
            _post_for_ever(f"{role}-{number}", tell, site, stacks, actor)
    except BaseException as error:
        os.write(tell, f"refused {type(error).__name__} {error}\n".replace("\n", " ").encode() + b"\n")
    os._exit(1)


def _post_for_ever(name: str, tell: int, site_id: int, stacks: list[int], actor_id: int) -> None:
    from casino.models import Staff
    from ledger.models import Site
    from ledger.posting import EntryDraft, Move, post

    site, actor = Site.objects.get(pk=site_id), Staff.objects.get(pk=actor_id)
    number = 0
    while True:
        number += 1
        now = datetime.now(UTC)
        key = f"{name}-{number}"
        moves = (Move(*stacks, 1),) if number % 2 else (Move(*stacks[::-1], 1),)
        draft = EntryDraft(
            key=key, kind="round", occurred_at=now, actor=actor, moves=moves, evidence={}, content={}
        )
        post(site=site, draft=draft, now=now)
        os.write(tell, f"posted {key}\n".encode())


def _seal_for_ever(tell: int, site_id: int) -> None:
    from ledger import sealing
    from ledger.models import Site

    site = Site.objects.get(pk=site_id)
    while True:
        sealing.seal(site, now=datetime.now(UTC))
        latest = sealing.latest(sealing.log_of(site))
        if latest is not None:
            os.write(tell, f"signed {latest.size}\n".encode())


def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _hear(told: int) -> bytes:
    """Everything that has been told so far."""
    heard = b""
    while True:
        try:
            heard += os.read(told, 65536)
        except BlockingIOError:
            return heard
