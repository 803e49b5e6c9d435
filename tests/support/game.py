"""An open table for tests; `game.minute(21.5)` sets its clock to 21:30 after the opening."""

from dataclasses import fields
from datetime import UTC, date, datetime, timedelta

import pytest

from casino import roles
from casino.demo.nights.bank import bring_chips, receive_closer
from casino.models import Staff
from ledger.journal import records
from ledger.journal.acts import Act
from ledger.models import Account
from tables.collection import rates, taking
from tables.floor import closing, opening
from tables.floor.tables import write_table
from tables.models import Rate, Sitting, TableSession
from tables.rounds import corrections, pushes, running, settling, starting
from tables.rounds.entry import RoundEntry, two_each
from tables.seats import buying_in, moving, sitting as seats_sitting
from tables.seats.sitting import cash_out
from tables.state.plan import plan_round
from tables.state.table_state import state_of
from tests.support.acting import acting
from tests.support.cage import give_drawer, pieces, sell, stock, with_drawer
from tests.support.cast import PIN
from tests.support.kept import kept

OPENING = datetime(2026, 3, 7, 20, 0, tzinfo=UTC)

# Four hands without duplicates; the first is the example's flush with queens in front.
QUEENS = {"front": "Qs Qh 2c", "middle": "5c 6d 7h 8s 9s", "back": "Ad Kd 9d 4d 2d"}
FULL_HOUSE = {"front": "Ah Kc 8h", "middle": "3c 3d 7s 7c 4h", "back": "Ts Th Tc 6h 6c"}
PLAIN = {"front": "As Js 8d", "middle": "4c 4s Jh 9h 3h", "back": "5d 5h 5s Kh Qc"}
LOW = {
    "front": "Ac Jd 6s",
    "middle": "2h 2s Ks Qd 8c",
    "back": "9c Jc Td 7d 3s",
}  # foul: the back is only jack high
HANDS = (QUEENS, FULL_HOUSE, PLAIN, LOW)


def _free(dealer, number):
    if not TableSession.objects.filter(dealer=dealer, closed_at=None).exists():
        return dealer
    other, new = Staff.objects.get_or_create(username=f"dealer of table {number}")
    if new:
        other.set_pin(PIN)
        other.save()
        roles.assign(other, "dealer")
    return Staff.objects.get(pk=other.pk)


def _cashier():
    return Staff.objects.filter(groups__name="cashier").first()


