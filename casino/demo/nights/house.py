"""The house during a simulated night: its clock, its cage, and the event queue."""

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Q

from casino.demo.nights.bank import bring_in
from casino.demo.nights.people import Guest, crew, require_demo
from casino.demo.nights.trays import Trays, counted, exactly
from ledger.cage import drawers, stocking, tokes, window
from ledger.cage.drawers import Drawer
from ledger.cage.seals import Pulling
from ledger.errors import KeyReused
from ledger.journal import posting, records, vault_counts
from ledger.journal.acts import Act
from ledger.journal.closing_shifts import close_shift, shift_states
from ledger.journal.days import gaming_day
from ledger.reports.denominations import of_place
from ledger.rules.denominations import Pieces, fewest_pieces
from ledger.rules.refusals import NotIdentified
from tables.collection.rates import LICENSED, rates_in_force
from tables.collection.waivers import write_reason
from tables.floor.games import games
from tables.floor.tables import write_table
from tables.models import Rate, Table, TableSession, WaiverReason
from tables.rules.game.sheet import Sheet
from tables.seats.tokes import pay_out_tokes

APPROVAL = "Demo approval 1"
# Code and text of the reasons for waiving fees.
WAIVER_REASONS = (
    ("equipment", "Equipment failed and the down was not played"),
    ("disturbance", "Fire, medical or security incident at the table"),
    ("dealer-error", "The house dealt or charged in error"),
    ("last-players", "The table was kept open at the house's wish"),
)
# The rate options that tables take in turn: most play low, a few high.
USUAL_OPTIONS = (2, 3, 1, 4, 2, 6, 5, 8)
FLOAT_CENTS = 50_000_000
CHANGED_FROM = 2  # so many different chips
LARGE_CHIP, CHANGED_CENTS = 100_000, 300_000  # of which so much is changed: the window writes down whom
# The opening float, $500,000 in chips and as much in cash: pieces by denomination in cents.
OPENING_FLOAT = Pieces(
    chips={50: 400, 100: 4800, 500: 9000, 2500: 6000, 10000: 2000, 50000: 100, 100000: 50},
    cash={100: 5000, 500: 4000, 1000: 2500, 2000: 5000, 10000: 3500},
)

DRAWER_CENTS = 1_000_000
"""What a cashier takes into the drawer of each beyond what is needed at once."""
MISSING_CENTS = 100

# A generator that yields the seconds to wait before it continues.
Happening = Iterator[float]


