"""Settling a round as the screens do, and posting its entry alone, against the bare writes of the same rows.

Ours locks, checks rights, keys, cards, limits, clock and gaming day, writes entry, transfers, record and
settlement, and updates balances and round, durably. The `floor` checks nothing: one transaction, as durable,
inserts the same rows and makes the same updates with prepared statements of the plain driver, in copies of
the tables with indexes, checks and foreign keys but no triggers. `inserts` are the four INSERTs alone, which
no program with stored balances can do with. Clients are processes, each at tables of its own.
"""

import json
import os
import random
import sqlite3
import statistics
import sys
import time
from collections import defaultdict
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
from tables.models import Round, Settlement
from tables.rounds import settling

TABLES = int(os.environ.get("BENCH_TABLES") or "100")
REPEATS = int(os.environ.get("BENCH_REPEATS") or "5")
FOREIGN_KEYS = (
    "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f' AND conrelid = %s::regclass"
)
CLIENTS = (1, 4)
# At least, as a share of the floor's speed, by the number of clients.
SHARES = {"postgresql": {1: 0.55, 4: 0.60}, "sqlite": {1: 0.50, 4: 0.60}}
INSERTED = (JournalEntry, Transfer, AuditRecord, Settlement)
UPDATED = (Account, Round)
FLOOR, INSERTS = "floor", "inserts"  # each writes into copies of its own, since the rows are the same


# -- what a client does ----------------------------------------------------------------------------


class Client:
    """One process with its connections; every work takes what was prepared for one round."""

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

    def write(self, statements):
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
    """A client's loop: receives (work, moment to begin, arguments), sends when it began and ended."""
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
        """Return the seconds a round when so many clients share the work."""
        begin = time.perf_counter() + 0.03
        pipes = self.pipes[:clients]
        for number, pipe in enumerate(pipes):
            pipe.send((name, begin, work[number::clients]))
        took = [pipe.recv() for pipe in pipes]
        return (max(end for _, end in took) - min(start for start, _ in took)) / len(work)


# -- the floor -------------------------------------------------------------------------------------


def copy_of(table, side):
    return f"{side}_{table}"


def make_copies(side, models):
    tables = [model._meta.db_table for model in models]
    with connection.cursor() as cursor:
        for table in tables:
            if connection.vendor == "postgresql":
                cursor.execute(f"CREATE TABLE {copy_of(table, side)} (LIKE {table} INCLUDING ALL)")
            else:
                copy_on_sqlite(cursor, table, side)
        if connection.vendor == "postgresql":
            for table in tables:
                add_foreign_keys(cursor, table, side, tables)


def add_foreign_keys(cursor, table, side, tables):
    copy = copy_of(table, side)
    cursor.execute(FOREIGN_KEYS, [table])
    for number, (definition,) in enumerate(cursor.fetchall()):
        for other in tables:
            definition = definition.replace(f"REFERENCES {other}(", f"REFERENCES {copy_of(other, side)}(")
        cursor.execute(f"ALTER TABLE {copy} ADD CONSTRAINT {copy}_{number} {definition}")


def copy_on_sqlite(cursor, table, side):
    copy = copy_of(table, side)
    cursor.execute(
        "SELECT name, sql FROM sqlite_master WHERE tbl_name = %s AND type IN ('table', 'index')", [table]
    )
    for name, sql in cursor.fetchall():
        if sql:
            plain = sql.replace(f'"{name}"', f'"{side}_{name}"', 1).replace(f'ON "{table}"', f'ON "{copy}"')
            cursor.execute(plain)


def bring_up():
    """Copy the rows that the floor updates, as they are before the rounds are settled."""
    with connection.cursor() as cursor:
        for model in UPDATED:
            table = model._meta.db_table
            copy = copy_of(table, FLOOR)
            newest = f"(SELECT coalesce(max(id), 0) FROM {copy})"
            cursor.execute(f"INSERT INTO {copy} SELECT * FROM {table} WHERE id > {newest}")
        ours, theirs = Account._meta.db_table, copy_of(Account._meta.db_table, FLOOR)
        cursor.execute(
            f"UPDATE {theirs} SET balance_cents = {ours}.balance_cents FROM {ours} WHERE {ours}.id = "
            f"{theirs}.id"
        )


def same_inserts(keys, side):
    """Return for each entry the statements that write its rows again into these copies."""
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
                inserted(model, filters, side)
                for model, filters in sources.items()
                if model.objects.filter(**filters).exists()
            ]
        )
    return made


def same_changes(keys):
    """Return for each entry what writes its rows and repeats its updates."""
    return [
        [*statements, *updated(JournalEntry.objects.get(key=key))]
        for key, statements in zip(keys, same_inserts(keys, FLOOR), strict=True)
    ]


def mark():
    return "?" if connection.vendor == "sqlite" else "%s"


