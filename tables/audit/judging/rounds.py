"""Every settlement recomputed from the deal: points, payments, and the chips moved. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from ledger.money import amount_text, cents_of
from ledger.records.books import EntryRecord
from tables.audit.floor.floor import Floor
from tables.audit.floor.house import same_moment
from tables.audit.floor.round import REVERSED, RUNNING, SETTLED, ReplayedMatch, ReplayedRound
from tables.audit.floor.sitting import transfers_of
from tables.audit.floor.table import ReplayedTable
from tables.audit.judging.contradiction import Contradiction
from tables.audit.judging.requests import asked_by_hand, by_somebody_else, expect
from tables.audit.records.entries import Change, MatchEvidence, SettledEvidence
from tables.rules.errors import RuleError
from tables.rules.game.by_hand import HandSettlement, settle_by_hand
from tables.rules.game.matches import MatchTerms, match_in_evidence, paying_stacks, settle_in_match
from tables.rules.game.rounds import RULES_VERSION, Library, RoundScore, parse_round, score
from tables.rules.game.sheet import Sheet
from tables.rules.table import corrections

Score = RoundScore | HandSettlement
SCORED: Final = "rounds scored again"
FOLLOWED: Final = "settlements held against what was dealt"
_NO_SHEET: Final = "settlements by a sheet that is not here, not scored again"
_MOST_WORDS: Final = 6  # sentences of one finding


def settled(floor: Floor, table: ReplayedTable, entry: EntryRecord, evidence: SettledEvidence) -> None:
    """Judge a settlement, by cards, by hand or corrected."""
    floor.count(FOLLOWED)
    correction, by_hand = entry["kind"] == "correction", evidence.get("by_hand") is True
    round_ = _round(table, evidence)
    _right_turn(round_, entry, evidence)
    for wrong in _unlike_deal(table, round_, evidence):
        raise Contradiction("round_event_differs", wrong)
    sheet = table.sheet
    scored = _scored_again(floor, evidence, floor.libraries[sheet.code, sheet.version], sheet)
    cards = _cards(evidence["input"]["hands"]) if len(round_.hands) == 2 else frozenset()
    # No card was in another round from the same deck (R43).
    for other in table.sharing(round_) if cards else ():
        if shared := sorted(cards & other.cards):
            both = f"{shared[0]} was in round {other.number} too, which shares the deck (R43)."
            raise Contradiction("shared_card", both)
    changes = _payments(table, round_, entry, evidence, scored)
    if correction:
        floor.count("corrections")
        by = table.reversed
        if by is None or (entry["actor"], entry["reason"]) != by:
            sentence = "It is not by whoever took the settlement back, or not for the same reason."
            raise Contradiction("not_asked", sentence)
    elif by_hand:
        floor.count("rounds settled by hand")
    if entry["approver"] is not None:
        by_somebody_else("settlement", entry["actor"], entry["approver"], floor.handed_in.get(round_.id, ()))
    if by_hand:
        asked_by_hand(table, entry)
        round_.by_hand, round_.points = True, evidence["input"]["points"]
    elif isinstance(scored, RoundScore) and table.sheet.fantasy_land is not None:
        # After a settlement by hand fantasy land stays as it was.
        table.mark_fantasy_land(round_, {hand.seat for hand in scored.hands if hand.fantasy_land_next})
    round_.cards = cards
    round_.state, round_.ordinal, round_.entry = SETTLED, round_.ordinal + 1, entry["id"]
    if correction:
        table.reversed = table.awaits = None
        expect(floor, table, round_, changes, entry)


def settled_elsewhere(floor: Floor, evidence: SettledEvidence) -> None:
    """Score a settlement again, and nothing else: its table was opened before these records."""
    key = evidence["input"]["sheet"], evidence["input"]["version"]
    library, sheet = floor.libraries.get(key), floor.sheets.get(key)
    if library is None or sheet is None:
        floor.count(_NO_SHEET)
    else:
        _scored_again(floor, evidence, library, sheet)


def _scored_again(floor: Floor, evidence: SettledEvidence, library: Library, sheet: Sheet) -> Score:
    floor.count(SCORED)
    scored = score_again(evidence, library, sheet)
    words = differences(evidence, scored)
    if not words and not isinstance(scored, str):
        return scored
    more = f"; and {len(words) - _MOST_WORDS} more" if len(words) > _MOST_WORDS else ""
    differs, version = "; ".join(words[:_MOST_WORDS]) + more, evidence["rules_version"]
    if version != RULES_VERSION:
        by = f"Version {version} of the rules settled it; version {RULES_VERSION}, which is here, differs"
        raise Contradiction("other_rules_version", f"{by}: {differs}.")
    raise Contradiction("round_differs", f"Scored again, it comes out differently: {differs}.")


# -- which round ---------------------------------------------------------------------------------------------


def _round(table: ReplayedTable, evidence: SettledEvidence) -> ReplayedRound:
    round_ = table.rounds.get(evidence["round_id"])
    if round_ is None:
        sentence = f"No round with id {evidence['round_id']} was started at its table."
        raise Contradiction("no_round", sentence)
    if evidence["session"] != table.session:
        where = f"is of session {table.session}, not {evidence['session']}"
        raise Contradiction("no_round", f"Round {round_.number} {where}.")
    return round_


def _right_turn(round_: ReplayedRound, entry: EntryRecord, evidence: SettledEvidence) -> None:
    """Judge that a round is settled once, and again only after a reversal, with cards or by hand as
    before."""
    number, correction = round_.number, entry["kind"] == "correction"
    by_hand = evidence.get("by_hand") is True
    if round_.state != (REVERSED if correction else RUNNING):
        if round_.state == SETTLED:
            raise Contradiction("settled_twice", f"Round {number} had been settled by entry {round_.entry}.")
        raise Contradiction("not_running", f"Round {number} was {round_.state}.")
    if evidence["ordinal"] != round_.ordinal + 1:
        next_one = f"It is settlement {evidence['ordinal']}; {round_.ordinal + 1} comes next."
        raise Contradiction("settled_twice", next_one)
    if correction:
        if (corrected := entry["evidence"]["corrects"]) != round_.entry:
            other = f"It corrects entry {corrected}; entry {round_.entry} was taken back."
            raise Contradiction("not_standing", other)
        if by_hand and not round_.by_hand:
            with_cards = f"Round {number} was settled with cards: no points correct it (R58)."
            raise Contradiction("not_by_hand", with_cards)
        if round_.by_hand and not by_hand:
            without = f"Round {number} was settled by hand: no cards correct it (R58)."
            raise Contradiction("settled_by_hand", without)
        return
    if "corrects" in evidence or "changes" in evidence:
        raise Contradiction("not_standing", "It names an entry that it corrects, but is not a correction.")
    if by_hand != (entry["kind"] == "hand_settlement"):
        sentence = "Its kind and its evidence disagree on whether it was settled by hand (R58)."
        raise Contradiction("not_by_hand", sentence)


def _unlike_deal(table: ReplayedTable, round_: ReplayedRound, evidence: SettledEvidence) -> Iterator[str]:
    played, sheet, kept = evidence["input"], table.sheet, evidence.get("reserved_from")
    if evidence["round"] != round_.number or not same_moment(evidence["started_at"], round_.started_at):
        yield f"It is not of round {round_.number}, which began at {round_.started_at}."
    if (played["sheet"], played["version"]) != (sheet.code, sheet.version):
        yield f"The table plays {sheet.code} version {sheet.version}."
    if cents_of(played["limit"]) != round_.limit_cents:
        limit = amount_text(round_.limit_cents)
        yield f"The limit is {played['limit']}; the round's is {limit} (R64)."
    if played["button"] != round_.button:
        began = f"the round began with it at seat {round_.button}"
        yield f"The button is at seat {played['button']}; {began}."
    if played.get("pair_stakes") != round_.stakes:
        yield "The stakes between two players are not those the round began with."
    if (kept["round"] if kept else None) != round_.reserved_from:
        yield "The round began with hands from another deck (R43)."
    if kept and table.rounds.get(kept["round_id"]) is not table.numbers[kept["round"]]:
        yield f"Round {kept['round']} has another id than {kept['round_id']}."
    yield from _unlike_hands(played["hands"], round_)


def _unlike_hands(entered: Sequence[Mapping[str, Any]], round_: ReplayedRound) -> Iterator[str]:
    dealt = {hand.seat: hand for hand in reversed(round_.hands)}  # of two hands the first
    met: set[int] = set()
    for hand in entered:
        seat = hand["seat"]
        own = dealt.get(seat)
        if own is None:
            yield f"Seat {seat} was not dealt in."
        elif cents_of(hand["stack"]) != own.stack_cents:
            began = amount_text(own.stack_cents)
            yield f"Seat {seat} has {hand['stack']}; the round began with {began}."
        elif hand.get("fantasy_land", False) is not (own.fantasy_land and seat not in met):
            yield f"Seat {seat} began the round in another state of fantasy land."
        met.add(seat)
    if len(entered) != len(round_.hands) or met != dealt.keys():
        yield f"It has {len(entered)} hands; {len(round_.hands)} were dealt."


def _cards(hands: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    names = ("front", "middle", "back", "dealt")
    return frozenset(card for hand in hands for name in names for card in hand.get(name, "").split())


# -- what is paid --------------------------------------------------------------------------------------------


def _payments(
    table: ReplayedTable, round_: ReplayedRound, entry: EntryRecord, evidence: SettledEvidence, scored: Score
) -> list[corrections.PairChange]:
    """Judge the match, the changes of a correction and the transfers; return the changes."""
    payments, changes, moved = (
        _owing(table, round_, evidence, scored),
        list[corrections.PairChange](),
        transfers_of(entry),
    )
    after = corrections.by_pair(payments)
    accounts = {seat: sitting.stack or 0 for seat, sitting in table.players_of(round_).items()}
    if entry["kind"] == "correction":
        changes = _changes(table, round_, entry["evidence"]["changes"], after)
        after = corrections.standing_after(round_.paid, changes)
        payments = corrections.owing(after)
    round_.paid = after
    expected = [(accounts[payer], accounts[payee], cents) for payer, payee, cents in payments]
    if moved != expected:
        raise Contradiction("payment_differs", _other_moves(moved, expected, accounts))
    return changes


def _changes(
    table: ReplayedTable,
    round_: ReplayedRound,
    recorded: Sequence[Change],
    after: Mapping[tuple[int, int], int],
) -> list[corrections.PairChange]:
    """Judge a correction: how much each pair owes by it, and how much of that the stacks could pay."""
    changes = [corrections.PairChange(one["from"], one["to"], one["owed"], one["moved"]) for one in recorded]
    if [(one.payer, one.receiver, one.owed) for one in changes] != corrections.difference(after, round_.paid):
        other = "The amounts it gives as owed are not what the round comes to beyond what was paid."
        raise Contradiction("change_differs", other)
    players = table.players_of(round_)
    present = {seat: sitting.cents for seat, sitting in players.items() if not sitting.left}
    for (low, high), cents in round_.paid.items():
        for seat, change in ((low, -cents), (high, cents)):
            if seat in present:
                present[seat] += change
    planned = corrections.plan_changes(round_.paid, after, present)
    for one, right in zip(changes, planned, strict=True):
        if one != right:
            moves = f"From seat {one.payer} to seat {one.receiver} {amount_text(one.moved)} moves"
            could = f"the stacks can move {amount_text(right.moved)} of {amount_text(right.owed)}"
            raise Contradiction("change_differs", f"{moves}; {could}.")
    return changes


def _owing(
    table: ReplayedTable, round_: ReplayedRound, evidence: SettledEvidence, scored: Score
) -> list[corrections.Owing]:
    """Return what seats pay each other by the rules, above zero; judge the match."""
    if round_.match is None or not isinstance(scored, RoundScore) or scored.race is None:
        if ("match" in evidence) != (round_.match is not None):
            raise Contradiction("match_differs", "It is not a race.")
        return [(p.from_seat, p.to_seat, p.paid_cents) for p in scored.payments if p.paid_cents]
    match = table.matches[round_.match]
    before, match.points[round_.number] = match.total(without=round_.number), scored.race
    stacks = round_.stacks or _race_stacks(round_, match)
    past = max(table.matches) > match.number
    over = match.called_off or match.ended_by not in (None, round_.number)
    terms = MatchTerms(scored.deal.sheet.race_to, match.stake_cents, round_.button, stacks)
    now = settle_in_match(before, scored.race, terms, replaced=round_.win, over=over, past=past)
    match.settle(round_.number, won=now.win is not None)
    round_.stacks, round_.win = stacks, now.win
    outcome: Mapping[str, Any] = match_in_evidence(match.number, terms, now)
    recorded: MatchEvidence = evidence["match"]
    for name in sorted({*outcome, *recorded}):
        if outcome.get(name) != recorded.get(name):
            its = f"Its {name} of match {match.number} is {recorded.get(name)}"
            wrong = f"{its}, by the rounds before it {outcome.get(name)}."
            raise Contradiction("match_differs", wrong)
    paid = ((one["from"], one["to"], cents_of(one["paid"])) for one in recorded["payments"])
    return [(payer, payee, cents) for payer, payee, cents in paid if cents]


def _race_stacks(round_: ReplayedRound, match: ReplayedMatch) -> dict[int, int]:
    """Return what the players of a match can pay from: those dealt in their stack at the start, others their
    present one. A player who left before a correction made the match go on has nothing (R58)."""
    dealt = {hand.seat: hand.stack_cents for hand in round_.hands}
    return paying_stacks(dealt, {seat: sitting.cents for seat, sitting in match.players.items()})


def _other_moves(
    moved: Sequence[corrections.Owing], expected: Sequence[corrections.Owing], accounts: Mapping[int, int]
) -> str:
    seats = {account: f"seat {seat}" for seat, account in accounts.items()}

    def evidence(lines: Iterable[corrections.Owing]) -> Iterator[str]:
        for source, target, cents in lines:
            names = [seats.get(account, f"account {account}") for account in (source, target)]
            yield f"{amount_text(cents)} from {names[0]} to {names[1]}"

    more = ", ".join(evidence(line for line in moved if line not in expected)) or "nothing more"
    less = ", ".join(evidence(line for line in expected if line not in moved)) or "nothing less"
    return f"It moved {more}; by the rules it moves {less}."


# -- how a round scored again differs from its record, in words --------------------------------------------

MALFORMED = "the recorded result is malformed"
OTHER_ANSWER = "the result is the same, but the answer has another hash"


def score_again(evidence: Mapping[str, Any], sheets: Library, sheet: Sheet) -> Score | str:
    """Return a round scored again, or settled by its points (R58); a sentence if the rules refuse it."""
    entry = evidence["input"]
    try:
        return settle_by_hand(entry, sheet) if evidence.get("by_hand") else score(parse_round(entry, sheets))
    except RuleError as refusal:
        return f"the rules refuse it: {refusal.message} ({refusal.code})"


def plainly(sheet: Sheet, evidence: Mapping[str, Any]) -> list[str]:
    return differences(evidence, score_again(evidence, Library.of(sheet), sheet))


def differences(evidence: Mapping[str, Any], scored: Score | str) -> list[str]:
    """Return how a round scored again differs from its results and hash, a sentence each."""
    if isinstance(scored, str):
        return [scored]
    recorded, again = evidence["result"], scored.result
    if recorded == again:
        return [] if evidence["answer_hash"] == scored.answer_hash else [OTHER_ANSWER]
    try:
        return [
            f"seat {seat}: recorded {_in_words(recorded.get(seat))}, now {_in_words(again.get(seat))}"
            for seat in sorted({*recorded, *again})
            if recorded.get(seat) != again.get(seat)
        ]
    except (LookupError, TypeError, ValueError, AttributeError):
        return [MALFORMED]


def _in_words(result: Any) -> str:
    if result is None:
        return "nothing"
    points, cents = result
    return f"{points} points and {amount_text(cents)}"