class Game:
    def __init__(
        self,
        site,
        floor,
        dealer,
        players,
        *,
        sheet="face-up",
        limit_cents=500,
        fee_cents=1000,
        number=1,
        minute=0,
        seal="",
    ):
        self.site, self.floor, self.dealer, self.players = site, floor, dealer, players
        self.now = OPENING
        self.minute(minute)
        self._keys = 0
        self.rate = Rate.objects.create(
            site=site,
            option=number,
            limit_cents=limit_cents,
            fee_cents=fee_cents,
            approval_reference="BGC-1",
            effective_from=date(2026, 1, 1),
        )
        records.keep(site.pk, OPENING, self.rate)
        self.table = write_table(site=site, number=number, act=Act(floor, OPENING, f"enter table {number}"))
        self.session = opening.open_table(
            table=self.table,
            game=sheet,
            rate=self.rate,
            max_buy_in_cents=100 * limit_cents,
            seal=seal,
            act=Act(key=self.key(), actor=floor, now=self.now),
        )
        self.dealer = self.push(_free(dealer, number))
        self.fill(5_000_000)

    def push(self, dealer, **options):
        """Push a dealer in, or out with None; return the dealer."""
        options = {"key": self.key(), "actor": self.floor, "now": self.now} | options
        acting(pushes.push_dealer, session_id=self.session.pk, dealer=dealer, **options)
        return dealer

    def fill(self, cents, now=None):
        """Bring chips to the bank, as an opener or a fill by three people."""
        people = {"floor": self.floor, "dealer": self.dealer, "cashier": _cashier()}
        chips = pieces(self.session.table.site, chips=cents).chips
        bring_chips(self.session, chips, **people, act=Act(self.floor, now or self.now, self.key()))
        self.session.bank_chips.refresh_from_db()

    def close(self, second, *, chips_over=0, cash_over=0, **options):
        """Close the table, its bank counted as in the books, or so many cents over, and have a cashier
        receive it (unless `received` is False)."""
        received = options.pop("received", True)
        count = options.get("count") or self.counted(chips_over, cash_over)
        options = {
            "count": count,
            "second_count": count,
            "key": self.key(),
            "actor": self.floor,
            "now": self.now,
        } | options
        closed = acting(closing.close_table, session_id=self.session.pk, second=second, **options)
        if received:
            act = Act(None, options["now"], f"{options['key']}/received")
            receive_closer(closed, cashier=_cashier(), act=act)
        return closed

    def counted(self, chips_over=0, cash_over=0):
        """Return the final bank count: as in the books, or so many cents over."""
        banks = [self.session.bank_chips, self.session.bank_cash]
        for bank in banks:
            bank.refresh_from_db()
        chips, cash = (bank.balance_cents for bank in banks)
        return pieces(self.site, chips=chips + chips_over, cash=cash + cash_over)

    def key(self) -> str:
        self._keys += 1
        return f"table-{self.table_number}-key-{self._keys:04d}"

    @property
    def table_number(self) -> int:
        return self.table.number

    def minute(self, minute: float) -> "Game":
        """Set the time to so many minutes after the opening."""
        self.now = OPENING + timedelta(minutes=minute)
        return self

    @property
    def limit(self) -> int:
        return self.session.limit_cents

    def buy_in(self, name, seat, points=60, **options) -> Sitting:
        said = {word: options.pop(word) for word in ("source", "entered_at", "ordered") if word in options}
        entry = buying_in.FirstBuyIn(seat, points * self.limit, **{"source": "cash"} | said)
        options = {"key": self.key(), "actor": self.floor, "now": self.now} | options
        who = self.players[name]
        return acting(buying_in.buy_in, session_id=self.session.pk, who=who, entry=entry, **options)

    def seat(self, *names, points=60) -> list[Sitting]:
        """Buy these players in at seats 1, 2, 3 ..."""
        return [self.buy_in(name, seat, points) for seat, name in enumerate(names, 1)]

    def sitting(self, seat) -> Sitting:
        return Sitting.objects.select_related("stack", "player").get(
            session=self.session, seat=seat, left_at=None
        )

    def stack(self, seat) -> int:
        return self.sitting(seat).stack.balance_cents

    def stacks(self) -> dict[int, int]:
        sittings = (
            Sitting.objects.filter(session=self.session, left_at=None)
            .select_related("stack")
            .order_by("seat")
        )
        return {sitting.seat: sitting.stack.balance_cents for sitting in sittings}

    def sell(self, cents, cashier) -> None:
        """Sell chips at the cage, to be brought to a table."""
        with_drawer(self.site, cashier, self.now)
        act = Act(actor=cashier, now=self.now, key=self.key())
        sell(site=self.site, cents=cents, act=act)

    def set_stack(self, seat, cents) -> None:
        """Set a stack by moving chips to or from the chip maker, past the verbs."""
        account = self.sitting(seat).stack
        difference = cents - account.balance_cents
        maker = Account.objects.get(site=self.site, kind="chip_maker", asset="chips")
        Account.objects.filter(pk=account.pk).update(balance_cents=cents)
        Account.objects.filter(pk=maker.pk).update(balance_cents=maker.balance_cents - difference)

    def plan(self, **options):
        return plan_round(state_of(self.fresh_session()), self.now, **options)

    def fresh_session(self):
        from tables.state.table_state import sessions

        return sessions().get(pk=self.session.pk)

    def start(self, **options):
        said = {field.name for field in fields(starting.StartEntry)}
        entry = starting.StartEntry(**{word: options.pop(word) for word in said & options.keys()})
        options = {"key": self.key(), "actor": self.dealer, "now": self.now} | options
        return acting(starting.start_round, session_id=self.session.pk, entry=entry, **options)

    def entry(self, round_, hands=HANDS, key=None) -> RoundEntry:
        """Return the entry of these hands, in the order of positions."""
        dealt = list(round_.hands.all())
        which = two_each(dealt)
        entered = tuple(
            {"seat": hand.seat, **({"position": hand.position} if which else {}), **cards}
            for hand, cards in zip(dealt, hands, strict=False)
        )
        return RoundEntry(round_.pk, key or self.key(), entered)

    def settle(self, round_, hands=HANDS, **options):
        entry = self.entry(round_, hands, options.pop("key", None))
        return acting(
            settling.settle_round, entry=entry, **({"actor": self.dealer, "now": self.now} | options)
        )

    def play(self, hands=HANDS, **options):
        return self.settle(self.start(**options), hands)

    def void(self, round_, reason="a card was exposed"):
        return running.void_round(
            round_id=round_.pk, act=Act(reason=reason, key=self.key(), actor=self.dealer, now=self.now)
        )

    def add_on(self, seat, cents, **options):
        options = {"source": "cash", "key": self.key(), "actor": self.dealer, "now": self.now} | options
        return acting(buying_in.add_on, sitting_id=self.sitting(seat).pk, cents=cents, **options)

    def cash_out(self, seat, **options):
        options = {"key": self.key(), "actor": self.floor, "now": self.now} | options
        return acting(cash_out, sitting_id=self.sitting(seat).pk, **options)

    def move(self, seat, to, to_seat, *, ordered=False, **options) -> Sitting:
        """Move the player in `seat` to `to_seat` of the game `to`, at this game's time."""
        options = {"key": self.key(), "actor": self.floor, "now": self.now} | options
        return acting(
            moving.move_player,
            sitting_id=self.sitting(seat).pk,
            to_session_id=to.session.pk,
            seat=to_seat,
            ordered=ordered,
            **options,
        )

    def announce(self, rate, max_buy_in_cents):
        announced = {"rate": rate, "max_buy_in_cents": max_buy_in_cents}
        return acting(
            rates.announce_rate,
            session_id=self.session.pk,
            key=self.key(),
            actor=self.floor,
            now=self.now,
            **announced,
        )

    def sit_out(self, seat, out=True):
        return seats_sitting.sit_out(
            sitting_id=self.sitting(seat).pk,
            out=out,
            act=Act(key=self.key(), actor=self.dealer, now=self.now),
        )

    def pay(self, seat, method="cash", **options):
        options = {"key": self.key(), "actor": self.dealer, "now": self.now} | options
        return acting(taking.pay_fees, sitting_id=self.sitting(seat).pk, method=method, **options)

    def ask(self, round_, hands, reason="the dealer read a nine for a six", **options):
        entry = self.entry(round_, hands, options.pop("key", None))
        options = {"actor": self.dealer, "now": self.now} | options
        return acting(corrections.ask_correction, entry=entry, reason=reason, **options)

    def approve(self, request, **options):
        options = {"key": self.key(), "actor": self.floor, "now": self.now} | options
        return acting(corrections.approve_correction, request_id=request.pk, **options)


@kept
def stocked_site(site, cashier, floor):
    by = {"by": cashier, "second": floor, "now": OPENING}
    stock(site, chips=50_000_000, cash=10_000_000, **by, key="open-the-cage")
    give_drawer(site, chips=5_000_000, cash=5_000_000, **by)
    return site


@kept
def game(stocked_site, floor, dealer, players):
    """An open $5 Face-Up table with a $10 fee, empty."""
    return Game(stocked_site, floor, dealer, players)


@kept
def beside(stocked_site, floor, dealer, players):
    return Game(stocked_site, floor, dealer, players, number=2)


@pytest.fixture
def table_of(stocked_site, floor, dealer, players):
    """Open a $5 table with a $10 fee for any game: `table_of("western")`."""
    return lambda sheet, **more: Game(stocked_site, floor, dealer, players, sheet=sheet, **more)


@kept
def thirty(stocked_site, floor, dealer, players):
    """An open $30 Face-Up table with a $15 fee, so that half of it is $7.50."""
    return Game(stocked_site, floor, dealer, players, limit_cents=3000, fee_cents=1500, number=5)
