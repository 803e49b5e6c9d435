"""The dispute page as its templates show it: the fields of this game with what stands beside them, and the answer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ledger.money import cents_of
from tables.floor import games
from tables.rules.game.rounds import RoundScore, Sheet
from tables.rules.game.setting import SEGMENT_SIZES
from tables.rules.game.sheet import SEGMENTS
from tables.rules.table.dealing import SEATS
from tables.rules.words.explanation import HandStory, StepStory, Story, story
from tables.rules.words.names import CATEGORY_NAMES, CLEAN_SWEEP_NAMES, SEGMENT_NAMES
from tables.rules.words.reasons.words import Reason
from tables.views.dispute.answer import Asked, Unscored
from tables.views.dispute.entry import ANY_STACK, CARDS, Asks, Typed, TypedHand, known_cards, version_of

SIZES = dict(zip(SEGMENTS, SEGMENT_SIZES, strict=True)) | {"dealt": 13}
ROWS = SEGMENT_NAMES | {"dealt": "Unset"}
SAYS = {"surrenders": "Surrenders", "misset": "Mis-set", "fantasy_land": "In fantasy land"}
MOST_PAIRS = 6
NO_STACK = cents_of(ANY_STACK)


@dataclass(frozen=True, slots=True)
class Row:
    """One field of cards: what was typed, those of it that are cards, and what they are worth as far as can be told."""

    name: str
    key: str
    label: str
    size: int
    text: str
    cards: str
    category: str
    bonus: int
    refused: Unscored | None


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a select or a tick."""

    value: str
    label: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class HandPanel:
    """The fields of one hand. `top` and `foot` are what is wrong with its seat or stack, and with what it says."""

    place: str
    there: bool
    seats: tuple[Choice, ...]
    stack: str
    rows: tuple[Row, ...]
    unset: Row | None
    says: tuple[Choice, ...]
    royalties: tuple[Choice, ...]
    declares: tuple[Choice, ...]
    state: tuple[str, str, str]
    holds: tuple[str, ...]
    top: Unscored | None
    foot: Unscored | None


@dataclass(frozen=True, slots=True)
class StakeRow:
    """A stake between two seats (R32)."""

    place: str
    one: tuple[Choice, ...]
    two: tuple[Choice, ...]
    limit: str
    refused: Unscored | None


