"""What the log says of the tables that are open: who sits where, what was dealt, and how each round stands.

Kept for a table from its opening to its closing. A table that was opened before the records begin, or of which a record
could not be read, is `known` no longer: nothing is held against what is remembered of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ledger.money import amount_text as text_of
from ledger.money import cents_of
from tables.audit.matches import Match
from tables.rules.game.rounds import Sheet
from tables.rules.table import dealing

Pair = tuple[int, int]
Wrong = tuple[str, str]  # a finding's code and sentence
RUNNING, SETTLED, VOID, TAKEN_BACK = "running", "settled", "void", "taken back"


class DealtHand(NamedTuple):
    """A hand as the start of its round has it."""

    position: int
    seat: int
    sitting: int
    stack_cents: int
    fantasy_land: bool


@dataclass(slots=True)
class Round:
    """A round of an open table. `paid` is what stands between pairs of seats in chips, by the settlement that stands.

    `seats` has the sitting at each seat that was dealt in.
    """

    id: int
    number: int
    started_at: str
    button: int
    hands: tuple[DealtHand, ...]
    stakes: Any
    reserved_from: int | None
    match: int | None
    limit_cents: int
    dealt: bool = True  # its start was not found to be wrong
    right: bool = True  # nothing of it was found to be wrong, so that settlements are held against it
    state: str = RUNNING
    ordinal: int = 0
    entry: int = 0
    paid: dict[Pair, int] = field(default_factory=dict)
    cards: frozenset[str] = frozenset()
    outcome: Mapping[str, Any] | None = None
    by_hand: bool = False
    seats: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self.seats = {hand.seat: hand.sitting for hand in self.hands}


@dataclass(slots=True)
class Sitting:
    """Somebody at a table: the seat, the account of the stack, and whether the next hand is one in fantasy land (None
    where what was told last about it was wrong)."""

    seat: int
    stack: int
    fantasy_land: bool | None = False
    left: bool = False


class Stacks:
    """The balances of stack accounts that were seen from their beginning, in cents."""

    def __init__(self) -> None:
        self._cents: dict[int, int] = {}

    def begin(self, account: int) -> None:
        """An account that has just been opened."""
        self._cents.setdefault(account, 0)

    def post(self, kind: str, transfers: Iterable[Mapping[str, Any]]) -> None:
        """What an entry moved. A buy-in and a move to another table begin a stack."""
        cents = self._cents
        for line in transfers:
            source, target, moved = line["from"], line["to"], line["cents"]
            if source in cents:
                cents[source] -= moved
            if target in cents:
                cents[target] += moved
            elif kind in ("buy_in", "table_move") and line["to_kind"] == "stack":
                cents[target] = moved

    def of(self, account: int) -> int | None:
        """What is on a stack, None where that is not known."""
        return self._cents.get(account)

    def know(self, account: int, cents: int) -> None:
        """What is on a stack that is not known."""
        self._cents.setdefault(account, cents)

    def end(self, account: int) -> None:
        """The player has left, or what is there is not known any more."""
        self._cents.pop(account, None)


class Table:
    """One open table. `limits` has its limit, or those of which one is right where two records disagree; empty if unknown."""

    def __init__(
        self, session: int, *, known: bool, sheet: Sheet | None = None, limits: Iterable[int] = ()
    ) -> None:
        self.session = session
        self.known = known
        self.sheet = sheet
        self.limits = frozenset(limits)
        self.announced: frozenset[int] = frozenset()
        self.sittings: dict[int, Sitting] = {}
        self.rounds: dict[int, Round] = {}
        self.numbers: dict[int, Round] = {}
        self.matches: dict[int, Match] = {}
        self.last: Round | None = None
        self.matches_known = known

    # -- its events ---------------------------------------------------------------------------------------------

    def seat(self, data: Mapping[str, Any], stacks: Stacks) -> Iterator[Wrong]:
        """Somebody sits down."""
        seat, sitting, stack = data["seat"], data["sitting"], data["stack"]
        if any(other.seat == seat and not other.left for other in self.sittings.values()):
            yield "seat_taken", f"Seat {seat} was not free."
        if self.known:
            stacks.begin(stack)
        self.sittings[sitting] = Sitting(seat, stack)

    def announce_rate(self, data: Mapping[str, Any]) -> Iterator[Wrong]:
        """Another limit will hold from the next down on (R64)."""
        yield from self._wrong_limit(data)
        self.announced = frozenset((data["limit_cents"], data["schedule"]["limit_cents"]))

    def change_rate(self, data: Mapping[str, Any]) -> Iterator[Wrong]:
        """It holds. Whether it is the one that was announced, the check of seats asks."""
        yield from self._wrong_limit(data)
        self.limits = self.announced | {data["limit_cents"], data["schedule"]["limit_cents"]}
        self.announced = frozenset()

    def _wrong_limit(self, data: Mapping[str, Any]) -> Iterator[Wrong]:
        limit, of_rate = data["limit_cents"], data["schedule"]["limit_cents"]
        if limit != of_rate:
            yield "limit_differs", f"The limit is {text_of(limit)}; that of its rate is {text_of(of_rate)}."

    def leave(self, data: Mapping[str, Any], stacks: Stacks) -> Iterator[Wrong]:
        """Somebody leaves."""
        sitting = self.sittings.get(data["sitting"])
        if sitting is None or sitting.left or sitting.seat != data["seat"]:
            yield "not_seated", f"Sitting {data['sitting']} was not in seat {data['seat']}."
        if sitting is not None:
            sitting.left = True
            stacks.end(sitting.stack)

    def start(self, at: str, data: Mapping[str, Any], stacks: Stacks) -> Iterator[Wrong]:
        """A round begins: no other is running, and its hands are those of who sits there, with what they have."""
        hands = tuple(
            DealtHand(
                hand["position"], hand["seat"], hand["sitting"], hand["stack_cents"], hand["fantasy_land"]
            )
            for hand in data["hands"]
        )
        round_ = Round(
            data["round_id"],
            data["round"],
            at,
            data["button"],
            hands,
            data.get("pair_stakes"),
            data.get("reserved_from"),
            data.get("match"),
            data["limit_cents"],
        )
        wrong = next(self._wrong_start(round_, data, stacks), None) if self.known else None
        if wrong is not None:
            yield wrong
            self._doubt(round_, stacks)
        else:
            self._believe(round_, data, stacks)
        self.rounds[round_.id] = self.numbers[round_.number] = self.last = round_

    def _believe(self, round_: Round, data: Mapping[str, Any], stacks: Stacks) -> None:
        if self.known:
            self.limits = frozenset((round_.limit_cents,))
        for hand in round_.hands:
            if (sitting := self.sittings.get(hand.sitting)) is not None:
                if self.known:
                    stacks.know(sitting.stack, hand.stack_cents)
                sitting.fantasy_land = hand.fantasy_land or bool(sitting.fantasy_land)
        if round_.match is not None and round_.match not in self.matches:
            stake = cents_of(data["match_stake"]) or 0
            self.matches[round_.match] = Match(round_.match, stake, dict(sorted(round_.seats.items())))

    def _doubt(self, round_: Round, stacks: Stacks) -> None:
        """A start is wrong: what follows from it is not held against anything, and numbers go on as if it were right."""
        round_.dealt = round_.right = self.matches_known = False
        round_.number = self.last.number + 1 if self.last else 1
        for sitting in self.sittings.values():
            sitting.fantasy_land = None
            stacks.end(sitting.stack)

    def _wrong_start(self, round_: Round, data: Mapping[str, Any], stacks: Stacks) -> Iterator[Wrong]:
        last, code = self.last, "round_event_differs"
        if last is not None and last.state == RUNNING:
            yield "not_settled", f"Round {last.number} was neither settled nor voided before it."
        if round_.number != (last.number + 1 if last else 1):
            yield code, f"It is round {round_.number}; {last.number + 1 if last else 1} comes next."
        if self.limits and round_.limit_cents not in self.limits:
            limit = " or ".join(map(text_of, sorted(self.limits)))
            yield (
                "limit_differs",
                f"It is played at {text_of(round_.limit_cents)}; the table's limit is {limit}.",
            )
        if (other := self.rounds.get(round_.id)) is not None and other.right:
            yield code, f"Its id {round_.id} is that of round {other.number}."
        yield from self._wrong_hands(round_, data, stacks)
        if round_.reserved_from is not None and (
            last is None
            or round_.reserved_from != last.number
            or last.state != SETTLED
            or (last.right and last.seats != round_.seats)
        ):
            yield code, "Its hands cannot have been kept from the round before, which others played."
        if self.sheet is not None and bool(self.sheet.race_to) != (round_.match is not None):
            yield code, "A race is played in matches, and no other game is."
        if round_.match is not None and self.matches_known:
            yield from self._wrong_match(data)

    def _wrong_hands(self, round_: Round, data: Mapping[str, Any], stacks: Stacks) -> Iterator[Wrong]:
        code, each = "round_event_differs", data["hands_each"]
        for hand in round_.hands:
            sitting = self.sittings.get(hand.sitting)
            if sitting is None or sitting.left or sitting.seat != hand.seat:
                yield code, f"Sitting {hand.sitting} was not in seat {hand.seat}."
                return
            cents = stacks.of(sitting.stack)
            if cents is not None and cents != hand.stack_cents:
                yield (
                    "stack_differs",
                    f"Seat {hand.seat} is said to have {text_of(hand.stack_cents)};"
                    f" by the entries before it the stack is {text_of(cents)}.",
                )
            if sitting.fantasy_land is not None and hand.fantasy_land is not (
                sitting.fantasy_land and hand.position <= len(round_.seats)
            ):
                earned = "has earned fantasy land" if sitting.fantasy_land else "has not earned fantasy land"
                yield code, f"Seat {hand.seat} {earned}, and position {hand.position} does not say so."
        seats = round_.seats
        if round_.button not in seats or data["dealt_in"] != dealing.clockwise(seats, round_.button):
            yield code, f"The button at seat {round_.button} does not go with seats {data['dealt_in']}."
        elif self.sheet is not None:
            order = dealing.by_position(seats, round_.button, self.sheet.first, each)
            if [(hand.position, hand.seat) for hand in round_.hands] != list(enumerate(order, 1)):
                yield code, "Its hands are not in the order that its button gives."

    def _wrong_match(self, data: Mapping[str, Any]) -> Iterator[Wrong]:
        latest, number, stake = self.latest_match, data["match"], cents_of(data["match_stake"])
        if latest is not None and not (latest.won or latest.called_off):
            if (number, stake) != (latest.number, latest.stake_cents):
                running = f"Match {latest.number} runs, for {text_of(latest.stake_cents)}."
                yield "match_differs", running
        elif number != len(self.matches) + 1 or not stake:
            yield "match_differs", f"It begins match {number} for {data['match_stake']}."

    @property
    def latest_match(self) -> Match | None:
        """The match that was begun last."""
        return self.matches.get(max(self.matches, default=0))

    def void(self, data: Mapping[str, Any]) -> Iterator[Wrong]:
        """A round is voided before it is settled."""
        round_, number = self.rounds.get(data["round_id"]), data["round"]
        if round_ is None or round_.number != number:
            yield "round_event_differs", f"No round {number} with id {data['round_id']} was started."
            round_ = self.last
            if round_ is not None:
                round_.right = False
        elif round_.state != RUNNING:
            yield "not_running", f"Round {number} had been {round_.state} before."
        if round_ is not None and round_.state == RUNNING:
            round_.state = VOID

    def call_off(self, data: Mapping[str, Any]) -> Iterator[Wrong]:
        """The match that runs is called off."""
        match = self.matches.get(data["match"])
        if not self.matches_known:
            return
        if match is None or match.called_off or match.won:
            yield "match_differs", f"No match {data['match']} was running."
        else:
            match.called_off = True
            if data["points"] != match.points_text():
                yield "match_differs", f"The points of match {match.number} were others."

    def close(self) -> Iterator[Wrong]:
        """The table is closed: every round has been settled or voided."""
        for round_ in self.rounds.values():
            if round_.state in (RUNNING, TAKEN_BACK):
                yield "not_settled", f"Round {round_.number} was left {round_.state}."
                return

    # -- what settlements ask and do ----------------------------------------------------------------------------

    def accounts(self, round_: Round) -> dict[int, int]:
        """The stack account of every seat that a settlement of the round may concern."""
        match = self.matches.get(round_.match) if round_.match is not None else None
        sittings = {**round_.seats, **(match.players if match else {})}
        return {seat: self.sittings[sitting].stack for seat, sitting in sittings.items()}

    def mark_fantasy_land(self, round_: Round, earned: set[int] | None) -> None:
        """Whoever earned it has the next hand in fantasy land (R41), unless a later round has been dealt to them; None where it is
        not known who did."""
        later: set[int] = set()
        if round_ is not self.last:
            for other in self.rounds.values():
                if other.number > round_.number and other.state != VOID:
                    later.update(hand.sitting for hand in other.hands)
                    earned = earned if other.dealt else None
        for seat, number in round_.seats.items():
            sitting = self.sittings.get(number)
            if sitting is not None and number not in later and not sitting.left:
                sitting.fantasy_land = None if earned is None else seat in earned

    def sharing(self, round_: Round) -> Iterator[Round]:
        """The rounds from whose deck this one was dealt too (R43), if they are settled."""
        before, after = self.numbers.get(round_.reserved_from or 0), self.numbers.get(round_.number + 1)
        if before is not None and before.state == SETTLED:
            yield before
        if after is not None and after.reserved_from == round_.number and after.state == SETTLED:
            yield after
