"""Every settlement recomputed from the deal: points, payments, and the chips moved. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from ledger.money import amount_text, cents_of
from tables.audit.floor.floor import Floor, Problem, Problems
from tables.audit.floor.house import same_moment
from tables.audit.floor.round import REVERSED, RUNNING, SETTLED, ReplayedMatch, ReplayedRound
from tables.audit.floor.sitting import Body, ReplayedSitting, transfers_of
from tables.audit.floor.table import ReplayedTable
from tables.audit.judging.differences import differences, score_again
from tables.audit.judging.requests import expect, wrong_by_hand, wrong_correction
from tables.rules.game.by_hand import HandSettlement
from tables.rules.game.matches import MatchTerms, match_in_evidence, paying_stacks, settle_in_match
from tables.rules.game.rounds import RULES_VERSION, RoundScore
from tables.rules.table.corrections import (
    PairChange,
    by_pair,
    difference,
    owing,
    plan_changes,
    standing_after,
)

Score = RoundScore | HandSettlement
Payment = tuple[int, int, int]  # payer, receiver, cents
SCORED: Final = "rounds scored again"
FOLLOWED: Final = "settlements held against what was dealt"
_OLDER: Final = (
    "settlements of rounds dealt before these records, whose hands and payments are not held against the deal"
)
_NO_SHEET: Final = (
    "settlements by a sheet that is not here, neither scored again nor held against what they moved"
)
_LATE: Final = (
    "settlements of tables closed long before, whose hands and payments are not held against the deal"
)
_MOST_WORDS: Final = 6  # sentences of one finding


def dealt(floor: Floor, evidence: Body) -> tuple[ReplayedTable | None, ReplayedRound | None]:
    """Return the table and the round of a settlement. If the id is unknown there, it is the waiting round of
    that number, else the round with that id elsewhere; `_wrong_place` judges that."""
    round_id, table = evidence["round_id"], floor.find(evidence["session"])
    if table is not None:
        named, waiting = table.rounds.get(round_id), table.numbers.get(evidence["round"])
        if waiting is not None and (
            waiting.state not in (RUNNING, REVERSED)
            or not same_moment(evidence["started_at"], waiting.started_at)
        ):
            waiting = None
        if named is None or named.state not in (RUNNING, REVERSED):
            named = waiting or named
        if named is not None:
            return table, named
    for other in floor.every():
        if (round_ := other.rounds.get(round_id)) is not None:
            return other, round_
    return table, None


def settled_alone(floor: Floor, table: ReplayedTable | None, body: Body) -> Problems:
    """Only score again a settlement whose deal is unknown."""
    evidence = body["evidence"]
    wrong, _ = _score(floor, evidence)
    floor.doubt(body["transfers"])
    if body["kind"] == "correction":
        floor.claims_sure = False
    if wrong is not None:
        yield wrong
    elif evidence["round_id"] in floor.strays:
        return  # reported when it started
    elif table is None and evidence["session"] in floor.forgotten:
        floor.count(_LATE)
    elif (not table.lost) if table is not None else floor.whole and evidence["session"] not in floor.unknown:
        yield Problem("no_round", f"No round with id {evidence['round_id']} was started at an open table.")
    else:
        floor.count(_OLDER)


def settled(floor: Floor, table: ReplayedTable, round_: ReplayedRound, body: Body) -> Problems:
    """Judge a settlement, by cards, by hand or corrected. What follows from a wrong one is not judged."""
    floor.count(FOLLOWED)
    evidence, correction = body["evidence"], body["kind"] == "correction"
    wrong = next(_wrong_place(body, table, round_), None)
    if wrong is None and round_.right:
        wrong = next(_unlike_deal(evidence, table, round_), None)
    wrong_score, scored = _score(floor, evidence)
    wrong = wrong or wrong_score
    cards = _cards(evidence["input"]["hands"]) if len(round_.hands) == 2 else frozenset()
    if wrong is None and cards and round_.right:
        wrong = _shared_cards(cards, table, round_)
    changes: list[PairChange] | None = None
    matches_known = round_.match is None or table.matches_known
    if wrong is None and scored is not None and round_.right and matches_known:
        wrong, changes = _payments(table, round_, body, scored)
    else:
        round_.right = False
        _believe_match(table, round_, evidence)
    if wrong is None:
        round_.cards = cards
        _fantasy_land(table, round_, scored)
    else:
        _doubt(table, round_)
        yield wrong
    yield from _as_asked(floor, table, round_, body)
    round_.state, round_.ordinal, round_.entry = SETTLED, round_.ordinal + 1, body["id"]
    table.settled[body["id"]] = round_
    if correction:
        table.reversed = table.awaits = None
        expect(floor, table, round_, changes if wrong is None else None, body)


def _as_asked(floor: Floor, table: ReplayedTable, round_: ReplayedRound, body: Body) -> Problems:
    if body["kind"] == "correction":
        floor.count("corrections")
        yield from wrong_correction(table, body)
    elif body["kind"] == "hand_settlement":
        floor.count("rounds settled by hand")
        round_.by_hand = True
        yield from wrong_by_hand(table, body)
    if round_.by_hand:
        round_.points = body["evidence"]["input"].get("points")


def _doubt(table: ReplayedTable, round_: ReplayedRound) -> None:
    round_.right, round_.cards = False, frozenset()
    table.mark_fantasy_land(round_, None)
    if round_.match is not None:
        table.matches_known = False
    table.doubt()


def _fantasy_land(table: ReplayedTable, round_: ReplayedRound, scored: Score | None) -> None:
    """Note who earned fantasy land (R41). After a settlement by hand it stays as it was."""
    if scored is None:  # unknown without the sheet
        table.mark_fantasy_land(round_, None)
    elif round_.right and isinstance(scored, RoundScore) and scored.deal.sheet.fantasy_land is not None:
        table.mark_fantasy_land(round_, {hand.seat for hand in scored.hands if hand.fantasy_land_next})


def _score(floor: Floor, evidence: Body) -> tuple[Problem | None, Score | None]:
    """Score a round again, or settle it by its points; return what is wrong, and the score."""
    entry, version = evidence["input"], evidence["rules_version"]
    key = entry["sheet"], entry["version"]
    library, sheet = floor.libraries.get(key), floor.sheets.get(key)
    if library is None or sheet is None:
        floor.count(_NO_SHEET)
        return None, None
    floor.count(SCORED)
    scored = score_again(evidence, library, sheet)
    again = None if isinstance(scored, str) else scored
    words = differences(evidence, scored)
    if not words:
        return None, again
    more = f"; and {len(words) - _MOST_WORDS} more" if len(words) > _MOST_WORDS else ""
    said = "; ".join(words[:_MOST_WORDS]) + more
    if version != RULES_VERSION:
        by = f"Version {version} of the rules settled it; version {RULES_VERSION}, which is here, differs"
        return Problem("other_rules_version", f"{by}: {said}."), again
    return Problem("round_differs", f"Scored again, it comes out otherwise: {said}."), again


# -- what is paid --------------------------------------------------------------------------------------------


def _payments(
    table: ReplayedTable, round_: ReplayedRound, body: Body, scored: Score
) -> tuple[Problem | None, list[PairChange]]:
    """Return what is wrong with the match, the correction's changes or the transfers; and the changes."""
    evidence, changes = body["evidence"], list[PairChange]()
    moved = transfers_of(body)
    payments, wrong = _owing(evidence, table, round_, scored)
    players, after = table.players_of(round_), by_pair(payments)
    if body["kind"] == "correction":
        changes = [
            PairChange(one["from"], one["to"], one["owed"], one["moved"]) for one in evidence["changes"]
        ]
        wrong = wrong or _wrong_changes(changes, round_, after, _present(round_, players))
        if wrong is not None:
            return wrong, changes
        round_.paid = standing_after(round_.paid, changes)
        payments = owing(round_.paid)
    else:
        round_.paid = after
    accounts = {seat: sitting.stack or 0 for seat, sitting in players.items()}
    expected = [(accounts[payer], accounts[payee], cents) for payer, payee, cents in payments]
    if wrong is None and moved != expected:
        wrong = Problem("payment_differs", _other_moves(moved, expected, accounts))
    return wrong, changes


