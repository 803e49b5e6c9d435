"""From the JSON form of a round (docs/rules.md, section 9) to a `Deal`, or a refusal.

Nearly all rounds take one fast pass over all cards; if it fails, the careful reading finds the seat and card.
"""

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any, Final, NamedTuple

from ledger.money import cents_of, exact_cents
from tables.rules import errors
from tables.rules.game.cards import check_cards, quoted, tally
from tables.rules.game.clean_sweeps import CleanSweep, Tallies, highest, kinds_held
from tables.rules.game.evaluation import strengths_of_hands
from tables.rules.game.ranking import Strengths
from tables.rules.game.seating import Pair, seating
from tables.rules.game.setting import SEGMENT_SIZES, is_foul, segment_strengths, segment_tallies
from tables.rules.game.sheet import SEGMENTS, Library, Sheet
from tables.rules.game.shuffle import check_shuffle

SEATS: Final = frozenset(range(1, 6))
ROUND_KEYS: Final = frozenset({"sheet", "version", "limit", "button", "hands", "pair_stakes", "shuffle"})
# Options of a hand: their type, and its name in messages.
_OPTIONS: Final[dict[str, tuple[type, str]]] = {
    **dict.fromkeys((*SEGMENTS, "dealt"), (str, 'a text of cards, as "Ks Kh Kc"')),
    "declares": (str, "the name of a clean sweep"),
    **dict.fromkeys(("misset", "surrenders", "fantasy_land"), (bool, "true or false")),
    "royalties": (list, "a list of front, middle and back"),
}
HAND_KEYS: Final = frozenset({"seat", "stack", *_OPTIONS})

Segments = tuple[str, str, str]  # the texts of front, middle and back


class HandOptions(NamedTuple):
    """What was entered of a hand besides its cards; for nearly every hand `NO_OPTIONS`."""

    is_set: bool = True  # it came in segments, right or wrong
    misset: bool = False
    surrenders: bool = False
    fantasy_land: bool = False
    announced: frozenset[str] = frozenset()
    declares: str | None = None
    dealt: str = ""


NO_OPTIONS: Final = HandOptions()


class DealtHand(NamedTuple):
    """One hand of a round. `clean_sweep` is what counts of a true declaration (R22)."""

    seat: int
    stack_cents: int
    segments: Segments
    options: HandOptions
    strengths: Strengths
    false_declaration: bool = False
    clean_sweep: CleanSweep | None = None

    @property
    def cards(self) -> tuple[str, ...]:
        """Return all known cards of the hand, in the order of the entry."""
        return tuple(" ".join((*self.segments, self.options.dealt)).split())


# A DealtHand as a plain tuple: naming four a round takes as long as ranking their cards.
DealtRow = tuple[int, int, Segments, HandOptions, Strengths, bool, CleanSweep | None]
_named: Final = tuple.__new__  # faster than a NamedTuple's own
HandForm = tuple[
    int, int, Segments, HandOptions
]  # a hand before its cards are checked: seat, stack in cents...
_REQUIRED: Final = ("sheet", "limit", "button", "hands")
_ROUND: Final = itemgetter(*_REQUIRED)
_NOT_SET: Final[Strengths] = (0, 0, 0)
_NOT_PLAIN: Final[tuple[tuple[int, ...], list[DealtRow]]] = ((), [])
NO_PAIR_STAKES: Final[dict[tuple[int, int], int]] = {}


class Deal(NamedTuple):
    """A round that the rules accept: hands by position (R30, R35), pairs in order (R31), stakes (R32)."""

    sheet: Sheet
    limit_cents: int
    button: int
    rows: tuple[DealtRow, ...]
    pairs: tuple[Pair, ...]
    pair_stakes: Mapping[tuple[int, int], int]

    @property
    def hands(self) -> tuple[DealtHand, ...]:
        return tuple(DealtHand(*row) for row in self.rows)

    @property
    def cards(self) -> frozenset[str]:
        """Return every card known to have been in this round."""
        return frozenset(card for hand in self.hands for card in hand.cards)


