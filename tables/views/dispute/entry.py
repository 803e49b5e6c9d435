"""The dispute page's entry, as its address carries it: read, written again, made into a round and
answered.

The address is the page's whole state, so a result can be kept, shared and printed. Unreadable text stays as
typed; the rules refuse it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import QueryDict

from ledger.errors import BadAmount
from ledger.journal.particulars import of_the_house
from ledger.money import amount_text, parse_amount
from tables.errors import UnknownGame
from tables.floor import games
from tables.models import TableSession
from tables.rules.errors import DuplicateCard, RuleError
from tables.rules.game.cards import CARD_NUMBERS
from tables.rules.game.rounds import Library, RoundScore, Setting, describe, parse_round, score
from tables.rules.game.setting import SEGMENT_SIZES, describe_dealt
from tables.rules.game.sheet import SEGMENTS, Sheet
from tables.rules.table.dealing import SEATS

HANDS = (1, 2, 3, 4)
STAKES = (1, 2, 3, 4, 5, 6)  # one for each pair of four players
CARDS = (*SEGMENTS, "dealt")
TEXTS = ("seat", "stack", *CARDS, "declares")
SAYS = ("surrenders", "misset", "fantasy_land")
LONGEST = 80
# No round reaches this stack, so nothing is cut if none is entered.
ANY_STACK = "9999999999999.00"
_SIGNS = str.maketrans("♠♥♦♣♤♡♢♧", "shdcshdc")
_CARD = re.compile(r"(10|[2-9tjqka])([shdc])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TypedHand:
    place: int
    texts: Mapping[str, str]
    says: tuple[str, ...]
    royalties: tuple[str, ...]

    @property
    def is_there(self) -> bool:
        """Whether the hand has more than a seat and a stack; an empty hand was not dealt."""
        return bool(
            self.says or self.royalties or self.texts["declares"] or any(self.texts[name] for name in CARDS)
        )


@dataclass(frozen=True, slots=True)
class TypedStake:
    place: int
    one: str
    two: str
    limit: str

    def words(self) -> Iterator[tuple[str, str]]:
        """Yield this stake as parameters of a query; nothing without a limit."""
        if self.limit:
            yield from ((f"one{self.place}", self.one), (f"two{self.place}", self.two))
            yield f"stake{self.place}", self.limit


@dataclass(frozen=True, slots=True)
class Typed:
    """The whole entry as typed. `game` is a code, with `@version` if it matters."""

    game: str
    limit: str
    button: str
    hands: tuple[TypedHand, ...]
    stakes: tuple[TypedStake, ...]

    @property
    def is_asked(self) -> bool:
        return any(hand.is_there for hand in self.hands)

    def query(self) -> str:
        """Return the entry as a query string, without what is empty."""
        query = QueryDict(mutable=True)
        for name, value in self._words():
            if value:
                query.appendlist(name, value)
        return query.urlencode()

    def _words(self) -> Iterator[tuple[str, str]]:
        yield from (("game", self.game), ("limit", self.limit), ("button", self.button))
        for hand in self.hands:
            if hand.is_there or hand.texts["stack"]:
                for name in TEXTS:
                    text = hand.texts[name]
                    yield f"{name}{hand.place}", text.replace(" ", "") if name in CARDS else text
                yield from ((f"says{hand.place}", word) for word in hand.says)
                yield from ((f"royalties{hand.place}", word) for word in hand.royalties)
        for stake in self.stakes:
            yield from stake.words()


def read(query: QueryDict) -> Typed:
    """Return the entry in a query; unknown keys are left out."""

    def text(name: str) -> str:
        return query.get(name, "").strip()[:LONGEST]

    hands = tuple(
        TypedHand(
            place,
            {name: (cards if name in CARDS else str)(text(f"{name}{place}")) for name in TEXTS},
            tuple(word for word in SAYS if word in query.getlist(f"says{place}")),
            tuple(word for word in SEGMENTS if word in query.getlist(f"royalties{place}")),
        )
        for place in HANDS
    )
    stakes = tuple(
        TypedStake(place, text(f"one{place}"), text(f"two{place}"), text(f"stake{place}")) for place in STAKES
    )
    return Typed(text("game"), text("limit"), text("button") or "1", hands, stakes)


def cards(text: str) -> str:
    """Return typed cards as the rules write them: `10h qs♠` and `ThQs` are `Th Qs`; other words stay."""
    found = []
    for word in re.split(r"[\s,;./]+", text.translate(_SIGNS)):
        if re.fullmatch(f"(?:{_CARD.pattern})+", word, re.IGNORECASE):
            ranks_and_suits = _CARD.findall(word)
            found += [rank.upper().replace("10", "T") + suit.lower() for rank, suit in ranks_and_suits]
        elif word:
            found.append(word)
    return " ".join(found)


def known_cards(text: str) -> list[str]:
    return [word for word in text.split() if word in CARD_NUMBERS]


# -- the game ------------------------------------------------------------------------------------------------


def version_of(sheet: Sheet) -> str:
    """Return a sheet's name in an address; a bookmark keeps its version."""
    return f"{sheet.code}@{sheet.version}"


def sheet_of(game: str) -> Sheet:
    """Return the sheet that an address names, the newest if without version. Refuses `unknown_game`."""
    code, at, text = game.partition("@")
    version = (int(text) if re.fullmatch("[0-9]{1,7}", text) else 0) if at else None
    kept = games.sheet_to_read(code, version)
    # The loaded object, if the same sheet: the rules cache by object.
    loaded = games.house_sheets().library.sheets.get((kept.code, kept.version))
    return loaded if loaded is not None and loaded.sha256 == kept.sha256 else kept


