"""Settling a round as the screens do, and posting its entry alone, against the same rows inserted without any question.

Ours locks, checks rights, keys, cards, limits, the clock and the gaming day, writes entry, transfers, record and
settlement, changes balances and the round, and is durable. The floor is one transaction of four INSERTs of the very
same rows, in the plainest driver with statements prepared, into copies of the four tables with their indexes, checks
and foreign keys, but without triggers. Clients are processes, each at tables of its own.
"""

import json
import os
import random
import sqlite3
import statistics
import sys
import time
from importlib.metadata import version
from multiprocessing import get_context

import psycopg
from django.db import connection

from benchmarks._hordak import Hordak, make_database
from benchmarks._house import MEASURE, NOW, PLAYERS, House, on_databases
from benchmarks._measure import at_least, tell
from casino.models import Staff
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.models import Account, AuditRecord, JournalEntry, Site, Transfer
from tables.models import Settlement
from tables.rounds import settling

TABLES = int(os.environ.get("BENCH_TABLES") or "100")
REPEATS = int(os.environ.get("BENCH_REPEATS") or "5")
FOREIGN_KEYS = (
    "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f' AND conrelid = %s::regclass"
)
CLIENTS = (1, 4)
# At least, of the floor; by the number of clients.
SHARES = {"postgresql": {1: 0.55, 4: 0.60}, "sqlite": {1: 0.50, 4: 0.60}}
COPIED = {
    model._meta.db_table: f"raw_{model._meta.model_name}"
    for model in (JournalEntry, Transfer, AuditRecord, Settlement)
}


# -- what a client does ---------------------------------------------------------------------------------------


class Client:
    """One process with its connections; every work takes what was made ready for one round."""

    def __init__(self):
        self.site = Site.objects.get()
        self.dealer = Staff.objects.get(username="dealer")
        self.dealer.get_all_permissions()
        self.dealers = {person.pk: person for person in Staff.objects.filter(username__startswith="dealer")}
        for person in self.dealers.values():
            person.get_all_permissions()
        self.raw = raw_connection()

    def settle(self, job):
        entry, dealer = job
        settling.settle_round(entry=entry, act=Act(actor=self.dealers[dealer], now=NOW))

    def post(self, draft):
        key, moves, evidence = draft
        posting.post(
            site=self.site,
            draft=posting.EntryDraft(
                kind="round",
                moves=moves,
                evidence=evidence,
                content=evidence["input"],
                act=Act(self.dealer, NOW, key),
            ),
        )

    def insert(self, statements):
        if connection.vendor == "sqlite":
            self.raw.execute("BEGIN IMMEDIATE")
            for statement in statements:
                self.raw.execute(*statement)
            self.raw.execute("COMMIT")
            return
        with self.raw.transaction():
            for statement in statements:
                self.raw.execute(*statement, prepare=True)


def raw_connection():
    settings = connection.settings_dict
    if connection.vendor == "sqlite":
        raw = sqlite3.connect(settings["NAME"], isolation_level=None, timeout=20)
        raw.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;")
        return raw
    return psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)


def serve(pipe):
    """A client's loop: (name of the work, moment to begin, what for) -> when it began and ended."""
    client = Client()
    pipe.send("ready")
    while (job := pipe.recv()) is not None:
        name, begin, each = job
        work = getattr(client, name)
        time.sleep(max(0.0, begin - time.perf_counter()))
        start = time.perf_counter()
        for one in each:
            work(one)
        pipe.send((start, time.perf_counter()))


class Clients:
    """Client processes that wait for work."""

    def __init__(self, count):
        context = get_context("spawn")
        self.pipes = []
        for _ in range(count):
            ours, theirs = context.Pipe()
            context.Process(target=serve, args=(theirs,), daemon=True).start()
            self.pipes.append(ours)
        for pipe in self.pipes:
            pipe.recv()

    def stop(self):
        for pipe in self.pipes:
            pipe.send(None)

    def run(self, name, work, clients):
        """Seconds a round when so many of them share the work."""
        begin = time.perf_counter() + 0.03
        pipes = self.pipes[:clients]
        for number, pipe in enumerate(pipes):
            pipe.send((name, begin, work[number::clients]))
        took = [pipe.recv() for pipe in pipes]
        return (max(end for _, end in took) - min(start for start, _ in took)) / len(work)


# -- the floor ------------------------------------------------------------------------------------------------


def make_copies():
    """Tables with the same columns, checks and indexes, and nothing else."""
    with connection.cursor() as cursor:
        for table, copy in COPIED.items():
            if connection.vendor == "postgresql":
                cursor.execute(f"CREATE TABLE {copy} (LIKE {table} INCLUDING ALL)")
                cursor.execute(FOREIGN_KEYS, [table])
                for number, (definition,) in enumerate(cursor.fetchall()):
                    own = COPIED.items()
                    for there, here in own:
                        definition = definition.replace(f"REFERENCES {there}(", f"REFERENCES {here}(")
                    cursor.execute(f"ALTER TABLE {copy} ADD CONSTRAINT {copy}_{number} {definition}")
                continue
            cursor.execute(
                "SELECT name, sql FROM sqlite_master WHERE tbl_name = %s AND type IN ('table', 'index')",
                [table],
            )
            for name, sql in cursor.fetchall():
                if sql:
                    plain = sql.replace(f'"{name}"', f'"raw_{name}"', 1).replace(
                        f'ON "{table}"', f'ON "{copy}"'
                    )
                    cursor.execute(plain.replace(f'"raw_{table}"', f'"{copy}"'))