def parse_round(entry: object, sheets: Library, *, reserved_from: Deal | None = None) -> Deal:
    """Parse a round from a JSON value. Raises RuleError, and nothing else, whatever the value.
    `reserved_from` is the round before, if this one's hands were dealt with it and kept (R43): no card may be
    in both."""
    sheet, limit_cents, button, entries, stakes = checked_form(entry, sheets)
    seats, rows = _plainly_set(entries, sheet)
    forms: list[HandForm] = []
    if not rows:
        forms = read_forms(entries)
        _check_seats(forms, sheet)
        seats = tuple([form[0] for form in forms])
    pair_stakes = NO_PAIR_STAKES if stakes is NO_PAIR_STAKES else _pair_stakes(stakes, seats, sheet)
    if forms:
        hands = _with_cards(forms, sheet)
        if reserved_from is not None:
            _check_reserved(hands, reserved_from)
        rows = [_with_declaration(hand, sheet, hands, f"hands.{place}") for place, hand in enumerate(hands)]
    elif reserved_from is not None:
        _check_reserved([DealtHand(*row) for row in rows], reserved_from)
    by_position, pairs = seating(sheet, seats, button)
    return _named(Deal, (sheet, limit_cents, button, by_position(rows), pairs, pair_stakes))


def _plainly_set(entries: object, sheet: Sheet) -> tuple[tuple[int, ...], list[DealtRow]]:
    """Return seats and hands of a round of plain set hands in one fast pass; empty for any other round."""
    if type(entries) is not list or not 2 <= len(entries) <= 4 or sheet.hands_per_player != 1:
        return _NOT_PLAIN
    seats, stacks, hands = [], [], []
    texts: list[str] = []
    try:
        for entry in entries:
            seat, segments = entry["seat"], (entry["front"], entry["middle"], entry["back"])
            if len(entry) != 5 or type(seat) is not int or seat not in SEATS:
                return _NOT_PLAIN
            seats.append(seat)
            stacks.append(exact_cents(entry["stack"]))
            hands.append(segments)
            texts += segments
        strengths = strengths_of_hands(sheet, texts)
    except (KeyError, TypeError, ValueError):
        return _NOT_PLAIN
    if strengths is None or len(set(seats)) != len(seats):
        return _NOT_PLAIN
    return tuple(seats), [
        (seat, stack_cents, segments, NO_OPTIONS, three, False, None)
        for seat, stack_cents, segments, three in zip(seats, stacks, hands, strengths)  # noqa: B905 (faster)
    ]


# -- the form of the round -----------------------------------------------------------------------------------


def checked_form(entry: object, sheets: Library) -> tuple[Sheet, int, int, object, object]:
    """Return sheet, limit in cents, button, and hands and pair stakes (or NO_PAIR_STAKES) as entered."""
    if not isinstance(entry, dict):
        raise errors.BadJson("a round must be a JSON object")
    if not ROUND_KEYS.issuperset(entry):
        unknown = next(key for key in entry if key not in ROUND_KEYS)
        raise errors.BadJson(
            f"{quoted(unknown)} is not a key of a round, which has " + ", ".join(sorted(ROUND_KEYS))
        )
    try:
        code, limit, button, hands = _ROUND(entry)
    except KeyError as missing:
        key = missing.args[0]
        raise errors.BadJson(
            f"{key} is missing: a round needs sheet, limit, button and hands", field=key
        ) from None
    if type(code) is not str:
        raise errors.UnknownSheet('sheet must be the code of a game, as "face-up"', field="sheet")
    version, stakes = None, NO_PAIR_STAKES
    if len(entry) != len(_REQUIRED):
        version, stakes = entry.get("version"), entry.get("pair_stakes", NO_PAIR_STAKES)
        if type(version) is not int and "version" in entry:
            raise errors.BadJson("version must be a whole number", field="version")
        if "shuffle" in entry:
            check_shuffle(entry["shuffle"])
    sheet, limit_cents = sheets.find(code, version), _limit(limit, "limit")
    if type(button) is not int or button not in SEATS:
        raise errors.BadSeat("button must be a seat, a whole number from 1 to 5", field="button")
    return sheet, limit_cents, button, hands, stakes


