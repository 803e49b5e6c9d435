"""The records, closed days and papers that a house keeps, and for how long; and whether the files of kept
papers and exports are unchanged, by the verifier of today."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from django.db.models import Count, Min, Q

from ledger.errors import PaperChanged, PaperGone
from ledger.jurisdiction import jurisdiction
from ledger.models import AuditRecord, KeptPaper, Site
from ledger.proof.log import exporting, keeping_papers, keys, sealing


@dataclass(frozen=True)
class Retained:
    """A kind of thing that is kept: how many, the oldest one's day, and how many are older than the term."""

    what: str
    count: int
    oldest: date | None
    beyond: int


def retained(site: Site, now: date) -> tuple[date, list[Retained]]:
    """Return the first day that is within the term of the house's jurisdiction, and what is kept. The program
    itself removes nothing."""
    years = jurisdiction(site.jurisdiction).retention_years
    since = now.replace(year=now.year - years, day=min(now.day, 28 if now.month == 2 else now.day))
    kinds = (
        ("Closed gaming days", site.closed_days.all(), "gaming_day"),
        ("Kept papers and exports", site.kept_papers.filter(state="kept"), "asked__at__date"),
    )
    found = [_records_kept(site, since)]
    for what, rows, day in kinds:
        sums = rows.aggregate(n=Count("pk"), oldest=Min(day), beyond=Count("pk", Q(**{f"{day}__lt": since})))
        found.append(Retained(what, sums["n"], sums["oldest"], sums["beyond"]))
    return since, found


def _records_kept(site: Site, since: date) -> Retained:
    """Return the same for the log, whose records are counted only once they are older than the term."""
    rows = AuditRecord.objects.filter(site=site)
    oldest = rows.order_by("pk").values_list("recorded_at__date", flat=True).first()
    beyond = rows.filter(recorded_at__date__lt=since).count() if oldest and oldest < since else 0
    return Retained("Sealed records of the log", sealing.size_of(sealing.log_of(site)), oldest, beyond)


def look_through(site: Site) -> Iterator[tuple[KeptPaper, str]]:
    """Yield each kept paper with what is wrong with its file, or an empty text. Exports are verified by the
    verifier that a new export would contain."""
    with tempfile.TemporaryDirectory() as folder:
        verifier = Path(folder) / "verify.pyz"
        verifier.write_bytes(exporting.verifier())
        print_of_key = keys.known_keys(sealing.log_of(site))[-1].fingerprint
        for paper in (
            site.kept_papers.filter(state="kept").select_related("asked", "ended").order_by("number")
        ):
            try:
                keeping_papers.opened(paper).close()
            except (PaperGone, PaperChanged) as error:
                yield paper, error.message
                continue
            yield paper, _verified(verifier, paper, print_of_key) if is_bundle(paper) else ""


def is_bundle(paper: KeptPaper) -> bool:
    return bool(paper.asked.data["paper"] == keeping_papers.BUNDLE)


def _verified(verifier: Path, paper: KeptPaper, key: str) -> str:
    program = [sys.executable, "-I", str(verifier), str(keeping_papers.file_of(paper)), "--key", key]
    ran = subprocess.run(program, capture_output=True, text=True, check=False)  # noqa: S603  (our own)
    wrong = [line.strip() for line in ran.stdout.splitlines() if line.startswith("  [")]
    return "" if not ran.returncode else "; ".join(wrong[:3]) or f"The verifier ended with {ran.returncode}."
