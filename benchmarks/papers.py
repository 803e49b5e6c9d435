"""A paper of a short and of a long period in each form for data: memory must not grow with its lines.

The journal of a house that sold chips BENCH_RECORDS=20000,500000 times, two lines a sale. Each form is made
in a process of its own, whose greatest memory is what the system says of it; the log is sealed before.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from datetime import timedelta

from django.db import connection
from django.utils import timezone

from benchmarks._house import MEASURE, NOW, OPENING, ROOT, House, on_databases
from benchmarks._measure import at_most, tell
from benchmarks.ledger_log_nightly import sell
from casino.models import Staff
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day
from ledger.models import AuditRecord, Site
from ledger.proof.log import forms

SHORT, LONG = (os.environ.get("BENCH_RECORDS") or "20000,100000").split(",")
BEFORE = OPENING - timedelta(hours=4)
MAKE, PAPER = "make", "journal"
# At most: memory of the long one beside that of the short one.
GROWTH = 1.5


def measure():
    """Fill the house, make the paper in each form, fill it further and make it again."""
    house, found = House(tables=1), {}
    until = BEFORE
    for size in (int(SHORT), int(LONG)):
        since, until = until, until + (OPENING - BEFORE) / 2
        sell(house, size - AuditRecord.objects.count(), since, until)
        found[size] = {form: made_apart(form) for form in (forms.CSV, forms.XLSX)}
    short, long = found.values()
    for form, figures in long.items():
        before = short[form]
        tell(
            f"papers.{form}.{connection.vendor}",
            f"the same paper of {before['lines']} lines",
            figures["megabytes"],
            before["megabytes"],
            unit="MB",
            n=figures["lines"],
            repeats=1,
            goals={"growth": at_most(GROWTH)},
            growth=round(figures["megabytes"] / before["megabytes"], 2),
            processor=figures["processor"],
            told=figures["told"],
        )


def made_apart(form):
    """Return lines, greatest memory, processor seconds and how often the progress was told, of a process that
    makes the paper."""
    command = [sys.executable, "-m", "benchmarks.papers", MAKE, form]
    said = subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    return json.loads(said.stdout.splitlines()[-1])


def make(form):
    site, told = Site.objects.get(), []
    day = gaming_day(site, BEFORE)
    asked = forms.AskedPaper(PAPER, form, (day, gaming_day(site, NOW)), players=False)
    act = Act(Staff.objects.get(username="floor"), timezone.now(), "bench-paper")
    start = time.process_time()
    with tempfile.TemporaryFile() as out:
        written = forms.write(out, asked, site=site, progress=lambda done, of: told.append(done), act=act)
    processor = round(time.process_time() - start, 1)
    greatest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        json.dumps({"lines": written.lines, "megabytes": greatest, "processor": processor, "told": len(told)})
    )


if __name__ == "__main__":
    if MEASURE in sys.argv:
        measure()
    elif MAKE in sys.argv:
        make(sys.argv[-1])
    else:
        on_databases(__file__, "sqlite")