def _wrong_changes(
    changes: list[PairChange],
    round_: ReplayedRound,
    after: Mapping[tuple[int, int], int],
    present: dict[int, int] | None,
) -> Problem | None:
    """Judge the changes of a correction; what the stacks could move is judged only where known."""
    owed = difference(after, round_.paid)
    if [(one.payer, one.receiver, one.owed) for one in changes] != owed:
        other = "What it says is owed is not what the round comes to beyond what was paid."
        return Problem("change_differs", other)
    planned = changes if present is None else plan_changes(round_.paid, after, present)
    for one, right in zip(changes, planned, strict=True):
        if one != right:
            said = f"From seat {one.payer} to seat {one.receiver} {amount_text(one.moved)} moves"
            could = f"the stacks can move {amount_text(right.moved)} of {amount_text(right.owed)}"
            return Problem("change_differs", f"{said}; {could}.")
    return None


def _owing(
    evidence: Body, table: ReplayedTable, round_: ReplayedRound, scored: Score
) -> tuple[list[Payment], Problem | None]:
    """Return what seats pay each other by the rules, above zero; and what is wrong with the match."""
    if round_.match is None:
        payments = [(p.from_seat, p.to_seat, p.paid_cents) for p in scored.payments if p.paid_cents]
        return payments, Problem("match_differs", "It is not a race.") if "match" in evidence else None
    recorded, match = evidence["match"], table.matches[round_.match]
    if not isinstance(scored, RoundScore) or scored.race is None:
        match.settle(round_.number, won=recorded["won_by"] is not None)
        return _paid(recorded["payments"]), None
    before, match.points[round_.number] = match.total(without=round_.number), scored.race
    stacks = round_.stacks or _race_stacks(table, round_, match)
    if stacks is None:
        match.settle(round_.number, won=recorded["won_by"] is not None)
        return _paid(recorded["payments"]), None
    latest = table.latest_match
    past = latest is not None and latest.number > match.number
    over = match.called_off or match.ended_by not in (None, round_.number)
    terms = MatchTerms(scored.deal.sheet.race_to, match.stake_cents, round_.button, stacks)
    now = settle_in_match(before, scored.race, terms, replaced=round_.win, over=over, past=past)
    match.settle(round_.number, won=now.win is not None)
    round_.stacks, round_.win = stacks, now.win
    outcome = match_in_evidence(match.number, terms, now)
    for name in sorted({*outcome, *recorded}):
        if outcome.get(name) != recorded.get(name):
            its = f"Its {name} of match {match.number} is {recorded.get(name)}"
            wrong = Problem("match_differs", f"{its}, by the rounds before it {outcome.get(name)}.")
            return _paid(outcome["payments"]), wrong
    return _paid(outcome["payments"]), None


