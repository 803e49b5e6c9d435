"""Write the daily papers of closed gaming days as files: once, whole or not at all.

Every paper of the day, with the same bytes as an export's, and a report of each session closed that day."""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ledger.journal.days import day_bounds
from ledger.proof.log.exporting import papers_taken
from tables.reports import statement_csv
from tables.reports.session_report import session_report, sessions_to_report

# The name of a file being written; an old one is from a killed process.
UNFINISHED = ".unfinished-"
LEFT_AFTER = timedelta(hours=1)


def folder_of(folder: Path, site: Any) -> Path:
    return folder / f"house-{site.pk}"


def write_papers(site: Any, folder: Path, now: datetime) -> int:
    """Write the papers of every closed day without them; return how many days. Two processes write the same
    bytes; the first one's folder stays."""
    here = folder_of(folder, site)
    here.mkdir(parents=True, exist_ok=True)
    for left in here.glob(f"{UNFINISHED}*"):
        with suppress(FileNotFoundError):  # another process has just finished it
            if now - datetime.fromtimestamp(left.stat().st_mtime, UTC) > LEFT_AFTER:
                shutil.rmtree(left, ignore_errors=True)
    written = 0
    for closed in site.closed_days.order_by("gaming_day"):
        if not (here / closed.gaming_day.isoformat()).exists():
            written += _write_day(here, site, closed, now)
    return written


def _write_day(here: Path, site: Any, closed: Any, now: datetime) -> bool:
    day = closed.gaming_day.isoformat()
    made = Path(tempfile.mkdtemp(prefix=f"{UNFINISHED}{day}-", dir=here))
    try:
        for name, blocks in _papers(site, closed, now):
            with (made / name).open("wb") as out:
                out.writelines(blocks)
                out.flush()
                os.fsync(out.fileno())
        made.chmod(0o755)
        made.rename(here / day)
    except OSError:
        if (here / day).exists():
            return False
        raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return True


def _papers(site: Any, closed: Any, now: datetime) -> Iterator[tuple[str, Iterable[bytes]]]:
    with papers_taken(site, (closed.gaming_day, closed.gaming_day), now=now) as taken:
        for name, file in taken.files.items():
            yield name.replace("_", "-"), file
    start, end = day_bounds(site, closed.gaming_day)
    closed_here = sessions_to_report().filter(table__site=site, closed_at__gte=start, closed_at__lt=end)
    for session in closed_here.order_by("table__number", "pk"):
        name = f"table-{session.table.number}-session-{session.pk}.csv"
        yield name, map(str.encode, statement_csv.session_lines(session_report(session)))
