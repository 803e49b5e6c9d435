"""Match entered hands to dealt ones by seat, and by position if the seat has two (R35, R54). Cards are not
read. A dealer's tablet runs this too, without the network, so it knows no row."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from tables.errors import BadEntry, HandForEmptySeat, WrongPosition
from tables.rules.game.sheet import SEGMENTS


class Dealt(Protocol):
    """A hand as it was dealt: a row, or a hand on a tablet. Its stack is in cents."""

    @property
    def seat(self) -> int: ...
    @property
    def position(self) -> int: ...
    @property
    def stack_cents(self) -> int: ...
    @property
    def fantasy_land(self) -> bool: ...


HandT = TypeVar("HandT", bound=Dealt)
WHICH = ("first hand", "second hand")
# Fields that identify a hand; any other that is empty or false may be left out.
NAMES = ("seat", "position")


def which_hand(dealt: Iterable[Dealt], hand: Dealt) -> str:
    """Return `first hand` or `second hand`, or an empty text if the seat has one hand."""
    own = sorted(other.position for other in dealt if other.seat == hand.seat)
    return WHICH[own.index(hand.position)] if len(own) > 1 else ""


def hand_name(dealt: Iterable[Dealt], hand: Dealt) -> str:
    """Return `hand of seat 2`, or `second hand of seat 2` if it has two."""
    return f"{which_hand(dealt, hand) or 'hand'} of seat {hand.seat}"


def two_each(dealt: Iterable[Dealt]) -> bool:
    return max(Counter(hand.seat for hand in dealt).values(), default=0) > 1


def dealt_hand(dealt: Iterable[HandT], entered: Mapping[str, Any]) -> HandT:
    """Return the dealt hand that an entered hand refers to (`hand_for_empty_seat`, `wrong_position`)."""
    seat, position = entered.get("seat"), entered.get("position")
    own = [hand for hand in dealt if hand.seat == seat]
    if not own:
        raise HandForEmptySeat(f"Seat {seat} was not dealt into this round.", field="seat")
    if position is None and len(own) == 1:
        return own[0]
    for hand in own:
        if hand.position == position:
            return hand
    if position is None:
        raise WrongPosition(f"Seat {seat} has two hands: give the position of this one.", field="position")
    raise WrongPosition(f"Seat {seat} has no hand at position {position}.", field="position")


def match_hands(
    dealt: Sequence[HandT], entered: Iterable[Mapping[str, Any]]
) -> list[tuple[HandT, Mapping[str, Any]]]:
    """Return each entered hand with its dealt hand, a player's first hand before the second. Refuses what
    `dealt_hand` refuses, and a hand entered twice (`bad_entry`)."""
    matched = [(dealt_hand(dealt, hand), hand) for hand in entered]
    twice = [hand for hand, times in Counter(hand for hand, _ in matched).items() if times > 1]
    if twice:
        raise BadEntry(f"The {hand_name(dealt, twice[0])} has been entered twice.", field="hands")
    if two_each(dealt):
        matched.sort(key=lambda pair: pair[0].position)
    return matched


def normal_form(dealt: Sequence[Dealt], entered: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return entered hands in normal form, for recording and comparing. Without empty and false fields,
    bonuses in order, no position for an only hand. Errors pass; `match_hands` and the rules refuse them."""
    only: dict[Any, int] = {hand.seat: hand.position for hand in dealt} if not two_each(dealt) else {}
    normal = []
    for hand in entered:
        fields = {name: value for name, value in hand.items() if value or name in NAMES}
        if fields.get("position") in (None, only.get(fields.get("seat"))):
            fields.pop("position", None)
        if "royalties" in fields:
            fields["royalties"] = announced(fields["royalties"])
        normal.append(fields)
    return normal


def announced(royalties: Sequence[str]) -> list[str]:
    """Return announced segments once each, front to back, then any names that are not segments."""
    return [name for name in SEGMENTS if name in royalties] + [
        name for name in royalties if name not in SEGMENTS
    ]


def by_position(dealt: Iterable[Dealt], listed: Iterable[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    """Return hands of the score format by position: of a seat's two, the first hand is listed first."""
    positions: defaultdict[int, list[int]] = defaultdict(list)
    for hand in sorted(dealt, key=lambda hand: hand.position, reverse=True):
        positions[hand.seat].append(hand.position)
    return {positions[hand["seat"]].pop(): hand for hand in listed}


@dataclass(frozen=True, slots=True)
class RoundEntry:
    """What a dealer confirms: the round, a key made by the tablet, and each hand in the score format.
    `position` is needed only for a player with two hands; empty and false fields may be left out. `shuffle`
    is optional (tables/rules/game/shuffle.py). `played_by` played it while the house was away, if that was
    somebody else."""

    round_id: int
    key: str
    hands: tuple[Mapping[str, Any], ...]
    shuffle: Mapping[str, Any] | None = None
    played_by: int | None = None
