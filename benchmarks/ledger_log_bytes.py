"""What a round takes on SQLite: all rows and indexes that a night adds, and its records by kind. The night is
`manage.py simulate`'s; BENCH_HOURS=20 plays a longer one. Its log is sealed under one checkpoint; a busy
house signs one of 3.6 kB every 15 seconds."""

import json
import os
import sys
from collections import defaultdict
from datetime import timedelta

from django.core.management import call_command
from django.db import connection

from benchmarks._house import MEASURE, OPENING, on_databases
from benchmarks._measure import at_most, tell
from casino.demo.nights.house import SimulatedHouse
from casino.demo.nights.plan import figures, play_night
from casino.demo.people import employ_people
from ledger.models import AuditRecord, Site
from ledger.proof.log import sealing

HOURS = float(os.environ.get("BENCH_HOURS") or "10")
TABLES = 6


def found(sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()


def in_file():
    return found("SELECT sum(pgsize), sum(payload) FROM dbstat")


def measure():
    call_command("migrate", verbosity=0)
    site = Site.objects.create(name="The Fifth Street Room", licence="GEGE-001234", demo=True)
    employ_people()
    pages, payload = in_file()
    house = SimulatedHouse(site=site, seed=1, start=OPENING, watch=lambda now: None)
    play_night(house, tables=TABLES, hours=HOURS)
    sealing.seal(site, now=OPENING + timedelta(hours=HOURS + 2))
    rounds = figures(house).rounds
    pages_after, payload_after = in_file()
    a_round = (pages_after - pages) / rounds
    goals, figures_of = {"ours": at_most(5000)}, {"unit": "bytes", "n": rounds, "repeats": 1}
    held = (payload_after - payload) / rounds
    tell("round.bytes", "what its pages hold", a_round, held, goals=goals, **figures_of)
    kinds = defaultdict(list)
    for kind, text in AuditRecord.objects.values_list("kind", "text"):
        kinds[kind, json.loads(text)[1].get("kind", "")].append(len(text.encode()))
    total = sum(map(sum, kinds.values())) / rounds
    more = {"records": round(sum(map(len, kinds.values())) / rounds, 2)}
    kept = found("SELECT sum(length(text)) FROM ledger_auditrecord")[0] / rounds
    goals = {"ours": at_most(1500)}
    tell("round.records.kept", "their texts", kept, total, goals=goals, **figures_of, **more)
    tell("round.records", "all it weighs", total, a_round, **figures_of, **more)
    for (kind, of), sizes in sorted(kinds.items(), key=lambda item: -sum(item[1]))[:8]:
        more = {"a_round": round(len(sizes) / rounds, 2)}
        name = f"round.records {kind} {of}".strip()
        tell(name, "all records", sum(sizes) / rounds, total, **figures_of, **more)


if __name__ == "__main__":
    if MEASURE in sys.argv:
        measure()
    else:
        on_databases(__file__, "sqlite")