def updated(entry):
    """Yield the statements that update an entry's balances, all in one, and its round."""
    changes = defaultdict(int)
    for transfer in entry.transfers.all():
        changes[transfer.source_id] -= transfer.cents
        changes[transfer.target_id] += transfer.cents
    changes = {account: cents for account, cents in changes.items() if cents}
    accounts, rounds, one = (*(copy_of(model._meta.db_table, FLOOR) for model in UPDATED), mark())
    if changes:
        # Typed, because PostgreSQL takes parameters for text otherwise.
        row = f"({one}, {one})" if connection.vendor == "sqlite" else f"({one}::bigint, {one}::bigint)"
        yield (
            f"WITH change (account, cents) AS (VALUES {', '.join([row] * len(changes))}) UPDATE {accounts}"
            " SET balance_cents = balance_cents + change.cents FROM change WHERE id = change.account",
            [value for change in changes.items() for value in change],
        )
    settled = Settlement.objects.select_related("round").get(entry=entry).round
    ended_at = connection.ops.adapt_datetimefield_value(settled.ended_at)
    yield (
        f"UPDATE {rounds} SET state = {one}, ended_at = {one} WHERE id = {one}",
        [str(settled.state), ended_at, settled.pk],
    )


def inserted(model, filters, side):
    table = model._meta.db_table
    columns = [field.column for field in model._meta.concrete_fields]
    where = " AND ".join(
        f"{model._meta.get_field(name).column if name != 'pk' else 'id'} = %s" for name in filters
    )
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {', '.join(columns)} FROM {table} WHERE {where} ORDER BY id", list(filters.values())
        )
        rows = cursor.fetchall()
    values = ", ".join(["(" + ", ".join([mark()] * len(columns)) + ")"] * len(rows))
    return f"INSERT INTO {copy_of(table, side)} ({', '.join(columns)}) VALUES {values}", [
        value for row in rows for value in row
    ]


def reversed_drafts(house, keys):
    return [
        (house.key(), posting.mirror(entry), json.loads(entry.evidence))
        for entry in JournalEntry.objects.filter(key__in=keys).order_by("pk")
    ]


def transfers_of(keys):
    """Return the transfers of each entry: (payer, receiver, cents), with stacks by number."""
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
    if connection.vendor == "sqlite":
        return None
    make_database(os.environ["DATABASE_URL"])
    return Hordak(os.environ["DATABASE_URL"], TABLES * PLAYERS)


def measure():
    house, rng = House(TABLES), random.Random(1)
    make_copies(INSERTS, INSERTED)
    make_copies(FLOOR, INSERTED + UPDATED)
    clients, hordak, by_hordak = Clients(max(CLIENTS)), hordak_beside(), []
    took = {(name, count): [] for name in ("settle", "post", FLOOR, INSERTS) for count in CLIENTS}
    for _repeat in range(REPEATS + 1):
        for count in CLIENTS:
            entries = house.start_all(rng)
            bring_up()
            keys = [entry.key for entry in entries]
            jobs = [(entry, house.dealer_of[entry.round_id].pk) for entry in entries]
            took["settle", count].append(clients.run("settle", jobs, count))
            took[FLOOR, count].append(clients.run("write", same_changes(keys), count))
            took[INSERTS, count].append(clients.run("write", same_inserts(keys, INSERTS), count))
            took["post", count].append(clients.run("post", reversed_drafts(house, keys), count))
            if hordak is not None and count == 1:
                by_hordak.append(hordak.run(transfers_of(keys)))
    clients.stop()
    if hordak is not None:
        hordak.stop()
        tell(
            "ledger.settle.postgresql.hordak",
            f"the transfers alone, as one Transaction of django-hordak {version('django-hordak')}",
            statistics.median(took["settle", 1][1:]) * 1e6,
            statistics.median(by_hordak[1:]) * 1e6,
            unit="us a round",
            n=TABLES,
            repeats=REPEATS,
        )
    where = {"sqlite": "sqlite3, WAL and FULL", "postgresql": f"psycopg {psycopg.__version__}, fsync"}[
        connection.vendor
    ]
    against = {
        FLOOR: f"the same rows inserted, and the same balances and round updated, by {where}",
        INSERTS: f"the same rows inserted by {where}",
    }
    for count in CLIENTS:
        us = {name: statistics.median(times[1:]) * 1e6 for (name, of), times in took.items() if of == count}
        for name, side in (("settle", FLOOR), ("settle", INSERTS), ("post", INSERTS)):
            tell(
                f"ledger.{name}.{connection.vendor}.{count}{'' if side == FLOOR else f'.{side}'}",
                against[side],
                us[name],
                us[side],
                unit="us a round",
                n=TABLES,
                repeats=REPEATS,
                clients=count,
                goals={"ratio": at_least(SHARES[connection.vendor][count])} if side == FLOOR else None,
            )


if __name__ == "__main__":
    if MEASURE in sys.argv:
        measure()
    else:
        on_databases(__file__, "postgresql", "sqlite")
