"""Draw the house from its imports: `.venv/bin/python tools/picture.py` writes docs/images/house.svg. Boxes
are folders, arrows imports, without implied ones. The output is reproducible; cycles are refused."""

import sys
from collections.abc import Iterable, Mapping
from graphlib import TopologicalSorter
from html import escape
from pathlib import Path
from textwrap import wrap

import grimp

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "images" / "house.svg"
# The apps from top to bottom, with a subtitle and the colour of their boxes.
APPS = {
    "casino": ("the project", "#e8eef7"),
    "tables": ("the floor", "#e9f3ea"),
    "ledger": ("the books", "#f8f0df"),
}
BOX, TALL, GAP, ROW = 108, 34, 16, 74
WIDE, BETWEEN, MARGIN, LINE, LETTERS = 640, 34, 16, 16, 86
STYLE = (
    "text{font-family:sans-serif;font-size:14px;fill:#222}.app{font-size:18px;font-weight:bold}"
    ".files{font-size:12px;fill:#555}rect{stroke:#667;stroke-width:1}"
    ".arrow{stroke:#667;stroke-width:1.2;fill:none}"
)

# For each folder of an app, the folders that it imports.
Rooms = Mapping[str, set[str]]


def rooms_of(app: str, graph: grimp.ImportGraph) -> Rooms:
    """Return the folders of an app, each with those of the same app that its modules import."""
    folders = (path.parent.name for path in (ROOT / app).glob("*/__init__.py"))
    rooms = {f"{app}.{name}": name for name in sorted(folders) if name != "migrations"}
    for room in rooms:
        graph.squash_module(room)
    imported = {room: graph.find_modules_directly_imported_by(room) for room in rooms}
    return {
        name: {rooms[other] for other in imported[room] & (rooms.keys() - {room})}
        for room, name in rooms.items()
    }


def reached(rooms: Rooms, start: str) -> set[str]:
    found: set[str] = set()
    ahead = [start]
    while ahead:
        new = rooms[ahead.pop()] - found
        found |= new
        ahead += new
    return found


def arrows(rooms: Rooms) -> list[tuple[str, str]]:
    """Return the imports that do not follow from others, as (importer, imported)."""
    through = {name: {far for near in rooms[name] for far in reached(rooms, near)} for name in rooms}
    return sorted((name, other) for name in rooms for other in rooms[name] - through[name])


def rows_of(rooms: Rooms) -> list[list[str]]:
    """Return the folders in rows, each one row above the highest that it imports. CycleError for a cycle."""
    heights: dict[str, int] = {}
    for name in TopologicalSorter(rooms).static_order():
        heights[name] = 1 + max((heights[other] for other in rooms[name]), default=-1)
    rows: list[list[str]] = [[] for _ in range(max(heights.values()) + 1)]
    for name in sorted(rooms):
        rows[-1 - heights[name]].append(name)
    return rows


def places_of(rows: Iterable[list[str]], top: int) -> dict[str, tuple[int, int]]:
    """Return the centre of each folder's box; every second row is shifted to the right."""
    places = {}
    for number, row in enumerate(rows):
        left = (WIDE - len(row) * BOX - (len(row) - 1) * GAP) // 2 + (number % 2 * 2 - 1) * (BOX + GAP) // 4
        for column, name in enumerate(row):
            places[name] = left + column * (BOX + GAP) + BOX // 2, top + number * ROW + TALL // 2
    return places


def drawn(app: str, rooms: Rooms, top: int) -> tuple[list[str], int]:
    """Return the SVG of one app from `top` down, and its lower edge."""
    rows = rows_of(rooms)
    names = sorted(path.name for path in (ROOT / app).glob("*.py") if path.name != "__init__.py")
    files = wrap("  ".join(names), LETTERS, break_on_hyphens=False)
    head = 34 + len(files) * LINE
    end = top + head + len(rows) * ROW - (ROW - TALL) + 14
    what, colour = APPS[app]
    lines = [
        f'<rect x="{MARGIN}" y="{top}" width="{WIDE - 2 * MARGIN}" height="{end - top}" rx="6" '
        f'fill="{colour}"/>',
        f'<text class="app" x="{MARGIN + 12}" y="{top + 22}">{app}/ {what}</text>',
        *(
            f'<text class="files" x="{MARGIN + 12}" y="{top + 22 + LINE * number}">{escape(line)}</text>'
            for number, line in enumerate(files, 1)
        ),
    ]
    places = places_of(rows, top + head)
    for importer, imported in arrows(rooms):
        (x1, y1), (x2, y2) = places[importer], places[imported]
        start, stop = y1 + TALL // 2, y2 - TALL // 2
        bend = f"C{x1} {start + 22} {x2} {stop - 22} {x2} {stop - 1}"
        lines.append(f'<path class="arrow" d="M{x1} {start}{bend}" marker-end="url(#to)"/>')
    for name, (x, y) in sorted(places.items()):
        lines.append(
            f'<rect x="{x - BOX // 2}" y="{y - TALL // 2}" width="{BOX}" height="{TALL}" rx="4" fill="#fff"/>'
            f'<text x="{x}" y="{y + 5}" text-anchor="middle">{name}/</text>'
        )
    return lines, end


def picture() -> str:
    graph = grimp.build_graph(*APPS, cache_dir=None)
    lines: list[str] = []
    top = MARGIN
    for app in APPS:
        if lines:
            lines.append(
                f'<path class="arrow" d="M{WIDE // 2} {top - BETWEEN}V{top - 2}" marker-end="url(#to)"/>'
            )
        more, end = drawn(app, rooms_of(app, graph), top)
        lines += more
        top = end + BETWEEN
    tall = top - BETWEEN + MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {tall}" width="{WIDE}" '
            f'height="{tall}" role="img">',
            "<title>The folders of the house and what they import, from top to bottom</title>",
            f"<style>{STYLE}</style>",
            '<defs><marker id="to" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto">'
            '<path d="M0 0L8 4L0 8z" fill="#667"/></marker></defs>',
            f'<rect width="{WIDE}" height="{tall}" fill="#fff" stroke="none"/>',
            *lines,
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    PICTURE.write_text(picture())
