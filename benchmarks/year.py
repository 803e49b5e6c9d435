"""A year in the house: every page, paper and act of a gaming day after 300 nights, against the same after
six.

`_nights.py` makes the houses, each in a process of its own, all on both databases. They are asked for the
same thing in turn, and the least of four times counts, so that load on the machine affects all alike. `empty`
is a house with two nights. Every readable URL is measured for the open day and for the last closed one; acts
are rolled back. BENCH_NIGHTS=100 makes another long house, BENCH_ONLY=cashier selects by name.
"""

import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random
from unittest import mock
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import connection, transaction
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, get_resolver, reverse
from django.utils import timezone

from benchmarks._house import MEASURE, ROOT, dealt
from benchmarks._measure import at_most, tell
from benchmarks._nights import House
from ledger.cage import boxes, stocking, window
from ledger.journal import closing
from ledger.journal.days import day_bounds, gaming_day
from ledger.models import Account, CageSlip, Drawer, DropBox, JournalEntry
from ledger.rules.denominations import Pieces
from ledger.tasks import seal_logs
from tables import tasks
from tables.floor import opening, waiting
from tables.log import paper_files
from tables.models import ClockStop, Player, Round, TableSession
from tables.rounds import running, settling, starting
from tables.rounds.entry import RoundEntry
from tables.seats import buying_in
from tables.seats.players import Person
from tables.seats.sitting import cash_out
from tools.servers import postgres

SHORT, EMPTY, LONG = 6, 2, int(os.environ.get("BENCH_NIGHTS") or "300")
TIMES, REPEATS = 1.5, 3
ROLES = ("floor", "dealer", "cashier", "counter1", "regulator", "compliance", "manager")
NOT_READ = {"live", "sign-out", "healthz", "healthz-alive", "healthz-ready", "healthz-well"}
QUERIES = {
    "suggest-players": "q=ad",
    "players": "q=ad",
    "find-other-player": "q=ad",
    "find-rounds": "day={day}&table=1",
    "box-variance": "day={day}",
    "audit-export": "first={day}&last={day}",
    "trial-balance": "on={on}&time={time}",
    "trial-balance-csv": "on={on}&time={time}",
    "account-csv": "from-on={day}&from-time=06:00&to-on={on}&to-time={time}",
    "account": "from-on={day}&from-time=06:00&to-on={on}&to-time={time}",
    "audit-player": "day={day}",
    "player-csv": "day={day}",
    "cashier-vault": "day={day}",
    "cashier-day": "day={day}",
}


class Back(Exception): ...


