"""Where entered hands meet the rules: the sheet of a table, the score of a round, the check of a half-filled entry.

Nothing is written here. Points and cuts are worked out in `tables/rules`; the verbs in rounds.py and corrections.py
post what comes out.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ledger import posting
from ledger.money import amount_text
from tables.errors import FantasyLandNotEarned, HandMissing, TableError
from tables.hands import dealt_hand, hand_name, kept_form, match_hands
from tables.models import Hand, Round, Settlement, Sitting, TableSession
from tables.queries import sheet_of
from tables.rules.errors import DuplicateCard, RuleError
from tables.rules.rounds import (
    RULES_VERSION,
    Deal,
    Library,
    RoundScore,
    Setting,
    Sheet,
    describe,
    parse_round,
    score,
)
from tables.rules.setting import SEGMENT_SIZES, describe_dealt
from tables.rules.sheet import SEGMENTS
from tables.standings import MatchOutcome


@dataclass(frozen=True, slots=True)
class RoundEntry:
    """What a dealer confirms: the round, a key the tablet made, and each hand in the form of the score format.

    A hand has `seat`, `front`, `middle`, `back` as text, or `dealt` with all 13 cards of a declared hand that came unset,
    and `declares`, `surrenders`, `misset`, `fantasy_land`, `royalties` where they apply; `position` says which hand of a
    player with two it is, and is needed only there. What is empty or false may be left out.
    """

    round_id: int
    key: str
    hands: tuple[Mapping[str, Any], ...]


def standing_settlement(round_: Round) -> Settlement:
    """Return the settlement of a round that stands: the newest one."""
    return round_.settlements.select_related("entry").order_by("-ordinal")[0]


def standing_evidence(round_: Round) -> dict[str, Any]:
    """Return the evidence of the settlement that stands."""
    return json.loads(standing_settlement(round_).entry.evidence)


def score_entry(
    session: TableSession, round_: Round, dealt: Sequence[Hand], entered: Sequence[Mapping[str, Any]]
) -> tuple[dict[str, Any], RoundScore]:
    """Score entered hands against what was dealt; return the round in the score format, and its score.

    Refuses hands for seats that were not dealt in (`hand_for_empty_seat`), hands of a player with two that do not say
    which one they are (`wrong_position`), missing ones (`hand_missing`), fantasy land that was not earned (R41, for
    the first of two hands alone, R54), cards of another round from the same deck (`duplicate_card`, R43), and whatever
    the rules refuse.
    """
    matched = match_hands(dealt, kept_form(dealt, entered))
    for hand, said in matched:
        if said.get("fantasy_land") and not hand.fantasy_land:
            raise FantasyLandNotEarned(
                f"Fantasy land has not been earned for the {hand_name(dealt, hand)}.", field="fantasy_land"
            )
    there = {hand.position for hand, _ in matched}
    missing = sorted(
        (hand for hand in dealt if hand.position not in there), key=lambda hand: (hand.seat, hand.position)
    )
    if missing:
        raise HandMissing(f"The {hand_name(dealt, missing[0])} is missing.", field="hands")
    deal = {
        "sheet": session.sheet.code,
        "version": session.sheet.version,
        "limit": amount_text(round_.limit_cents),
        "button": round_.button_seat,
        "hands": [_scored_hand(hand, said) for hand, said in matched],
    }
    if round_.pair_stakes:
        deal["pair_stakes"] = round_.pair_stakes
    own = _library(session)
    parsed = parse_round(deal, own, reserved_from=_round_before(round_, own))
    _require_unlike_after(round_, parsed, own)
    return deal, score(parsed)


def _library(session: TableSession) -> Library:
    """The one sheet of the session, as a library."""
    sheet = sheet_of(session)
    return Library({(sheet.code, sheet.version): sheet}, {sheet.code: sheet})


def _standing_deal(round_: Round, own: Library) -> Deal:
    """The round as it stands settled."""
    return parse_round(standing_evidence(round_)["input"], own)


def _round_before(round_: Round, own: Library) -> Deal | None:
    """The round from whose deck this one's hands were kept (R43), or None."""
    return _standing_deal(round_.reserved_from, own) if round_.reserved_from else None


