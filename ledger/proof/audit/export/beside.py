"""Checks in a second process beside the one that reads the records, to use two cores. It gets the same
records in the same order as the first process's checks, and returns its findings at the end. If it dies
before, nothing it was asked is judged, and that is a finding."""

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ledger.proof.audit.export.bindings import Bindings, Bound
from ledger.proof.audit.export.found import AT_THE_END, Found, Rank
from ledger.proof.audit.export.manifest import Manifest
from ledger.proof.audit.reader import Reader
from ledger.records import canonical
from ledger.records.findings import UNREADABLE, Check, Finding

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_NEW_OBJECTS = 20_000  # between two garbage collections
FEWEST = 2000
"""With fewer records, starting a second process takes longer than it saves."""

Sheets = Mapping[tuple[str, int], bytes]
Checks = Callable[[Sheets], Iterable[Check]]
"""Makes the checks that need the sheets. A second process needs a module's function."""
Records = Sequence[bytes | None]
"""Exact bytes; None for a record that the checks must not see."""


def pays(records: int) -> bool:
    return records >= FEWEST and _cores() > 1


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def collect_less() -> None:
    """Collect garbage less often: records are read by the thousand, and hardly any is part of a cycle."""
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, 10, 10)


Judged = tuple[Found, Mapping[str, int]]
"""The second process's findings, and how often each thing was checked."""


class Beside:
    """The second process, seen from the first. Raises OSError if none can be started."""

    def __init__(self, checks: Checks, sheets: Sheets, manifest: Manifest) -> None:
        # Imported only where it is needed. `spawn` everywhere, since Windows has no other way.
        from multiprocessing import get_context

        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_judge, args=(theirs, checks, sheets, manifest), daemon=True)
        self._process.start()
        theirs.close()
        self._lost = False

    def take(self, leaf: int, records: Records, *, doubted: bool) -> None:
        """Send records, the first of this leaf. `doubted`: from there on they are not the sealed ones."""
        self._send((leaf, records, doubted))

    def finish(self) -> Judged | Finding:
        """Return the findings for all records taken, or one finding if the process died."""
        self._send(None)
        judged: Judged | None = None
        if not self._lost:
            with suppress(EOFError, OSError):
                judged = self._pipe.recv()
        self._pipe.close()
        self._process.join()
        return judged or Finding(
            "not_judged",
            f"The second process of this program broke off (status {self._process.exitcode}): rounds and "
            "fees were not worked out again.",
        )

    def _send(self, message: tuple[int, Records, bool] | None) -> None:
        if self._lost:
            return
        try:
            self._pipe.send(message)
        except OSError:
            self._lost = True


def _judge(pipe: "Connection[Any, Any]", checks: Checks, sheets: Sheets, manifest: Manifest) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process gets it too, and ends both
    collect_less()
    bindings = Bindings(manifest)  # the first process reports their findings
    reader = Reader([Bound(check, bindings) for check in checks(sheets)], site=manifest.site)
    findings = Found()
    for first, records, doubted in _received(pipe):
        if doubted:
            findings.doubt(first)
        for leaf, record in enumerate(records, first):
            if record is None:
                continue
            body = canonical.body_again(record)
            with suppress(*UNREADABLE):
                bindings.take(leaf, body)
            findings.note(leaf, Rank.GAME, reader.ask(leaf, body))
    findings.note(AT_THE_END, Rank.GAME, reader.finish())
    findings.settle()
    pipe.send((findings, reader.checked))


def _received(pipe: "Connection[Any, Any]") -> Iterator[tuple[int, Records, bool]]:
    while True:
        try:
            message = pipe.recv()
        except EOFError:
            sys.exit(1)
        if message is None:
            return
        yield message
