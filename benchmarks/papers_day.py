"""Every paper of a gaming day in each form: no paper of a day should take more than a second.

The night is `manage.py simulate`'s, six tables for BENCH_HOURS=4; the log is sealed before. What is compared
is the processor's time, that of printing in its own process too. A paper too long to print has no PDF.
"""

import io
import os
import resource
import statistics
import sys
from datetime import timedelta

from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from benchmarks._house import MEASURE, OPENING, on_databases
from benchmarks._measure import at_most, tell
from casino.demo.nights.house import SimulatedHouse
from casino.demo.nights.plan import figures, play_night
from casino.demo.people import employ_people
from casino.models import Staff
from ledger.errors import PaperTooLong
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day
from ledger.models import Site
from ledger.papers.paper import declared
from ledger.proof.log import forms, sealing

HOURS = float(os.environ.get("BENCH_HOURS") or "4")
TABLES = 6
A_SECOND = 1.0


def measure():
    call_command("migrate", verbosity=0)
    site = Site.objects.create(name="The Fifth Street Room", licence="GEGE-001234", demo=True)
    employ_people()
    house = SimulatedHouse(site=site, seed=1, start=OPENING, watch=lambda now: None)
    play_night(house, tables=TABLES, hours=HOURS)
    sealing.seal(site, now=timezone.now())
    day, rounds = gaming_day(site, OPENING + timedelta(hours=1)), figures(house).rounds
    act = Act(Staff.objects.get(username="compliance"), timezone.now(), "bench-paper")
    for form in forms.WRITERS:
        taken = {}
        for paper in declared(players=True):
            asked = forms.AskedPaper(forms.slug(paper), form, (day, day), players=True)
            try:
                taken[asked.name] = made(site, asked, act)
            except PaperTooLong as long:
                print(f"{form}: {long}", file=sys.stderr)
        dearest = max(taken, key=lambda name: taken[name][0])
        seconds, lines = taken[dearest]
        tell(
            f"papers.day.{form}.{connection.vendor}",
            "a second",
            seconds,
            A_SECOND,
            unit="s",
            n=lines,
            repeats=1,
            goals={"ours": at_most(A_SECOND)},
            dearest=dearest,
            median=round(statistics.median(seconds for seconds, _ in taken.values()), 3),
            papers=len(taken),
            rounds=rounds,
        )


def made(site, asked, act):
    """Return the seconds of processor that a paper takes, and its lines."""
    begun = processor()
    written = forms.write(io.BytesIO(), asked, site=site, act=act)
    return processor() - begun, written.lines


def processor():
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in uses)


if __name__ == "__main__":
    if MEASURE in sys.argv:
        measure()
    else:
        on_databases(__file__, "sqlite")
