"""A game as data: what a sheet says, read from its TOML file, and the library of loaded sheets.

Keys and words are those of docs/rules.md, section 5b. No code asks for a sheet's code."""

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources
from typing import Final, Literal, Self

from tables.rules.errors import BadSheet, UnknownSheet
from tables.rules.game.cards import RANKS, quoted
from tables.rules.game.ranking import (
    CATEGORIES,
    CATEGORY_SHIFT,
    FIRST_RANK_SHIFT,
    PAIR,
    ROYAL_FLUSH,
    STRAIGHT_FLUSH,
    TRIPS,
)
from tables.rules.game.sheet_reader import SheetReader

SEGMENTS: Final = ("front", "middle", "back")
CLEAN_SWEEP_KINDS: Final = (
    *("super-dragon", "dragon", "six-pairs", "three-straights", "three-flushes"),
    *("thirteen-colours", "twelve-colours", "no-broadway", "no-people"),
)
# A front's category, and its ranks that have a word of their own.
_FRONT_GROUPS: Final = {"pair": (PAIR, range(6, 15)), "trips": (TRIPS, range(2, 15))}
FRONT_WORDS: Final = {
    f"{group}-{RANKS[rank - 2]}": category << 4 | rank
    for group, (category, ranks) in _FRONT_GROUPS.items()
    for rank in ranks
}
_FRONT_FLOORS: Final = {
    **FRONT_WORDS,
    **{group: category << 4 for group, (category, _) in _FRONT_GROUPS.items()},
}
OUT_OF_REACH: Final = len(CATEGORIES) << CATEGORY_SHIFT
# Games that are offered whole or under another name (section 5).
OFFERED_WHOLE: Final = ("face-up",)

# Readers of the keys that name hands.
_FRONT_NAMES: Final = (*FRONT_WORDS, *_FRONT_GROUPS)


def _front_bonuses(table: SheetReader, key: str) -> dict[str, int]:
    return table.points(key, _FRONT_NAMES)


def _five_card_bonuses(table: SheetReader, key: str) -> dict[str, int]:
    return table.points(key, CATEGORIES)


def _least_hands(table: SheetReader, key: str) -> dict[str, str]:
    return table.least_words(key, {"front": _FRONT_NAMES, "middle": CATEGORIES, "back": CATEGORIES})


@dataclass(frozen=True, slots=True)
class Bonuses:
    """What segments earn by themselves (R13): points by category, in front also by rank."""

    to: Literal["winner", "holder"] = "winner"
    mode: Literal["add", "replace"] = "add"
    double_same_category: bool = False
    cancel: bool = False
    declared: bool = False
    one_per_hand: bool = False
    broken: bool = False
    front: Mapping[str, int] = field(default_factory=dict, metadata={"reader": _front_bonuses})
    middle: Mapping[str, int] = field(default_factory=dict, metadata={"reader": _five_card_bonuses})
    back: Mapping[str, int] = field(default_factory=dict, metadata={"reader": _five_card_bonuses})


@dataclass(frozen=True, slots=True)
class FoulRule:
    points: int = 0
    pays_bonuses: bool = False
    against_clean_sweep: Literal["value", "value_and_penalty"] = "value"
    plays: bool = False


@dataclass(frozen=True, slots=True)
class SurrenderRule:
    allowed: bool = False
    points: int = 0
    before_clean_sweep: bool = False


@dataclass(frozen=True, slots=True)
class CleanSweeps:
    """The clean sweeps of a game with their points, from the highest to the lowest (R22-R26)."""

    basis: Literal["dealt", "set"] = "dealt"
    compare: Literal["strength", "value", "rank"] = "strength"
    false_declaration: Literal["refuse", "foul"] = "refuse"
    with_bonuses: bool = False
    kinds: Mapping[str, int] = field(
        default_factory=dict, metadata={"reader": lambda table, key: table.kinds(key, CLEAN_SWEEP_KINDS)}
    )


