"""Thirty-nine acts of custody that SQL writes past the program, one after the other: which of them the
database takes, which it refuses, and why. Of a refused one nothing is left, so that the next may follow."""

from itertools import count

import pytest
from django.db import Error, connection, transaction

from ledger.models import (
    Account,
    Count,
    CountNote,
    CountSheet,
    CountSheetSignature,
    Document,
    DocumentStep,
    Drawer,
    JournalEntry,
    Site,
    Transfer,
)
from tables.models import Player

pytestmark = pytest.mark.django_db
DAY = "2026-11-21"
FULL = {"pieces": '{"cash": [], "chips": [[500, 200]]}', "chips_cents": 100_000, "cash_cents": 0}
EMPTY = {"pieces": '{"cash": [], "chips": []}', "chips_cents": 0, "cash_cents": 0}
AFTERWARDS = {"sent", "received"}
ORDER = ("follow each other", "has its reference")
"""A step without a rule lacks its order and its reference; which is said first is the database's choice."""
THERE = ("there already", "unique constraint")
"""What SQLite and PostgreSQL say of a second row under a unique key of a table that is written once."""


class Rows:
    """Writes rows by SQL; people are named, and papers and steps have short numbers."""

    def __init__(self, site, box, people, now):
        self.site, self.other, self.box, self.now = site, None, box, now
        self.people = {name: person.pk for name, person in people.items()}
        self.entries = iter(JournalEntry.objects.filter(site=site).values_list("pk", flat=True))
        self.numbers = count(9000)

    def insert(self, model, **row):
        table, places = model._meta.db_table, ", ".join(["%s"] * len(row))
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", list(row.values()))

    def account(self, kind, asset="chips", **row):
        row = {"id": next(self.numbers), "site_id": self.site.pk, "balance_cents": 0, **row}
        self.insert(Account, kind=kind, asset=asset, label=kind, **row)
        return row["id"]

    def vault(self):
        self.account("vault", site_id=Site.objects.create(name="Another house").pk)

    def drawer(self, number, cashier):
        accounts = {f"{asset}_id": self.account("drawer", asset) for asset in ("chips", "cash")}
        row = {"number": number, "cashier_id": self.people.get(cashier), "opened_at": self.now}
        row |= {"gaming_day": DAY, "terminal": "", "key": f"drawer {next(self.numbers)}"}
        self.insert(Drawer, id=next(self.numbers), site_id=self.site.pk, **row, **accounts)

    def paper(self, pk, kind, number):
        places = {"chips_id": self.bank[0], "cash_id": self.bank[1]}
        places |= {f"transit_{asset}_id": self.account("transit", asset) for asset in ("chips", "cash")}
        row = {"kind": kind, "number": number, "place": "Table 1", "gaming_day": DAY, **FULL}
        self.insert(Document, id=pk, site_id=self.site.pk, **row, **places)

    def table(self):
        self.bank = self.account("table_bank"), self.account("table_bank", "cash")

    def step(self, pk, paper, step, person, after=None, second=None, said=None):
        before = DocumentStep.objects.filter(pk=after).first()
        posted = next(self.entries) if step in AFTERWARDS else None
        row = {"id": pk, "site_id": self.site.pk, "document_id": paper, "step": step, "after_id": after}
        row |= {"ordinal": before.ordinal + 1 if before else 0, "at": self.now, "gaming_day": DAY}
        row |= {"person_id": self.people[person], "second_id": self.people.get(second), "entry_id": posted}
        row |= {"reason": "a mistake" if step == "voided" else "", "reference": "", "terminal": ""}
        row |= FULL if step in AFTERWARDS else EMPTY
        self.insert(DocumentStep, key=f"step {next(self.numbers)}", **row | (said or {}))

    def sheet(self, pk):
        row = {"number": 1, "gaming_day": self.box.gaming_day, "begun_at": self.now, "terminal": ""}
        row |= {"begun_by_id": self.people["counter1"], "key": "the sheet", "to_cashier": True}
        self.insert(CountSheet, id=pk, site_id=self.site.pk, **row)

    def note(self, sheet):
        row = {"kind": "came", "text": "the second counter", "person_id": self.people["counter1"]}
        self.insert(CountNote, id=1, site_id=self.site.pk, sheet_id=sheet, at=self.now, key="the note", **row)

    def count(self, pk, sheet, counter, attempt, cents):
        row = {"counter_id": self.people[counter], "attempt": attempt, "key": f"count {pk}"}
        row |= {"pieces": "{}", "chips_cents": cents, "cash_cents": 0, "counted_at": self.now}
        self.insert(Count, id=pk, site_id=self.site.pk, box_id=self.box.pk, sheet_id=sheet, **row)

    def sign(self, sheet, one, other):
        row = {"signed_by_id": self.people[one], "signed_with_id": self.people[other], "signed_at": self.now}
        row |= {
            "installed": 1,
            "pulled": 1,
            "counted": 1,
            "without_box": "[]",
            "terminal": "",
            "key": "signed",
        }
        self.insert(CountSheetSignature, id=1, site_id=self.site.pk, sheet_id=sheet, **row)

    def patrons_hold(self, cents):
        with transaction.atomic(), connection.cursor() as cursor:
            sql = "UPDATE ledger_account SET balance_cents = %s WHERE kind = 'patrons' AND asset = 'chips'"
            cursor.execute(sql, [cents])

    def patron(self, description):
        row = {"name": "", "number": "", "description": description, "alias": ""}
        self.insert(Player, id=next(self.numbers), site_id=self.site.pk, **row)

    def line(self, source, target, cents):
        row = {
            "entry_id": JournalEntry.objects.latest("pk").pk,
            "line": 9 if source != target else 8,
            "asset": "chips",
            "cents": cents,
        }
        self.insert(Transfer, id=next(self.numbers), source_id=source, target_id=target, **row)

    def crosses(self, back):
        """A line of the window from patrons to a drawer, or from patrons `back` to patrons."""
        patrons = Account.objects.get(site=self.site, kind="patrons").pk
        drawer = Account.objects.filter(site=self.site, kind="drawer", asset="chips").first().pk
        self.patron("a tall man")
        self.line(patrons, patrons if back else drawer, 500_000)


