"""The rows of a rules page: sentences with the numbers of their rules, tables of points, clean sweeps with samples."""

from __future__ import annotations

from dataclasses import dataclass

from tables.rules.words.described.worked import WorkedExample


@dataclass(frozen=True, slots=True)
class Saying:
    """A statement about the game in one or more sentences, with the rules behind it (`R10`)."""

    text: str
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PointsTable:
    """A table of points: the first cell of a row names it, `columns` head the others. A cell without points is empty."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class CleanSweepRow:
    """One kind of clean sweep with its points, what it is, and a sample: 13 cards, or the three segments."""

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
    """A whole sheet. `brief` has the game in short, as (label, text), for whoever knows how it is played."""

    code: str
    version: int
    title: str
    brief: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    example: WorkedExample
