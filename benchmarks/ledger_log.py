"""The audit log: what sealing costs those who post, and how fast books are verified, exported and printed.
Nights are played through the verbs. BENCH_ROUNDS=5000,20000 measures more of them. In one mix all rounds are
at one moment, with one fee a player; in the other the clock goes on, as in a house."""

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from datetime import timedelta
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path

import psycopg
from django.db import connection
from django.test import RequestFactory

from benchmarks._house import LIMIT_CENTS, MEASURE, NOW, House, on_databases
from benchmarks._measure import at_least, at_most, tell
from casino import roles
from casino.models import Staff
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day
from ledger.models import AuditRecord, Site
from ledger.proof.log import exporting, sealing
from ledger.proof.log.verifying import Verification
from ledger.views.journal import journal_csv
from tables.models import Sitting
from tables.rounds import settling

ROUNDS = [int(number) for number in (os.environ.get("BENCH_ROUNDS") or "1000,2000,4000").split(",")]
WITH_FEES = "BENCH_WITH_FEES" in os.environ  # set for the second mix
PACE, DAY = timedelta(minutes=3, seconds=30), timedelta(days=1)
MOST_MEGABYTES = 100  # of the verifier, however long the log is
TABLES, NIGHT = 20, 100  # rounds at a table in one session
SIGNED = 5  # rounds between two checkpoints, by what 20 tables play in 15 seconds
POSTED, POST_REPEATS = 300, 5
SHARE_SEALED = 0.95  # at least, of posting without a sealer
ROWS = """
  SELECT entry.id, line, entry.kind, gaming_day, occurred_at, recorded_at, actor.username, \
approver.username, terminal,
    reason, reverses_id, key, source.kind, source.label, target.kind, target.label, transfer.asset, cents
  FROM ledger_journalentry entry
    JOIN casino_staff actor ON actor.id = actor_id
    LEFT JOIN casino_staff approver ON approver.id = approver_id
    LEFT JOIN ledger_transfer transfer ON entry_id = entry.id
    LEFT JOIN ledger_account source ON source.id = source_id
    LEFT JOIN ledger_account target ON target.id = target_id
  ORDER BY entry.id, line
"""


def megabytes():
    """Return this program's peak memory; getrusage would count what came before its exec."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


# -- sealing ---------------------------------------------------------------------------------------


def seal_on_and_on(stop):
    """Seal ten times a second, in another process, until told to stop."""
    site = Site.objects.get()
    while not stop.wait(0.1):
        sealing.seal(site, now=NOW)


def post_some(house, stacks):
    """Return the seconds for so many entries, each moving a chip to the next stack and back."""
    dealer = house.people["dealer"]
    start = time.perf_counter()
    for number in range(POSTED):
        one, other = stacks if number % 2 else reversed(stacks)
        draft = posting.EntryDraft(
            kind="round",
            moves=(posting.Move(one, other, LIMIT_CENTS),),
            evidence={"n": number},
            content={"n": number},
            act=Act(dealer, NOW, house.key()),
        )
        posting.post(site=house.site, draft=draft)
    return time.perf_counter() - start


def measure_sealing(house):
    seated = Sitting.objects.filter(left_at__isnull=True).order_by("pk")
    stacks = list(seated.values_list("stack_id", flat=True)[:2])
    context, off, on, alone = get_context("spawn"), [], [], []
    post_some(house, stacks)
    for _repeat in range(POST_REPEATS):
        off.append(post_some(house, stacks))
        start = time.perf_counter()
        count = sealing.seal(house.site, now=NOW)
        alone.append((time.perf_counter() - start) / count)
        stop = context.Event()
        sealer = context.Process(target=seal_on_and_on, args=(stop,))
        sealer.start()
        time.sleep(3)  # until it has begun
        on.append(post_some(house, stacks))
        stop.set()
        sealer.join()
    us = [statistics.median(seconds) / POSTED * 1e6 for seconds in (on, off)]
    figures = {"n": POSTED, "repeats": POST_REPEATS, "database": connection.vendor}
    goals = {"ratio": at_least(SHARE_SEALED)}
    measure = f"ledger.seal.{connection.vendor}"
    tell(measure, "posting without a sealer", *us, unit="us an entry", goals=goals, **figures)
    texts = [text.encode() for text in AuditRecord.objects.values_list("text", flat=True)]
    start = time.perf_counter()
    for text in texts:
        sha256(text).digest()
    hashing = (time.perf_counter() - start) / len(texts) * 1e6
    sealing_one = statistics.median(alone) * 1e6
    tell(
        "ledger.seal.record",
        "hashing the same texts",
        sealing_one,
        hashing,
        unit="us a record",
        **figures,
        per_second=round(1e6 / sealing_one),
    )


# -- the whole log ---------------------------------------------------------------------------------


def alone(work, *arguments):
    """Run a function in a process of its own, so that its memory can be measured."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def moment(number):
    night, of_the_night = divmod(number, TABLES * NIGHT)
    return NOW + night * DAY + of_the_night // TABLES * PACE if WITH_FEES else NOW


def play(house, rng, played, count):
    """Settle rounds up to number `count`, turning tables over and sealing as often as a house does."""
    for number in range(played, count):
        now = moment(number)
        if number and not number % (TABLES * NIGHT):
            house.turn_over(now)
        entry = house.start(house.sessions[number % TABLES], rng, now)
        settling.settle_round(entry=entry, act=Act(actor=house.dealer_of[entry.round_id], now=now))
        if not number % SIGNED:
            sealing.seal(house.site, now=now)


