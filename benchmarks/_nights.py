"""A house with any number of nights: two are played, and the second is copied in bulk for each further day.

A copy has ids, keys, series and times of its own in every table and audit record; balances of the house move
on with it. Known guests come again each night, nameless ones once. Sealing compares each copied record with
its rows. Unlike in a real house, there are few checkpoints, and all nights are alike.
"""

import json
import re
from collections import Counter
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from functools import partial

from django.apps import apps
from django.core.management import call_command
from django.db import connection, models, transaction
from django.db.models import F, Max

from benchmarks._house import OPENING
from casino.demo.nights.evening import sign_off_banks
from casino.demo.nights.house import SimulatedHouse, add_to_float, more_float, pieces_worth
from casino.demo.nights.plan import play_night
from casino.demo.people import employ_people
from casino.models import Staff
from ledger.cage import boxes, count_sheets, drawers, stocking
from ledger.db.packed_text import stored
from ledger.journal import closing, house_events, records
from ledger.journal.acts import Act
from ledger.journal.days import day_bounds, gaming_day
from ledger.models import (
    Account,
    AuditRecord,
    CageSlip,
    CountSheet,
    Document,
    Drawer,
    DropBox,
    Site,
    TokeAccount,
    Transfer,
    Withheld,
)
from ledger.proof.log import sealing
from ledger.records import canonical
from ledger.rules.denominations import Pieces, fewest_pieces
from ledger.rules.documents import KINDS
from tables.floor import opening
from tables.floor.games import games
from tables.models import Claim, Player, PlayerChange, PlayerWord, TableSession

TABLES, HOURS, LAST_HOURS, FIRST = 3, 2.5, 1.5, OPENING
DAY = timedelta(days=1)
KEYS = {"key", "void_key", "decision_key"}
# The ids in evidence and in event data, by name. An id from before the night stays the same in each copy.
NAMED = {
    "TableSession": ("session",),
    "Round": ("round_id", "reserved_from"),
    "Sitting": ("sitting", "covered_by"),
    "Player": ("player", "debtor", "creditor"),
    "Charge": ("charge",),
    "Down": ("down_id",),
    "JournalEntry": ("corrects", "reverses", "entry"),
    "Settlement": ("settlement",),
    "CorrectionRequest": ("correction", "request"),
    "DropBox": ("box", "installed", "pulled"),
    "Document": ("document",),
    "CountSheet": ("sheet",),
    "Drawer": ("drawer",),
    "DocumentStep": ("after",),
    "Account": (
        *("account", "bank_cash", "bank_chips", "box_cash", "box_chips", "stack", "from", "to"),
        *("transit_cash", "transit_chips"),
    ),
}
MODEL_OF = {name: model for model, names in NAMED.items() for name in names}
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?(Z|\+00:00)")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
BOX, DRAWER = re.compile(r"Box (\d+)"), re.compile(r"Drawer (\d+)")
PAPER = re.compile(rf"({'|'.join(kind.title for kind in KINDS.values())}) (\d+)")
MARK = "\x7f"  # marks in a text what differs between copies


class People(dict):
    """Looked up late: a night hires dealers at need."""

    def __missing__(self, name):
        return self.setdefault(name, Staff.objects.get(username=name))


