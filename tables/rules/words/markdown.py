"""A described sheet as a page of Markdown, and the index of games: the pages of docs/rules."""

from collections.abc import Iterable
from typing import Final

from tables.rules.words.described.rows import CleanSweepRow, Described, PointsTable, Saying, Section
from tables.rules.words.described.worked import ExampleHand, WorkedExample
from tables.rules.words.names import CATEGORY_NAMES, SEGMENT_NAMES

_SUITS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_MADE: Final = "<!-- Made by `manage.py rules --write`: change the sheet instead. -->"


def rules_page(page: Described) -> str:
    parts = [
        _MADE,
        f"# {_plain(page.title)}",
        f"Sheet `{page.code}`, version {page.version}. Numbers such as R10 are those of [the"
        " rules](../rules.md).",
        _table(("In short", ""), page.brief),
        *(part for section in page.sections for part in _section(section)),
        *_example(page.example),
    ]
    return "\n\n".join(parts) + "\n"


def rules_index(pages: Iterable[Described]) -> str:
    rows = [
        (f"[{_plain(page.title)}]({page.code}.md)", f"`{page.code}`", str(page.version))
        for page in sorted(pages, key=lambda page: page.title)
    ]
    parts = [
        _MADE,
        "# The games",
        "A page for each game that a player can read and print, made from its sheet by `manage.py rules"
        " --write docs/rules`. What the numbers stand for is in [the rules](../rules.md).",
        _table(("Game", "Sheet", "Version"), rows),
    ]
    return "\n\n".join(parts) + "\n"


def _plain(text: str) -> str:
    """Return a title as one line of text with Markdown's characters escaped."""
    line = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in r"\`*_{}[]<>#|" else letter for letter in line)


def cards_text(cards: str) -> str:
    """Return cards as players write them: `10♥ A♠`."""
    return " ".join(card[:-1].replace("T", "10") + _SUITS[card[-1]] for card in cards.split())


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]], numbers: int = 0) -> str:
    """Return a table whose last `numbers` columns are figures."""
    rule = ["---"] * (len(heads) - numbers) + ["---:"] * numbers
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, rule, *rows))


def _section(section: Section) -> list[str]:
    parts = [f"## {section.heading}"]
    if section.clean_sweeps:
        parts.append(_clean_sweeps(section.clean_sweeps))
    parts += [_points(table) for table in section.tables]
    return [*parts, "\n".join(f"- {_saying(saying)}" for saying in section.sayings)]


def _saying(saying: Saying) -> str:
    return f"{saying.text} ({', '.join(saying.rules)})" if saying.rules else saying.text


def _points(table: PointsTable) -> str:
    return _table((table.caption, *table.columns), table.rows, len(table.columns))


def _clean_sweeps(rows: tuple[CleanSweepRow, ...]) -> str:
    return _table(
        ("Clean sweep", "What it is", "For example", "Points"),
        [(row.name, row.what, " / ".join(map(cards_text, row.cards)), str(row.points)) for row in rows],
        1,
    )


def _example(example: WorkedExample) -> list[str]:
    heads = ("", *(hand.name for hand in example.hands))
    laid = [
        (name, *(_laid(hand, segment) for hand in example.hands)) for segment, name in SEGMENT_NAMES.items()
    ]
    parts = ["## An example", _table(heads, laid)]
    if example.lines:
        lines = [(line.words, line.rule, line.signed) for line in example.lines]
        parts.append(_table(("For the first hand", "Rule", "Points"), lines, 1))
    return [*parts, example.outcome, *([example.note] if example.note else [])]


def _laid(hand: ExampleHand, segment: str) -> str:
    bonus = hand.says["bonus"][segment]
    earned = f", bonus {bonus}" if bonus else ""
    return f"{cards_text(hand.cards[segment])}: {CATEGORY_NAMES[hand.says[segment]].lower()}{earned}"