# What is done; what says no, "" where the act is taken; how; with what. A fill is asked for by the dealer,
# authorised by the floor, sent by a cashier, received by the dealer.
ACTS = (
    ("a house has a vault", "", Rows.vault, ()),
    ("a table has a bank", "", Rows.table, ()),
    ("a cashier opens a drawer", "", Rows.drawer, (2, "cashier2")),
    ("a drawer without a cashier", ("NOT NULL", "not-null"), Rows.drawer, (3, None)),
    ("a second open drawer of one cashier", "one drawer open", Rows.drawer, (3, "cashier2")),
    ("fill 1", "", Rows.paper, (1, "fill", 1)),
    ("the same number again", THERE, Rows.paper, (2, "fill", 1)),
    ("credit 1, which is another series", "", Rows.paper, (3, "credit", 1)),
    ("authorised before it was asked for", ORDER, Rows.step, (1, 1, "authorised", "floor")),
    ("asked for", "", Rows.step, (1, 1, "requested", "dealer")),
    ("sent without authority", ORDER, Rows.step, (2, 1, "sent", "cashier", 1)),
    ("authorised by who asked", "two people", Rows.step, (2, 1, "authorised", "dealer", 1)),
    ("authorised", "", Rows.step, (2, 1, "authorised", "floor", 1)),
    ("authorised twice", THERE, Rows.step, (3, 1, "authorised", "floor2", 1)),
    ("sent without saying what", "of_something", Rows.step, (3, 1, "sent", "cashier", 2, None, EMPTY)),
    ("sent", "", Rows.step, (3, 1, "sent", "cashier", 2)),
    ("voided after it was sent", ORDER, Rows.step, (4, 1, "voided", "dealer", 3, "floor")),
    ("received by who sent it", "two people", Rows.step, (4, 1, "received", "cashier", 3)),
    ("received by the dealer who asked", "", Rows.step, (4, 1, "received", "dealer", 3)),
    ("received twice", THERE, Rows.step, (5, 1, "received", "floor2", 3)),
    ("fill 2", "", Rows.paper, (4, "fill", 2)),
    ("asked for as well", "", Rows.step, (10, 4, "requested", "dealer")),
    ("voided alone", "by_two", Rows.step, (11, 4, "voided", "dealer", 10)),
    ("after a step of another paper", ORDER, Rows.step, (11, 4, "authorised", "floor", 4)),
    ("voided by two", "", Rows.step, (11, 4, "voided", "dealer", 10, "floor")),
    ("a count sheet is begun", "", Rows.sheet, (20,)),
    ("who came is noted on it", "", Rows.note, (20,)),
    ("a count", "", Rows.count, (1, 20, "counter1", 1, 21_650)),
    ("the count of the second", "", Rows.count, (2, 20, "counter2", 1, 17_150)),
    ("the first counts again, which strikes it through", "", Rows.count, (3, 20, "counter1", 2, 17_150)),
    ("one figure is struck through twice", THERE, Rows.count, (4, 20, "counter1", 2, 100)),
    (
        "signed by the same twice",
        ("by_two", "by counters", "two who"),
        Rows.sign,
        (20, "counter1", "counter1"),
    ),
    ("signed by both", "", Rows.sign, (20, "counter1", "counter2")),
    ("a count after it was signed", "takes no count", Rows.count, (5, 20, "counter2", 2, 100)),
    ("patrons hold nothing", "", Rows.patrons_hold, (0,)),
    ("patrons hold less than nothing", "never_below_zero", Rows.patrons_hold, (-1,)),
    ("chips of somebody who is described cross the window", "", Rows.crosses, (False,)),
    ("of nobody", "player_known_somehow", Rows.patron, ("",)),
    ("in and out at once", "two_places", Rows.crosses, (True,)),
)


@pytest.fixture
def rows(pulled, employ, dealer, floor, floor2, cashier, counter1, counter2, now):
    people = (dealer, floor, floor2, cashier, counter1, counter2, employ("cashier2", "cashier"))
    return Rows(pulled.site, pulled, {person.username: person for person in people}, now)


def test_the_database_takes_and_refuses_what_it_must(rows):
    assert len(ACTS) == 39
    wrong = []
    for number, (sentence, said, act, given) in enumerate(ACTS, 1):
        wanted = (said,) if isinstance(said, str) else said
        try:
            with transaction.atomic():
                act(rows, *given)
            answer = ""
        except Error as error:
            answer = str(error)
        if bool(answer) != any(wanted) or not any(one in answer for one in wanted):
            wrong.append(f"{number}. {sentence}: {answer or 'taken'}")
    assert wrong == []
