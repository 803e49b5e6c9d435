"""Rounds at one table of a simulated night: dealing, entering, settling, and what may go wrong."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

from casino.demo.nights.guests_hands import SetHand, set_hand, shuffled
from casino.demo.nights.house import Happening, SimulatedHouse
from casino.demo.nights.people import Guest
from ledger.journal.acts import Act
from ledger.money import amount_text, parse_amount
from tables.floor.disputes import decide_dispute, take_dispute
from tables.floor.games import house_sheets
from tables.models import CorrectionRequest, Round, TableSession
from tables.rounds import corrections
from tables.rounds.entry import RoundEntry
from tables.rounds.matches import call_off
from tables.rounds.running import call_time, save_draft, void_round
from tables.rounds.settling import settle_round
from tables.rounds.starting import StartEntry, start_round
from tables.rules.game.rounds import parse_round, score
from tables.rules.game.sheet import Sheet
from tables.rules.table import dealing
from tables.state.plan import RoundPlan, plan_round
from tables.state.table_state import TableState, sessions, state_of

MISDEALS = ("A card was exposed", "Fourteen cards dealt to a hand", "The deck was one card short")
REASONS = (
    "Two cards entered the wrong way round",
    "The tablet was turned away from the hand",
    "Read six for nine",
)
REFUSALS = ("The camera shows it as it was settled", "Nobody else saw it")
SEEN_BY_ALL = {"declares", "misset", "surrenders"}
# Probability of each, every time it could happen.
CALLED = 0.015
NEVER_SET = 0.4
CARDS_GONE = 0.006
REFUSED = 0.2
DECLINES = 0.02
MISDEALT = 0.01
MISTAKEN = 0.02
SAVES_DRAFT = 0.3
TWO_HANDS_EACH = 0.5
# Two players agree on a stake of their own, a multiple of the limit, and mostly keep to it (R32).
AGREES_ON_STAKE = 0.03
TIMES_THE_LIMIT = (2, 3, 5)
KEEPS_STAKE = 0.9
# How many decks are tried for a scene that needs a certain outcome.
MOST_DECKS = 120

Entered = tuple[dict[str, Any], ...]
# Returns whether the stacks after a round, in cents by seat, suit the scene.
Luck = Callable[[Mapping[int, int]], bool]


class Laid(NamedTuple):
    """A hand on the table; `position` tells a player's two hands apart (R54)."""

    seat: int
    hand: SetHand
    position: int | None = None

    def entered(self) -> dict[str, Any]:
        place = {} if self.position is None else {"position": self.position}
        return self.hand.entered(self.seat) | place


@dataclass(frozen=True)
class Mistake:
    """A round settled with misread cards, its real hands, and when somebody notices."""

    round_id: int
    hands: Entered
    noticed_at: datetime