class House:
    """A demo house after so many nights, the last of them still open; `now` is the simulated time."""

    def __init__(self, nights):
        call_command("migrate", verbosity=0)
        self.site = Site.objects.create(name="The Fifth Street Room", licence="GEGE-001234", demo=True)
        employ_people()
        self.people = People()
        self._keys = 0
        self.now = FIRST
        more = more_float(self.site, 10**9, 10**9)
        add_to_float(self.site, more, self.act("cashier", approver=self.people["floor"]))
        self.night(1)
        sealing.seal(self.site, now=self.now)
        before = newest_ids()
        self.night(2)
        with transaction.atomic(), unchecked():
            copied(before, nights - 2)
        sealing.seal(self.site, now=self.now)
        self.now = FIRST + nights * DAY
        if connection.vendor == "postgresql":  # PostgreSQL analyses by itself in time; SQLite never does
            connection.cursor().execute("ANALYZE")
        self.play(3, LAST_HOURS, leave_open=True)
        self.now += timedelta(hours=LAST_HOURS)
        sealing.seal(self.site, now=self.now)

    def act(self, who, **more):
        self._keys += 1
        return Act(self.people[who], self.now, f"year-{self._keys:06}", **more)

    def night(self, number):
        self.now = FIRST + (number - 1) * DAY
        for who in ("floor", "dealer", "cashier", "counter1", "counter2", "manager", "regulator"):
            house_events.note(self.site, "signed_in", act=self.act(who), by="password")
        self.play(number)
        self.end(gaming_day(self.site, self.now))

    def play(self, seed, hours=HOURS, **how):
        house = SimulatedHouse(site=self.site, seed=seed, start=self.now, watch=lambda now: None)
        with transaction.atomic():
            play_night(house, tables=TABLES, hours=hours, sheets=games()[:TABLES], **how)

    def end(self, day):
        self.settle_boxes(day)
        closing.close_day(site=self.site, day=day, act=self.act("cashier", approver=self.people["manager"]))

    def settle_boxes(self, day):
        """Have the boxes of a day changed, counted and signed off as soon as it is over."""
        self.now = day_bounds(self.site, day)[1] + timedelta(minutes=1)
        for session in TableSession.objects.filter(closed_at=None):
            second = self.people["floor2"]
            opening.change_box(session_id=session.pk, second=second, act=self.act("floor"))
        pulled = list(DropBox.objects.filter(pulled_at__isnull=False, sign_off=None))
        self.count(*pulled)
        for box in pulled:
            boxes.sign_off(box=box, cause="", act=self.act("cashier"))
        for drawer in drawers.open_drawers(self.site).select_related("chips", "cash"):
            values, of = stocking.denominations(self.site), {"site": self.site, "drawer": drawer}
            held = (
                fewest_pieces(one.balance_cents, values[one.asset]) for one in (drawer.chips, drawer.cash)
            )
            act = self.act("cashier", approver=self.people["floor"])
            stocking.stock_cage(way="closing", pieces=Pieces(*held), act=act, **of)
        sign_off_banks(site=self.site, at=self.now, prefix="year-bank")
        values, holds = stocking.denominations(self.site), stocking.holds(self.site)
        pieces = Pieces(*(fewest_pieces(holds[asset], values[asset]) for asset in ("chips", "cash")))
        act = self.act("cashier", approver=self.people["floor"])
        stocking.stock_cage(site=self.site, way="count", pieces=pieces, act=act)
        self.now += timedelta(minutes=10)

    def count(self, *pulled):
        """Have boxes counted and the sheet of each of their gaming days signed."""
        for day in sorted({box.gaming_day for box in pulled}):
            begun = self.act("counter1")
            sheet = count_sheets.begin_sheet(site=self.site, day=day, act=begun)
            for box in (box for box in pulled if box.gaming_day == day):
                found = pieces_worth(self.site, box.chips.balance_cents, box.cash.balance_cents)
                for who in ("counter1", "counter2"):
                    boxes.enter_count(box=box, pieces=found, act=self.act(who))
            act = self.act("counter1", approver=self.people["counter2"])
            count_sheets.sign_sheet(sheet=sheet, without_box=(), act=act)
            found = boxes.counted_together(sheet)
            count_sheets.receive_sheet(sheet=sheet, pieces=found, act=self.act("cashier"))


# -- copying ------------------------------------------------------------------------------------------------


def copied_models():
    """Return the models of a night: all of books and floor but the log's own and those of set-up."""
    left = {"Site", "AuditLog", "Leaf", "Tile", "Checkpoint", "Cosignature", "TokeAccount", "Attention"}
    found = [*apps.get_app_config("ledger").get_models(), *apps.get_app_config("tables").get_models()]
    return [model for model in found if model.__name__ not in left]


def newest_ids():
    return {model: model.objects.aggregate(most=Max("pk"))["most"] or 0 for model in copied_models()}


