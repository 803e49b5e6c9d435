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
from contextlib import contextmanager
from datetime import timedelta
from itertools import chain, cycle, islice
from zoneinfo import ZoneInfo

from django.db import connection
from django.utils import timezone

from benchmarks._house import MEASURE, NOW, OPENING, ROOT, House, on_databases
from benchmarks._measure import at_most, tell
from benchmarks.ledger_log_nightly import sell
from casino.models import Staff
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day
from ledger.models import AuditRecord, Site
from ledger.papers.pages import in_json, lines_of, page_of
from ledger.printing.reading import About, Names
from ledger.proof.log import forms

SHORT, LONG = (os.environ.get("BENCH_RECORDS") or "20000,100000").split(",")
BEFORE = OPENING - timedelta(hours=4)
MANY = int(os.environ.get("BENCH_LINES") or 1_000_000)
MAKE, WRITE, PAPER = "make", "write", "journal"
JSON_LINES = "jsonl"
ABOUT = About("House", "", ZoneInfo("UTC"), "these days", "nobody", NOW, "log", 1, "root")
# At most: memory of the long one beside that of the short one.
GROWTH = 1.5


def measure():
    """Fill the house, make the paper in each form, fill it further and make it again."""
    house, found = House(tables=1), {}
    until = BEFORE
    for size in (int(SHORT), int(LONG)):
        since, until = until, until + (OPENING - BEFORE) / 2
        sell(house, size - AuditRecord.objects.count(), since, until)
        found[size] = {form: made_apart(MAKE, form) for form in (forms.CSV, forms.XLSX)}
    short, long = found.values()
    for form in (forms.CSV, forms.XLSX, JSON_LINES):
        few, many = (made_apart(WRITE, form, lines) for lines in (int(SHORT), MANY))
        tell(
            f"papers.{form}.many",
            f"the same writer with {SHORT} lines",
            many["megabytes"],
            few["megabytes"],
            unit="MB",
            n=many["lines"],
            repeats=1,
            goals={"growth": at_most(GROWTH)},
            growth=round(many["megabytes"] / few["megabytes"], 2),
            processor=many["processor"],
            size=many["size"],
        )
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


def made_apart(how, form, lines=0):
    """Return what a process of its own says of making the paper: lines, greatest memory, processor seconds,
    megabytes of the file, and how often the progress was told."""
    command = [sys.executable, "-m", "benchmarks.papers", how, form, str(lines)]
    said = subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    return json.loads(said.stdout.splitlines()[-1])


@contextmanager
def asked(form):
    """The journal, and who asks for it."""
    site = Site.objects.get()
    days = (gaming_day(site, BEFORE), gaming_day(site, NOW))
    act = Act(Staff.objects.get(username="floor"), timezone.now(), "bench-paper")
    with tempfile.TemporaryFile() as out:
        yield out, forms.AskedPaper(PAPER, form, days, players=False), {"site": site, "act": act}


def make(form):
    told = []
    with asked(form) as (out, paper, by):
        start = time.process_time()
        written = forms.write(out, paper, progress=lambda done, of: told.append(done), **by)
        say(out, written.lines, start, told=len(told))


def write(form, lines):
    """Write that many lines through the writer of a form alone. Its lines are those of the journal."""
    with (
        asked(forms.CSV) as (one, paper, by),
        tempfile.TemporaryFile() as many,
        tempfile.TemporaryFile() as out,
    ):
        forms.write(one, paper, **by)
        one.seek(0)
        head, *body = lines_of(one)
        many.writelines(chain([head], islice(cycle(body), lines)))
        many.seek(0)
        start, papers = time.process_time(), forms.papers_of(paper)
        if form == JSON_LINES:
            out.writelines(in_json(many, page_of(many, "", "", None), papers[0]))
        else:
            forms.WRITERS[form](out, papers, {papers[0].name: many}, Names({}, {}), ABOUT)
        say(out, lines, start)


def say(out, lines, start, **more):
    processor = round(time.process_time() - start, 1)
    greatest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    figures = {"lines": lines, "megabytes": greatest, "processor": processor, "size": out.tell() >> 20}
    print(json.dumps(figures | more))


if __name__ == "__main__":
    if MEASURE in sys.argv:
        measure()
    elif MAKE in sys.argv:
        make(sys.argv[-2])
    elif WRITE in sys.argv:
        write(sys.argv[-2], int(sys.argv[-1]))
    else:
        on_databases(__file__, "sqlite")