@dataclass(eq=False, repr=False, kw_only=True)
class RoundPlay:
    """The `place`-th table of a night. `incidents`: things may go wrong; `at_rest`: players may move."""

    house: SimulatedHouse
    sheet: Sheet
    place: int
    incidents: bool = True
    present: dict[int, Guest] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    round: Round | None = None
    at_rest: bool = False
    rng: Random = field(init=False)
    session: TableSession = field(init=False)
    dealer: Any = field(init=False)
    _state: TableState | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.rng = Random(f"{self.house.seed}/{self.place}")

    @property
    def started(self) -> Round:
        """The last round started. LookupError before the first."""
        if self.round is None:
            raise LookupError("No round has been started here yet.")
        return self.round

    def play_round(self, luck: Luck | None = None) -> Happening:
        """Start, deal and settle a round; a misdeal voids it. If too few can play, wait some minutes."""
        plan = yield from self.start()
        if plan is None:
            return
        if self.rng.random() < MISDEALT:
            yield self.seconds(20, 80)
            reason = self.rng.choice(MISDEALS)
            self.do(void_round, round_id=self.started.pk, because=reason, actor=self.dealer)
            return
        hands = self.deal(plan, luck)
        yield from self.enter(hands)
        by_hand = self.incidents and not plan.two_hands and not self.sheet.race_to
        if by_hand and self.rng.random() < CARDS_GONE:
            yield from self.settle_without_cards(self.entry(plan, hands))
        else:
            self.settle(hands)

    def start(self) -> Generator[float, None, RoundPlan | None]:
        """Start the next round; return its plan, or None if too few can play."""
        plan = self.plan()
        declined = self.declining(plan)
        in_cash = {seat.seat for seat in plan.seats if seat.fees and self.present[seat.seat].pays_cash}
        wishes: dict[str, Any] = {"declined": sorted(declined), "in_cash": sorted(in_cash)}
        plan = self.plan(**wishes)
        if plan.two_hands_possible and self.incidents and self.rng.random() < TWO_HANDS_EACH:
            wishes["two_hands"] = sorted(seat.seat for seat in plan.dealt_in)
            plan = self.plan(**wishes)
        if plan.problem is not None:
            self.end_match()
            yield self.seconds(60, 240)
            return None
        if self.sheet.race_to and self.state().match is None:
            wishes["match_stake_cents"] = plan.rate.nine_points_cents
        if self.incidents and self.sheet.two_may_agree:
            wishes["pair_stakes"] = self.stakes_of_two(plan)
        self.round = self.do(
            start_round, session_id=self.session.pk, entry=StartEntry(**wishes), actor=self.dealer
        )
        return plan

    def stakes_of_two(self, plan: RoundPlan) -> dict[tuple[int, int], int]:
        """Return the stake that two players agreed on, if any (R32): the last round's, or a new one."""
        for stake in plan.pair_stakes:
            if self.rng.random() < KEEPS_STAKE:
                low, high = stake["seats"]
                return {(low, high): parse_amount(stake["limit"])}
        if self.rng.random() >= AGREES_ON_STAKE:
            return {}
        low, high = sorted(self.rng.sample([seat.seat for seat in plan.dealt_in], 2))
        return {(low, high): self.rng.choice(TIMES_THE_LIMIT) * plan.rate.limit_cents}

    def plan(self, **wishes: Any) -> RoundPlan:
        return plan_round(self.state(), self.house.now, **wishes)

    def state(self) -> TableState:
        """Return the table's state, cached until the next verb."""
        if self._state is None:
            self.session = sessions().get(pk=self.session.pk)
            self._state = state_of(self.session)
        return self._state

    def session_now(self) -> TableSession:
        """Return the session afresh: its limit may have changed with the last down (R64)."""
        self.state()
        return self.session

    def end_match(self) -> None:
        if self.sheet.race_to and self.state().match is not None:
            self.order(call_off, because="A player of the match leaves")

    def fresh_state(self) -> TableState:
        self._state = None
        return self.state()

    def declining(self, plan: RoundPlan) -> set[int]:
        """Return the seats that decline this round, leaving at least two."""
        unwilling = [seat.seat for seat in plan.dealt_in if self.rng.random() < DECLINES]
        waiting = sum(seat.reason == "fifth" for seat in plan.waiting)
        return set(unwilling[: max(len(plan.dealt_in) + waiting - 2, 0)])

    def deal(self, plan: RoundPlan, luck: Luck | None = None) -> list[Laid]:
        """Deal a shuffled deck and have everybody set their hand; with `luck`, redeal until it is met."""
        for _ in range(MOST_DECKS if luck else 0):
            hands = self.dealt(plan)
            if luck and luck(self.stacks_after(plan, hands)):
                return hands
        return self.dealt(plan)

    def dealt(self, plan: RoundPlan) -> list[Laid]:
        """Deal thirteen cards to each hand, set in its guest's style. Fantasy land is for the first (R54)."""
        deck = shuffled(self.rng)
        by_seat = {seat.seat: seat.sitting for seat in plan.dealt_in}
        seats = [*by_seat]
        positions: list[int | None] = [None] * len(by_seat)
        if plan.two_hands and plan.button is not None:
            seats = list(dealing.by_position(by_seat, plan.button, self.sheet.first, 2))
            positions = [*range(1, len(seats) + 1)]
        return [
            Laid(
                seat,
                set_hand(
                    deck[13 * place : 13 * place + 13],
                    self.sheet,
                    self.present[seat].temper,
                    self.rng,
                    all_at_once=by_seat[seat].fantasy_land and place < len(by_seat),
                ),
                position,
            )
            for place, (seat, position) in enumerate(zip(seats, positions, strict=True))
        ]

    def stacks_after(self, plan: RoundPlan, hands: Sequence[Laid]) -> dict[int, int]:
        """Return the stacks after a round with these hands, in cents by seat."""
        net = score(parse_round(self.entry(plan, hands), house_sheets().library)).net_cents
        return {seat.seat: seat.stack_cents + net[seat.seat] for seat in plan.dealt_in}

    def entry(self, plan: RoundPlan, hands: Sequence[Laid]) -> dict[str, Any]:
        """Return a round of one hand each in the score format."""
        scored = []
        for seat, laid in zip(plan.dealt_in, hands, strict=True):
            dreams = {"fantasy_land": True} if seat.sitting.fantasy_land else {}
            scored.append(laid.hand.entered(seat.seat) | {"stack": amount_text(seat.stack_cents)} | dreams)
        return {
            "sheet": self.sheet.code,
            "version": self.sheet.version,
            "limit": amount_text(plan.rate.limit_cents),
            "button": plan.button,
            "hands": scored,
        }

    def enter(self, hands: list[Laid]) -> Happening:
        """Let the round's time pass; some dealers enter hands as they come, stalled ones are mis-set."""
        entered = [laid.entered() for laid in hands]
        if self.rng.random() < SAVES_DRAFT:
            yield self.seconds(50, 100)
            self.do(save_draft, round_id=self.started.pk, version=0, hands=entered[:1], actor=self.dealer)
        yield from self.rest(self.seconds(70, 170))
        if self.incidents:
            yield from self.call_stalled(hands)

    def settle(self, hands: Sequence[Laid], *, mistaken: bool | None = None) -> None:
        """Confirm the hands, now and then with two cards of one swapped."""
        entered = tuple(laid.entered() for laid in hands)
        wrong = None
        if self.rng.random() < MISTAKEN if mistaken is None else mistaken:
            wrong = misread(entered, self.rng)
        entry = RoundEntry(self.started.pk, self.key(), wrong or entered)
        self.do(settle_round, entry=entry, actor=self.dealer)
        if wrong is not None:
            noticed = self.house.now + timedelta(seconds=self.seconds(0, 1200))
            self.mistakes.append(Mistake(self.started.pk, entered, noticed))

    def call_stalled(self, hands: list[Laid]) -> Happening:
        """Have the floor call time on a player; a hand not set in time is mis-set (R57)."""
        if self.rng.random() < CALLED:
            place = self.rng.randrange(len(hands))
            slow = hands[place]
            self.do(call_time, round_id=self.started.pk, seat=slow.seat, actor=self.house.crew.floor)
            yield 60
            if self.rng.random() < NEVER_SET:
                hands[place] = slow._replace(hand=SetHand(misset=True))

    def settle_without_cards(self, entry: dict[str, Any]) -> Happening:
        """Settle a round whose cards were mucked, by the points two people vouch for (R58)."""
        points = dict.fromkeys(combinations(sorted(hand["seat"] for hand in entry["hands"]), 2), 0)
        for payment in score(parse_round(entry, house_sheets().library)).payments:
            low, high = sorted((payment.from_seat, payment.to_seat))
            points[low, high] += payment.points if payment.to_seat == low else -payment.points
        request = self.do(
            corrections.ask_settlement_by_hand,
            round_id=self.started.pk,
            points=[(*pair, won) for pair, won in points.items()],
            because="The cards were mucked before they were entered",
            actor=self.dealer,
        )
        yield self.seconds(60, 180)
        self.do(corrections.approve_correction, request_id=request.pk, actor=self.house.crew.floor)

    def ask(self, mistake: Mistake, *, by_floor: bool) -> CorrectionRequest:
        asked: CorrectionRequest = self.do(
            corrections.ask_correction,
            entry=RoundEntry(mistake.round_id, self.key(), mistake.hands),
            because=self.rng.choice(REASONS),
            actor=self.house.crew.floor if by_floor else self.dealer,
        )
        return asked

    def decide(self, mistake: Mistake) -> Happening:
        """Take the dispute, request the correction, have it decided by the other, and close the dispute."""
        by_floor = self.rng.random() < 0.4
        second = self.house.crew.floor2 if by_floor else self.house.crew.floor
        about: dict[str, Any] = {"round_": Round.objects.get(pk=mistake.round_id), "what": "cards"}
        site = self.session.table.site
        dispute = self.do(take_dispute, site=site, session=self.session, actor=second, **about)
        request = self.ask(mistake, by_floor=by_floor)
        yield self.seconds(30, 90)
        if self.rng.random() < REFUSED:
            outcome, why = "as_dealt", self.rng.choice(REFUSALS)
            self.do(corrections.refuse_correction, request_id=request.pk, because=why, actor=second)
        else:
            outcome, why = "corrected", "The cards were entered otherwise than they lay"
            self.do(corrections.approve_correction, request_id=request.pk, actor=second)
        self.do(decide_dispute, dispute=dispute, outcome=outcome, told=True, because=why, actor=second)

    # -- small change ------------------------------------------------------------------------------

    def rest(self, seconds: float) -> Happening:
        """Let time pass in which players not dealt in may move to another table."""
        self.at_rest = True
        yield seconds
        self.at_rest = False

    def seconds(self, least: int, most: int) -> int:
        return self.rng.randint(least, most)

    def key(self) -> str:
        return self.house.key(f"t{self.place}")

    def do(
        self, verb: Callable[..., Any], *, actor: Any, approver: Any = None, because: str = "", **what: Any
    ) -> Any:
        """Call a verb at the simulated time with a new key; drop the cached state."""
        self._state = None
        act = Act(actor=actor, now=self.house.now, key=self.key(), approver=approver, reason=because)
        return verb(**what, act=act)

    def order(self, verb: Callable[..., Any], **what: Any) -> Any:
        return self.do(verb, session_id=self.session.pk, actor=self.house.crew.floor, **what)


def misread(hands: Sequence[Mapping[str, Any]], rng: Random) -> Entered | None:
    """Return the hands with two cards of one swapped between its back and another segment; None if none
    qualifies. A declared, mis-set or surrendered hand is never misread: everybody looked at it."""
    plain = [place for place, hand in enumerate(hands) if not SEEN_BY_ALL & hand.keys()]
    if not plain:
        return None
    chosen = rng.choice(plain)
    hand = dict(hands[chosen])
    other = rng.choice(("front", "middle"))
    left, right = hand[other].split(), hand["back"].split()
    here, there = rng.randrange(len(left)), rng.randrange(len(right))
    left[here], right[there] = right[there], left[here]
    hand[other], hand["back"] = " ".join(left), " ".join(right)
    return tuple(hand if place == chosen else dict(other_hand) for place, other_hand in enumerate(hands))