def _limit(amount: object, field: str) -> int:
    cents = cents_of(amount)
    if not cents:
        raise errors.BadLimit("a limit is an amount above 0 with two places, as in 5.00", field=field)
    return cents


def read_forms(entries: object) -> list[HandForm]:
    """Return the hands before their cards are checked, in the order of the entry."""
    if type(entries) is not list:
        raise errors.BadJson("hands must be a list of 2 to 4 hands", field="hands")
    if not 2 <= len(entries) <= 4:
        raise errors.HandCount(f"2 to 4 hands make a round, not {len(entries)}", field="hands")
    return [_read_form(entry, place) for place, entry in enumerate(entries)]


def _read_form(entry: object, place: int) -> HandForm:
    if type(entry) is not dict:
        raise errors.BadJson(f"hand {place + 1} must be a JSON object", field=f"hands.{place}")
    for key in ("seat", "stack"):
        if key not in entry:
            raise errors.BadJson(f"hand {place + 1}: {key} is missing", field=f"hands.{place}.{key}")
    seat = entry["seat"]
    if type(seat) is not int or seat not in SEATS:
        raise errors.BadSeat(
            f"hand {place + 1}: seat must be a whole number from 1 to 5", field=f"hands.{place}.seat"
        )
    stack_cents = cents_of(entry["stack"])
    if stack_cents is None:
        raise errors.BadStack(
            f"seat {seat}: a stack is an amount with two places, as in 45.00", field=f"hands.{place}.stack"
        )
    segments = front, middle, back = entry.get("front", ""), entry.get("middle", ""), entry.get("back", "")
    if len(entry) == 5 and type(front) is type(middle) is type(back) is str and front and middle and back:
        return seat, stack_cents, segments, NO_OPTIONS  # exactly seat, stack and three segments
    return seat, stack_cents, segments, _read_options(entry, seat, f"hands.{place}")


def _read_options(entry: Mapping[str, Any], seat: int, path: str) -> HandOptions:
    for key, value in entry.items():
        option = _OPTIONS.get(key)
        if option is None:
            if key not in HAND_KEYS:
                known = ", ".join(sorted(HAND_KEYS))
                raise errors.BadJson(
                    f"seat {seat}: {quoted(key)} is not a key of a hand, which has {known}", field=path
                )
        elif type(value) is not option[0] or (
            key == "royalties" and any(name not in SEGMENTS for name in entry[key])
        ):
            raise errors.BadJson(f"seat {seat}: {key} must be {option[1]}", field=f"{path}.{key}")
    set_keys = "front" in entry or "middle" in entry or "back" in entry
    if set_keys and "dealt" in entry:
        raise errors.BadJson(f"seat {seat}: a hand comes set or as dealt, not both", field=f"{path}.dealt")
    return HandOptions(
        set_keys,
        entry.get("misset", False),
        entry.get("surrenders", False),
        entry.get("fantasy_land", False),
        frozenset(entry.get("royalties", ())),
        entry.get("declares"),
        entry.get("dealt", ""),
    )


def _check_seats(forms: list[HandForm], sheet: Sheet) -> None:
    """Require one hand a player, or two players with two hands and one stack each (R35)."""
    seats = [form[0] for form in forms]
    players = len(set(seats))
    if players == len(seats) and sheet.hands_per_player == 1:
        return
    if players == len(seats):
        raise errors.HandCount("this game is for two players with two hands each", field="hands")
    if len(seats) != 4 or players != 2 or seats.count(seats[0]) != 2 or sheet.race_to:
        twice = max(seats, key=seats.count)
        raise errors.HandCount(f"seat {twice}: too many hands", field="hands")
    stacks = dict(form[:2] for form in forms)
    for place, (seat, stack_cents, _, _) in enumerate(forms):
        if stack_cents != stacks[seat]:
            raise errors.BadStack(f"seat {seat}: both hands have one stack", field=f"hands.{place}.stack")