@contextmanager
def unchecked():
    """Skip foreign key checks while the block lasts."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute("SET LOCAL statement_timeout = 0")
            yield
            cursor.execute("SET LOCAL session_replication_role = origin")
        else:
            cursor.execute("PRAGMA defer_foreign_keys = ON")
            yield


def copied(before, times):
    """Copy what was written since `before` so many times, each a day later than the one before."""
    night = {model: kept(model, since) for model, since in before.items()}
    spans = {model.__name__: newest - before[model] for model, newest in newest_ids().items()}
    copies = {model.__name__: {row.pk for row in rows} for model, rows in night.items()}
    moves = moved_by(night[Transfer])
    papers = Counter(document.kind for document in night[Document])
    shifts = Shifts(spans, copies, moves, papers)
    night[AuditRecord] = [row for row in night[AuditRecord] if shifts.has_subject(row)]
    for model, rows in night.items():
        if rows:
            columns = [field for field in model._meta.concrete_fields if not field.generated]
            templates = [[shifts.of(model, field, row) for field in columns] for row in rows]
            made = (
                [part(time) if callable(part) else part for part in template]
                for time in range(1, times + 1)
                for template in templates
            )
            write(model, columns, made)
    for account, cents in moves.items():
        if account not in shifts.copies["Account"]:
            change = F("balance_cents") + cents * times
            Account.objects.filter(pk=account).update(balance_cents=change)


def kept(model, since):
    """Return the night's rows that each copy repeats."""
    rows = model.objects.filter(pk__gt=since).order_by("pk")
    nameless = {"name": "", "number": ""}
    if model is Player:
        return list(rows.filter(**nameless))
    if model in (PlayerChange, PlayerWord):
        return list(rows.filter(**{f"player__{name}": "" for name in nameless}, player__pk__gt=0))
    if model is Account:
        return list(rows.exclude(pk__in=TokeAccount.objects.values("account")))
    return list(rows)