def same_rows(keys):
    """For each of these entries, the statements that write its rows again into the copies."""
    made = []
    for key in keys:
        entry = JournalEntry.objects.values_list("pk", flat=True).get(key=key)
        sources = {
            JournalEntry: {"pk": entry},
            Transfer: {"entry": entry},
            AuditRecord: {"kind": "entry", "subject": entry},
            Settlement: {"entry": entry},
        }
        made.append(
            [
                inserted(model, filters)
                for model, filters in sources.items()
                if model.objects.filter(**filters).exists()
            ]
        )
    return made


def inserted(model, filters):
    table = model._meta.db_table
    columns = [field.column for field in model._meta.concrete_fields]
    where = " AND ".join(
        f"{model._meta.get_field(name).column if name != 'pk' else 'id'} = %s" for name in filters
    )
    mark = "?" if connection.vendor == "sqlite" else "%s"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {', '.join(columns)} FROM {table} WHERE {where} ORDER BY id", list(filters.values())
        )
        rows = cursor.fetchall()
    values = ", ".join(["(" + ", ".join([mark] * len(columns)) + ")"] * len(rows))
    return f"INSERT INTO {COPIED[table]} ({', '.join(columns)}) VALUES {values}", [
        value for row in rows for value in row
    ]


def reversed_drafts(house, keys):
    """Entries that move the same chips back, so that the stacks stay as they are."""
    return [
        (house.key(), posting.mirror(entry), json.loads(entry.evidence))
        for entry in JournalEntry.objects.filter(key__in=keys).order_by("pk")
    ]


def transfers_of(keys):
    """The transfers of each of these entries: (payer, receiver, cents), with the stacks of the house by number."""
    stacks = Account.objects.filter(kind="stack").order_by("pk").values_list("pk", flat=True)
    numbers = {pk: number for number, pk in enumerate(stacks)}
    return [
        [
            (numbers[transfer.source_id], numbers[transfer.target_id], transfer.cents)
            for transfer in entry.transfers.all()
        ]
        for entry in JournalEntry.objects.filter(key__in=keys).prefetch_related("transfers")
    ]


def hordak_beside():
    """django-hordak on the same server; None where that is SQLite, which it does not take."""
    if connection.vendor == "sqlite":
        return None
    make_database(os.environ["DATABASE_URL"])
    return Hordak(os.environ["DATABASE_URL"], TABLES * PLAYERS)


def measure():
    house, rng = House(TABLES), random.Random(1)
    make_copies()
    clients, hordak, by_hordak = Clients(max(CLIENTS)), hordak_beside(), []
    took = {(name, count): [] for name in ("settle", "post", "insert") for count in CLIENTS}
    for _repeat in range(REPEATS + 1):
        for count in CLIENTS:
            entries = house.start_all(rng)
            keys = [entry.key for entry in entries]
            jobs = [(entry, house.dealer_of[entry.round_id].pk) for entry in entries]
            took["settle", count].append(clients.run("settle", jobs, count))
            took["insert", count].append(clients.run("insert", same_rows(keys), count))
            took["post", count].append(clients.run("post", reversed_drafts(house, keys), count))
            if hordak is not None and count == 1:
                by_hordak.append(hordak.run(transfers_of(keys)))
    clients.stop()
    if hordak is not None:
        hordak.stop()
        tell(
            "ledger.settle.postgresql.hordak",
            f"the transfers alone by transfer_to of django-hordak {version('django-hordak')}",
            statistics.median(took["settle", 1][1:]) * 1e6,
            statistics.median(by_hordak[1:]) * 1e6,
            unit="us a round",
            n=TABLES,
            repeats=REPEATS,
        )
    where = {"sqlite": "sqlite3, WAL and FULL", "postgresql": f"psycopg {psycopg.__version__}, fsync"}[
        connection.vendor
    ]
    for count in CLIENTS:
        us = {name: statistics.median(took[name, count][1:]) * 1e6 for name in ("settle", "post", "insert")}
        for name in ("settle", "post"):
            tell(
                f"ledger.{name}.{connection.vendor}.{count}",
                f"the same rows inserted by {where}",
                us[name],
                us["insert"],
                unit="us a round",
                n=TABLES,
                repeats=REPEATS,
                clients=count,
                goals={"ratio": at_least(SHARES[connection.vendor][count])} if name == "settle" else None,
            )


if __name__ == "__main__":
    if MEASURE in sys.argv:
        measure()
    else:
        on_databases(__file__, "postgresql", "sqlite")