@dataclass(frozen=True, slots=True)
class FantasyLand:
    """The least that a segment must hold to enter fantasy land, and to stay in it (R41)."""

    enter: Mapping[str, str] = field(metadata={"reader": _least_hands})
    stay: Mapping[str, str] = field(metadata={"reader": _least_hands})


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """One version of one game. Equal only by identity, which makes it a fast key; compare `sha256`."""

    code: str = field(metadata={"reader": SheetReader.code})
    version: int = field(metadata={"reader": lambda table, key: table.whole(key, least=1)})
    raw: bytes = field(repr=False)
    sha256: str = field(repr=False)
    title: str = ""
    dealing: Literal["closed", "open-face"] = "closed"
    hands_per_player: int = field(
        default=1, metadata={"reader": lambda table, key: table.whole(key, 1, least=1, most=2)}
    )
    pair_stakes: bool = True
    wheel: Literal["lowest", "second"] = "lowest"
    middle: Literal["high", "low"] = "high"
    equal_segments: Literal["foul", "allowed"] = "foul"
    ties: Literal["push", "button"] = "push"
    majority: int = 0
    scoop: int = 0
    race_to: int = 0
    first: Literal["button", "left_of_button", "right_of_puck"] = "button"
    stakes: Literal["starting_stack", "running_stack", "uncapped_win", "none"] = "starting_stack"
    bonus: Bonuses = Bonuses()
    foul: FoulRule = FoulRule()
    surrender: SurrenderRule = SurrenderRule()
    clean_sweep: CleanSweeps = CleanSweeps()
    fantasy_land: FantasyLand | None = field(
        default=None,
        metadata={
            "reader": lambda table, key: table.table(key).read(FantasyLand) if table.has(key) else None
        },
    )
    # Bonus points by index: the front by category << 4 | rank, the others by category.
    front_points: tuple[int, ...] = field(init=False, repr=False)
    middle_points: tuple[int, ...] = field(init=False, repr=False)
    back_points: tuple[int, ...] = field(init=False, repr=False)

    # The least strengths of the segments to enter, or stay in, fantasy land.
    enter_strengths: tuple[int, int, int] | None = field(init=False, repr=False)
    stay_strengths: tuple[int, int, int] | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        low = self.middle == "low"
        object.__setattr__(self, "front_points", _front_points(self.bonus.front))
        # A low middle has no bonus, whatever the table says (R6).
        object.__setattr__(self, "middle_points", _category_points({} if low else self.bonus.middle))
        object.__setattr__(self, "back_points", _category_points(self.bonus.back))
        rule = self.fantasy_land
        object.__setattr__(self, "enter_strengths", None if rule is None else _least_strengths(rule.enter))
        object.__setattr__(self, "stay_strengths", None if rule is None else _least_strengths(rule.stay))

    @property
    def two_may_agree(self) -> bool:
        """Whether two players may agree on a stake of their own (R32); a race has none."""
        return self.pair_stakes and not self.race_to

    @property
    def may_come_unset(self) -> bool:
        """Whether a hand with a clean sweep may be entered as it was dealt (R25)."""
        return self.clean_sweep.basis == "dealt" and bool(self.clean_sweep.kinds)

    @property
    def announced_segments(self) -> tuple[str, ...]:
        """The segments whose bonuses count only if announced, front to back."""
        points = zip(SEGMENTS, (self.front_points, self.middle_points, self.back_points), strict=True)
        return tuple(name for name, some in points if self.bonus.declared and any(some))


def _front_points(table: Mapping[str, int]) -> tuple[int, ...]:
    points = [0] * (len(CATEGORIES) << 4)
    for group, (category, _) in _FRONT_GROUPS.items():
        for rank in range(2, 15):
            points[category << 4 | rank] = table.get(f"{group}-{RANKS[rank - 2]}", table.get(group, 0))
    return tuple(points)


def _category_points(table: Mapping[str, int]) -> tuple[int, ...]:
    points = [table.get(name, 0) for name in CATEGORIES]
    if "royal-flush" not in table:
        points[ROYAL_FLUSH] = points[STRAIGHT_FLUSH]
    return tuple(points)