def _require_unlike_after(round_: Round, deal: Deal, own: Library) -> None:
    """Refuse a correction that puts a card of the round after, dealt from the same deck, into this one (R43)."""
    if round_.state != Round.State.SETTLED:
        return
    after = round_.reserved_for.filter(state=Round.State.SETTLED).first()
    if after is None or standing_settlement(after).by_hand:
        return  # nobody knows the cards of a round that was settled by hand
    gone = _standing_deal(after, own).cards
    for hand in deal.hands:
        for card in hand.cards:
            if card in gone:
                raise DuplicateCard(
                    f"seat {hand.seat}: {card} was in round {after.number}, which shares the deck",
                    field="hands",
                )


def _scored_hand(dealt: Hand, entered: Mapping[str, Any]) -> dict[str, Any]:
    hand = {name: value for name, value in entered.items() if name not in ("fantasy_land", "position")}
    hand["stack"] = amount_text(dealt.stack_cents)
    # A forgotten announcement forfeits nothing (R56): who earned fantasy land is in it, whatever the tablet says.
    if dealt.fantasy_land:
        hand["fantasy_land"] = True
    return hand


def who_pays(
    dealt: Sequence[Hand], scored: RoundScore, outcome: MatchOutcome | None
) -> tuple[RoundScore | MatchOutcome, dict[int, Sitting]]:
    """Return what has the payments of a settlement, and the sitting at every seat that they may concern.

    A round of a race pays nothing of its own; its match does once it is won, also to or from a player of it who was not
    dealt into the round (R42).
    """
    at_seats = {hand.seat: hand.sitting for hand in dealt}
    return (scored, at_seats) if outcome is None else (outcome, {**at_seats, **outcome.players})


def payment_moves(settled: RoundScore | MatchOutcome, stacks: Mapping[int, int]) -> tuple[posting.Move, ...]:
    """Return the transfers of the payments; `stacks` gives each seat's stack account."""
    return tuple(
        posting.Move(stacks[payment.from_seat], stacks[payment.to_seat], payment.paid_cents)
        for payment in settled.payments
        if payment.paid_cents
    )


def settlement_evidence(
    round_: Round, ordinal: int, deal: Mapping[str, Any], scored: RoundScore, outcome: MatchOutcome | None
) -> dict[str, Any]:
    """Return everything needed to work the settlement out again; `ordinal` is its place among those of the round.

    `reserved_from` is there where the hands were kept from the round before, whose cards may then not occur (R43), and
    `match` in a race, with the points and payments of the match (R42).
    """
    before = round_.reserved_from
    shared = {"reserved_from": {"round_id": before.pk, "round": before.number}} if before else {}
    race = {"match": outcome.as_json()} if outcome else {}
    return (
        shared
        | race
        | {
            "rules_version": RULES_VERSION,
            "session": round_.session_id,
            "round": round_.number,
            "round_id": round_.pk,
            "ordinal": ordinal,
            "started_at": round_.started_at.isoformat(),
            "input": deal,
            "answer": scored.as_json(),
        }
    )


@dataclass(frozen=True, slots=True)
class HandCheck:
    """One hand as far as it is entered: its `setting`, or the `error` that keeps it from having one.

    `position` is None where the entry does not say which hand of the round it is.
    """

    seat: int
    position: int | None
    surrendered: bool
    setting: Setting | None
    error: TableError | RuleError | None


@dataclass(frozen=True, slots=True)
class EntryCheck:
    """What the rules say of hands that are still being entered.

    `score` is the whole score once every hand is complete, else `error` says what keeps it from being scored (None
    while cards are simply missing).
    """

    hands: tuple[HandCheck, ...]
    score: RoundScore | None
    error: TableError | RuleError | None


