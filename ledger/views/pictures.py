"""Pictures of figures, as marks of an SVG with the table of the same figures: bars hour by hour, differences
to both sides of zero, and lines of what stood somewhere. Pure; `templates/charts/_picture.html` writes them.

Across, a picture is measured in per cent of its width and down in pixels, so that its letters keep their size
on a telephone. What a bar or a line means is always written beside it: no colour is needed to read it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

Text = Callable[[int], str]
"""How a figure is written: cents as dollars, a number of rounds as itself."""

LETTER, STRIP, LONE, ROW, PANEL = 17, 20, 96, 22, 62
"""Heights: a line of letters, the bars of one of several, of one alone, a row of differences, of a line."""
BETWEEN, MOST_NAMES, LEAST_COLUMNS = 6, 7, 8
MIDDLE, REACH, FAR = 62.0, 18.0, 22.0
"""Where zero stands in a picture of differences, how far a bar reaches from it, where lines begin."""


@dataclass(frozen=True, slots=True)
class DrawnMark:
    """A bar or line from (`x`, `y`) that is `wide` and `tall`, or a `text` there; `kind` is its class."""

    kind: str
    x: float
    y: float
    wide: float = 0
    tall: float = 0
    text: str = ""
    anchor: str = "start"

    @property
    def x_end(self) -> float:
        return round(self.x + self.wide, 3)

    @property
    def y_end(self) -> float:
        return round(self.y + self.tall, 3)


@dataclass(frozen=True)
class Picture:
    """`code` begins its ids; `unit` says what is drawn, in which unit and over what; `heads` and `rows` are
    the table of the same figures. Without marks `empty` says why there is nothing to see."""

    code: str
    title: str
    unit: str
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    height: int = 0
    marks: tuple[DrawnMark, ...] = field(default=(), repr=False)
    note: str = ""
    empty: str = ""


@dataclass(frozen=True)
class Said:
    """The words of a picture: as in `Picture`, with how figures are written and what a column is called."""

    code: str
    title: str
    unit: str
    text: Text
    column: str = "Hour"
    empty: str = ""

    def picture(self, **drawn: Any) -> Picture:
        return Picture(self.code, self.title, self.unit, **drawn)

    def nothing(self) -> Picture:
        return self.picture(empty=self.empty)


def bars(said: Said, columns: Sequence[str], strips: Sequence[tuple[str, Sequence[int]]]) -> Picture:
    """Draw a strip of bars for each name, all by one scale, over the columns from the first bar to the last
    and one beside them; the first strip is the sum of the others, if there are others."""
    used = [at for at in range(len(columns)) if any(values[at] for _, values in strips)]
    if not used:
        return said.nothing()
    end = min(len(columns), max(used[-1] + 2, used[0] - 1 + LEAST_COLUMNS))
    first = max(0, min(used[0] - 1, end - LEAST_COLUMNS))
    columns = columns[first:end]
    cut = [(name, list(values[first:end])) for name, values in strips]
    shown = cut if len(cut) > 2 else cut[:1]
    most = max(max(values) for _, values in shown)
    tall = STRIP if len(shown) > 1 else LONE
    marks: list[DrawnMark] = []
    for at, (name, values) in enumerate(shown):
        top = at * (LETTER + tall + BETWEEN)
        peak = f"{said.text(sum(values))}, peak {said.text(max(values))}"
        marks += [
            DrawnMark("name", 0, top + 13, text=name),
            DrawnMark("figure", 100, top + 13, text=peak, anchor="end"),
        ]
        marks += _strip(values, most, top + LETTER, tall)
    bottom = len(shown) * (LETTER + tall + BETWEEN)
    marks += _names(columns, bottom - BETWEEN)
    return said.picture(
        heads=(said.column, *(name for name, _ in shown)),
        rows=(
            *((name, *(said.text(v[at]) for _, v in shown)) for at, name in enumerate(columns)),
            ("Together", *(said.text(sum(values)) for _, values in shown)),
        ),
        height=bottom + LETTER,
        marks=tuple(marks),
        note="The strips have one scale." if len(shown) > 1 else "",
    )


def _strip(values: Sequence[int], most: int, top: float, tall: int) -> Iterable[DrawnMark]:
    step = 100 / len(values)
    for at, value in enumerate(values):
        if value:
            high = round(max(tall * value / most, 1), 2)
            yield DrawnMark(
                "bar", round((at + 0.1) * step, 3), round(top + tall - high, 2), round(0.8 * step, 3), high
            )
    yield DrawnMark("axis", 0, top + tall, 100)


def _names(columns: Sequence[str], top: float) -> Iterable[DrawnMark]:
    """Write the names of columns below them, as many as there is room for."""
    step, every = 100 / len(columns), -(-len(columns) // MOST_NAMES)
    for at in range(0, len(columns), every):
        yield DrawnMark("label", round((at + 0.5) * step, 3), top + 15, text=columns[at], anchor="middle")


def differences(said: Said, found: Sequence[tuple[str, int]], *, most_rows: int = 12) -> Picture:
    """Draw a bar for each name to the left of zero if it is short, hollow, and to the right if it is over,
    full; with more names than rows, those that differ most. The table has all of them."""
    if not found:
        return said.nothing()
    largest = sorted(found, key=lambda one: abs(one[1]), reverse=True)[:most_rows]
    shown = [one for one in found if one in largest][:most_rows]
    most = max(abs(cents) for _, cents in shown) or 1
    height = LETTER + len(shown) * ROW
    marks = [
        DrawnMark("label", MIDDLE - 1, 13, text="short", anchor="end"),
        DrawnMark("label", MIDDLE + 1, 13, text="over"),
    ]
    for at, (name, cents) in enumerate(shown):
        top, wide = LETTER + at * ROW, round(REACH * abs(cents) / most, 3)
        start = MIDDLE if cents > 0 else round(MIDDLE - wide, 3)
        marks.append(DrawnMark("name", 0, top + 16, text=name))
        if cents:
            marks.append(DrawnMark("bar" if cents > 0 else "less", start, top + 5, wide, ROW - 10))
        marks.append(DrawnMark("figure", 100, top + 16, text=said.text(cents), anchor="end"))
    marks.append(DrawnMark("zero", MIDDLE, LETTER, 0, len(shown) * ROW))
    hidden = len(found) - len(shown)
    return said.picture(
        heads=(said.column, "Over/short"),
        rows=(
            *((name, said.text(cents)) for name, cents in found),
            ("Together", said.text(sum(cents for _, cents in found))),
        ),
        height=height,
        marks=tuple(marks),
        note=f"{hidden} more, with the smallest differences, are in the table." if hidden else "",
    )


def steps(said: Said, columns: Sequence[str], lines: Sequence[tuple[str, Sequence[int]]]) -> Picture:
    """Draw what stood somewhere at moments, the columns: a panel for each name, with a scale of its own."""
    if not columns or not any(any(values) for _, values in lines):
        return said.nothing()
    marks: list[DrawnMark] = []
    for at, (name, values) in enumerate(lines):
        top = at * (LETTER + PANEL + 2 * BETWEEN)
        course = f"from {said.text(values[0])} to {said.text(values[-1])}"
        marks += [
            DrawnMark("name", 0, top + 13, text=name),
            DrawnMark("figure", 100, top + 13, text=course, anchor="end"),
        ]
        marks += _course(said.text, values, top + LETTER + BETWEEN, PANEL - 2 * BETWEEN)
    bottom = len(lines) * (LETTER + PANEL + 2 * BETWEEN)
    every, step = -(-len(columns) // (MOST_NAMES - 3)), (100 - FAR) / (len(columns) - 1 or 1)
    marks += [
        DrawnMark("label", round(FAR + at * step, 3), bottom, text=name, anchor="middle" if at else "start")
        for at, name in enumerate(columns)
        if at % every == 0 and FAR + at * step < 95
    ]
    return said.picture(
        heads=(said.column, *(name for name, _ in lines)),
        rows=tuple(
            (name, *(said.text(values[at]) for _, values in lines)) for at, name in enumerate(columns)
        ),
        height=bottom + BETWEEN,
        marks=tuple(marks),
        note="Each line has its own scale, not from zero.",
    )


def _course(text: Text, values: Sequence[int], top: float, tall: float) -> Iterable[DrawnMark]:
    low, high = min(values), max(values)
    scale = tall / (high - low) if high > low else 0

    def down(value: int) -> float:
        return round(top + (high - value) * scale, 2) if scale else round(top + tall / 2, 2)

    for value in sorted({low, high}):
        yield DrawnMark("label", 0, down(value) + 4, text=text(value).removesuffix(".00"))
        yield DrawnMark("grid", FAR, down(value), 100 - FAR)
    step = (100 - FAR) / (len(values) - 1 or 1)
    for at, (before, value) in enumerate(pairwise(values)):
        x, y = round(FAR + at * step, 3), down(before)
        yield DrawnMark("course", x, y, round(step, 3))
        if value != before:
            yield DrawnMark("course", round(x + step, 3), min(y, down(value)), 0, abs(down(value) - y))