def _pair_stakes(entries: object, seated: tuple[int, ...], sheet: Sheet) -> dict[tuple[int, int], int]:
    if type(entries) is not list:
        raise errors.BadJson("pair_stakes must be a list", field="pair_stakes")
    if entries and not sheet.pair_stakes:
        raise errors.NoPairStakes(f"{sheet.code} has no pair stakes", field="pair_stakes")
    stakes: dict[tuple[int, int], int] = {}
    for place, entry in enumerate(entries):
        path = f"pair_stakes.{place}"
        if type(entry) is not dict or entry.keys() != {"seats", "limit"} or type(entry["seats"]) is not list:
            raise errors.BadJson(
                "a pair stake must have seats, a list of two, and a limit, and nothing else", field=path
            )
        seats = entry["seats"]
        if len(seats) != 2 or any(type(seat) is not int or seat not in seated for seat in seats):
            raise errors.BadSeat("a pair stake is between two seats of the round", field=f"{path}.seats")
        pair = (min(seats), max(seats))
        if pair[0] == pair[1]:
            raise errors.BadSeat(
                f"seat {pair[0]}: nobody has a stake against themselves", field=f"{path}.seats"
            )
        if pair in stakes:
            raise errors.BadJson(f"seats {pair[0]} and {pair[1]} have two stakes", field=path)
        stakes[pair] = _limit(entry["limit"], f"{path}.limit")
    return stakes


# -- cards ---------------------------------------------------------------------------------------------------


def _with_cards(forms: list[HandForm], sheet: Sheet) -> list[DealtHand]:
    """Return the hands with strengths. Raises BadCard, UnsetHand, CardCount, DuplicateCard (R7, R25)."""
    whole = strengths_of_hands(sheet, [text for form in forms for text in form[2]])
    if whole is not None:
        return [DealtHand(*form, strengths) for form, strengths in zip(forms, whole, strict=True)]
    seen: set[str] = set()
    hands = []
    for place, form in enumerate(forms):
        hand = _with_own_cards(DealtHand(*form, _NOT_SET), sheet, f"hands.{place}")
        for card in hand.cards:
            if card in seen:
                raise errors.DuplicateCard(f"seat {hand.seat}: {card} occurs twice", field=f"hands.{place}")
            seen.add(card)
        hands.append(hand)
    return hands


def _with_own_cards(hand: DealtHand, sheet: Sheet, path: str) -> DealtHand:
    if hand.options.is_set or not hand.options.dealt:
        return hand._replace(strengths=segment_strengths(sheet, _checked_tallies(hand, sheet, path)))
    _check_dealt(hand, sheet, f"{path}.dealt")
    return hand


def _check_dealt(hand: DealtHand, sheet: Sheet, path: str) -> None:
    owner, cards = f"seat {hand.seat}: ", hand.options.dealt.split()
    if hand.options.declares is None or sheet.clean_sweep.basis == "set":
        raise errors.UnsetHand(f"{owner}only a declared clean sweep may come unset", field=path)
    check_cards(cards, owner=owner, field=path)
    if len(cards) != 13:
        raise errors.CardCount(f"{owner}13 cards are dealt, not {len(cards)}", field=path)


def _checked_tallies(hand: DealtHand, sheet: Sheet, path: str) -> Tallies:
    owner = f"seat {hand.seat}: "
    segments = [text.split() for text in hand.segments]
    for name, cards in zip(SEGMENTS, segments, strict=True):
        check_cards(cards, owner=owner, field=f"{path}.{name}")
    counts = tuple(map(len, segments))
    if counts != SEGMENT_SIZES and not _may_hold(hand, counts, sheet):
        if not hand.options.is_set:
            raise errors.UnsetHand(f"{owner}the hand is not set", field=path)
        wrong = next(at for at in range(3) if counts[at] != SEGMENT_SIZES[at])
        raise errors.CardCount(
            f"{owner}{SEGMENTS[wrong]} holds {SEGMENT_SIZES[wrong]} cards, not {counts[wrong]}",
            field=f"{path}.{SEGMENTS[wrong]}",
        )
    return segment_tallies(segments)


