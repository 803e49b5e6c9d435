"""The papers of a period as lines of CSV, from the same records and by the same code as an export's."""

import tempfile
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import IO

from ledger.db import snapshots
from ledger.models import Checkpoint, Site
from ledger.papers.paper import Line, declared
from ledger.proof.audit.export.bundle_writing import papers_of
from ledger.proof.audit.export.manifest import Manifest
from ledger.proof.log.exporting import Wanted, records_of, sealed_for
from ledger.proof.log.slices import Days
from ledger.records.canonical import body_of


@dataclass(frozen=True)
class PapersOfPeriod:
    """All papers of some gaming days: `files` has the CSV of each by its name, to be read from the start.
    They follow from the records up to the checkpoint `signed`."""

    manifest: Manifest
    signed: Checkpoint
    files: Mapping[str, IO[bytes]]


@contextmanager
def papers_taken(
    site: Site,
    days: Days,
    *,
    players: bool = False,
    only: Container[str] | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
    now: datetime,
) -> Iterator[PapersOfPeriod]:
    """Make the papers of a period, all or `only` these, in temporary files, which are gone afterwards. Raises
    BadPeriod, NotSealed."""
    sealed_for(site, days, now)
    with ExitStack() as stack:
        files = {
            paper.name: stack.enter_context(tempfile.TemporaryFile())
            for paper in declared(players=players)
            if only is None or paper.name in only
        }
        with snapshots.snapshot():
            records = records_of(site, Wanted(days, players=players))
            made = papers_of(
                records.manifest, records.committed, stack.enter_context(tempfile.TemporaryFile()), only
            )
            for one in records.earlier:
                made.earlier(body_of(one.record))
            _keep(files, made.begin())
            for done, text in enumerate(records.texts):
                progress(done, records.manifest.count)
                _keep(files, made.take(body_of(text)))
            _keep(files, made.finish())
        for file in files.values():
            file.seek(0)
        yield PapersOfPeriod(records.manifest, records.signed, files)


def _keep(files: Mapping[str, IO[bytes]], lines: Iterable[Line]) -> None:
    for name, line in lines:
        files[name].write(line)
