"""Random tables whose rounds are corrected at any later moment; reproducible by seed. Between rounds, during
one and after closing, somebody asks for other cards or points of any round, and somebody else decides.
Meanwhile players come, go and move, and matches begin and end."""

from datetime import timedelta
from itertools import combinations

from ledger.errors import Refusal
from ledger.journal.acts import Act
from tables.floor.closing import break_table, proposed_places
from tables.floor.must_move import move_up, set_must_move
from tables.models import Claim, Round, Sitting
from tables.rounds import claims, matches
from tables.rounds.corrections import approve_correction, ask_settlement_by_hand, refuse_correction
from tables.rules.game.rounds import library
from tables.seats.players import enter_player
from tables.seats.sitting import change_seat
from tables.state.evidence import standing_settlement
from tables.state.held_seats import held_seats, longest_at_feeders
from tables.state.plan import plan_round
from tables.state.table_state import sheet_of, state_of
from tests.support.chance import random_hand
from tests.support.lengths import CORRECTED_ACTS
from tests.support.play import random_hands

# Refusals a correction or settlement may meet: cards of the shared deck, points or cards as they stand.
MET = {"duplicate_card", "nothing_changes", "correction_open"}
GAMES = sorted(sheet.code for sheet in library())
MORE = ("Fay", "Gus", "Hal")


def tables_of(table_of, game, rng):
    """Return one or two tables, the second mostly of the same game, so that it may be a must-move table."""
    first = table_of(game)
    if rng.random() < 0.5:
        return [first]
    for name in MORE:
        first.players[name] = enter_player(site=first.site, name=name, act=Act(first.floor, first.now))
    return [first, table_of(rng.choice((game, game, rng.choice(GAMES))), number=2)]


