"""Turn rounds in the score format (docs/rules.md, section 9) into the arrays of `batch`.

Left to the plain engine: two hands each (R35), pair stakes (R32), surrendered or unset hands, errors.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tables.rules.batch.scoring import MOST_CENTS, NONE, Rounds, require_fit, score_rounds, settle_rounds
from tables.rules.errors import BatchUnfit, RuleError
from tables.rules.game.cards import RANKS, SUITS
from tables.rules.game.entry import NO_OPTIONS, NO_PAIR_STAKES, checked_form, read_forms
from tables.rules.game.seating import seating
from tables.rules.game.sheet import Library, Sheet

_UNKNOWN_CARDS: Final = "-- " * 13
_NO_CARD: Final = 255


def _numbers(letters: str) -> NDArray[np.uint8]:
    numbers = np.full(256, _NO_CARD, np.uint8)
    numbers[list(letters.encode())] = np.arange(len(letters))
    return numbers


_RANK_OF: Final = _numbers(RANKS)
_SUIT_OF: Final = _numbers(SUITS)


class Gathered(NamedTuple):
    """Rounds with the same number of hands, by position. `at` is their index among the entries.

    at: intp [rounds]; seats: int8 [rounds, hands]
    stacks: int64 [rounds, hands], cents; limits: int64 [rounds], cents
    """

    at: NDArray[np.intp]
    seats: NDArray[np.int8]
    rounds: Rounds
    stacks: NDArray[np.int64]
    limits: NDArray[np.int64]


# seat, stack in cents, mis-set, in fantasy land, kind of clean sweep declared, cards
_Hand = tuple[int, int, bool, bool, int, str]
# index in the list, limit in cents, the button's index among the hands or NONE, hands by position
_Round = tuple[int, int, int, tuple[_Hand, ...]]


def gather(sheet: Sheet, entries: Sequence[object]) -> tuple[list[Gathered], list[int]]:
    """Group this sheet's rounds by number of hands; also return the indexes of the rounds left out."""
    kinds = {kind: place for place, kind in enumerate(sheet.clean_sweep.kinds)}
    sheets = Library.of(sheet)
    alike: dict[int, list[_Round]] = {}
    left = []
    for at, entry in enumerate(entries):
        try:
            read = _read_round(at, entry, sheets, kinds)
        except RuleError:
            read = None
        if read is None:
            left.append(at)
        else:
            alike.setdefault(len(read[-1]), []).append(read)
    gathered = []
    for read_rounds in alike.values():
        whole, strange = _arrays(read_rounds)
        left += strange
        if len(whole.at):
            gathered.append(whole)
    return gathered, sorted(left)


def won_at_once(sheet: Sheet, entries: Sequence[object]) -> dict[int, dict[int, int]]:
    """Return index among the entries -> cents won by seat, of the rounds that are scored here; others are
    left to the plain engine."""
    try:
        require_fit(sheet)
    except BatchUnfit:
        return {}
    found: dict[int, dict[int, int]] = {}
    for group in gather(sheet, entries)[0]:
        points = score_rounds(sheet, group.rounds)
        won = settle_rounds(sheet, points, group.stacks, group.limits).net
        rows = zip(group.at, group.seats, won, points.refused, strict=True)
        found |= {
            int(at): dict(zip(seats.tolist(), cents.tolist(), strict=True))
            for at, seats, cents, refused in rows
            if not refused
        }
    return found


def _read_round(at: int, entry: object, sheets: Library, kinds: Mapping[str, int]) -> _Round | None:
    sheet, limit_cents, button, entries, stakes = checked_form(entry, sheets)
    if limit_cents > MOST_CENTS or (stakes is not NO_PAIR_STAKES and stakes != []):
        return None
    hands: list[_Hand] = []
    for seat, stack_cents, (front, middle, back), options in read_forms(entries):
        if len(front) == 8 and len(middle) == len(back) == 14:
            cards = f"{front} {middle} {back} "
        elif options.misset and not (front or middle or back or options.dealt):
            cards = _UNKNOWN_CARDS
        else:
            return None
        if options is NO_OPTIONS:
            hands.append((seat, stack_cents, False, False, NONE, cards))
            continue
        _, misset, surrenders, fantasy_land, _, kind, _ = options
        declares = NONE if kind is None else kinds.get(kind)
        if surrenders or declares is None or (fantasy_land and sheet.fantasy_land is None):
            return None
        hands.append((seat, stack_cents, misset, fantasy_land, declares, cards))
    seats = tuple([hand[0] for hand in hands])
    if len(set(seats)) < len(seats):
        return None
    by_position = seating(sheet, seats, button)[0]
    place = by_position(seats).index(button) if button in seats else NONE
    return at, limit_cents, place, by_position(hands)


def _arrays(read_rounds: list[_Round]) -> tuple[Gathered, list[int]]:
    """Return the rounds as arrays, and the indexes of rounds with an unknown or repeated card (R7)."""
    ats, limits, buttons, all_hands = zip(*read_rounds, strict=True)
    figures = [figure for hands in all_hands for hand in hands for figure in hand[:5]]
    by_hand = np.array(figures, np.int64).reshape(len(read_rounds), -1, 5)
    seats, stacks, misset, fantasy_land, declares = np.moveaxis(by_hand, 2, 0)
    text = "".join([hand[5] for hands in all_hands for hand in hands])
    letters = np.frombuffer(text.encode("ascii", "replace"), np.uint8).reshape(*seats.shape, 13, 3)
    ranks, suits = _RANK_OF[letters[..., 0]], _SUIT_OF[letters[..., 1]]
    known = (ranks != _NO_CARD) & (suits != _NO_CARD) & (letters[..., 2] == ord(" "))
    cards = np.where(known, ranks << 2 | suits, 0)
    there = np.where(known, np.uint64(1) << cards.astype(np.uint64), np.uint64(0))
    different = np.bitwise_count(np.bitwise_or.reduce(there, axis=(1, 2)))
    unknown = np.array([[hand[5] == _UNKNOWN_CARDS for hand in hands] for hands in all_hands])
    good = (known.all(axis=2) | unknown).all(axis=1) & (different == known.sum(axis=(1, 2)))
    at = np.array(ats, np.intp)
    rounds = Rounds(
        cards=cards[good],
        button=np.array(buttons, np.int8)[good],
        misset=misset[good].astype(np.bool_),
        fantasy_land=fantasy_land[good].astype(np.bool_),
        declares=declares[good].astype(np.int8),
    )
    limits_cents = np.array(limits, np.int64)[good]
    whole = Gathered(at[good], seats[good].astype(np.int8), rounds, stacks[good], limits_cents)
    return whole, at[~good].tolist()