class Asks:
    """What this game asks for besides seats and set cards; `says` are those of SAYS that it has."""

    def __init__(self, sheet: Sheet) -> None:
        self.money = sheet.stakes != "none" and not sheet.race_to
        self.surrender = sheet.surrender.allowed
        self.royalties = sheet.announced_segments
        self.declares = tuple(sheet.clean_sweep.kinds)
        self.unset = sheet.may_come_unset
        self.pair_stakes = sheet.two_may_agree
        self.two_hands = not sheet.race_to
        can = {"surrenders": self.surrender, "misset": True, "fantasy_land": sheet.fantasy_land is not None}
        self.says = tuple(word for word in SAYS if can[word])


def seated(typed: Typed, sheet: Sheet) -> Typed:
    """Give every hand a seat: the first free one, or 1, 2, 1, 2 with two hands each."""
    free = [seat for seat in map(str, SEATS) if seat not in {hand.texts["seat"] for hand in typed.hands}]
    hands = []
    for hand in typed.hands:
        if hand.texts["seat"]:
            hands.append(hand)
            continue
        seat = str((hand.place - 1) % 2 + 1) if sheet.hands_per_player == 2 else free.pop(0)
        hands.append(replace(hand, texts={**hand.texts, "seat": seat}))
    return replace(typed, hands=tuple(hands))


# -- to the rules and back -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AskedRound:
    """A round in the score format, with the page's places of its hands and pair stakes."""

    round: Mapping[str, Any]
    hands: tuple[int, ...]
    stakes: tuple[int, ...]

    def field(self, path: str | None) -> str:
        """Return the page's field for a path of the score format: `hands.1.front` may be `front3`."""
        name, *rest = (path or "hands").split(".")
        if name == "pair_stakes" and rest:
            return f"stake{self.stakes[int(rest[0])]}"
        if name != "hands" or not rest:
            return {"sheet": "game", "version": "game", "pair_stakes": "hands"}.get(name, name)
        beside = rest[1] if len(rest) > 1 and rest[1] in TEXTS else "hand"
        return f"{beside}{self.hands[int(rest[0])]}"


def asked_round(typed: Typed, sheet: Sheet) -> AskedRound:
    asks = Asks(sheet)
    there = [hand for hand in typed.hands if hand.is_there]
    stacks = {hand.texts["seat"]: hand.texts["stack"] for hand in reversed(there) if hand.texts["stack"]}
    asked: dict[str, Any] = {
        "sheet": sheet.code,
        "version": sheet.version,
        "limit": _amount(typed.limit) if asks.money else "1.00",
        "button": _seat(typed.button),
        "hands": [_hand(hand, asks, stacks) for hand in there],
    }
    stakes = [stake for stake in typed.stakes if stake.limit] if asks.pair_stakes else []
    if stakes:
        asked["pair_stakes"] = [
            {"seats": [_seat(stake.one), _seat(stake.two)], "limit": _amount(stake.limit)} for stake in stakes
        ]
    return AskedRound(asked, tuple(hand.place for hand in there), tuple(stake.place for stake in stakes))


def _hand(hand: TypedHand, asks: Asks, stacks: Mapping[str, str]) -> dict[str, Any]:
    texts = hand.texts
    entered: dict[str, Any] = {"seat": _seat(texts["seat"])}
    # Both hands of a player have one stack (R35): enter it once.
    stack = texts["stack"] or stacks.get(texts["seat"], "")
    entered["stack"] = _amount(stack) if stack and asks.money else ANY_STACK
    rows = CARDS if asks.unset else SEGMENTS
    entered |= {name: texts[name] for name in rows if texts[name]}
    entered |= {word: True for word in hand.says if word in asks.says}
    if texts["declares"] and asks.declares:
        entered["declares"] = texts["declares"]
    royalties = [name for name in hand.royalties if name in asks.royalties]
    return entered | ({"royalties": royalties} if royalties else {})


def _seat(text: str) -> int | str:
    return int(text) if re.fullmatch("[0-9]", text) else text


def _amount(text: str) -> str:
    """Return `$45` as `45.00`. Text that is not an amount is passed on unchanged; the rules reject it."""
    try:
        return amount_text(parse_amount(text))
    except BadAmount:
        return text


def typed_round(asked: Mapping[str, Any]) -> Typed:
    hands: Sequence[Mapping[str, Any]] = asked["hands"]
    stakes: Sequence[Mapping[str, Any]] = asked.get("pair_stakes", ())
    return Typed(
        f"{asked['sheet']}@{asked['version']}",
        asked["limit"],
        str(asked["button"]),
        tuple(
            TypedHand(
                place,
                {name: str(hand.get(name) or "") for name in TEXTS},
                tuple(word for word in SAYS if hand.get(word)),
                tuple(name for name in SEGMENTS if name in hand.get("royalties", ())),
            )
            for place, hand in enumerate(hands, 1)
        ),
        tuple(
            TypedStake(place, str(stake["seats"][0]), str(stake["seats"][1]), stake["limit"])
            for place, stake in enumerate(stakes, 1)
        ),
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
    """Return the game and limit of this person's table, else of the one opened last, else the first game."""
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
