"""Checks in a process of their own, beside the one that reads the records: the two share the work on two cores.

It gets exactly the records that the checks of the first process get, in the same order, and says in the end what is wrong.
If it ends before that, nothing it was asked is judged, and that is a finding.
"""

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ledger.audit.export.bindings import Bindings, Bound
from ledger.audit.export.found import AT_THE_END, Found, Rank
from ledger.audit.export.manifest import Manifest
from ledger.audit.findings import UNREADABLE, Check, Finding
from ledger.audit.reader import Reader
from ledger.audit.tree import canonical

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_NEW_OBJECTS = 20_000  # between two looks for garbage
FEWEST = 2000
"""Records that are worth a second process: its start takes as long as reading so many."""

Sheets = Mapping[tuple[str, int], bytes]
Checks = Callable[[Sheets], Iterable[Check]]
"""Makes the checks that need the sheets: code and version -> bytes. For a second process it has to be a module's function."""
Records = Sequence[bytes | None]
"""Exact bytes; None for a record that the checks must not see."""


def pays(records: int) -> bool:
    """Return whether a second process makes reading so many records faster."""
    return records >= FEWEST and _cores() > 1


def _cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def collect_less() -> None:
    """Look for garbage less often: records are read by the thousand, and hardly any of them is part of a circle."""
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, 10, 10)


Judged = tuple[Found, Mapping[str, int]]
"""What the second process says in the end: what is wrong, and what was checked how often."""


class Beside:
    """The second process, as the first one sees it. Raises OSError if none can be started."""

    def __init__(self, checks: Checks, sheets: Sheets, manifest: Manifest) -> None:
        # Read only where it is needed. Everywhere as on Windows, which knows no other way than `spawn`.
        from multiprocessing import get_context

        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_judge, args=(theirs, checks, sheets, manifest), daemon=True)
        self._process.start()
        theirs.close()
        self._lost = False

    def take(self, leaf: int, records: Records, *, doubted: bool) -> None:
        """Have these records judged, the first of which is at this leaf. `doubted`: from there on they are not those sealed."""
        self._send((leaf, records, doubted))

    def finish(self) -> Judged | Finding:
        """Return what was found once all records were taken; a finding if it did not come to that."""
        self._send(None)
        judged: Judged | None = None
        if not self._lost:
            with suppress(EOFError, OSError):
                judged = self._pipe.recv()
        self._pipe.close()
        self._process.join()
        return judged or Finding(
            "not_judged",
            f"The second process of this program broke off (status {self._process.exitcode}): rounds and fees were not"
            " worked out again.",
        )

    def _send(self, message: tuple[int, Records, bool] | None) -> None:
        if self._lost:
            return
        try:
            self._pipe.send(message)
        except OSError:
            self._lost = True


def _judge(pipe: "Connection[Any, Any]", checks: Checks, sheets: Sheets, manifest: Manifest) -> None:
    """Judge the records that come through a pipe, and send back what is wrong. Run in the second process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first one hears it too, and ends both
    collect_less()
    bindings = Bindings(manifest)  # what they find is told by the first process
    reader = Reader([Bound(check, bindings) for check in checks(sheets)], site=manifest.site)
    found = Found()
    for first, records, doubted in _received(pipe):
        if doubted:
            found.doubt(first)
        for leaf, record in enumerate(records, first):
            if record is None:
                continue
            body = canonical.body_again(record)
            with suppress(*UNREADABLE):
                bindings.take(leaf, body)
            found.note(leaf, Rank.GAME, reader.ask(leaf, body))
    found.note(AT_THE_END, Rank.GAME, reader.finish())
    found.settle()
    pipe.send((found, reader.checked))


def _received(pipe: "Connection[Any, Any]") -> Iterator[tuple[int, Records, bool]]:
    """Yield what the first process sends; end this one with it."""
    while True:
        try:
            message = pipe.recv()
        except EOFError:
            sys.exit(1)
        if message is None:
            return
        yield message
