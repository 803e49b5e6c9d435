"""The dispute page as its templates show it: the game's fields, and the answer; asked anew, or of a round."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ledger.money import cents_of
from ledger.rights import READ_BOOKS
from ledger.views.day import the_site
from ledger.views.pages import find_here, read_by
from tables.floor import games
from tables.models import Round
from tables.rights import READ_TABLES
from tables.rounds.pushes import require_sight
from tables.rules.game.rounds import RoundScore, Sheet
from tables.rules.game.setting import SEGMENT_SIZES
from tables.rules.game.sheet import SEGMENTS
from tables.rules.table.dealing import SEATS
from tables.rules.words.explanation import Story, story
from tables.rules.words.names import CATEGORY_NAMES, CLEAN_SWEEP_NAMES, SEGMENT_NAMES
from tables.rules.words.reasons.words import Reason
from tables.state.evidence import standing_evidence
from tables.views.dispute import entry

SIZES = dict(zip(SEGMENTS, SEGMENT_SIZES, strict=True)) | {"dealt": 13}
ROWS = SEGMENT_NAMES | {"dealt": "Unset"}
SAYS = {"surrenders": "Surrenders", "misset": "Mis-set", "fantasy_land": "In fantasy land"}
MOST_PAIRS = 6
NO_STACK = cents_of(entry.ANY_STACK)


@dataclass(frozen=True, slots=True)
class Choice:
    value: str
    label: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class ReasonLine:
    """A line of a step and the hand that collects it; `back` if that is the payer."""

    told: Reason
    name: str
    back: bool


class Answer:
    def __init__(self, result: RoundScore) -> None:
        self.result, self.deal = result, result.deal
        self.story: Story = story(result)
        seats = sorted({hand.seat for hand in result.hands})
        self.json = result.as_json() | {"names": {str(seat): f"Seat {seat}" for seat in seats}}

    @property
    def size(self) -> str:
        """The number of steps, for print: all fit on one sheet."""
        steps = len(self.story.steps)
        return str(steps) if steps <= MOST_PAIRS else "more"

    @property
    def hands(self) -> Iterator[dict[str, Any]]:
        """Yield each hand as `_hand.html` takes it; no `stack_cents` if none was entered."""
        for one, says in zip(self.story.hands, self.json["hands"], strict=True):
            dealt, cards = one.dealt, dict[str, Any](zip(SEGMENTS, one.dealt.segments, strict=True))
            cut = dealt.stack_cents != NO_STACK and not self.result.race
            yield {
                "story": one,
                "cards": cards | {"dealt": dealt.options.dealt, "surrenders": one.score.surrendered},
                "says": says,
                "stack_cents": dealt.stack_cents if cut else None,
                "button": dealt.seat == self.deal.button,
            }

    @property
    def steps(self) -> Iterator[dict[str, Any]]:
        """Yield each step; `sums` are what each hand collects before netting (R14)."""
        names = self.story.names
        for one in self.story.steps:
            payer, receiver = one.payment.positions
            yield {
                "story": one,
                "payer": names[payer],
                "receiver": names[receiver],
                "lines": [
                    ReasonLine(
                        reason, names.get(reason.to or 0, ""), reason.to == payer and one.payment.points > 0
                    )
                    for reason in one.told
                ],
                "sums": [
                    (names[position], sum(reason.points for reason in one.told if reason.to == position))
                    for position in (receiver, payer)
                ],
            }

    @property
    def race(self) -> Iterator[ReasonLine]:
        return (
            ReasonLine(reason, self.story.names.get(reason.to or 0, ""), False) for reason in self.story.race
        )

    @property
    def scores(self) -> list[tuple[int, int]]:
        return sorted((self.result.race or {}).items())


class Page:
    def __init__(self, asked: entry.Asked) -> None:
        self.asked = asked
        self.typed: entry.Typed = asked.typed
        self.sheet: Sheet = asked.sheet
        self.asks: entry.Asks = asked.asks
        self.refused: Mapping[str, entry.Unscored] = asked.refused
        self.title = games.title_of(asked.sheet)
        self.answer = Answer(asked.result) if asked.result else None

    @property
    def query(self) -> str:
        return self.typed.query()

    @property
    def games(self) -> list[Choice]:
        """The newest version of every game, and this page's if older."""
        listed = games.games()
        own = entry.version_of(self.sheet)
        choices = [
            Choice(entry.version_of(sheet), games.title_of(sheet), entry.version_of(sheet) == own)
            for sheet in listed
        ]
        if not any(choice.chosen for choice in choices):
            choices.append(Choice(own, f"{self.title}, version {self.sheet.version}", True))
        return choices

    @property
    def buttons(self) -> tuple[Choice, ...]:
        return _seats(self.typed.button)

    @cached_property
    def hands(self) -> list[dict[str, Any]]:
        return [self._panel(hand) for hand in self.typed.hands]

    @property
    def stakes(self) -> Iterator[dict[str, Any]]:
        for stake in self.typed.stakes:
            yield {
                "place": str(stake.place),
                "one": _seats(stake.one or "1"),
                "two": _seats(stake.two or "2"),
                "limit": stake.limit,
                "refused": self.refused.get(f"stake{stake.place}"),
            }

    @property
    def stakes_open(self) -> bool:
        return any(stake.limit for stake in self.typed.stakes)

    @property
    def carried(self) -> Iterator[tuple[str, str]]:
        """Yield fields that this game does not ask for: kept for a change back, not scored."""
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
                yield from stake.words()

    @property
    def slots(self) -> str:
        """The elements that htmx replaces after every change."""
        names = ["#said:innerHTML", "#wrong-game", "#wrong-table", "#wrong-hands"]
        keys = entry.CARDS if self.asks.unset else SEGMENTS
        for hand in self.typed.hands:
            names += [f"#state{hand.place}", f"#top{hand.place}", f"#foot{hand.place}"]
            names += [f"#under-{key}{hand.place}" for key in keys]
        if self.asks.pair_stakes:
            names += [f"#wrong-stake{stake.place}" for stake in self.typed.stakes]
        return ",".join(names)

    @property
    def wrong_table(self) -> entry.Unscored | None:
        return self.refused.get("limit") or self.refused.get("button")

    def _panel(self, hand: entry.TypedHand) -> dict[str, Any]:
        """Return the fields of one hand. `top` and `foot` are errors above and below its cards."""
        place, asks, refused = hand.place, self.asks, self.refused
        setting = self.asked.settings.get(place)
        kinds = [("", "nothing"), *((kind, CLEAN_SWEEP_NAMES[kind].lower()) for kind in asks.declares)]
        return {
            "place": str(place),
            "there": hand.is_there,
            "seats": _seats(hand.texts["seat"]),
            "stack": hand.texts["stack"],
            "rows": [self._row(hand, segment) for segment in SEGMENTS],
            "unset": self._row(hand, "dealt") if asks.unset else None,
            "says": [Choice(word, SAYS[word], word in hand.says) for word in asks.says],
            "royalties": [Choice(name, name, name in hand.royalties) for name in asks.royalties],
            "declares": _choices(kinds, hand.texts["declares"]) if asks.declares else (),
            "state": self._state(hand),
            "holds": [CLEAN_SWEEP_NAMES[kind].lower() for kind in setting.clean_sweeps] if setting else (),
            "top": refused.get(f"seat{place}") or refused.get(f"stack{place}"),
            "foot": refused.get(f"hand{place}") or refused.get(f"declares{place}"),
        }

    def _row(self, hand: entry.TypedHand, key: str) -> dict[str, Any]:
        """Return one field of cards: the text, its cards, their category and bonus."""
        text, name = hand.texts[key], f"{key}{hand.place}"
        setting = self.asked.settings.get(hand.place)
        low = key == "middle" and self.sheet.middle == "low"
        return {
            "name": name,
            "key": key,
            "label": "Middle, low" if low else ROWS[key],
            "size": SIZES[key],
            "text": text,
            "cards": " ".join(entry.known_cards(text)),
            "category": CATEGORY_NAMES.get((getattr(setting, key, None) if setting else None) or "", ""),
            "bonus": setting.bonus.get(key, 0) if setting else 0,
            "refused": self.refused.get(name),
        }

    def _state(self, hand: entry.TypedHand) -> tuple[str, str, str]:
        """Return the state of a hand as a badge: words, kind and icon."""
        setting = self.asked.settings.get(hand.place)
        count = sum(len(entry.known_cards(hand.texts[name])) for name in entry.CARDS)
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
    """Return the options, and the chosen one even if unknown: the rules refuse it."""
    if chosen and chosen not in dict(options):
        options = [*options, (chosen, chosen)]
    return tuple(Choice(value, label, value == chosen) for value, label in options)


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Show the page with the answer to its address. Read-only, so a regulator may use it."""
    typed = entry.read(request.GET)
    by_htmx = bool(request.htmx)  # type: ignore[attr-defined]
    if not by_htmx and typed.game and request.GET.urlencode() != typed.query():
        return redirect(_address(typed))
    asked = entry.Asked(typed, typing=by_htmx, person=request.user)
    answer = render(request, "dispute/dispute.html", {"page": Page(asked), "site": the_site()})
    if by_htmx:
        answer["HX-Replace-Url"] = _address(asked.typed)
    return answer


@read_by(READ_TABLES, READ_BOOKS)
def check_round(request: HttpRequest, round_id: int) -> HttpResponse:
    settled = find_here(Round.objects.select_related("session__table"), round_id, "session__table__site")
    require_sight(request.user, settled.session)
    standing = settled.settlements.last()
    if standing is None or standing.by_hand:  # a round settled by hand has no cards
        raise Http404
    return redirect(f"{_address(entry.typed_round(standing_evidence(settled)['input']))}#answer")


def _address(typed: entry.Typed) -> str:
    return f"{reverse('dispute')}?{typed.query()}"