def _believe_match(table: ReplayedTable, round_: ReplayedRound, evidence: Body) -> None:
    """Believe who won a race that cannot be recomputed."""
    recorded, match = evidence.get("match"), table.running_match or table.latest_match
    if round_.match is not None:
        match = table.matches.get(round_.match) or match
    if recorded is not None and match is not None:
        match.settle(round_.number, won=recorded["won_by"] is not None)


def _race_stacks(table: ReplayedTable, round_: ReplayedRound, match: ReplayedMatch) -> dict[int, int] | None:
    """Return what the players of a match can pay from: those dealt in their stack at the start, others their
    present one. A player who left before a correction made the match go on has nothing (R58). None if a stack
    is unknown."""
    dealt = {hand.seat: hand.stack_cents for hand in round_.hands}
    players = {seat: table.sittings[number] for seat, number in match.players.items()}
    if any(seat not in dealt and not (one.left or one.counted) for seat, one in players.items()):
        return None
    return paying_stacks(dealt, {seat: sitting.cents for seat, sitting in players.items()})


def _present(round_: ReplayedRound, players: Mapping[int, ReplayedSitting]) -> dict[int, int] | None:
    """Return what the round's seated players had before the reversal of its settlement; None if unknown."""
    there = {seat: sitting for seat, sitting in players.items() if not sitting.left}
    if not all(sitting.counted for sitting in there.values()):
        return None
    present = {seat: sitting.cents for seat, sitting in there.items()}
    for (low, high), cents in round_.paid.items():
        for seat, change in ((low, -cents), (high, cents)):
            if seat in present:
                present[seat] += change
    return present


# -- what was dealt ------------------------------------------------------------------------------------------


def _wrong_place(body: Body, table: ReplayedTable, round_: ReplayedRound) -> Problems:
    """Judge whether the round can be settled now: once, and again only after a reversal."""
    evidence, number = body["evidence"], round_.number
    correction, by_hand = body["kind"] == "correction", body["evidence"].get("by_hand") is True
    if table.rounds.get(evidence["round_id"]) is not round_:
        table.rounds.setdefault(evidence["round_id"], round_)  # reported once
        yield Problem("no_round", f"Round {number} has the id {round_.id}, not {evidence['round_id']}.")
    if evidence["session"] != table.session:
        yield Problem("no_round", f"Round {number} is of session {table.session}, not {evidence['session']}.")
    if round_.state != (REVERSED if correction else RUNNING):
        if round_.state == SETTLED:
            yield Problem("settled_twice", f"Round {number} had been settled by entry {round_.entry}.")
        yield Problem("not_running", f"Round {number} was {round_.state}.")
    if evidence["ordinal"] != round_.ordinal + 1:
        next_one = f"It is settlement {evidence['ordinal']}; {round_.ordinal + 1} comes next."
        yield Problem("settled_twice", next_one)
    if correction and evidence["corrects"] != round_.entry:
        other = f"It corrects entry {evidence['corrects']}; entry {round_.entry} was taken back."
        yield Problem("not_standing", other)
    if not correction and ("corrects" in evidence or "changes" in evidence):
        yield Problem("not_standing", "It corrects something, and is no correction.")
    if not correction and by_hand != (body["kind"] == "hand_settlement"):
        yield Problem("not_by_hand", "Whether it was settled by hand is not what its kind says (R58).")
    if correction and by_hand and not round_.by_hand:
        with_cards = f"Round {number} was settled with cards: no points correct it (R58)."
        yield Problem("not_by_hand", with_cards)
    if correction and round_.by_hand and not by_hand:
        without = f"Round {number} was settled by hand: no cards correct it (R58)."
        yield Problem("settled_by_hand", without)


