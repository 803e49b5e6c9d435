"""A table at which rounds are corrected at any later moment, by cards and by hand: made up, and the same for the same seed.

Between rounds, while one runs and after the table has closed, somebody asks for other cards or points of any round, somebody
else approves or refuses it, and in the meantime players come, go, add on and change seats, and matches begin and end.
"""

from datetime import timedelta
from itertools import combinations

from ledger.errors import Refusal
from ledger.journal.acts import Act
from tables.models import Claim, Round
from tables.rounds import claims, matches
from tables.rounds.corrections import approve_correction, ask_settlement_by_hand, refuse_correction
from tables.seats.changing_seats import change_seat
from tables.state.evidence import standing_settlement
from tables.state.plan import plan_round
from tables.state.table_state import sheet_of, state_of
from tests.support.chance import random_hand
from tests.support.lengths import CORRECTED_ACTS
from tests.support.play import random_hands

# What a correction or a settlement may meet: cards of the shared deck, points or cards that stand already.
MET = {"duplicate_card", "nothing_changes", "correction_open"}


class CorrectedTable:
    """An open table, its second person of the floor, and the chance that decides what happens there."""

    def __init__(self, table, second, rng):
        self.table, self.second, self.rng = table, second, rng
        self.running = None
        self.asked = []
        self.names = [*table.players]

    # -- the course of the night --------------------------------------------------------------------------------------

    def play(self, acts=CORRECTED_ACTS):
        """So many acts, then the closing, and what is corrected after it."""
        self.table.seat(*self.names[: self.rng.choice((2, 3, 4, 5))])
        for _ in range(acts):
            self.table.now += self.seconds(5, 240)
            self.rng.choices(
                (self.round, self.ask, self.decide, self.company, self.pay_a_claim), (10, 6, 5, 3, 1)
            )[0]()
        self.end_round()
        self.close()
        for act in (self.ask, self.decide, self.ask, self.pay_a_claim, self.ask, self.decide, self.decide):
            self.table.now += self.seconds(5, 240)
            act()
        return self

    def seconds(self, least, most):
        return timedelta(seconds=self.rng.randint(least, most))

    def act(self, actor, reason=""):
        return Act(actor, self.table.now, self.table.key(), reason=reason)

    def tried(self, verb, met, **what):
        """What the verb returns, or None where it is refused with one of these codes."""
        try:
            return verb(**what)
        except Refusal as refused:
            if refused.code not in met:
                raise
            return None

    # -- rounds -------------------------------------------------------------------------------------------------------

    def round(self):
        """End the round that runs; where none does, start one."""
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
            self.rng.choice((self.company, self.ask, self.decide))()  # while a match is over it may yet go on
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
        """Settle the round that runs, by cards or by hand, or void it."""
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
        """Cards for each hand of a round; in a race often of one player alone, so that matches end."""
        hands = list(round_.hands.all())
        laid = [random_hand(self.rng, cards, self.sheet()) for cards in random_hands(self.rng, len(hands))]
        if self.sheet().race_to and self.rng.random() < 0.7:
            best = self.rng.randrange(len(hands))
            laid = [hand if place == best else {"misset": True} for place, hand in enumerate(laid)]
        return laid

    def sheet(self):
        return sheet_of(self.table.session)

    # -- corrections --------------------------------------------------------------------------------------------------

    def ask(self):
        """Ask for other cards, or other points, of any round that stands settled."""
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
        """Approve or refuse any request that is open."""
        if not self.asked:
            return
        asked = self.rng.choice(self.asked)
        if self.rng.random() < 0.8:
            self.approve(asked)
        else:
            self.decided(asked, refuse_correction, "The camera shows it otherwise")

    def approve(self, asked):
        """Approve a request, unless a round runs, or what it asks for can no longer be."""
        self.decided(asked, approve_correction)

    def decided(self, asked, verb, reason=""):
        met = {"round_running", "already_settled", "round_void", "duplicate_card"}
        act = self.act(self.second, reason)
        # Points that were asked for are overtaken once somebody corrects the cards that turned up.
        if self.tried(verb, met | {"correction_decided"}, request_id=asked.pk, act=act) is not None:
            self.asked.remove(asked)

    def pay_a_claim(self):
        claim = Claim.objects.filter(settlement__round__session=self.table.session, payment=None).first()
        if claim is not None:
            claims.mark_paid(claim_id=claim.pk, act=self.act(self.table.floor))

    # -- who sits there -----------------------------------------------------------------------------------------------

    def company(self):
        """Somebody comes, goes, sits out, adds on or changes seats; a match may be called off for it."""
        if self.running is not None:
            return
        table, rng = self.table, self.rng
        stacks = table.stacks()
        free = sorted({1, 2, 3, 4, 5} - stacks.keys())
        away = [
            name for name in self.names if name not in {str(table.sitting(seat).player) for seat in stacks}
        ]
        if free and away and (len(stacks) < 3 or rng.random() < 0.4):
            name, seat, points = rng.choice(away), rng.choice(free), rng.choice((30, 60, 90))
            # Whoever comes back soon brings what they took away (R52).
            self.tried(table.buy_in, {"buy_in_too_small"}, name=name, seat=seat, points=points)
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
        self.call_off()
        for seat in self.table.stacks():
            self.table.cash_out(seat)
        self.table.close(self.second)