class Measured:
    """The house of this process, and its measurable works by name; each returns its seconds."""

    def __init__(self, nights):
        self.house = House(nights)
        self.site, self.rng = self.house.site, Random(1)
        self.clients = {}
        with self.at(self.house.now):
            for session in TableSession.objects.filter(closed_at=None):
                for round_ in session.rounds.filter(state="dealt"):
                    self.settle(round_)
            self.works = {f"act {name[4:]}": getattr(self, name) for name in dir(self) if name[:4] == "act_"}
            self.works |= {f"task {task.__name__}": self.task(task) for task in (*TASKS, seal_logs)}
            self.works["papers of a day, saved"] = self.papers
            for of, parts in {"today": self.today(), "closed": self.closed()}.items():
                self.works |= self.pages(of, parts)

    def at(self, now):
        return mock.patch.object(timezone, "now", return_value=now)

    def seconds(self, name):
        start = time.perf_counter()
        took = self.works[name]()
        return took or time.perf_counter() - start

    # -- pages -------------------------------------------------------------------------------------

    def today(self):
        return self.parts(gaming_day(self.site, self.house.now), TableSession.objects.filter(closed_at=None))

    def closed(self):
        day = self.site.closed_days.latest("gaming_day").gaming_day
        start, end = day_bounds(self.site, day)
        return self.parts(day, TableSession.objects.filter(opened_at__gte=start, opened_at__lt=end))

    def parts(self, day, sessions):
        session = sessions.order_by("pk")[0]
        sitting = session.sittings.filter(player__number__gt="").order_by("left_at", "pk")[0]
        box = DropBox.objects.filter(site=self.site, gaming_day=day).earliest("pk")
        until = min(day_bounds(self.site, day)[1], self.house.now).astimezone(ZoneInfo(self.site.time_zone))
        return {
            "day": day,
            "on": f"{until:%Y-%m-%d}",
            "time": f"{until:%H:%M}",
            "session_id": session.pk,
            "sitting_id": sitting.pk,
            "seat": min(
                {1, 2, 3, 4, 5} - {one.seat for one in session.sittings.filter(left_at=None)}, default=5
            ),
            "player_id": sitting.player_id,
            "other_id": Player.objects.exclude(pk=sitting.player_id).filter(number__gt="").earliest("pk").pk,
            "round_id": session.rounds.filter(state="settled").latest("pk").pk,
            "down_id": session.downs.latest("pk").pk,
            "table_id": session.table_id,
            "entry_id": JournalEntry.objects.filter(site=self.site, gaming_day=day, kind="buy_in")
            .latest("pk")
            .pk,
            "account_id": Account.objects.get(site=self.site, kind="vault", asset="chips").pk,
            "box_id": box.pk,
            "dealer_id": self.house.people["dealer"].pk,
            "person_id": self.house.people["dealer"].pk,
            "slip_id": CageSlip.objects.latest("pk").pk,
            "drawer_id": Drawer.objects.latest("pk").pk,
            "code": session.sheet.code,
        }

    def pages(self, of, parts):
        """Return every URL with these arguments that answers somebody, by name."""
        found = {}
        for pattern in patterns():
            if pattern.name in NOT_READ:
                continue
            names = pattern.pattern.converters
            if of == "closed" and not names and pattern.name not in QUERIES:
                continue
            with suppress(NoReverseMatch, KeyError):
                address = reverse(pattern.name, kwargs={name: parts[name] for name in names})
                if pattern.name in QUERIES:
                    address += "?" + QUERIES[pattern.name].format(**parts)
                if (who := self.reader(address)) is not None:
                    found[f"{pattern.name}, {of}"] = lambda who=who, address=address: self.read(who, address)
        return found

    def reader(self, address):
        return next((who for who in ROLES if self.read(who, address, quiet=True)), None)

    def read(self, who, address, *, quiet=False):
        if who not in self.clients:
            self.clients[who] = Client(raise_request_exception=not quiet)
            self.clients[who].force_login(self.house.people[who])
        with self.at(self.house.now):
            start = time.perf_counter()
            answer = self.clients[who].get(address)
            size = sum(map(len, answer)) if answer.streaming else len(answer.content)
            took = time.perf_counter() - start
        assert quiet or (answer.status_code == 200 and size), (address, answer.status_code)
        return took if answer.status_code == 200 else None

    # -- acts, tasks and papers --------------------------------------------------------------------

    def papers(self):
        day = self.site.closed_days.latest("gaming_day")
        for _, blocks in paper_files._papers(self.site, day, self.house.now):
            for _ in blocks:
                pass

    def task(self, task):
        def run():
            with self.at(self.house.now), tempfile.TemporaryDirectory() as folder:
                start = time.perf_counter()
                with mock.patch.object(settings, "PAPERS", Path(folder)):
                    task()
                return time.perf_counter() - start

        return run

    def taken_back(self, prepare, do):
        now = self.house.now
        took = None
        with suppress(Back), transaction.atomic():
            given = prepare()
            start = time.perf_counter()
            do(given)
            took = time.perf_counter() - start
            raise Back
        self.house.now = now
        return took

    def session(self):
        stopped = ClockStop.objects.filter(started_at=None).values("session")
        return TableSession.objects.filter(closed_at=None).exclude(pk__in=stopped).earliest("pk")

    def settle(self, round_):
        cards = dealt(self.rng, [hand.seat for hand in round_.hands.all()])
        entry = RoundEntry(round_.pk, f"year-settles-{round_.pk}", cards)
        act = self.house.act(round_.dealer.username)
        settling.settle_round(entry=entry, act=act)

    def act_start_a_round(self):
        return self.taken_back(self.session, self.start)

    def start(self, session):
        who = session.dealer.username
        return starting.start_round(session_id=session.pk, act=self.house.act(who))

    def act_settle_a_round(self):
        return self.taken_back(lambda: self.start(self.session()), self.settle)

    def act_void_a_round(self):
        def void(round_):
            act = self.house.act(round_.dealer.username, reason="misdeal")
            running.void_round(round_id=round_.pk, act=act)

        return self.taken_back(lambda: self.start(self.session()), void)

    def leaving(self):
        return self.session().sittings.filter(left_at=None).earliest("pk")

    def cash_out(self, sitting):
        cash_out(sitting_id=sitting.pk, act=self.house.act("floor"))
        return sitting

    def act_cash_out(self):
        return self.taken_back(self.leaving, self.cash_out)

    def act_buy_in(self):
        def buy_in(left):
            entry = buying_in.FirstBuyIn(left.seat, 50 * left.session.limit_cents, "cash")
            who = Person("Somebody new")
            act = self.house.act("floor")
            buying_in.buy_in(session_id=left.session_id, who=who, entry=entry, act=act)

        return self.taken_back(lambda: self.cash_out(self.leaving()), buy_in)

    def act_sell_at_the_window(self):
        return self.taken_back(
            lambda: None,
            lambda _: window.sell_chips(
                site=self.site,
                cents=20_000,
                pieces=Pieces({10_000: 2}),
                patron=window.Patron((("Ada J.", ""),)),
                act=self.house.act("cashier"),
            ),
        )

    def act_join_the_list(self):
        listed = {"game": self.session().sheet.code, "limit_cents": self.session().limit_cents}
        return self.taken_back(
            lambda: None,
            lambda _: waiting.join(
                site=self.site, who=Person("Somebody new"), act=self.house.act("floor"), **listed
            ),
        )

    def act_count_the_float(self):
        return self.taken_back(
            lambda: None,
            lambda _: stocking.count_first(
                site=self.site, way="count", pieces=Pieces({500: 1}), act=self.house.act("cashier")
            ),
        )

    def change_box(self):
        session = self.session()
        second = self.house.people["floor2"]
        opening.change_box(session_id=session.pk, second=second, act=self.house.act("floor"))
        return DropBox.objects.select_related("chips", "cash").get(pk=session.box_id)

    def act_change_a_box(self):
        return self.taken_back(lambda: None, lambda _: self.change_box())

    def act_count_a_box(self):
        return self.taken_back(self.change_box, self.house.count)

    def act_sign_off_a_box(self):
        def counted():
            box = self.change_box()
            self.house.count(box)
            return box

        return self.taken_back(
            counted, lambda box: boxes.sign_off(box=box, cause="", act=self.house.act("cashier"))
        )

    def act_close_a_day(self):
        day = gaming_day(self.site, self.house.now)

        def settled():
            self.house.settle_boxes(day)

        return self.taken_back(
            settled,
            lambda _: closing.close_day(
                site=self.site,
                day=day,
                act=self.house.act("cashier", approver=self.house.people["manager"]),
            ),
        )


