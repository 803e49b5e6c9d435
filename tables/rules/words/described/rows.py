"""The rows of a rules page."""

from dataclasses import dataclass

from tables.rules.words.described.worked import WorkedExample


@dataclass(frozen=True, slots=True)
class Saying:
    """A statement in one or more sentences, with the rules behind it (`R10`)."""

    text: str
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PointsTable:
    """A table of points: a row's first cell names it, `columns` head the others."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class CleanSweepRow:
    """One kind of clean sweep; `cards` is a sample: 13 cards, or the three segments."""

    kind: str
    name: str
    points: int
    what: str
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the page; `key` names it for styles and links."""

    key: str
    heading: str
    sayings: tuple[Saying, ...]
    tables: tuple[PointsTable, ...] = ()
    clean_sweeps: tuple[CleanSweepRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Described:
    """A whole sheet. `brief` is the game in short, as (label, text)."""

    code: str
    version: int
    title: str
    brief: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    example: WorkedExample