class CorrectedNight:
    def __init__(self, tables, second, rng):
        self.rng = rng
        self.tables = [CorrectedTable(table, second, rng) for table in tables]

    def play(self, acts=CORRECTED_ACTS):
        """Perform random acts, half as many more at two tables; then close, and correct afterwards."""
        self.sit_down()
        for _ in range(acts * (len(self.tables) + 1) // 2):
            self.later()
            here = self.rng.choice(self.tables)
            does = [
                (here.round, 10),
                (here.ask, 6),
                (here.decide, 5),
                (here.company, 3),
                (here.pay_a_claim, 1),
            ]
            if len(self.tables) > 1:
                does += [(self.move, 5), (self.bind, 1)]
            self.rng.choices(*zip(*does, strict=True))[0]()
        for here in self.tables:
            here.end_round()
            self.end(here)
            self.look_back(3)
        self.look_back(4)
        return self

    def sit_down(self):
        names = [*self.tables[0].names]
        for here in self.tables:
            some = names[: self.rng.randint(2, min(5, len(names)))]
            here.table.seat(*some)
            names = names[len(some) :]

    @property
    def site(self):
        return self.tables[0].table.site

    @property
    def now(self):
        return self.tables[0].table.now

    def later(self):
        now = self.now + timedelta(seconds=self.rng.randint(5, 240))
        for here in self.tables:
            here.table.now = now

    def look_back(self, acts):
        for _ in range(acts):
            self.later()
            here = self.rng.choice(self.tables)
            self.rng.choices((here.ask, here.decide, here.pay_a_claim), (3, 3, 1))[0]()

    # -- from one table to the other ---------------------------------------------------------------

    def move(self):
        """Move somebody: by their wish, by order of the house, or because it is their turn to move up."""
        here, there = self.rng.sample(self.tables, 2)
        held = held_seats([there.table.session.pk], here.table.now)
        free, seats = state_of(there.table.session).free_seats(held), sorted(here.table.stacks())
        if not free or not seats:
            return
        seat, met = self.rng.choice(free), {"round_running", "match_running"}
        first = longest_at_feeders(there.table.fresh_session())
        if first is not None and self.rng.random() < 0.8:
            what = {"sitting_id": first.pk, "to_session_id": there.table.session.pk, "seat": seat}
            here.tried(move_up, met, **what, act=here.act(here.table.floor))
            return
        ordered = self.rng.random() < 0.5
        met |= set() if ordered else {"must_move_first", "buy_in_too_small", "buy_in_too_large"}
        here.tried(
            here.table.move,
            met,
            seat=self.rng.choice(seats),
            to=there.table,
            to_seat=seat,
            ordered=ordered,
        )

    def bind(self):
        """Make a table the other's must-move table, or end that."""
        here, there = self.rng.sample(self.tables, 2)
        bound = here.table.fresh_session().must_move_to_id
        here.tried(
            set_must_move,
            {"other_game", "must_move_circle"},
            session_id=here.table.session.pk,
            to_session_id=None if bound else there.table.session.pk,
            act=here.act(here.table.floor),
        )

    def end(self, here):
        here.call_off()
        if here is not self.tables[-1] and self.rng.random() < 0.6:
            here.break_up()
        else:
            here.close()


class CorrectedTable:
    def __init__(self, table, second, rng):
        self.table, self.second, self.rng = table, second, rng
        self.running = None
        self.asked = []
        self.names = [*table.players]

    def act(self, actor, reason=""):
        return Act(actor, self.table.now, self.table.key(), reason=reason)

    def tried(self, verb, met, **what):
        """Return the verb's result, or None if it is refused with one of these codes."""
        try:
            return verb(**what)
        except Refusal as refused:
            if refused.code not in met:
                raise
            return None

    # -- rounds ------------------------------------------------------------------------------------

    def round(self):
        """End the running round, or start one."""
        if self.running is not None:
            self.end_round()
            return
        table, state = self.table, state_of(self.table.fresh_session())
        plan = plan_round(state, table.now)
        if plan.problem is not None:
            self.company()
            return
        sheet, agreed = self.sheet(), {}
        if sheet.race_to and state.match is None and self.rng.random() < 0.6:
            # a match that is over may still go on after a correction
            self.rng.choice((self.company, self.ask, self.decide))()
            return
        seats = sorted(seat.seat for seat in plan.dealt_in)
        if plan.two_hands_possible and self.rng.random() < 0.3:
            agreed["two_hands"] = seats
        if sheet.race_to and state.match is None:
            agreed["match_stake_cents"] = min(seat.stack_cents for seat in plan.dealt_in) - self.rng.choice(
                (0, 750)
            )
        if sheet.pair_stakes and not sheet.race_to and self.rng.random() < 0.2:
            agreed["pair_stakes"] = {tuple(self.rng.sample(seats, 2)): self.rng.choice((250, 1000))}
        if "two_hands" not in agreed and plan.reserved_possible and self.rng.random() < 0.7:
            agreed["reserved"] = True
        self.running = table.start(**agreed)

    def end_round(self):
        """Settle the running round, by cards or by hand, or void it."""
        round_, self.running = self.running, None
        if round_ is None:
            return
        if self.rng.random() < 0.1:
            self.table.void(round_)
            return
        if not self.sheet().race_to and self.rng.random() < 0.15:
            asked = self.ask_points(round_)
            if self.rng.random() < 0.8:
                self.approve(asked)
                return
        while self.tried(self.table.settle, MET, round_=round_, hands=self.cards(round_)) is None:
            pass

    def cards(self, round_):
        """Return cards for each hand; in a race often good for one player alone, so that matches end."""
        hands = list(round_.hands.all())
        laid = [random_hand(self.rng, cards, self.sheet()) for cards in random_hands(self.rng, len(hands))]
        if self.sheet().race_to and self.rng.random() < 0.7:
            best = self.rng.randrange(len(hands))
            laid = [hand if place == best else {"misset": True} for place, hand in enumerate(laid)]
        return laid

    def sheet(self):
        return sheet_of(self.table.session)

    # -- corrections -------------------------------------------------------------------------------

    def ask(self):
        """Ask for other cards, or points, of any settled round."""
        settled = [*self.table.session.rounds.filter(state=Round.State.SETTLED).order_by("number")]
        if not settled:
            return
        round_ = settled[-1] if self.rng.random() < 0.4 else self.rng.choice(settled)
        if standing_settlement(round_).by_hand:
            self.ask_points(round_)
            return
        asked = self.tried(
            self.table.ask,
            MET,
            round_=round_,
            hands=self.cards(round_),
            actor=self.rng.choice((self.table.floor, self.table.dealer)),
        )
        if asked is not None:
            self.asked.append(asked)

    def ask_points(self, round_):
        seats = sorted({hand.seat for hand in round_.hands.all()})
        asked = self.tried(
            ask_settlement_by_hand,
            MET,
            round_id=round_.pk,
            points=[(*pair, self.rng.randint(-12, 12)) for pair in combinations(seats, 2)],
            act=self.act(self.table.floor, "The cards were mucked"),
        )
        if asked is not None:
            self.asked.append(asked)
        return asked

    def decide(self):
        if not self.asked:
            return
        asked = self.rng.choice(self.asked)
        if self.rng.random() < 0.8:
            self.approve(asked)
        else:
            self.decided(asked, refuse_correction, "The camera shows it otherwise")

    def approve(self, asked):
        """Approve a request, unless a round runs or it is overtaken."""
        self.decided(asked, approve_correction)

    def decided(self, asked, verb, reason=""):
        met = {"round_running", "already_settled", "round_void", "duplicate_card"}
        act = self.act(self.second, reason)
        # Points asked for are overtaken once somebody corrects the cards that turned up.
        if self.tried(verb, met | {"correction_decided"}, request_id=asked.pk, act=act) is not None:
            self.asked.remove(asked)

    def pay_a_claim(self):
        claim = Claim.objects.filter(settlement__round__session=self.table.session, payment=None).first()
        if claim is not None:
            claims.mark_paid(claim_id=claim.pk, act=self.act(self.table.floor))

    # -- who sits there ----------------------------------------------------------------------------

    def company(self):
        """Somebody comes, goes, sits out, adds on or changes seats; a match may be called off for it."""
        if self.running is not None:
            return
        table, rng = self.table, self.rng
        stacks = table.stacks()
        free = sorted({1, 2, 3, 4, 5} - stacks.keys())
        seated = Sitting.objects.filter(left_at=None).values_list("player__name", flat=True)
        away = sorted({*self.names} - {*seated})
        if free and away and (len(stacks) < 3 or rng.random() < 0.4):
            name, seat, points = rng.choice(away), rng.choice(free), rng.choice((30, 60, 90))
            # Returning players bring what they took away (R52); must-move players come first (R55).
            self.tried(
                table.buy_in, {"buy_in_too_small", "must_move_first"}, name=name, seat=seat, points=points
            )
            return
        if not stacks:
            return
        seat = rng.choice(sorted(stacks))
        match rng.choice(("go", "go", "out", "more", "more", "move")):
            case "go":
                self.call_off()
                table.cash_out(seat)
            case "out":
                table.sit_out(seat, not table.sitting(seat).sitting_out)
            case "more" if stacks[seat] < 100 * table.limit - 2500:
                table.add_on(seat, 100 * table.limit - stacks[seat])
            case "move" if free:
                self.tried(
                    change_seat,
                    {"seat_of_match"},
                    sitting_id=table.sitting(seat).pk,
                    seat=rng.choice(free),
                    act=self.act(table.floor),
                )

    def call_off(self):
        state = state_of(self.table.fresh_session())
        if state.match is not None:
            matches.call_off(session_id=self.table.session.pk, act=self.act(self.table.floor, "too late"))

    def close(self):
        for seat in self.table.stacks():
            self.table.cash_out(seat)
        self.table.close(self.second)

    def break_up(self):
        table = self.table
        break_table(
            session_id=table.session.pk,
            places=proposed_places(table.session, table.now),
            counts=(table.counted(), table.counted()),
            second=self.second,
            act=self.act(table.floor),
        )
