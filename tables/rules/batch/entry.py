"""From rounds in the score format (docs/rules.md, section 9) to the arrays of `batch`.

Gathered are well-formed rounds with one hand a player, set with 3, 5 and 5 cards, or mis-set with those or with no
cards at all. Everything else is left to the plain engine: two hands each (R35), stakes of pairs (R32), surrendered and
unset hands, mis-set hands with other cards, and whatever is wrong with a round, which `parse_round` then says in words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ledger.money import cents_of
from tables.rules.batch.scoring import MOST_CENTS, NONE, Rounds
from tables.rules.game.cards import RANKS, SUITS
from tables.rules.game.sheet import SEGMENTS, Sheet
from tables.rules.table.dealing import SEATS, by_position

ROUND_KEYS: Final = frozenset({"sheet", "version", "limit", "button", "hands", "pair_stakes"})
HAND_KEYS: Final = frozenset(
    {*SEGMENTS, "seat", "stack", "misset", "fantasy_land", "declares", "surrenders", "royalties"}
)
_UNKNOWN_CARDS: Final = "-- " * 13
_NO_CARD: Final = 255


def _numbers(letters: str) -> NDArray[np.uint8]:
    """Map each character code to its index among these letters."""
    numbers = np.full(256, _NO_CARD, np.uint8)
    numbers[list(letters.encode())] = np.arange(len(letters))
    return numbers


_RANK_OF: Final = _numbers(RANKS)
_SUIT_OF: Final = _numbers(SUITS)


class Gathered(NamedTuple):
    """Rounds of equally many hands, by position. `at` are their places in the list they were gathered from.

    at: intp [rounds]; seats: int8 [rounds, hands]; stacks: int64 [rounds, hands], cents; limits: int64 [rounds], cents
    """

    at: NDArray[np.intp]
    seats: NDArray[np.int8]
    rounds: Rounds
    stacks: NDArray[np.int64]
    limits: NDArray[np.int64]


class _Hand(NamedTuple):
    seat: int
    stack_cents: int
    cards: str
    misset: bool
    fantasy_land: bool
    declares: int


class _Round(NamedTuple):
    at: int
    limit_cents: int
    button: int
    hands: list[_Hand]


def gather(sheet: Sheet, entries: Sequence[object]) -> tuple[list[Gathered], list[int]]:
    """Group this sheet's rounds by their number of hands. The second result is the indexes of all other rounds.

    A round without a version counts as this sheet's version.
    """
    kinds = {kind: place for place, kind in enumerate(sheet.clean_sweep.kinds)}
    alike: dict[int, list[_Round]] = {}
    left = []
    for at, entry in enumerate(entries):
        read = _read_round(at, entry, sheet, kinds)
        if read is None:
            left.append(at)
        else:
            alike.setdefault(len(read.hands), []).append(read)
    gathered = []
    for read_rounds in alike.values():
        whole, strange = _with_cards(_arrays(read_rounds, sheet), read_rounds)
        left += strange
        if len(whole.at):
            gathered.append(whole)
    return gathered, sorted(left)


def _read_round(at: int, entry: object, sheet: Sheet, kinds: Mapping[str, int]) -> _Round | None:
    if type(entry) is not dict or not entry.keys() <= ROUND_KEYS or entry.get("pair_stakes", []) != []:
        return None
    version, button, hands = entry.get("version", sheet.version), entry.get("button"), entry.get("hands")
    limit_cents = cents_of(entry.get("limit"))
    if entry.get("sheet") != sheet.code or type(version) is not int or version != sheet.version:
        return None
    if not limit_cents or limit_cents > MOST_CENTS or type(button) is not int or button not in SEATS:
        return None
    if type(hands) is not list or not 2 <= len(hands) <= 4:
        return None
    read = [hand for entered in hands if (hand := _read_hand(entered, sheet, kinds)) is not None]
    if len(read) < len(hands) or len({hand.seat for hand in read}) < len(hands):
        return None
    return _Round(at, limit_cents, button, read)


def _read_hand(entry: object, sheet: Sheet, kinds: Mapping[str, int]) -> _Hand | None:
    if type(entry) is not dict or not entry.keys() <= HAND_KEYS:
        return None
    seat, stack_cents = entry.get("seat"), cents_of(entry.get("stack"))
    misset, fantasy_land = entry.get("misset", False), entry.get("fantasy_land", False)
    if type(seat) is not int or seat not in SEATS or stack_cents is None:
        return None
    if (
        type(misset) is not bool
        or type(fantasy_land) is not bool
        or entry.get("surrenders", False) is not False
    ):
        return None
    if (fantasy_land and sheet.fantasy_land is None) or not _are_segments(entry.get("royalties", [])):
        return None
    declares = NONE
    if "declares" in entry:
        if type(entry["declares"]) is not str or entry["declares"] not in kinds:
            return None
        declares = kinds[entry["declares"]]
    cards = _cards(entry, misset=misset)
    return None if cards is None else _Hand(seat, stack_cents, cards, misset, fantasy_land, declares)


def _are_segments(names: object) -> bool:
    return names == [] or (
        type(names) is list and all(type(name) is str and name in SEGMENTS for name in names)
    )


def _cards(entry: Mapping[str, Any], *, misset: bool) -> str | None:
    """Return the text of 13 cards, each followed by a blank; 13 unknown cards for a mis-set hand without cards."""
    front, middle, back = entry.get("front", ""), entry.get("middle", ""), entry.get("back", "")
    if type(front) is not str or type(middle) is not str or type(back) is not str:
        return None
    if len(front) == 8 and len(middle) == 14 and len(back) == 14:
        return f"{front} {middle} {back} "
    return _UNKNOWN_CARDS if misset and not (front or middle or back) else None


@lru_cache(maxsize=4096)
def _order(seats: tuple[int, ...], button: int, first: str) -> tuple[tuple[int, ...], int]:
    """Return the entry's indexes of the hands by position (R30), and the button holder's position."""
    positions = by_position(seats, button, first)
    place = positions.index(button) if button in positions else NONE
    return tuple(seats.index(seat) for seat in positions), place


def _arrays(read_rounds: list[_Round], sheet: Sheet) -> Gathered:
    """Return the rounds as arrays, without their cards."""
    buttons = []
    for read in read_rounds:
        order, place = _order(tuple(hand.seat for hand in read.hands), read.button, sheet.first)
        read.hands[:] = [read.hands[at] for at in order]
        buttons.append(place)
    said = [
        figure
        for read in read_rounds
        for seat, stack_cents, _, misset, fantasy_land, declares in read.hands
        for figure in (seat, stack_cents, misset, fantasy_land, declares)
    ]
    by_hand = np.array(said, np.int64).reshape(len(read_rounds), -1, 5)
    seats, stacks, misset, fantasy_land, declares = np.moveaxis(by_hand, 2, 0)
    return Gathered(
        at=np.array([read.at for read in read_rounds], np.intp),
        seats=seats.astype(np.int8),
        rounds=Rounds(
            cards=np.empty((*seats.shape, 13), np.uint8),
            button=np.array(buttons, np.int8),
            misset=misset.astype(np.bool_),
            fantasy_land=fantasy_land.astype(np.bool_),
            declares=declares.astype(np.int8),
        ),
        stacks=stacks,
        limits=np.array([read.limit_cents for read in read_rounds], np.int64),
    )


def _with_cards(gathered: Gathered, read_rounds: list[_Round]) -> tuple[Gathered, list[int]]:
    """Return the rounds with their cards, and the indexes of rounds left out for an unknown or repeated card (R7)."""
    text = "".join([hand.cards for read in read_rounds for hand in read.hands])
    letters = np.frombuffer(text.encode("ascii", "replace"), np.uint8).reshape(*gathered.seats.shape, 13, 3)
    ranks, suits = _RANK_OF[letters[..., 0]], _SUIT_OF[letters[..., 1]]
    known = (ranks != _NO_CARD) & (suits != _NO_CARD) & (letters[..., 2] == ord(" "))
    cards = np.where(known, ranks << 2 | suits, 0)
    there = np.where(known, np.uint64(1) << cards.astype(np.uint64), np.uint64(0))
    different = np.bitwise_count(np.bitwise_or.reduce(there, axis=(1, 2)))
    unknown = np.array([[hand.cards == _UNKNOWN_CARDS for hand in read.hands] for read in read_rounds])
    good = (known.all(axis=2) | unknown).all(axis=1) & (different == known.sum(axis=(1, 2)))
    at, seats, rounds, stacks, limits = gathered
    rounds = Rounds(*(array[good] for array in rounds._replace(cards=cards)))
    whole = Gathered(at[good], seats[good], rounds, stacks[good], limits[good])
    return whole, at[~good].tolist()
