"""Which hand is which: a seat has one hand in a round, or two where both players agreed (R35, R54).

An entered hand is known by its seat, and by its position where the seat has two. Cards are not looked at here, and
nothing is written.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tables.errors import BadEntry, HandForEmptySeat, WrongPosition
from tables.models import Hand
from tables.rules.game.sheet import SEGMENTS

WHICH = ("first hand", "second hand")
# What names a hand, in every form of it; whatever else is empty or false says nothing.
NAMES = ("seat", "position")


def which_hand(dealt: Iterable[Hand], hand: Hand) -> str:
    """Return `first hand` or `second hand`, or an empty text where the seat has one hand."""
    own = sorted(other.position for other in dealt if other.seat == hand.seat)
    return WHICH[own.index(hand.position)] if len(own) > 1 else ""


def hand_name(dealt: Iterable[Hand], hand: Hand) -> str:
    """Return `hand of seat 2`, or `second hand of seat 2` where it has two."""
    return f"{which_hand(dealt, hand) or 'hand'} of seat {hand.seat}"


def two_each(dealt: Iterable[Hand]) -> bool:
    """Whether the players of a round have two hands each."""
    return max(Counter(hand.seat for hand in dealt).values(), default=0) > 1


def dealt_hand(dealt: Iterable[Hand], entered: Mapping[str, Any]) -> Hand:
    """Return the dealt hand that an entered one is.

    Refuses a seat that was not dealt in (`hand_for_empty_seat`), a position that is not the seat's, and a missing one
    where the seat has two hands (`wrong_position`).
    """
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
        raise WrongPosition(
            f"Seat {seat} has two hands: say by its position which one this is.", field="position"
        )
    raise WrongPosition(f"Seat {seat} has no hand at position {position}.", field="position")


def match_hands(
    dealt: Sequence[Hand], entered: Iterable[Mapping[str, Any]]
) -> list[tuple[Hand, Mapping[str, Any]]]:
    """Return each entered hand with the dealt one that it is, a player's first hand before the second.

    Refuses what `dealt_hand` refuses, and a hand that is entered twice (`bad_entry`).
    """
    matched = [(dealt_hand(dealt, hand), hand) for hand in entered]
    twice = [hand for hand, times in Counter(hand for hand, _ in matched).items() if times > 1]
    if twice:
        raise BadEntry(f"The {hand_name(dealt, twice[0])} has been entered twice.", field="hands")
    if two_each(dealt):
        matched.sort(key=lambda pair: pair[0].position)
    return matched


def kept_form(dealt: Sequence[Hand], entered: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return entered hands in the one form that is kept and compared.

    What is empty or false says the same as what is left out, and announced bonuses are a set. The hand of a seat that
    has only one needs no position, so a device that names it says the same as one that does not. Whatever is wrong with
    a hand stays as it is, for `match_hands` and the rules to refuse.
    """
    only: dict[Any, int] = {hand.seat: hand.position for hand in dealt} if not two_each(dealt) else {}
    kept = []
    for hand in entered:
        said = {name: value for name, value in hand.items() if value or name in NAMES}
        if said.get("position") in (None, only.get(said.get("seat"))):
            said.pop("position", None)
        if "royalties" in said:
            said["royalties"] = announced(said["royalties"])
        kept.append(said)
    return kept


def announced(royalties: Sequence[str]) -> list[str]:
    """Return announced segments once each, in the order of the hand; behind them whatever is no segment."""
    return [name for name in SEGMENTS if name in royalties] + [
        name for name in royalties if name not in SEGMENTS
    ]


def by_position(dealt: Iterable[Hand], listed: Iterable[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    """Return hands of the score format by position: of a seat's two, the first hand is listed first."""
    positions: defaultdict[int, list[int]] = defaultdict(list)
    for hand in sorted(dealt, key=lambda hand: hand.position, reverse=True):
        positions[hand.seat].append(hand.position)
    return {positions[hand["seat"]].pop(): hand for hand in listed}


@dataclass(frozen=True, slots=True)
class RoundEntry:
    """What a dealer confirms: the round, a key the tablet made, and each hand in the form of the score format.

    A hand has `seat`, `front`, `middle`, `back` as text, or `dealt` with all 13 cards of a declared hand that came unset,
    and `declares`, `surrenders`, `misset`, `fantasy_land`, `royalties` where they apply; `position` says which hand of a
    player with two it is, and is needed only there. What is empty or false may be left out.
    """

    round_id: int
    key: str
    hands: tuple[Mapping[str, Any], ...]