def _unlike_deal(evidence: Body, table: ReplayedTable, round_: ReplayedRound) -> Problems:
    entry, number, sheet = evidence["input"], round_.number, table.sheet
    kept = evidence.get("reserved_from")
    if evidence["round"] != number or not same_moment(evidence["started_at"], round_.started_at):
        yield _unlike(f"It is not of round {number}, which began at {round_.started_at}.")
    if sheet and (entry["sheet"], entry["version"]) != (sheet.code, sheet.version):
        yield _unlike(f"The table plays {sheet.code} version {sheet.version}.")
    if cents_of(entry["limit"]) != round_.limit_cents:
        limit = amount_text(round_.limit_cents)
        yield _unlike(f"The limit is {entry['limit']}; the round's is {limit} (R64).")
    if entry["button"] != round_.button:
        began = f"the round began with it at seat {round_.button}"
        yield _unlike(f"The button is at seat {entry['button']}; {began}.")
    if entry.get("pair_stakes") != round_.stakes:
        yield _unlike("The stakes between two players are not those the round began with.")
    if (kept["round"] if kept else None) != round_.reserved_from:
        yield _unlike("The round began with hands from another deck (R43).")
    if kept and table.rounds.get(kept["round_id"]) is not table.numbers[kept["round"]]:
        yield _unlike(f"Round {kept['round']} has another id than {kept['round_id']}.")
    yield from _unlike_hands(entry["hands"], round_)


def _unlike_hands(entered: Sequence[Body], round_: ReplayedRound) -> Problems:
    dealt = {hand.seat: hand for hand in reversed(round_.hands)}  # of two hands the first
    met: set[int] = set()
    for hand in entered:
        seat = hand["seat"]
        own = dealt.get(seat)
        if own is None:
            yield _unlike(f"Seat {seat} was not dealt in.")
        elif cents_of(hand["stack"]) != own.stack_cents:
            began = amount_text(own.stack_cents)
            yield _unlike(f"Seat {seat} has {hand['stack']}; the round began with {began}.")
        elif hand.get("fantasy_land", False) is not (own.fantasy_land and seat not in met):
            yield _unlike(f"Seat {seat} began the round otherwise as to fantasy land.")
        met.add(seat)
    if len(entered) != len(round_.hands) or met != dealt.keys():
        yield _unlike(f"It has {len(entered)} hands; {len(round_.hands)} were dealt.")


def _unlike(sentence: str) -> Problem:
    return Problem("round_event_differs", sentence)


def _cards(hands: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    names = ("front", "middle", "back", "dealt")
    return frozenset(card for hand in hands for name in names for card in hand.get(name, "").split())


def _shared_cards(cards: frozenset[str], table: ReplayedTable, round_: ReplayedRound) -> Problem | None:
    for other in table.sharing(round_):
        if shared := sorted(cards & other.cards):
            both = f"{shared[0]} was in round {other.number} too, which shares the deck (R43)."
            return Problem("shared_card", both)
    return None


def _paid(payments: Iterable[Mapping[str, Any]]) -> list[Payment]:
    paid = ((payment["from"], payment["to"], cents_of(payment["paid"])) for payment in payments)
    return [(payer, payee, cents) for payer, payee, cents in paid if cents]


def _other_moves(
    moved: Sequence[Payment],
    expected: Sequence[Payment],
    accounts: Mapping[int, int],
) -> str:
    seats = {account: f"seat {seat}" for seat, account in accounts.items()}

    def said(lines: Iterable[Payment]) -> Iterator[str]:
        for source, target, cents in lines:
            names = [seats.get(account, f"account {account}") for account in (source, target)]
            yield f"{amount_text(cents)} from {names[0]} to {names[1]}"

    more = ", ".join(said(line for line in moved if line not in expected)) or "nothing more"
    less = ", ".join(said(line for line in expected if line not in moved)) or "nothing less"
    return f"It moved {more}; by the rules it moves {less}."
