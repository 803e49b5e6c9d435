"""Enter rounds that were dealt elsewhere, with the seats and stacks they need, through the verbs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from casino.demo.nights.bank import bring_chips
from casino.demo.nights.house import FLOAT_CENTS, add_to_float, current_rates, more_float, next_seal
from casino.demo.nights.people import Crew, free_dealer, name_of
from casino.demo.nights.trays import Trays
from ledger.errors import Refusal
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.money import dollars
from tables.errors import FantasyLandNotEarned, HandForEmptySeat, OtherGame, UnknownRate, UnknownTable
from tables.floor.games import house_sheets
from tables.floor.opening import open_table
from tables.models import Round, Sitting, Table, TableSession
from tables.rounds.entry import RoundEntry, by_position
from tables.rounds.matches import call_off
from tables.rounds.pushes import push_dealer
from tables.rounds.running import void_round
from tables.rounds.settling import settle_round
from tables.rounds.starting import StartEntry, refusal, start_round
from tables.rules.errors import BadJson
from tables.rules.game.rounds import Deal, parse_round
from tables.rules.game.strict_json import BadJsonText, read_json
from tables.seats.buying_in import FirstBuyIn, add_on, buy_in
from tables.seats.players import Person
from tables.seats.sitting import sit_out
from tables.state.plan import RoundPlan, plan_round
from tables.state.table_state import TableState, sessions, state_of

# Fields of a hand in the score format that a dealer does not enter.
NOT_ENTERED = {"stack", "fantasy_land"}


def table_of(site: Any, number: int) -> Table:
    """Return the table with this number. Raises UnknownTable (`unknown_table`)."""
    table = Table.objects.filter(site=site, number=number).first()
    if table is None:
        raise UnknownTable(f"There is no table {number}.", field="table")
    return table


def read_round(line: str) -> tuple[dict[str, Any], Deal]:
    """Return a line's round, as JSON and parsed with the house's own sheets too. Raises RuleError."""
    try:
        entry = read_json(line)
    except BadJsonText as error:
        raise BadJson(f"the line can't be read: {error}") from error
    return entry, parse_round(entry, house_sheets().library)


def dreaming_seats(hands: list[dict[str, Any]]) -> set[int]:
    """Return the seats in fantasy land. Refuses it for a player's second hand (R54)."""
    first: dict[int, bool] = {}
    for hand in hands:
        if hand["seat"] in first and hand.get("fantasy_land"):
            raise FantasyLandNotEarned(
                f"Fantasy land is for the first hand of seat {hand['seat']}.", field="fantasy_land"
            )
        first.setdefault(hand["seat"], bool(hand.get("fantasy_land")))
    return {seat for seat, dreams in first.items() if dreams}


