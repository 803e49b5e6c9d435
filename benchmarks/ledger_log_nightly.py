"""The nightly verification over a growing log: new records cost the same, and old ones next to nothing.

The old records are chip sales written in bulk; the new ones are rounds played through the verbs.
BENCH_RECORDS=10000,100000,1000000 measures more old records, BENCH_NEW=4000 more rounds. A full run is
measured beside it. Each size has a house of its own, because a house's time only goes forward.
"""

import copy
import os
import random
import sys
import time
from datetime import timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F

from benchmarks._house import MEASURE, NOW, OPENING, House, on_databases
from benchmarks._measure import at_most, tell
from benchmarks.ledger_log import TABLES, play
from ledger.cage.window import sell_chips
from ledger.db import snapshots
from ledger.journal import records
from ledger.journal.acts import Act
from ledger.models import Account, AuditRecord, JournalEntry, Transfer
from ledger.proof.audit.kept import KeptFolder
from ledger.proof.log import continuing, keys, sealing
from ledger.proof.log.tree import Outside
from ledger.proof.log.verifying import Verification
from ledger.rules.denominations import Pieces

RECORDS = "10000,100000"
NEW = int(os.environ.get("BENCH_NEW") or "400")  # rounds on top of each size
AT_ONCE = 2000
# the goal: so many seconds at most for ROUNDS new rounds on OLD old records
SECONDS, OLD, ROUNDS = 10, 1_000_000, 4000
CENTS = 100
BEFORE = OPENING - timedelta(hours=4)  # when the first of them is sold


def sell(house, count, since, until):
    """Write so many chip sales between these moments, each with its record, and the resulting balances."""
    act = Act(house.people["cashier"], since, house.key())
    first = sell_chips(site=house.site, cents=CENTS, pieces=Pieces({CENTS: 1}), act=act)
    lines = list(first.transfers.select_related("source", "target").order_by("line"))
    told = [
        (one.asset, one.cents, one.source_id, one.source.kind, one.target_id, one.target.kind)
        for one in lines
    ]
    for begin in range(0, count, AT_ONCE):
        with transaction.atomic():
            numbers = range(begin, min(begin + AT_ONCE, count))
            sell_some(house, first, lines, told, [since + (until - since) * at / count for at in numbers])
    sealing.seal(house.site, now=NOW)


def sell_some(house, first, lines, told, times):
    """Write the rows of a sale like the first at each of these times."""
    entries = [copy.copy(first) for _ in times]
    for entry, at in zip(entries, times, strict=True):
        entry.pk, entry.key, entry._state = None, house.key(), type(first._state)()
        entry.occurred_at = entry.recorded_at = at
    entries = JournalEntry.objects.bulk_create(entries)
    Transfer.objects.bulk_create(
        Transfer(
            entry=entry,
            line=one.line,
            source_id=one.source_id,
            target_id=one.target_id,
            asset=one.asset,
            cents=one.cents,
        )
        for entry in entries
        for one in lines
    )
    evidence = first.evidence
    around = [records.entry_text_around(entry, evidence, told) for entry in entries]
    AuditRecord.objects.bulk_create(
        AuditRecord(
            site=house.site,
            kind="entry",
            subject=entry.pk,
            recorded_at=entry.recorded_at,
            text=f"{before}{entry.pk}{after}",
        )
        for entry, (before, after) in zip(entries, around, strict=True)
    )
    for one in lines:
        for account, cents in ((one.source_id, -one.cents), (one.target_id, one.cents)):
            Account.objects.filter(pk=account).update(balance_cents=F("balance_cents") + len(times) * cents)


def verify(house, *, full):
    """Run `audit verify`; return clock and CPU seconds, number of findings, and why it restarted."""
    log, start, cpu = sealing.log_of(house.site), time.perf_counter(), time.process_time()
    signer = keys.own_signer(log)
    outside = Outside(folder=KeptFolder(settings.CHECKPOINTS, log.origin))
    asked = Verification(house.site, None, outside, now=NOW, leave=True)
    with snapshots.snapshot():
        if not full:
            asked.start = continuing.newest(settings.CHECKPOINTS, log, [signer.key])
        findings = list(asked.run())
    if asked.state is not None:
        continuing.write(settings.CHECKPOINTS, log, asked.state, signer, now=NOW)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    for finding in findings[:3]:
        print(finding, file=sys.stderr)
    return seconds, round(cpu, 2), len(findings), asked.again


def measure():
    house, size = House(TABLES), int(os.environ["BENCH_RECORDS"])
    sell(house, size - AuditRecord.objects.count(), BEFORE, OPENING)
    whole, whole_cpu, *_ = verify(house, full=True)
    quiet, quiet_cpu, *_ = verify(house, full=False)
    play(house, random.Random(1), 0, NEW)
    sealing.seal(house.site, now=NOW)
    night, cpu, findings, again = verify(house, full=False)
    log = sealing.log_of(house.site)
    state = max(continuing.folder_of(settings.CHECKPOINTS, log.origin).glob("verified-*"))
    figures = {"new_rounds": NEW, "without_anything_new": round(quiet, 2), "findings": findings}
    figures |= {"processor": cpu, "processor_without": quiet_cpu, "processor_of_all": whole_cpu}
    figures |= {"again": again, "state_bytes": state.stat().st_size, "database": connection.vendor}
    goals = {"ours": at_most(SECONDS)} if size >= OLD and NEW >= ROUNDS else None
    more = {"n": size, "repeats": 1, "goals": goals, **figures}
    tell(f"audit.verify.nightly.{connection.vendor}", "verifying all of it", night, whole, unit="s", **more)


if __name__ == "__main__":
    if MEASURE in sys.argv:
        measure()
    else:
        for size in (os.environ.get("BENCH_RECORDS") or RECORDS).split(","):
            os.environ["BENCH_RECORDS"] = size
            on_databases(__file__, "postgresql", "sqlite")