TASKS = (tasks.announce_boundaries, tasks.tend_attention, tasks.expire_places)


def patterns(resolver=None):
    for pattern in (resolver or get_resolver()).url_patterns:
        if not isinstance(pattern, URLPattern):
            if pattern.app_name != "admin":
                yield from patterns(pattern)
        elif pattern.name:
            yield pattern


# -- one process a house ---------------------------------------------------------------------------


class Child:
    """A process with its house; `made` is the seconds that took."""

    def __init__(self, nights, url, folder):
        own = {"DATABASE_URL": url, "CASINO_VAR": str(folder / f"var-{nights}"), "REDIS_URL": ""}
        command = [sys.executable, "-m", "benchmarks.year", MEASURE, str(nights)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, cwd=ROOT, env=dict(os.environ, **own), **pipes)
        self.about = json.loads(self.process.stdout.readline())

    def seconds(self, name):
        self.process.stdin.write(f"{name}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def serve(nights):
    """Make the house, then answer each requested name with its seconds."""
    settings.ALLOWED_HOSTS = ["testserver"]
    logging.disable()  # addresses are also tried for people who may not read them
    start = time.perf_counter()
    measured = Measured(nights)
    about = {"works": sorted(measured.works), "made": round(time.perf_counter() - start)}
    about |= {"rounds": Round.objects.filter(state="settled").count(), "vendor": connection.vendor}
    print(json.dumps(about), flush=True)
    for name in sys.stdin:
        print(json.dumps(measured.seconds(name.strip())), flush=True)


def compare(urls, folder):
    with ExitStack() as stack:
        children = {}
        for nights, url in urls.items():
            children[nights] = Child(nights, url, folder)
            stack.callback(children[nights].stop)
            about = children[nights].about
            print(
                f"{about['vendor']}: {nights} nights, {about['rounds']} rounds, made in {about['made']} s",
                file=sys.stderr,
            )
        about = children[LONG].about
        every = set.intersection(*(set(child.about["works"]) for child in children.values()))
        for name in sorted(set().union(*(child.about["works"] for child in children.values())) - every):
            print(f"not in every house: {name}", file=sys.stderr)
        only = os.environ.get("BENCH_ONLY") or ""
        for name in sorted(name for name in every if only in name):
            least = dict.fromkeys(children, float("inf"))
            for _ in range(REPEATS + 1):
                for nights, child in children.items():
                    least[nights] = min(least[nights], child.seconds(name))
            long, short = least[LONG] * 1e3, least[SHORT] * 1e3
            tell(
                f"year.{about['vendor']}.{name}",
                f"the same with {SHORT} nights",
                long,
                short,
                unit="ms",
                n=LONG,
                repeats=REPEATS,
                empty=round(least[EMPTY] * 1e3, 2),
                times=round(long / short, 2),
                goals={"times": at_most(TIMES)},
            )


def main():
    sizes = (EMPTY, SHORT, LONG)
    for name in ("sqlite", "postgresql"):
        if (os.environ.get("BENCH_DATABASE") or name) != name:
            continue
        with (
            tempfile.TemporaryDirectory(prefix="casino-bench-", ignore_cleanup_errors=True) as text,
            ExitStack() as stack,
        ):
            folder = Path(text)
            folder.chmod(0o755)  # the server's own user has to get through
            if name == "sqlite":
                compare({nights: f"sqlite:///{folder / f'{nights}.sqlite3'}" for nights in sizes}, folder)
            else:
                url = stack.enter_context(postgres(folder, durable=True))
                compare({nights: made_database(url, f"nights{nights}") for nights in sizes}, folder)


def made_database(url, name):
    import psycopg

    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
    return url.replace("/postgres?", f"/{name}?")


if __name__ == "__main__":
    if MEASURE in sys.argv:
        serve(int(sys.argv[-1]))
    else:
        main()