class SimulatedHouse:
    """One night of a demo house. `watch` is called with the simulated time after every event. `whole`: all of
    custody is played, what happens once in a house too (custody.py)."""

    def __init__(
        self,
        *,
        site: Any,
        seed: int,
        start: datetime,
        watch: Callable[[datetime], None] | None = None,
        whole: bool = False,
    ) -> None:
        """Raises NotDemo, and KeyReused for a night that was played here before."""
        require_demo(site)
        self.site = site
        self.seed = seed
        self.now = start
        self.crew = crew()
        self.whole = whole
        self.errands: list[Callable[[Any], Happening | None]] = []  # for the first table that can
        self.trays = Trays(site)
        self.nights: list[Any] = []  # the tables that are open tonight, in the order of opening
        self.prefix = f"night-{seed}-{start:%Y%m%dT%H%M%S}"
        self._watch = watch
        self._queue: list[tuple[datetime, int, Happening]] = []
        self._queued = 0
        self._serials: dict[str, int] = {}
        if site.entries.filter(key__startswith=f"{self.prefix}-").exists():
            raise KeyReused("This night has already been played here: use another seed or start time.")

    def key(self, place: str) -> str:
        """Return a key that is unique in the night and the same in every run of it."""
        self._serials[place] = self._serials.get(place, 0) + 1
        return f"{self.prefix}-{place}-{self._serials[place]}"

    def expect(self, happening: Happening, at: datetime) -> None:
        self._queued += 1
        heapq.heappush(self._queue, (at, self._queued, happening))

    def run(self, until: datetime) -> None:
        """Run the queue in order of time, up to but not including `until`."""
        while self._queue and self._queue[0][0] < until:
            self.now, _, happening = heapq.heappop(self._queue)
            seconds = next(happening, None)
            if seconds is not None:
                self.expect(happening, self.now + timedelta(seconds=seconds))
            if self._watch is not None:
                self._watch(self.now)

    # -- the cage ----------------------------------------------------------------------------------

    def stock_cage(self, *, chips: int = 0, cash: int = 0) -> None:
        short = any(
            posting.house_account(self.site, "vault", asset).balance_cents < cents
            for asset, cents in (("chips", chips), ("cash", cash))
        )
        if short:
            pieces = more_float(self.site, FLOAT_CENTS + chips, FLOAT_CENTS + cash)
            add_to_float(self.site, pieces, self.at_cage(self.crew.floor))
            self.trays.vault.update(pieces.chips)

    def fill_drawer(self, *, chips: int = 0, cash: int = 0) -> None:
        """Have at least so much in the cashier's drawer, which is opened for it."""
        drawer = self.open_drawer()
        held = {"chips": drawer.chips.balance_cents, "cash": drawer.cash.balance_cents}
        if held["chips"] < chips or held["cash"] < cash or exactly(self.trays.drawer, chips) is None:
            wanted = {"chips": DRAWER_CENTS + chips, "cash": DRAWER_CENTS + cash}
            self.stock_cage(**wanted)
            brought = self.trays.take_trays(self.trays.vault, wanted["chips"])
            self.trays.drawer.update(brought)
            self.count_drawer(drawer, "to_drawer", brought, wanted["cash"])

    def open_drawer(self) -> Drawer:
        drawer = drawers.drawer_of(self.site, self.crew.cashier)
        return drawer or drawers.open_drawer(site=self.site, act=self.at_cage())

    def close_drawer(self) -> None:
        """Count and close the cashier's drawer, from which a dollar is missing."""
        drawer = drawers.drawer_of(self.site, self.crew.cashier)
        if drawer is not None:
            cash = max(drawer.cash.balance_cents - MISSING_CENTS, 0)
            chips = counted(self.trays.drawer, drawer.chips.balance_cents, self.trays.values)
            self.count_drawer(drawer, "closing", chips, cash)
            self.trays.vault.update(chips)
            self.trays.drawer.clear()

    def count_drawer(self, drawer: Drawer, way: str, chips: Mapping[int, int], cash: int) -> None:
        pieces = replace(pieces_worth(self.site, 0, cash), chips=chips, meant=True)
        act = self.at_cage(self.crew.floor)
        stocking.stock_cage(site=self.site, way=way, pieces=pieces, drawer=drawer, act=act)

    def sell(self, cents: int, patron: window.Patron = window.NOBODY) -> tuple[Any, Mapping[int, int]]:
        self.fill_drawer(chips=cents)
        return self.at_window(window.sell_chips, cents, patron)

    def redeem(self, cents: int, patron: window.Patron = window.NOBODY) -> tuple[Any, Mapping[int, int]]:
        self.fill_drawer(cash=cents)
        return self.at_window(window.redeem_chips, cents, patron)

    def sell_at_cage(self, cents: int, guest: Guest) -> None:
        """Sell chips; who gets many different ones changes the largest for smaller ones."""
        if cents:
            _, chips = self.sell(cents, self.enter(guest))
            if len(chips) >= CHANGED_FROM:
                self.change_at_cage(max(chips), guest)

    def redeem_at_cage(self, cents: int, guest: Guest) -> Happening:
        if cents:
            self.redeem(cents, self.enter(guest))
        yield from ()

    def enter(self, guest: Guest) -> window.Patron:
        act = Act(self.crew.cashier, self.now)
        return window.Patron(enter=lambda: guest.known(self.site, act).pk)

    def at_window(
        self, verb: Callable[..., Any], cents: int, patron: window.Patron
    ) -> tuple[Any, Mapping[int, int]]:
        """Exchange chips and cash with a guest; return the entry, and the chips, the fewest there are."""
        trays = self.trays
        source, target = (trays.drawer, trays.out) if verb is window.sell_chips else (trays.out, trays.drawer)
        chips = trays.take(source, cents)
        target.update(chips)
        given = {"cents": cents, "pieces": Pieces(chips, meant=True), "confirmed": cents}
        return self.with_patron(verb, patron, self.at_cage(), **given), chips

    def with_patron(self, verb: Callable[..., Any], patron: window.Patron, act: Act, **given: Any) -> Any:
        """Act for a patron, whose identification is seen where the window asks for it."""
        try:
            return verb(site=self.site, patron=patron, act=act, **given)
        except NotIdentified:
            return verb(site=self.site, patron=replace(patron, identified=True), act=act, **given)

    def change_at_cage(self, value: int, guest: Guest) -> None:
        """Change chips of this value for smaller ones: one, or several of the largest."""
        number = min(CHANGED_CENTS // value if value >= LARGE_CHIP else 1, self.trays.out[value])
        smaller = Counter({one: held for one, held in self.trays.drawer.items() if one < value})
        given = exactly(smaller, value * number)
        if given:
            self.trays.drawer.subtract(given)
            self.trays.drawer[value] += number
            self.trays.out.update(given)
            self.trays.out[value] -= number
            self.with_patron(
                window.change_chips,
                self.enter(guest),
                self.at_cage(),
                pieces=Pieces({value: number}),
                given=Pieces(given),
                confirmed=value * number,
            )

    def pay_tokes(self) -> None:
        """Pay every dealer's tokes out; each signs for their own."""
        for lying in tokes.to_pay_out(self.site):
            self.fill_drawer(cash=lying.cents)
            act = self.at_cage(lying.dealer)
            chips = self.trays.take(self.trays.out, lying.cents)
            self.trays.drawer.update(chips)
            pieces = Pieces(chips)
            pay_out_tokes(site=self.site, dealer=lying.dealer, cents=lying.cents, pieces=pieces, act=act)

    def at_cage(self, approver: Any = None) -> Act:
        return Act(actor=self.crew.cashier, now=self.now, key=self.key("cage"), approver=approver)


def add_to_float(site: Any, pieces: Pieces, act: Act) -> None:
    """Bring chips and cash into the vault by the act's two people: to open it, or on documents."""
    if not vault_counts.was_moved(site):
        stocking.stock_cage(site=site, pieces=pieces, act=act)
    else:
        bring_in(site, "chip_purchase", Pieces(pieces.chips), act)
        bring_in(site, "cash_order", Pieces(cash=pieces.cash), act)


def more_float(site: Any, chips: int, cash: int) -> Pieces:
    """Return trays of each chip, as many times the opening float as come to so much, and so much cash."""
    times = -(-chips // OPENING_FLOAT.chips_cents)
    trays = {value: number * times for value, number in OPENING_FLOAT.chips.items()}
    return replace(pieces_worth(site, 0, cash), chips=trays, meant=True)


def count_vault(site: Any, act: Act) -> None:
    """Have the vault, unclaimed chips and reserve sets counted by the act's two people, as in the books."""
    trays, holds = Trays(site), stocking.holds(site)
    chips = counted(trays.vault, holds["chips"], trays.values)
    pieces = replace(pieces_worth(site, 0, holds["cash"]), chips=chips, meant=True)
    stocking.stock_cage(site=site, way="count", pieces=pieces, act=act)
    for way in ("unclaimed", "reserve"):
        if cents := posting.house_account(site, way, "chips").balance_cents:
            held = Pieces(counted(of_place(site, way), cents, trays.values))
            stocking.stock_cage(site=site, way=way, pieces=held, act=act.under(f"{act.key}-{way}"))


def close_shifts(site: Any, day: date, act: Act) -> None:
    """Have the shifts of a day that are over closed by the act's two people, if nothing of them waits."""
    for state in shift_states(site, day, act.now):
        if state.over and not (state.last or state.closed or state.waits):
            key = act.under(f"{act.key}-shift-{state.number}")
            close_shift(site=site, day=day, number=state.number, act=key)


def pieces_worth(site: Any, chips: int, cash: int) -> Pieces:
    """Return the fewest pieces that come to so many cents in chips and in cash."""
    values = stocking.denominations(site)
    return Pieces(fewest_pieces(chips, values["chips"]), fewest_pieces(cash, values["cash"]))


def publish_rates(site: Any, now: datetime) -> list[Rate]:
    """Return the rates in force, publishing the eight licensed ones (R60) and waiver reasons if there are
    none. They take effect a year back, so that past nights can be played."""
    since = gaming_day(site, now) - timedelta(days=365)
    if not Rate.objects.filter(site=site).exists():
        published = Rate.objects.bulk_create(
            Rate(
                site=site,
                option=option,
                limit_cents=limit_cents,
                fee_cents=fee_cents,
                approval_reference=APPROVAL,
                effective_from=since,
            )
            for option, (limit_cents, fee_cents) in LICENSED.items()
        )
        records.keep(site.pk, now, *published)
    if not WaiverReason.objects.filter(site=site).exists():
        for code, text in WAIVER_REASONS:
            write_reason(
                site=site,
                code=code,
                text=text,
                approval_reference=APPROVAL,
                effective_from=since,
                act=Act(actor=None, now=now),
            )
    return current_rates(site, now)


def current_rates(site: Any, now: datetime) -> list[Rate]:
    """Return the newest version of each option in force, by option."""
    return sorted(rates_in_force(site, now), key=lambda rate: rate.option)


def usual_rate(rates: list[Rate], place: int) -> Rate:
    by_option = {rate.option: rate for rate in rates}
    return by_option.get(USUAL_OPTIONS[place % len(USUAL_OPTIONS)], rates[place % len(rates)])


def usual_game(seed: int, place: int) -> Sheet:
    """Return the game of a night's table: the house's sheets in turn, starting by the seed. Tables with the
    same limit play the same game, so that one can be the other's must-move table."""
    sheets = games()
    options = USUAL_OPTIONS[: place % len(USUAL_OPTIONS) + 1]
    first = place - (len(options) - 1 - options.index(options[-1]))
    return sheets[(seed + first) % len(sheets)]


def free_tables(site: Any, count: int, start: datetime) -> list[Table]:
    """Return `count` tables not played at since `start`, adding new ones if there are too few."""
    busy = TableSession.objects.filter(Q(closed_at=None) | Q(closed_at__gt=start)).values("table")
    known = Table.objects.filter(site=site).order_by("number")
    free = list(known.exclude(pk__in=busy)[:count])
    last = max((table.number for table in known), default=0)
    for number in range(last + 1, last + 1 + count - len(free)):
        act = Act(actor=None, now=start, key=f"night-table-{number}")
        free.append(write_table(site=site, number=number, act=act))
    needed = TableSession.objects.filter(table__site=site, closed_at=None).count() + count
    if site.authorised_tables < needed:  # a demo house is authorised for as many tables as its night needs
        site.authorised_tables = needed
        site.save(update_fields=["authorised_tables"])
    return free


FIRST_SEAL = 40_211
EMERGENCY = "The box was full"
"""Why the demo pulls a box outside the filed times."""


def next_seal(site: Any) -> str:
    """Return the number of the seal of the next box; none in a house without seals."""
    return str(FIRST_SEAL + site.boxes.count()) if site.box_seals else ""


def read_seal(session: int) -> Pulling:
    """Return the notes on pulling the box of a session."""
    box = TableSession.objects.select_related("box").get(pk=session).box
    return Pulling(seal=box.seal, emergency=EMERGENCY)