def _least_strengths(words: Mapping[str, str]) -> tuple[int, int, int]:
    """Return the least strengths that satisfy these words (R41); out of reach for a segment without one."""
    front, middle, back = (words.get(segment) for segment in SEGMENTS)
    return (
        OUT_OF_REACH if front is None else _FRONT_FLOORS[front] << FIRST_RANK_SHIFT,
        OUT_OF_REACH if middle is None else CATEGORIES.index(middle) << CATEGORY_SHIFT,
        OUT_OF_REACH if back is None else CATEGORIES.index(back) << CATEGORY_SHIFT,
    )


@lru_cache(maxsize=256)
def parse_sheet(data: bytes, name: str) -> Sheet:
    """Parse a TOML file's bytes; the same bytes give the same object. Raises BadSheet, naming `name`."""
    try:
        document = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError, ValueError) as fault:
        raise BadSheet(f"{name}: not a TOML file: {fault}") from fault
    sheet = SheetReader(name, document).read(Sheet, raw=data, sha256=hashlib.sha256(data).hexdigest())
    _check_race(sheet, name)
    return sheet


def _check_race(sheet: Sheet, name: str) -> None:
    """Refuse a race with clean sweeps, surrender, fouls that play (R42) or two hands a player (R35)."""
    if sheet.race_to and (
        sheet.hands_per_player == 2 or sheet.clean_sweep.kinds or sheet.surrender.allowed or sheet.foul.plays
    ):
        raise BadSheet(
            f"{name}: race_to: a race has no clean sweeps, no surrender, no fouls that play and one hand a"
            " player"
        )


@dataclass(frozen=True, slots=True)
class Library:
    """The loaded sheets. Immutable: `with_sheet` returns another library."""

    sheets: Mapping[tuple[str, int], Sheet]
    newest: Mapping[str, Sheet]

    def __iter__(self) -> Iterator[Sheet]:
        return iter(self.sheets.values())

    @classmethod
    def of(cls, sheet: Sheet) -> Self:
        return cls({(sheet.code, sheet.version): sheet}, {sheet.code: sheet})

    def find(self, code: str, version: int | None = None) -> Sheet:
        """Return the sheet of this code and version, or the highest version. Raises UnknownSheet."""
        found = self.newest.get(code) if version is None else self.sheets.get((code, version))
        if found is None:
            which = "" if version is None else " of this version"
            raise UnknownSheet(f"no sheet {quoted(code)}{which} is loaded", field="sheet")
        return found

    def with_sheet(self, sheet: Sheet) -> Self:
        """Return this library with one more sheet. Raises BadSheet if the code and version name another
        sheet, or a game offered whole lacks a table."""
        loaded = self.sheets.get((sheet.code, sheet.version))
        if loaded is not None and loaded.sha256 != sheet.sha256:
            raise BadSheet(
                f"{sheet.code}: version: version {sheet.version} is another sheet; a change is a new version"
            )
        original = self.newest.get(sheet.code)
        if sheet.code in OFFERED_WHOLE and original is not None:
            _check_whole(sheet, original)
        newest = sheet if original is None or original.version <= sheet.version else original
        return type(self)(
            {**self.sheets, (sheet.code, sheet.version): sheet}, {**self.newest, sheet.code: newest}
        )


def _check_whole(sheet: Sheet, original: Sheet) -> None:
    tables = ("front", "middle", "back")
    same_bonuses = all(getattr(sheet.bonus, table) == getattr(original.bonus, table) for table in tables)
    if not same_bonuses or dict(sheet.clean_sweep.kinds) != dict(original.clean_sweep.kinds):
        raise BadSheet(f"{sheet.code}: bonus: this game is offered with all its bonuses and clean sweeps")


@cache
def library() -> Library:
    loaded = Library({}, {})
    folder = resources.files("tables.rules").joinpath("sheets")
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".toml"):
            loaded = loaded.with_sheet(parse_sheet(file.read_bytes(), file.name))
    return loaded