def verify():
    """Return the seconds of a verification and of hashing the bytes, MB used, and number of findings."""
    before, start = megabytes(), time.perf_counter()
    findings = list(Verification(Site.objects.get()).run())
    seconds, peak = time.perf_counter() - start, megabytes() - before
    for finding in findings[:3]:
        print(finding, file=sys.stderr)
    start = time.perf_counter()
    for text in AuditRecord.objects.order_by("pk").values_list("text", flat=True).iterator(2000):
        sha256(text.encode()).digest()
    return seconds, time.perf_counter() - start, peak, len(findings)


def export(path):
    before, start = megabytes(), time.perf_counter()
    with open(path, "wb") as out:
        exporting.export(out, site=Site.objects.get(), act=Act(actor=None, now=NOW))
    return time.perf_counter() - start, megabytes() - before


ON_ONE_CORE = """
import json, os, runpy, sys, time
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
sys.argv = sys.argv[1:]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit as end:
    held = open("/proc/self/status").read().split("VmHWM:")[1].split()[0]
    print(json.dumps([time.process_time(), int(held) / 1024, end.code]), file=sys.stderr)
"""


def run_verifier(path):
    """Run the exported verifier; return clock and one-core CPU seconds, peak memory, and exit statuses."""
    with tempfile.TemporaryDirectory() as empty:
        with zipfile.ZipFile(path) as archive:
            archive.extract("verify.pyz", empty)
        quiet = {"cwd": empty, "stdout": subprocess.DEVNULL, "check": False}
        start = time.perf_counter()
        done = subprocess.run([sys.executable, "-I", "verify.pyz", path], **quiet)
        seconds = time.perf_counter() - start
        command = [sys.executable, "-c", ON_ONE_CORE, "verify.pyz", path]
        one = subprocess.run(command, stderr=subprocess.PIPE, **quiet)
    processor, held, status = json.loads(one.stderr.splitlines()[-1])
    return seconds, processor, held, [done.returncode, status]


def print_journal():
    """Return the seconds to the first and the last byte of the day's journal, and MB used."""
    request = RequestFactory().get("/")
    request.user = Staff.objects.get(username="reader")
    before, start = megabytes(), time.perf_counter()
    pieces = iter(journal_csv(request, gaming_day(Site.objects.get(), NOW)).streaming_content)
    size, first = len(next(pieces)), time.perf_counter() - start
    size += sum(map(len, pieces))
    return first, time.perf_counter() - start, megabytes() - before, size


def copy_journal():
    start, first = time.perf_counter(), None
    copying = f"COPY ({ROWS}) TO STDOUT (FORMAT csv, HEADER)"
    with psycopg.connect(os.environ["DATABASE_URL"]) as driver, driver.cursor().copy(copying) as copy:
        for _ in copy:
            first = first or time.perf_counter() - start
    return first, time.perf_counter() - start


def shell_journal():
    command = ["sqlite3", "-csv", "-header", connection.settings_dict["NAME"], ROWS]
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as shell:
        shell.stdout.read(1)
        first = time.perf_counter() - start
        while shell.stdout.read(1 << 16):
            pass
    return first, time.perf_counter() - start


def measure_journal(figures):
    ways = {"postgresql": (copy_journal, "COPY"), "sqlite": (shell_journal, "sqlite3 -csv")}
    theirs, name = ways[connection.vendor]
    if theirs is shell_journal and shutil.which("sqlite3") is None:
        return
    first, whole, peak, size = alone(print_journal)
    first_theirs, whole_theirs = alone(theirs)
    more = {"megabytes": round(peak, 1), "bytes": size}
    tell("ledger.csv", f"{name} of the same rows", whole, whole_theirs, unit="s", **figures, **more)
    figures["unit"] = "s to the first byte"
    tell("ledger.csv.first", f"{name} of the same rows", first, first_theirs, **figures)


def measure_log(count, folder):
    now = moment(count - 1)
    mix = "with fees" if WITH_FEES else "without fees"
    figures = {"n": count, "repeats": 1, "database": connection.vendor, "mix": mix}
    sealing.seal(Site.objects.get(), now=now)
    seconds, hashing, peak, findings = alone(verify)
    more = {"rounds_per_second": round(count / seconds), "megabytes": round(peak, 1), "findings": findings}
    tell("audit.verify", "hashing the stored bytes", seconds, hashing, unit="s", **figures, **more)
    path = str(Path(folder, f"{count}.zip"))
    exporting_it, peak = alone(export, path)
    more = {"rounds_per_second": round(count / exporting_it), "megabytes": round(peak, 1)}
    tell("audit.export", "hashing the stored bytes", exporting_it, hashing, unit="s", **figures, **more)
    verifying, processor, held, status = alone(run_verifier, path)
    more = {"rounds_per_second": round(count / verifying), "exit_status": status}
    more |= {"rounds_per_second_on_one_core": round(count / processor), "megabytes": round(held, 1)}
    more["goals"] = {"megabytes": at_most(MOST_MEGABYTES)}
    tell("verify.pyz", "hashing the stored bytes", verifying, hashing, unit="s", **figures, **more)
    if not WITH_FEES:
        measure_journal(figures)


def measure():
    house, rng, played = House(TABLES), random.Random(1), 0
    reader = Staff.objects.create_user("reader", password="reader signs in")
    roles.assign(reader, "regulator")
    with tempfile.TemporaryDirectory() as folder:
        for count in ROUNDS:
            play(house, rng, played, count)
            played = count
            measure_log(count, folder)
    if not WITH_FEES:
        measure_sealing(house)  # last: what it posts belongs to no round


if __name__ == "__main__":
    if MEASURE in sys.argv:
        measure()
    else:
        on_databases(__file__, "postgresql", "sqlite")
        os.environ["BENCH_WITH_FEES"] = "1"
        on_databases(__file__, "sqlite")