class Shifts:
    """Tells for each column of a copy the value itself, or a function of the copy's number."""

    def __init__(self, spans, copies, moves, papers):
        self.spans, self.copies, self.moves, self.papers = spans, copies, moves, papers
        self.subjects = {recorded: model.__name__ for recorded, model in subjects().items()}

    def has_subject(self, record):
        return record.subject in self.copies[self.subjects[record.kind]]

    def of(self, model, field, row):
        name, value = field.name, field.value_from_object(row)
        if value is None or value == "":
            return value
        if field.primary_key:
            return self.id(model.__name__, value)
        if field.is_relation:
            return self.id(field.related_model.__name__, value)
        if model is AuditRecord and name == "subject":
            return self.id(self.subjects[row.kind], value)
        if model is AuditRecord and name == "text":
            return self.text(value, self.subjects[row.kind])
        if isinstance(field, models.JSONField):
            return self.text(canonical.unchecked(value), None, adapted=False)
        if name == "balances":
            return self.text(value, None, name, adapted=False)
        if model is Withheld and name in ("text", "commitment"):
            text = self.text(row.text, None, adapted=False)
            return text if name == "text" else lambda time: canonical.commitment(row.salt, text(time))
        if model is Document and name == "number":
            return self.of_series(row.kind, value)
        return self.plain(model, name, value)

    def plain(self, model, name, value):
        if isinstance(value, datetime):
            adapt = connection.ops.adapt_datetimefield_value
            return lambda time: adapt(value + time * DAY)
        if isinstance(value, date):
            return lambda time: (
                value + time * DAY if connection.vendor != "sqlite" else str(value + time * DAY)
            )
        if name in KEYS:
            return lambda time: f"{value}~{time}"
        if name == "number" and is_serial(model):
            return self.serial(model, value)
        if model is Account and name == "label" and (box := BOX.match(value)):
            number = self.serial(DropBox, int(box[1]))
            return lambda time: f"Box {number(time)}{value[box.end() :]}"
        if model is Account and name == "label" and (drawer := DRAWER.fullmatch(value)):
            number = self.serial(Drawer, int(drawer[1]))
            return lambda time: f"Drawer {number(time)}"
        if model is Account and name == "label" and (paper := PAPER.match(value)):
            number = self.of_series(paper[1].lower().replace(" ", "_"), int(paper[2]))
            return lambda time: f"{paper[1]} {number(time)}{value[paper.end() :]}"
        return value

    def id(self, model, value):
        if value not in self.copies.get(model, ()):
            return value
        span = self.spans[model]
        return lambda time: value + time * span

    def serial(self, model, value):
        """Continue a serial number of the house."""
        span = len(self.copies[model.__name__])
        return lambda time: value + time * span

    def of_series(self, kind, value):
        """Continue a series of documents of custody."""
        return lambda time: value + time * self.papers[kind]

    def text(self, text, own, top="", *, adapted=True):
        """Rewrite a JSON text with the copy's ids, times and keys."""
        parts = []

        def marked(value, name, of):
            if isinstance(value, dict):
                return {key: marked(one, key, value) for key, one in value.items()}
            if name == "balances" and isinstance(value, list) and value and not isinstance(value[0], list):
                return [*value[:3], marked(value, "balance", of)]
            if isinstance(value, list) and name != "balance":
                return [marked(one, name, of) for one in value]
            part = self.part(value, name, own, of)
            if not callable(part):
                return value
            parts.append(part)
            return f"{MARK}{len(parts) - 1}{MARK}"

        head, body = ("", json.loads(text)) if own is None else (text[: text.index("{")], json.loads(text)[1])
        marked_text = canonical.unchecked(marked(body, top, {})) + ("" if own is None else "]")
        pieces = re.split(f'("?){MARK}(\\d+){MARK}"?', head + marked_text)
        fixed, order = pieces[::3], [parts[int(number)] for number in pieces[2::3]]
        finish = partial(stored, vendor=connection.vendor) if adapted else str

        def made(time):
            turns = [f"{one}{json.dumps(part(time))}" for one, part in zip(fixed, order, strict=False)]
            return finish("".join(turns) + fixed[-1])

        return made

    def part(self, value, name, own, of):
        if isinstance(value, str):
            if name in KEYS and value:
                return lambda time: f"{value}~{time}"
            if MOMENT.fullmatch(value):
                day = date.fromisoformat(value[:10])
                return lambda time: f"{day + time * DAY}{value[10:]}"
            if DATE.fullmatch(value):
                day = date.fromisoformat(value)
                return lambda time: str(day + time * DAY)
        elif name == "balance":
            _, _, account, cents = value
            return lambda time: cents + time * self.moves[account]
        elif type(value) is int:
            if name == "id" and own is not None:
                return self.id(own, value)
            if name in ("cash", "chips") and {"box", "transit_chips", "cashier"} & {*of}:
                return self.id("Account", value)
            if name == "number" and (series := of.get("series", of.get("kind"))) in self.papers:
                return self.of_series(series, value)
            if name == "number" and "box" in of:
                return self.serial(DropBox, value)
            if name == "drawer_number" or (name == "number" and own == "Drawer"):
                return self.serial(Drawer, value)
            if name == "number" and own == "CountSheet":
                return self.serial(CountSheet, value)
            if name == "number" and "way" in of:
                return self.serial(CageSlip, value)
            if name == "slip" and ("way" in of or own == "CageSlipResult"):
                return self.id("CageSlip", value)
            if name == "number" and own == "Claim":
                return self.serial(Claim, value)
            if name in MODEL_OF:
                return self.id(MODEL_OF[name], value)
        return value


def subjects():
    return {kind: records.rows_of(kind).model for kind in records.kinds()}


def is_serial(model):
    return any(
        set(one.fields) == {"site", "number"} for one in model._meta.constraints if hasattr(one, "fields")
    )


def write(model, columns, rows):
    """Insert rows as fast as the database can, and move its id sequence on."""
    table, names = model._meta.db_table, ", ".join(f'"{field.column}"' for field in columns)
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            marks = ", ".join("?" * len(columns))
            cursor.connection.executemany(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', rows)
            return
        with cursor.copy(f'COPY "{table}" ({names}) FROM STDIN') as copy:
            for row in rows:
                copy.write_row(row)
        cursor.execute(
            f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))"
        )


def moved_by(transfers):
    moves = Counter()
    for transfer in transfers:
        moves[transfer.target_id] += transfer.cents
        moves[transfer.source_id] -= transfer.cents
    return moves
