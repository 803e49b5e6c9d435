"""A house for the benchmarks of the books: staff, tables with four players each, and rounds of fresh cards.
Importing it sets Django up on DATABASE_URL; `on_databases` runs a benchmark again in processes of its own on
new databases, which are durable as in a real house."""

import os
import random
import subprocess
import sys
import tempfile
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from ledger.journal.acts import Act

os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks._settings"
if "CASINO_VAR" not in os.environ:
    _var = tempfile.TemporaryDirectory(prefix="casino-bench-")  # gone with the process
    os.environ["CASINO_VAR"] = _var.name
os.environ["SECRET_KEY"] = "a key for benchmarks alone, long enough to pass for a real one"
os.environ["SECURE"] = os.environ["ACCESS_LOG"] = "0"

import django

django.setup()

from django.core.management import call_command  # noqa: E402

from casino import roles  # noqa: E402
from casino.demo.nights.bank import bring_chips, receive_closer  # noqa: E402
from casino.demo.nights.house import pieces_worth  # noqa: E402
from casino.models import Staff  # noqa: E402
from ledger.cage.drawers import open_drawer  # noqa: E402
from ledger.cage.stocking import stock_cage  # noqa: E402
from ledger.journal import records  # noqa: E402
from ledger.models import Site  # noqa: E402
from ledger.rules.denominations import Pieces  # noqa: E402
from tables.floor import closing, opening  # noqa: E402
from tables.floor.tables import write_table  # noqa: E402
from tables.models import Rate, Table  # noqa: E402
from tables.rounds import starting  # noqa: E402
from tables.rounds.entry import RoundEntry  # noqa: E402
from tables.rules.game.cards import DECK  # noqa: E402
from tables.seats import buying_in  # noqa: E402
from tables.seats.players import Person  # noqa: E402
from tables.seats.sitting import cash_out  # noqa: E402
from tools.servers import postgres  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
OPENING = datetime(2026, 3, 7, 20, 0, tzinfo=UTC)
NOW = OPENING + timedelta(minutes=5)
LIMIT_CENTS, PLAYERS = 500, 4
MEASURE = "measure"


def on_databases(file, *names):
    """Run a benchmark's `measure` again on each of these databases (sqlite, postgresql)."""
    for name in names:
        with tempfile.TemporaryDirectory(prefix="casino-bench-", ignore_cleanup_errors=True) as text:
            folder = Path(text)
            folder.chmod(0o755)  # the server's own user has to get through
            if name == "sqlite":
                _run(file, folder, f"sqlite:///{folder / 'room.sqlite3'}")
            else:
                with postgres(folder, durable=True) as url:
                    _run(file, folder, url)


def _run(file, folder, url):
    own = {"DATABASE_URL": url, "CASINO_VAR": str(folder / "var"), "REDIS_URL": ""}
    command = [sys.executable, "-m", f"benchmarks.{Path(file).stem}", MEASURE]
    subprocess.run(command, check=True, cwd=ROOT, env=dict(os.environ, **own))