def check_entry(
    session: TableSession, round_: Round, dealt: Sequence[Hand], entered: Sequence[Mapping[str, Any]]
) -> EntryCheck:
    """Check hands as far as they are entered, and score them once they are complete."""
    sheet = sheet_of(session)
    said = kept_form(dealt, entered)
    before = _round_before(round_, _library(session))
    gone = before.cards if before else frozenset()
    lies: dict[str, Hand] = {}
    checks = tuple(_check_hand(hand, dealt, sheet, gone, lies) for hand in said)
    complete = {check.position for check, hand in zip(checks, said, strict=True) if _is_complete(hand, sheet)}
    if any(check.error for check in checks) or complete != {hand.position for hand in dealt}:
        return EntryCheck(checks, None, None)
    try:
        return EntryCheck(checks, score_entry(session, round_, dealt, said)[1], None)
    except (TableError, RuleError) as error:
        return EntryCheck(checks, None, error)


def _cards(hand: Mapping[str, Any], name: str) -> list[str]:
    return str(hand.get(name, "")).split()


def _segments(hand: Mapping[str, Any]) -> list[list[str]]:
    return [_cards(hand, segment) for segment in SEGMENTS]


def _is_complete(hand: Mapping[str, Any], sheet: Sheet) -> bool:
    """Whether nothing more need be entered of a hand for it to be scored (R7, R20, R25, R27)."""
    if "dealt" in hand:
        return "declares" in hand and len(_cards(hand, "dealt")) == sum(SEGMENT_SIZES)
    counts = tuple(map(len, _segments(hand)))
    if hand.get("surrenders") and (hand.get("misset") or not any(counts)):
        return True
    return counts == SEGMENT_SIZES or bool(hand.get("misset") and not sheet.foul.plays)


def _check_hand(
    said: Mapping[str, Any],
    dealt: Sequence[Hand],
    sheet: Sheet,
    gone: frozenset[str],
    lies: dict[str, Hand],
) -> HandCheck:
    """Describe one hand; `lies` is where each card of the hands before it lies, and takes this one's.

    `gone` are the cards of the round before, where both are dealt from one deck (R43).
    """
    seat, position = said["seat"], None
    surrendered = bool(said.get("surrenders"))
    try:
        hand = dealt_hand(dealt, said)
        position = hand.position
        setting = _describe(said, sheet, in_fantasy_land=hand.fantasy_land)
        for card in (card for name in (*SEGMENTS, "dealt") for card in _cards(said, name)):
            if lies.setdefault(card, hand) != hand:
                raise DuplicateCard(f"seat {seat}: {card} lies in the {hand_name(dealt, lies[card])} already")
            if card in gone:
                raise DuplicateCard(f"seat {seat}: {card} was in the round before, which shares the deck")
    except (TableError, RuleError) as error:
        return HandCheck(seat, position, surrendered, None, error)
    return HandCheck(seat, position, surrendered, setting, None)


def _describe(hand: Mapping[str, Any], sheet: Sheet, *, in_fantasy_land: bool) -> Setting:
    """What can be said of a hand as far as it is entered: what it says of itself comes before its cards."""
    if "dealt" in hand:
        return describe_dealt(_cards(hand, "dealt"), sheet)
    segments = _segments(hand)
    misset, surrenders = bool(hand.get("misset")), bool(hand.get("surrenders"))
    if misset:
        # Its segments may hold any number of cards; only those that lie right have a category (R7).
        segments = [
            cards if len(cards) == size else [] for cards, size in zip(segments, SEGMENT_SIZES, strict=True)
        ]
    setting = describe(*segments, sheet, in_fantasy_land=in_fantasy_land)
    if not misset and not surrenders:
        return setting
    return replace(
        setting,
        foul=not surrenders,
        bonus=dict.fromkeys(setting.bonus, 0),
        clean_sweeps=(),
        fantasy_land_next=False,
    )