def _may_hold(hand: DealtHand, counts: tuple[int, ...], sheet: Sheet) -> bool:
    """Return whether a mis-set or surrendered hand may lack 3, 5 and 5 cards (R7, R20, R27)."""
    if hand.options.surrenders:
        return hand.options.misset or not any(counts)
    return hand.options.misset and not sheet.foul.plays


def _check_reserved(hands: Iterable[DealtHand], before: Deal) -> None:
    gone = before.cards
    for place, hand in enumerate(hands):
        for card in hand.cards:
            if card in gone:
                raise errors.DuplicateCard(
                    f"seat {hand.seat}: {card} was in the round before, which shares the pack",
                    field=f"hands.{place}",
                )


# -- declarations --------------------------------------------------------------------------------------------


def _with_declaration(hand: DealtHand, sheet: Sheet, hands: list[DealtHand], path: str) -> DealtHand:
    if hand.options is NO_OPTIONS:
        return hand
    _check_allowed(hand, sheet, path)
    if hand.options.declares is None:
        return hand
    cards, tallies = hand.cards, segment_tallies(map(str.split, hand.segments))
    kinds = _kinds_of(hand, cards, tallies, sheet)
    if hand.options.declares in kinds:
        kind = highest(sheet, kinds)
        points, place = sheet.clean_sweep.kinds[kind], list(sheet.clean_sweep.kinds).index(kind)
        return hand._replace(clean_sweep=CleanSweep(kind, points, place, cards, tallies))
    if sheet.clean_sweep.false_declaration == "refuse":
        raise errors.FalseDeclaration(
            f"seat {hand.seat}: has no {hand.options.declares}", field=f"{path}.declares"
        )
    opponent_surrenders = any(other.options.surrenders and other.seat != hand.seat for other in hands)
    # A mis-set hand stays foul, so it needs its segments only where fouls play (R20, R23).
    plays_on = opponent_surrenders and not hand.options.misset
    if hand.options.dealt and (plays_on or sheet.foul.plays):
        raise errors.UnsetHand(
            f"seat {hand.seat}: has no {hand.options.declares}, and must be set to play on",
            field=f"{path}.dealt",
        )
    return hand._replace(false_declaration=not opponent_surrenders)


def _check_allowed(hand: DealtHand, sheet: Sheet, path: str) -> None:
    """Raise, in the order of the rules, for a declaration that is not allowed."""
    owner, declares = f"seat {hand.seat}: ", hand.options.declares
    if hand.options.surrenders and not sheet.surrender.allowed:
        raise errors.NoSurrender(f"{owner}{sheet.code} has no surrender", field=f"{path}.surrenders")
    if hand.options.surrenders and declares is not None:
        raise errors.DeclaresAndSurrenders(
            f"{owner}declares a clean sweep and surrenders", field=f"{path}.declares"
        )
    if declares is not None and declares not in sheet.clean_sweep.kinds:
        unknown = f"{owner}{sheet.code} has no clean sweep {quoted(declares)}"
        raise errors.UnknownCleanSweep(unknown, field=f"{path}.declares")
    if hand.options.fantasy_land and sheet.fantasy_land is None:
        raise errors.NotInFantasyLand(
            f"{owner}{sheet.code} has no fantasy land", field=f"{path}.fantasy_land"
        )


def _kinds_of(hand: DealtHand, cards: tuple[str, ...], tallies: Tallies, sheet: Sheet) -> tuple[str, ...]:
    """Return the clean sweeps this hand has: none if mis-set, or if it must be set and fouls (R22, R23)."""
    if hand.options.misset or len(cards) != 13:
        return ()
    if sheet.clean_sweep.basis == "set" and is_foul(sheet, hand.strengths):
        return ()
    return kinds_held(sheet, tally(cards), tallies)
