"""The rules' answer to an entry of the dispute page: the settled round, or why there is none yet.

`tables.rules` checks; only the field beside a refusal is chosen here.
"""

from dataclasses import dataclass, replace
from typing import Any

from ledger.journal.particulars import of_the_house
from ledger.money import amount_text
from tables.errors import UnknownGame
from tables.floor import games
from tables.models import TableSession
from tables.rules.errors import DuplicateCard, RuleError
from tables.rules.game.rounds import Library, RoundScore, Setting, Sheet, describe, parse_round, score
from tables.rules.game.setting import SEGMENT_SIZES, describe_dealt
from tables.rules.game.sheet import SEGMENTS
from tables.views.dispute.entry import (
    CARDS,
    Asks,
    Typed,
    TypedHand,
    asked_round,
    known_cards,
    seated,
    sheet_of,
)

# Refusals that only mean incomplete: no error while somebody is typing.
UNFINISHED = ("card_count", "unset_hand", "hand_count", "bad_limit")


@dataclass(frozen=True, slots=True)
class Unscored:
    sentence: str
    code: str


class Asked:
    """An entry and the rules' answer: `result`, `refused` by field, or `open` while incomplete."""

    def __init__(self, typed: Typed, *, typing: bool, person: Any = None) -> None:
        self.person = person
        self.refused: dict[str, Unscored] = {}
        self.open: Unscored | None = None
        self.result: RoundScore | None = None
        self.settings: dict[int, Setting] = {}
        self.sheet, named = self._sheet(typed)
        self.typed = seated(named, self.sheet)
        self.asks = Asks(self.sheet)
        if self.typed.is_asked:
            self._describe()
            self._score(typing)

    def _sheet(self, typed: Typed) -> tuple[Sheet, Typed]:
        if not typed.game:
            return _usual_game(typed, self.person)
        try:
            return sheet_of(typed.game), typed
        except UnknownGame as unknown:
            self.refused["game"] = Unscored(unknown.message, unknown.code)
            return games.games()[0], typed

    def _describe(self) -> None:
        """Describe each hand by itself, also while others are incomplete."""
        lies: set[str] = set()
        names = CARDS if self.asks.unset else SEGMENTS
        for hand in self.typed.hands:
            rows = [hand.texts[name] for name in SEGMENTS]
            if not hand.is_there or (self.asks.unset and hand.texts["dealt"] and any(rows)):
                continue  # a hand both set and unset is refused as a whole
            try:
                self.settings[hand.place] = _setting(hand, self.sheet, unset=self.asks.unset)
            except RuleError as error:
                name = f"{error.field}{hand.place}"
                self._refuse(name, error.code, f"seat {hand.texts['seat']}: {error.message}")
                continue
            for name in names:
                for card in known_cards(hand.texts[name]):
                    if card in lies:
                        sentence = f"seat {hand.texts['seat']}: {card} occurs twice"
                        self._refuse(f"{name}{hand.place}", DuplicateCard.code, sentence)
                    lies.add(card)

    def _refuse(self, name: str, code: str, message: str) -> None:
        self.refused.setdefault(name, _unscored(code, message))

    def _score(self, typing: bool) -> None:
        if self.refused:
            return
        sheet, own = self.sheet, asked_round(self.typed, self.sheet)
        try:
            deal = parse_round(own.round, Library({(sheet.code, sheet.version): sheet}, {sheet.code: sheet}))
        except RuleError as error:
            if typing and error.code in UNFINISHED:
                self.open = _unscored(error.code, error.message)
            else:
                self._refuse(own.field(error.field), error.code, error.message)
            return
        self.result = score(deal)


def _unscored(code: str, message: str) -> Unscored:
    return Unscored(f"{message[:1].upper()}{message[1:]}.", code)


def _usual_game(typed: Typed, person: Any) -> tuple[Sheet, Typed]:
    """Return the game and limit, if none is named, of the table that this person deals at, else of the one
    opened last, else the first game."""
    tables = (
        TableSession.objects.filter(of_the_house("table__site"), closed_at=None)
        .select_related("sheet")
        .defer("sheet__raw")
        .order_by("-opened_at")
    )
    table = tables.filter(dealer=person).first() or tables.first()
    if table is None:
        return games.games()[0], typed
    game = f"{table.sheet.code}@{table.sheet.version}"
    limit = typed.limit or amount_text(table.limit_cents)
    return sheet_of(game), replace(typed, game=game, limit=limit)


def _setting(hand: TypedHand, sheet: Sheet, *, unset: bool) -> Setting:
    """Describe one hand as typed so far. Raises RuleError whose `field` is the row of the hand."""
    rows = [hand.texts[name].split() for name in SEGMENTS]
    if unset and hand.texts["dealt"] and not any(rows):
        return describe_dealt(hand.texts["dealt"].split(), sheet)
    if "misset" in hand.says:
        # Any number of cards may lie anywhere (R7); only full segments have a category.
        rows = [cards if len(cards) == size else [] for cards, size in zip(rows, SEGMENT_SIZES, strict=True)]
    front, middle, back = rows
    return describe(front, middle, back, sheet, in_fantasy_land="fantasy_land" in hand.says)
