"""One worked example of a game: two hands, the same for every game, scored with the game's own sheet."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tables.rules.game.cards import DECK
from tables.rules.game.ranking import QUADS
from tables.rules.game.rounds import RoundScore, parse_round, score
from tables.rules.game.sheet import SEGMENTS, Library, Sheet
from tables.rules.words.names import REASON_NAMES, points_text

_FIRST: Final = ("Ah Jc 8d", "Qs Qd 9h 9c 3s", "7s 7h 7d 7c 2d")
_SECOND: Final = ("5s 5h Kc", "Th Td Ac 8s 4c", "6s 6h 6c Js 3d")
# With a low middle the same winner needs other cards.
_LOW_FIRST: Final = ("Ah Jc Td", "9h 8s 6d 4h 3c", "7s 7h 7d 7c 2d")
_LOW_SECOND: Final = ("5s 5h Kc", "Th Tc Ac 8h 4c", "6s 6h 6c Js 3d")
_MINUS: Final = "−"
_NAMES: Final = {1: "First hand", 2: "Second hand"}
# Where published rules differ from the sheet on this example: a note (R40).
_PRINTED_OTHERWISE: Final = {
    "face-up": (
        "The printed rules of this game give twelve points for two segments won with four of a kind in the"
        " back: two for the segments and ten for the four of a kind, and nothing off for the segment that"
        " was lost. Their own table says {quads}, and the table holds: {holds} (R40)."
    )
}


@dataclass(frozen=True, slots=True)
class ExampleHand:
    name: str
    cards: Mapping[str, str]
    says: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ExampleLine:
    """Points that the first hand's player wins (above 0) or loses."""

    points: int
    words: str
    rule: str

    @property
    def signed(self) -> str:
        """Return the points with their sign: `+8`, `−1`."""
        return f"{'+' if self.points > 0 else _MINUS}{abs(self.points)}"


@dataclass(frozen=True, slots=True)
class WorkedExample:
    """Two hands, the points between them, and the outcome; `note` says where published rules differ."""

    hands: tuple[ExampleHand, ...]
    lines: tuple[ExampleLine, ...]
    outcome: str
    note: str = ""


def worked_example(sheet: Sheet) -> WorkedExample:
    """Return the example as this sheet scores it, with every bonus announced that can be."""
    result = _scored(sheet)
    told = {hand["seat"]: hand for hand in reversed(result.as_json()["hands"])}  # each player's first hand
    hands = tuple(
        ExampleHand(name, dict(zip(SEGMENTS, cards, strict=True)), told[seat])
        for (seat, name), cards in zip(_NAMES.items(), _laid(sheet), strict=True)
    )
    if result.race is not None:
        scored = (
            f"The first hand scores {points_text(result.race[1])}, the second {points_text(result.race[2])}."
        )
        return WorkedExample(hands, (), scored)
    # With two hands each, positions 1 and 2 are the first hands of both.
    payment = next(
        payment for payment in (*result.payments, *result.pushed) if set(payment.positions) == {1, 2}
    )
    lines = tuple(
        ExampleLine(line.points if line.to_seat == 1 else -line.points, *REASON_NAMES[line.reason])
        for line in payment.lines
    )
    total = sum(line.points for line in lines)
    note = _PRINTED_OTHERWISE.get(sheet.code, "").format(quads=sheet.back_points[QUADS], holds=_sum(lines))
    return WorkedExample(hands, lines, _outcome(total), note)


def _laid(sheet: Sheet) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return (_LOW_FIRST, _LOW_SECOND) if sheet.middle == "low" else (_FIRST, _SECOND)


def _scored(sheet: Sheet) -> RoundScore:
    laid = list(_laid(sheet))
    if sheet.hands_per_player == 2:
        used = {card for segments in laid for card in " ".join(segments).split()}
        rest = [card for card in DECK if card not in used]
        laid += [
            tuple(" ".join(cards) for cards in (hand[:3], hand[3:8], hand[8:]))
            for hand in (rest[:13], rest[13:])
        ]
    royalties = {"royalties": list(SEGMENTS)} if sheet.bonus.declared else {}
    entry = {
        "sheet": sheet.code,
        "limit": "1.00",
        "button": 1,
        "hands": [
            {"seat": seat, "stack": "1000000.00", **dict(zip(SEGMENTS, segments, strict=True)), **royalties}
            for seat, segments in zip((1, 2, 1, 2), laid, strict=False)
        ],
    }
    return score(parse_round(entry, Library({(sheet.code, sheet.version): sheet}, {sheet.code: sheet})))


def _outcome(total: int) -> str:
    if not total:
        return "They come out even."
    winner, payer = ("first", "second") if total > 0 else ("second", "first")
    return f"The {winner} player collects {points_text(abs(total))} from the {payer}."


def _sum(lines: tuple[ExampleLine, ...]) -> str:
    """Return the points of the lines as a sum: `8 + 1 + 1 − 1 = 9`."""
    parts = [line.points for line in sorted(lines, key=lambda line: -line.points)]
    terms = " ".join(f"{'+' if points > 0 else _MINUS} {abs(points)}" for points in parts)
    return f"{terms.removeprefix('+ ')} = {sum(parts)}"