@dataclass(kw_only=True)
class DealtRounds:
    """Rounds from a file at one table. `prefix` begins the keys; `now` returns the time. `most_cents` is the
    highest stack in the file, and the limit of stacks at a table opened for it."""

    table: Table
    crew: Crew
    prefix: str
    most_cents: int
    now: Callable[[], datetime]
    dealer: Any = field(init=False)
    opened: TableSession | None = field(init=False)

    def __post_init__(self) -> None:
        self.dealer = self.crew.dealer
        self.opened = sessions().filter(table=self.table, closed_at__isnull=True).first()

    @property
    def session(self) -> TableSession:
        if self.opened is None:
            raise LookupError(f"{self.table} is not open yet.")
        return self.opened

    def key(self, line: int, what: str) -> str:
        """Return an idempotency key: entering the same file again in the same session does nothing."""
        return f"{self.prefix}-{self.session.pk}-{line}-{what}"

    def act(self, line: int, what: str, *, by_floor: bool = False, reason: str = "") -> Act:
        return Act(
            actor=self.crew.floor if by_floor else self.dealer,
            now=self.now(),
            key=self.key(line, what),
            reason=reason,
        )

    def enter(self, number: int, line: str, pass_time: Callable[[], None]) -> bool:
        """Enter the round of line `number`; return False if it was entered before. `pass_time` runs before
        settling. Raises refusals of rules, verbs and books; a round already started is then voided."""
        entry, deal = read_round(line)
        session = self.opened or self.open(number, deal)
        if (session.sheet.code, session.sheet.version) != (deal.sheet.code, deal.sheet.version) or (
            session.limit_cents != deal.limit_cents
        ):
            game = (
                f"{session.sheet.title}, version {session.sheet.version}, at {dollars(session.limit_cents)}"
            )
            raise OtherGame(f"{self.table} plays {game}.", field="sheet")
        round_ = Round.objects.filter(session=session, key=self.key(number, "round")).first()
        if round_ is not None and round_.state != Round.State.DEALT:
            return False
        self.find_dealer(number)
        if round_ is None:
            round_ = self.start(number, deal, dreaming_seats(entry["hands"]))
        pass_time()
        self.settle(number, round_, entry)
        return True

    def open(self, line: int, deal: Deal) -> TableSession:
        """Open the table for a line's game, at the rate of its limit."""
        now, limit = self.now(), deal.limit_cents
        rate = next((rate for rate in current_rates(self.table.site, now) if rate.limit_cents == limit), None)
        if rate is None:
            raise UnknownRate("No rate has been published for this limit.", field="limit")
        key, most = f"{self.prefix}-open-{self.table.pk}-{line}", max(self.most_cents, 100 * limit)
        self.stock_cage(5 * most, f"{key}-float")
        self.opened = open_table(
            table=self.table,
            game=deal.sheet.code,
            rate=rate,
            max_buy_in_cents=most,
            seal=next_seal(self.table.site),
            act=Act(actor=self.crew.floor, now=now, key=f"{key}-{now:%Y%m%dT%H%M%S}"),
        )
        self.bring_chips(5 * most, Act(actor=self.crew.floor, now=now, key=f"{key}-opener"))
        return self.opened

    def bring_chips(self, cents: int, act: Act) -> None:
        crew = self.crew
        dealer = self.session.dealer or free_dealer(crew.dealer)
        people = {"floor": crew.floor, "dealer": dealer, "cashier": crew.cashier}
        trays = Trays(self.table.site)
        bring_chips(self.session, trays.take_trays(trays.vault, cents), **people, act=act)

    def find_dealer(self, line: int) -> None:
        """Use the table's dealer, or push in one who deals nowhere else."""
        session = self.session
        session.refresh_from_db(fields=["dealer"])
        if session.dealer is None:
            session.dealer = free_dealer(self.crew.dealer)
            push_dealer(
                session_id=session.pk, dealer=session.dealer, act=self.act(line, "push", by_floor=True)
            )
        self.dealer = session.dealer

    def stock_cage(self, cents: int, key: str) -> None:
        """Increase the float if the cage could not hand out this many chips."""
        if posting.house_account(self.table.site, "vault", "chips").balance_cents < cents:
            act = Act(actor=self.crew.cashier, approver=self.crew.floor, now=self.now(), key=key)
            site = self.table.site
            add_to_float(site, more_float(site, FLOAT_CENTS + cents, 0), act)

    def start(self, line: int, deal: Deal, dreaming: set[int]) -> Round:
        """Seat a line's players and start its round, fees in cash. `dreaming`: its seats in fantasy land."""
        state = state_of(self.session)
        by_seat = {sitting.seat: sitting for sitting in state.sittings}
        if state.running_round is None:
            earned = {sitting.seat for sitting in state.sittings if sitting.fantasy_land}
            for seat in sorted(dreaming - earned):
                raise FantasyLandNotEarned(f"Seat {seat} has not earned fantasy land.", field="fantasy_land")
            for seat, stack_cents in {hand.seat: hand.stack_cents for hand in deal.hands}.items():
                self.bring(line, seat, stack_cents, by_seat.get(seat))
        wanted = {hand.seat for hand in deal.hands}
        stake_cents = self.match_stake(line, state, wanted) if deal.sheet.race_to else None
        # Two hands each in a line mean that both players agreed to them (R54).
        agreed = wanted if len(deal.hands) > len(wanted) else set()
        state = state_of(self.session)
        others = {sitting.seat for sitting in state.sittings} - wanted
        plan = plan_round(state, self.now(), declined=others, in_cash=wanted, two_hands=agreed)
        self.require_dealt_in(state, plan, wanted)
        return start_round(
            session_id=self.session.pk,
            entry=StartEntry(
                declined=others,
                in_cash=wanted,
                two_hands=agreed,
                pair_stakes={} if deal.sheet.race_to else deal.pair_stakes,
                match_stake_cents=stake_cents,
            ),
            act=self.act(line, "round"),
        )

    def match_stake(self, line: int, state: TableState, wanted: set[int]) -> int | None:
        """Return the stake of a match that begins with this line, or None if one goes on; call off another
        one. Lines do not mention matches (R42), so the stake is nine points, which everybody dealt in has."""
        if state.match is not None:
            if wanted <= state.match.points.keys():
                return None
            reason = f"Line {line} of the file has other players"
            call_off(session_id=self.session.pk, act=self.act(line, "call-off", by_floor=True, reason=reason))
        return self.session.nine_points_cents

    def bring(self, line: int, seat: int, stack_cents: int, sitting: Sitting | None) -> None:
        """Seat somebody with at least this stack, as far as the table's limits allow (R52)."""
        cents = max(stack_cents, self.session.smallest_buy_in_cents)
        if sitting is not None:
            if sitting.sitting_out:
                sit_out(sitting_id=sitting.pk, out=False, act=self.act(line, f"return-{seat}"))
            cents = stack_cents - sitting.stack.balance_cents
            if cents <= 0:
                return
        bank = self.session.bank_chips
        bank.refresh_from_db(fields=["balance_cents"])
        if bank.balance_cents < cents:
            self.stock_cage(cents, self.key(line, f"float-{seat}"))
            self.bring_chips(cents, self.act(line, f"fill-{seat}", by_floor=True))
        act = self.act(line, f"chips-{seat}")
        if sitting is not None:
            add_on(sitting_id=sitting.pk, cents=cents, source="cash", act=act)
            return
        place = 5 * self.table.number + seat
        who = Person(name_of(place), f"F{place}")
        buy_in(session_id=self.session.pk, who=who, entry=FirstBuyIn(seat, cents, "cash"), act=act)

    @staticmethod
    def require_dealt_in(state: TableState, plan: RoundPlan, wanted: set[int]) -> None:
        """Refuse a round that would not deal in exactly these seats."""
        if plan.problem == "round_running":
            raise refusal(plan.problem)
        for seat in plan.waiting:
            if seat.seat in wanted:
                raise HandForEmptySeat(seat.sentence, field="seat")
        if plan.problem is not None:
            raise refusal(plan.problem)

    def settle(self, line: int, round_: Round, entry: dict[str, Any]) -> None:
        """Settle with a line's cards; if they are refused, void the round."""
        listed = by_position(round_.hands.all(), entry["hands"])
        hands = tuple(
            {name: value for name, value in hand.items() if name not in NOT_ENTERED} | {"position": position}
            for position, hand in listed.items()
        )
        try:
            settle_round(
                entry=RoundEntry(round_.pk, self.key(line, "settle"), hands),
                act=Act(actor=self.dealer, now=self.now()),
            )
        except Refusal as refused:
            reason = f"Line {line} of the file: {refused.message}"[:200]
            void_round(round_id=round_.pk, act=self.act(line, "void", reason=reason))
            raise