@dataclass(frozen=True, slots=True)
class ReasonLine:
    """One line of a step: what was told, and the name of the hand that collects it; `back` where the payer does."""

    told: Reason
    name: str
    back: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One step between two hands; `sums` are what each of them collects before it is netted (R14)."""

    story: StepStory
    payer: str
    receiver: str
    lines: tuple[ReasonLine, ...]
    sums: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class AnsweredHand:
    """One hand of the answer: `cards` and `says` as `_hand.html` takes them; no `stack_cents` where none was entered."""

    story: HandStory
    cards: Mapping[str, Any]
    says: Mapping[str, Any]
    stack_cents: int | None
    button: bool


class Answer:
    """The settled round as the page shows it."""

    def __init__(self, result: RoundScore) -> None:
        self.result, self.deal = result, result.deal
        self.story: Story = story(result)
        seats = sorted({hand.seat for hand in result.hands})
        self.json = result.as_json() | {"names": {str(seat): f"Seat {seat}" for seat in seats}}

    @property
    def size(self) -> str:
        """How many steps there are, for the paper: all of them fit on one sheet."""
        steps = len(self.story.steps)
        return str(steps) if steps <= MOST_PAIRS else "more"

    @property
    def hands(self) -> Iterator[AnsweredHand]:
        for one, says in zip(self.story.hands, self.json["hands"], strict=True):
            dealt = one.dealt
            cards: dict[str, Any] = dict(zip(SEGMENTS, dealt.segments, strict=True))
            cards |= {"dealt": dealt.said.dealt, "surrenders": one.score.surrendered}
            stack = None if dealt.stack_cents == NO_STACK or self.result.race else dealt.stack_cents
            yield AnsweredHand(one, cards, says, stack, dealt.seat == self.deal.button)

    @property
    def steps(self) -> Iterator[Step]:
        names = self.story.names
        for one in self.story.steps:
            payer, receiver = one.payment.positions
            lines = tuple(
                ReasonLine(told, names.get(told.to or 0, ""), told.to == payer and one.payment.points > 0)
                for told in one.told
            )
            sums = tuple(
                (names[position], sum(told.points for told in one.told if told.to == position))
                for position in (receiver, payer)
            )
            yield Step(one, names[payer], names[receiver], lines, sums)

    @property
    def race(self) -> Iterator[ReasonLine]:
        return (ReasonLine(told, self.story.names.get(told.to or 0, ""), False) for told in self.story.race)

    @property
    def scores(self) -> list[tuple[int, int]]:
        """The points of each seat in a round of a race."""
        return sorted((self.result.race or {}).items())


class Page:
    """Everything the template asks for. Only what this game has is here."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.typed: Typed = asked.typed
        self.sheet: Sheet = asked.sheet
        self.asks: Asks = asked.asks
        self.refused: Mapping[str, Unscored] = asked.refused
        self.title = games.title_of(asked.sheet)
        self.answer = Answer(asked.result) if asked.result else None

    @property
    def query(self) -> str:
        return self.typed.query()

    @property
    def games(self) -> list[Choice]:
        """The newest version of every game, and the one of this page where that is an older one."""
        listed = games.games()
        own = version_of(self.sheet)
        choices = [
            Choice(version_of(sheet), games.title_of(sheet), version_of(sheet) == own) for sheet in listed
        ]
        if not any(choice.chosen for choice in choices):
            choices.append(Choice(own, f"{self.title}, version {self.sheet.version}", True))
        return choices

    @property
    def buttons(self) -> tuple[Choice, ...]:
        return _seats(self.typed.button)

    @cached_property
    def hands(self) -> list[HandPanel]:
        return [self._panel(hand) for hand in self.typed.hands]

    @property
    def stakes(self) -> list[StakeRow]:
        return [
            StakeRow(
                str(stake.place),
                _seats(stake.one or "1"),
                _seats(stake.two or "2"),
                stake.limit,
                self.refused.get(f"stake{stake.place}"),
            )
            for stake in self.typed.stakes
        ]

    @property
    def stakes_open(self) -> bool:
        return any(stake.limit for stake in self.typed.stakes)

    @property
    def carried(self) -> Iterator[tuple[str, str]]:
        """What was entered and this game does not ask: kept for a change back, and not scored."""
        for hand in self.typed.hands:
            for word in hand.says:
                if word not in self.asks.says:
                    yield f"says{hand.place}", word
            for word in hand.royalties:
                if word not in self.asks.royalties:
                    yield f"royalties{hand.place}", word
            unasked = {
                "declares": not self.asks.declares,
                "dealt": not self.asks.unset,
                "stack": not self.asks.money,
            }
            yield from (
                (f"{name}{hand.place}", hand.texts[name])
                for name in unasked
                if unasked[name] and hand.texts[name]
            )
        if not self.asks.money and self.typed.limit:
            yield "limit", self.typed.limit
        if not self.asks.pair_stakes:
            for stake in self.typed.stakes:
                if stake.limit:
                    yield from ((f"one{stake.place}", stake.one), (f"two{stake.place}", stake.two))
                    yield f"stake{stake.place}", stake.limit

    @property
    def slots(self) -> str:
        """What is shown anew beside the fields after every change, as htmx names it."""
        names = ["#said:innerHTML", "#wrong-game", "#wrong-table", "#wrong-hands"]
        for hand in self.hands:
            names += [f"#state{hand.place}", f"#top{hand.place}", f"#foot{hand.place}"]
            names += [f"#under-{row.name}" for row in (*hand.rows, *((hand.unset,) if hand.unset else ()))]
        if self.asks.pair_stakes:
            names += [f"#wrong-stake{stake.place}" for stake in self.typed.stakes]
        return ",".join(names)

    @property
    def wrong_table(self) -> Unscored | None:
        return self.refused.get("limit") or self.refused.get("button")

    def _panel(self, hand: TypedHand) -> HandPanel:
        place, asks = hand.place, self.asks
        setting = self.asked.settings.get(place)
        unset = self._row(hand, "dealt") if asks.unset else None
        top = self.refused.get(f"seat{place}") or self.refused.get(f"stack{place}")
        foot = self.refused.get(f"hand{place}") or self.refused.get(f"declares{place}")
        kinds = [("", "nothing"), *((kind, CLEAN_SWEEP_NAMES[kind].lower()) for kind in asks.declares)]
        return HandPanel(
            str(place),
            hand.is_there,
            _seats(hand.texts["seat"]),
            hand.texts["stack"],
            tuple(self._row(hand, segment) for segment in SEGMENTS),
            unset,
            tuple(Choice(word, SAYS[word], word in hand.says) for word in asks.says),
            tuple(Choice(name, name, name in hand.royalties) for name in asks.royalties),
            _choices(kinds, hand.texts["declares"]) if asks.declares else (),
            self._state(hand),
            tuple(CLEAN_SWEEP_NAMES[kind].lower() for kind in setting.clean_sweeps) if setting else (),
            top,
            foot,
        )

    def _row(self, hand: TypedHand, key: str) -> Row:
        text = hand.texts[key]
        setting = self.asked.settings.get(hand.place)
        low = key == "middle" and self.sheet.middle == "low"
        return Row(
            f"{key}{hand.place}",
            key,
            "Middle, low" if low else ROWS[key],
            SIZES[key],
            text,
            " ".join(known_cards(text)),
            CATEGORY_NAMES.get((getattr(setting, key, None) if setting else None) or "", ""),
            setting.bonus.get(key, 0) if setting else 0,
            self.refused.get(f"{key}{hand.place}"),
        )

    def _state(self, hand: TypedHand) -> tuple[str, str, str]:
        """How far the hand is, or how it lies: words, kind and sign of a badge."""
        setting = self.asked.settings.get(hand.place)
        count = sum(len(known_cards(hand.texts[name])) for name in CARDS)
        if not hand.is_there:
            return "Not dealt", "", ""
        if "surrenders" in hand.says and self.asks.surrender:
            return "Surrenders", "news", "out"
        if "misset" in hand.says:
            return "Mis-set", "bad", "alert"
        if setting is not None and setting.foul:
            return "Foul", "bad", "alert"
        return ("All 13", "good", "check") if count == 13 else (f"{count} of 13", "", "")


def _seats(chosen: str) -> tuple[Choice, ...]:
    return _choices([(str(seat), str(seat)) for seat in SEATS], chosen)


def _choices(options: list[tuple[str, str]], chosen: str) -> tuple[Choice, ...]:
    """The options, and whatever else was chosen besides: the rules say what is wrong with it."""
    if chosen and chosen not in dict(options):
        options = [*options, (chosen, chosen)]
    return tuple(Choice(value, label, value == chosen) for value, label in options)