class House:
    """A site in an empty database with open tables of four players each; `people` by role."""

    def __init__(self, tables, players=PLAYERS):
        self.players = players
        call_command("migrate", verbosity=0)
        self.site = Site.objects.create(
            name="The Fifth Street Room", licence="GEGE-001234", authorised_tables=tables
        )
        self.people = {name: self._employ(name) for name in ("floor", "dealer", "cashier")}
        self._keys = 0
        counted = Act(self.people["cashier"], OPENING, key="open-the-cage", approver=self.people["floor"])
        float_ = Pieces(chips={100_000: 10**7}, cash={10_000: 10**5}, meant=True)
        stock_cage(site=self.site, pieces=float_, act=counted)
        drawer = open_drawer(site=self.site, act=counted.under("open-the-drawer"))
        taken = Pieces(chips={100_000: 10**4}, cash={10_000: 10**4}, meant=True)
        act = counted.under("fill-the-drawer")
        stock_cage(site=self.site, way="to_drawer", pieces=taken, drawer=drawer, act=act)
        self.rate = Rate.objects.create(
            site=self.site,
            option=1,
            limit_cents=LIMIT_CENTS,
            fee_cents=1000,
            approval_reference="BGC-1",
            effective_from=date(2026, 1, 1),
        )
        records.keep(self.site.pk, OPENING, self.rate)
        self.sessions = [self._open(number) for number in range(1, tables + 1)]
        self.dealer_of = {}
        self.dealers = {
            session.pk: self.people["dealer"] if number == 1 else self._employ(f"dealer {number}", "dealer")
            for number, session in enumerate(self.sessions, 1)
        }

    def turn_over(self, now=NOW):
        """Break every table and open it again for other players, as from one night to the next."""
        if "second" not in self.people:
            self.people["second"] = self._employ("second", "floor")
        before, self.sessions = self.sessions, []
        for number, session in enumerate(before, 1):
            self._close(session, now)
            self.sessions.append(self._open(number, now=now))
            self.dealers[self.sessions[-1].pk] = self.dealers[session.pk]

    def _close(self, session, now):
        floor = self.people["floor"]
        for sitting in session.sittings.filter(left_at=None).order_by("pk"):
            cash_out(sitting_id=sitting.pk, act=Act(key=self.key(), actor=floor, now=now))
        session = type(session).objects.select_related("bank_chips", "bank_cash").get(pk=session.pk)
        counted = pieces_worth(self.site, session.bank_chips.balance_cents, session.bank_cash.balance_cents)
        closing.close_table(
            session_id=session.pk,
            count=counted,
            second_count=counted,
            second=self.people["second"],
            act=Act(key=self.key(), actor=floor, now=now),
        )
        receive_closer(session, cashier=self.people["cashier"], act=Act(None, now, self.key()))

    def key(self):
        self._keys += 1
        return f"bench-key-{self._keys:08d}"

    def start_all(self, rng, now=NOW):
        """Start a round at every table; return what a dealer would confirm for each."""
        return [self.start(session, rng, now) for session in self.sessions]

    def start(self, session, rng, now=NOW):
        """Start a round and deal: three of four hands are set well enough to stand, the others foul."""
        round_ = starting.start_round(
            session_id=session.pk, act=Act(key=self.key(), actor=self.dealers[session.pk], now=now)
        )
        self.dealer_of[round_.pk] = self.dealers[session.pk]
        return RoundEntry(round_.pk, self.key(), dealt(rng, [hand.seat for hand in round_.hands.all()]))

    def _employ(self, name, role=""):
        person = Staff.objects.create_user(name)
        roles.assign(person, role or name)
        return Staff.objects.get(pk=person.pk)

    def _table(self, number):
        table = Table.objects.filter(site=self.site, number=number).first()
        act = Act(self.people["floor"], OPENING, key=f"table-{number}")
        return table or write_table(site=self.site, number=number, act=act)

    def _open(self, number, now=OPENING):
        session = opening.open_table(
            table=self._table(number),
            game="face-up",
            rate=self.rate,
            max_buy_in_cents=1000 * LIMIT_CENTS,
            act=Act(key=self.key(), actor=self.people["floor"], now=now),
        )
        people = {name: self.people[name] for name in ("floor", "dealer", "cashier")}
        bring_chips(session, {100_000: 50}, **people, act=Act(people["floor"], now, self.key()))
        for seat in range(1, self.players + 1):
            buying_in.buy_in(
                session_id=session.pk,
                who=Person(f"Player{number}x{seat}"),
                entry=buying_in.FirstBuyIn(seat, 900 * LIMIT_CENTS, "cash"),
                act=Act(key=self.key(), actor=self.people["floor"], now=now),
            )
        return session


def dealt(rng, seats):
    """Deal one deck; three of four hands are set with loose cards in front, many of a kind in back."""
    cards = rng.sample(DECK, 13 * len(seats))
    return tuple(_laid(rng, seat, cards[13 * at : 13 * at + 13]) for at, seat in enumerate(seats))


def _laid(rng: random.Random, seat, cards):
    if rng.random() < 0.75:
        ranks = [card[0] for card in cards]
        cards = sorted(cards, key=lambda card: (ranks.count(card[0]), DECK.index(card)))
    segments = {"front": " ".join(cards[:3]), "middle": " ".join(cards[3:8]), "back": " ".join(cards[8:])}
    return {"seat": seat, **segments}
