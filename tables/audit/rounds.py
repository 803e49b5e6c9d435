"""Every settlement of the log, worked out again: points, payments, and what they moved, from what was dealt."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from ledger.audit.findings import UNREADABLE, Finding, name_of, unreadable
from ledger.money import amount_text as text_of
from ledger.money import cents_of
from tables.audit.answers import is_answer
from tables.audit.corrections import Changes, by_pair, moved_by
from tables.audit.differences import in_words, library_of, score_again, settle_again
from tables.audit.matches import Match, stacks_of
from tables.audit.tables import RUNNING, SETTLED, TAKEN_BACK, Round, Stacks, Table, Wrong
from tables.rules.game.by_hand import HandSettlement
from tables.rules.game.rounds import RULES_VERSION, Library, RoundScore, parse_sheet

_SCORED = "rounds scored again"
_FOLLOWED = "settlements held against what was dealt"
_OLDER = (
    "settlements of rounds dealt before these records, whose hands and payments are not held against the deal"
)
_NO_SHEET = "settlements by a sheet that is not here, not scored again"
_LATE = "settlements of tables closed long before, whose hands and payments are not held against the deal"
_CLOSED_KEPT = 64  # tables remembered after their closing, because a correction may come late
_MOST_WORDS = 6  # sentences of one finding


class RoundsCheck:
    """See above. `sheets`: the bytes of every sheet by code and version. `whole`: the records begin with the first leaf.

    Tables are remembered from their opening until some time after their closing, stacks while somebody sits behind them. What one wrong
    record says is told once: from there on its table goes by what should have been said.
    """

    def __init__(self, sheets: Mapping[tuple[str, int], bytes], *, whole: bool) -> None:
        self._whole = whole
        parsed = {key: parse_sheet(raw, f"{key[0]}.toml") for key, raw in sheets.items()}
        self._sheets = parsed
        self._libraries: dict[tuple[str, int], Library] = {
            key: library_of(sheet) for key, sheet in parsed.items()
        }
        self._tables: dict[int, Table] = {}
        self._closed: OrderedDict[int, Table] = OrderedDict()
        self._forgotten: set[int] = set()
        self._stacks = Stacks()
        self.checked: dict[str, int] = {_SCORED: 0, _FOLLOWED: 0}

    def take(self, place: int, body: Mapping[str, Any]) -> Iterable[Finding]:
        """What is wrong with this record, seen after those before it: at most one finding."""
        try:
            record = body["record"]
            if record == "entry":
                wrong = self._entry(body)
            elif record == "table_event":
                wrong = self._event(body)
            else:
                return ()
        except UNREADABLE as error:
            self._lose(body)
            return [unreadable(place, body, error)]
        return [Finding(*wrong, place, name_of(body))] if wrong else ()

    def finish(self) -> Iterable[Finding]:
        """Nothing: a table that is still open may have a round that is still being played."""
        return ()

    # -- events -------------------------------------------------------------------------------------------------

    def _event(self, body: Mapping[str, Any]) -> Wrong | None:
        session, kind, data = body["session"], body["kind"], body["data"]
        if kind == "opened":
            return self._open(session, data)
        table = self._table(session)
        match kind:
            case "seated":
                wrong = table.seat(data, self._stacks)
            case "left":
                wrong = table.leave(data, self._stacks)
            case "rate_announced":
                wrong = table.announce_rate(data)
            case "rate_changed":
                wrong = table.change_rate(data)
            case "round_started":
                wrong = table.start(body["at"], data, self._stacks)
            case "round_voided":
                wrong = table.void(data)
            case "match_called_off":
                wrong = table.call_off(data)
            case "closed":
                wrong = table.close()
            case _:
                return None
        found = list(wrong)
        if kind == "closed":
            self._close(session)
        return found[0] if found and table.known else None

    def _open(self, session: int, data: Mapping[str, Any]) -> Wrong | None:
        sheet, rate, limit = data["sheet"], data["schedule"], data["limit_cents"]
        again = session in self._tables
        parsed = self._sheets.get((sheet["code"], sheet["version"]))
        same = limit == rate["limit_cents"]
        self._tables[session] = Table(session, known=True, sheet=parsed, limits=(limit,) if same else ())
        if again:
            return "opened_twice", "The table had been opened before."
        if parsed is None or parsed.sha256 != sheet["sha256"]:
            return (
                "sheet_differs",
                f"The sheet {sheet['code']} version {sheet['version']} is not the one that is here.",
            )
        if not same:
            return (
                "limit_differs",
                f"The limit is {text_of(limit)}; that of its rate is {text_of(rate['limit_cents'])}.",
            )
        return None

    def _table(self, session: int) -> Table:
        """The table of a session; one that was not seen to be opened is not known."""
        found = self._tables.get(session) or self._closed.get(session)
        if found is None:
            found = self._tables[session] = Table(session, known=False)
        return found

    def _close(self, session: int) -> None:
        """Forget the table, but not yet its rounds: a correction may come after the closing."""
        table = self._tables.pop(session, None)
        if table is None:
            return
        for sitting in table.sittings.values():
            self._stacks.end(sitting.stack)
        self._closed[session] = table
        if len(self._closed) > _CLOSED_KEPT:
            self._forgotten.add(self._closed.popitem(last=False)[0])

    def _lose(self, body: Mapping[str, Any]) -> None:
        """A record of a table cannot be read: what is remembered of the table may be wrong from here on."""
        evidence = body.get("evidence")
        said = evidence if isinstance(evidence, dict) else {}
        for session in (body.get("session"), said.get("session"), said.get("to_session")):
            if isinstance(session, int) and (table := self._tables.get(session)) is not None:
                table.known = False

    # -- entries ------------------------------------------------------------------------------------------------

    def _entry(self, body: Mapping[str, Any]) -> Wrong | None:
        kind, evidence, transfers = body["kind"], body["evidence"], body["transfers"]
        if kind in ("round", "hand_settlement", "correction") and "round_id" in evidence:
            table, round_ = self._dealt(evidence)
            if table is not None and round_ is not None and table.known:
                self.checked[_FOLLOWED] += 1
                return self._settlement(body, evidence, table, round_)
            wrong, _ = self._score(evidence)
            self._stacks.post(kind, transfers)
            return wrong or self._unknown(evidence, table)
        self._stacks.post(kind, transfers)
        return self._reversal(body, evidence) if kind == "reversal" and "round_id" in evidence else None

    def _dealt(self, evidence: Mapping[str, Any]) -> tuple[Table | None, Round | None]:
        """The table and the round that a settlement is of. One that names none is of the round that waits for it there,
        or else of the round with that id elsewhere; `_wrong_place` says what is wrong with it."""
        session, round_id = evidence["session"], evidence["round_id"]
        table = self._tables.get(session) or self._closed.get(session)
        if table is not None:
            named, waiting = table.rounds.get(round_id), table.numbers.get(evidence["round"])
            if waiting is not None and (
                waiting.state not in (RUNNING, TAKEN_BACK)
                or not _same_moment(evidence["started_at"], waiting.started_at)
            ):
                waiting = None
            if named is None or named.state not in (RUNNING, TAKEN_BACK):
                named = waiting or named
            if named is not None:
                return table, named
        for other in (*self._tables.values(), *self._closed.values()):
            if (round_ := other.rounds.get(round_id)) is not None:
                return other, round_
        return table, None

    def _unknown(self, evidence: Mapping[str, Any], table: Table | None) -> Wrong | None:
        """A settlement of a round that was not seen to be dealt."""
        if table is None and evidence["session"] in self._forgotten:
            self.checked[_LATE] = self.checked.get(_LATE, 0) + 1
            return None
        if table.known if table is not None else self._whole:
            return "no_round", f"No round with id {evidence['round_id']} was started at an open table."
        self.checked[_OLDER] = self.checked.get(_OLDER, 0) + 1
        return None

    def _reversal(self, body: Mapping[str, Any], evidence: Mapping[str, Any]) -> Wrong | None:
        """A settlement is taken back; the next one of its round has to name it."""
        for table in (*self._tables.values(), *self._closed.values()):
            round_ = table.rounds.get(evidence["round_id"])
            if round_ is None:
                continue
            state, round_.state = round_.state, TAKEN_BACK
            if table.known and (state != SETTLED or body["reverses"] != round_.entry):
                return "not_standing", f"The settlement of round {round_.number} that stands is another one."
        return None

    def _score(self, evidence: Mapping[str, Any]) -> tuple[Wrong | None, RoundScore | HandSettlement | None]:
        """Score a round again, or settle it by its points again: what is wrong with the recorded answer, and the score."""
        entry, recorded, version = evidence["input"], evidence["answer"], evidence["rules_version"]
        library = self._libraries.get((entry["sheet"], entry["version"]))
        if library is None:
            self.checked[_NO_SHEET] = self.checked.get(_NO_SHEET, 0) + 1
            return None, None
        self.checked[_SCORED] += 1
        again: RoundScore | HandSettlement | None
        scored: RoundScore | HandSettlement | str
        if evidence.get("by_hand"):
            scored = settle_again(entry, self._sheets[entry["sheet"], entry["version"]])
        else:
            scored = score_again(entry, library)
        if isinstance(scored, str):
            words, again = [scored], None
        else:
            again = scored
            if is_answer(recorded, scored):
                return None, again
            words = in_words(recorded, scored.as_json())
        said = "; ".join(words[:_MOST_WORDS]) + (
            f"; and {len(words) - _MOST_WORDS} more" if len(words) > _MOST_WORDS else ""
        )
        if version != RULES_VERSION:
            by = f"Version {version} of the rules settled it; version {RULES_VERSION}, which is here, differs"
            return ("other_rules_version", f"{by}: {said}."), again
        return ("round_differs", f"Scored again, it comes out otherwise: {said}."), again

    # -- a settlement whose round was seen to be dealt ------------------------------------------------------------

    def _settlement(
        self, body: Mapping[str, Any], evidence: Mapping[str, Any], table: Table, round_: Round
    ) -> Wrong | None:
        """The first thing that is wrong. What follows from a wrong settlement is not held against anything later."""
        wrong = _wrong_place(body, evidence, table, round_)
        if wrong is None and round_.right:
            wrong = _unlike_deal(evidence, table, round_)
        scored_wrong, scored = self._score(evidence)
        wrong = wrong or scored_wrong
        cards = _cards(evidence["input"]["hands"]) if len(round_.hands) == 2 else frozenset()
        if wrong is None and cards and round_.right:
            wrong = _shared_cards(cards, table, round_)
        moved = [(line["from"], line["to"], line["cents"]) for line in body["transfers"]]
        if wrong is None and round_.right and (round_.match is None or table.matches_known):
            wrong = self._payments(body, evidence, table, round_, scored, moved)
        else:
            round_.right = False
        self._stacks.post("round", body["transfers"])
        round_.state, round_.ordinal, round_.entry = SETTLED, round_.ordinal + 1, body["id"]
        round_.by_hand = round_.by_hand or body["kind"] == "hand_settlement"
        if wrong is None:
            round_.cards = cards
            # Of a round that was settled by hand fantasy land stays as it was.
            if round_.right and isinstance(scored, RoundScore) and scored.deal.sheet.fantasy_land is not None:
                earned = {hand.seat for hand in scored.hands if hand.fantasy_land_next}
                table.mark_fantasy_land(round_, earned)
        else:
            self._doubt(table, round_)
        return wrong

    def _doubt(self, table: Table, round_: Round) -> None:
        round_.right = False
        round_.cards = frozenset()
        table.mark_fantasy_land(round_, None)
        if round_.match is not None:
            table.matches_known = False
        for sitting in table.sittings.values():
            self._stacks.end(sitting.stack)

    def _payments(
        self,
        body: Mapping[str, Any],
        evidence: Mapping[str, Any],
        table: Table,
        round_: Round,
        scored: RoundScore | HandSettlement | None,
        moved: Sequence[tuple[int, int, int]],
    ) -> Wrong | None:
        """What is wrong with the match, with what a correction can move, and with what was moved."""
        owing, wrong = self._owing(evidence, table, round_, scored)
        accounts, after = table.accounts(round_), by_pair(owing)
        if body["kind"] == "correction":
            changes = Changes.read(evidence["changes"])
            wrong = wrong or changes.wrong(round_.paid, after, self._present(table, round_, accounts))
            round_.paid = changes.applied(round_.paid)
            expected = moved_by(round_.paid, accounts)
        else:
            round_.paid = after
            expected = [(accounts[payer], accounts[payee], cents) for payer, payee, cents in owing]
        if wrong is None and moved != expected:
            wrong = "payment_differs", _other_moves(moved, expected, accounts)
        return wrong

    def _owing(
        self,
        evidence: Mapping[str, Any],
        table: Table,
        round_: Round,
        scored: RoundScore | HandSettlement | None,
    ) -> tuple[list[tuple[int, int, int]], Wrong | None]:
        """What seats pay each other by the rules, above zero: (payer, receiver, cents); and what is wrong with the match."""
        if round_.match is None:
            if scored is not None:
                payments = [(p.from_seat, p.to_seat, p.paid_cents) for p in scored.payments if p.paid_cents]
                return payments, ("match_differs", "It is not a race.") if "match" in evidence else None
            return _paid(evidence["answer"].get("payments", ())), None
        recorded, match = evidence["match"], table.matches[round_.match]
        if not isinstance(scored, RoundScore) or scored.race is None:
            return _paid(recorded["payments"]), None
        latest = table.latest_match
        past = latest is not None and latest.number > match.number
        stacks = stacks_of(round_.outcome) if round_.outcome else self._race_stacks(table, round_, match)
        if stacks is None:
            return _paid(recorded["payments"]), None
        terms = (scored.deal.sheet.race_to, round_.button, past)
        outcome = match.settle(round_.number, scored.race, round_.outcome, stacks, terms)
        round_.outcome = outcome
        wrong = None
        if outcome != recorded:
            names = sorted(name for name in {*outcome, *recorded} if outcome.get(name) != recorded.get(name))
            first = names[0]
            wrong = (
                "match_differs",
                f"Its {first} of match {match.number} is {recorded.get(first)},"
                f" by the rounds before it {outcome.get(first)}.",
            )
        return _paid(outcome["payments"]), wrong

    def _race_stacks(self, table: Table, round_: Round, match: Match) -> dict[int, int] | None:
        """What the players of a match can pay from: those dealt in their stack as the round began, the others theirs."""
        dealt = {hand.seat: hand.stack_cents for hand in round_.hands}
        stacks = {}
        for seat, sitting in match.players.items():
            cents = dealt.get(seat, self._stacks.of(table.sittings[sitting].stack))
            if cents is None:
                return None
            stacks[seat] = cents
        return stacks

    def _present(self, table: Table, round_: Round, accounts: Mapping[int, int]) -> dict[int, int] | None:
        """What the players of a round who have not left had before its settlement was taken back; None if unknown."""
        there = {sitting.stack for sitting in table.sittings.values() if not sitting.left}
        present = {}
        for seat, account in accounts.items():
            if account in there:
                cents = self._stacks.of(account)
                if cents is None:
                    return None
                present[seat] = cents
        for (low, high), cents in round_.paid.items():
            for seat, change in ((low, -cents), (high, cents)):
                if seat in present:
                    present[seat] += change
        return present


def _wrong_place(
    body: Mapping[str, Any], evidence: Mapping[str, Any], table: Table, round_: Round
) -> Wrong | None:
    """Whether the round can be settled now: once, and again only in place of a settlement that was taken back."""
    if table.rounds.get(evidence["round_id"]) is not round_:
        table.rounds.setdefault(evidence["round_id"], round_)  # told once
        return "no_round", f"Round {round_.number} has the id {round_.id}, not {evidence['round_id']}."
    if evidence["session"] != table.session:
        return "no_round", f"Round {round_.number} is of session {table.session}, not {evidence['session']}."
    correction = body["kind"] == "correction"
    if round_.state != (TAKEN_BACK if correction else RUNNING):
        if round_.state == SETTLED:
            return "settled_twice", f"Round {round_.number} had been settled by entry {round_.entry}."
        return "not_running", f"Round {round_.number} was {round_.state}."
    if evidence["ordinal"] != round_.ordinal + 1:
        return "settled_twice", f"It is settlement {evidence['ordinal']}; {round_.ordinal + 1} comes next."
    if correction and evidence["corrects"] != round_.entry:
        return (
            "not_standing",
            f"It corrects entry {evidence['corrects']}; entry {round_.entry} was taken back.",
        )
    if not correction and ("corrects" in evidence or "changes" in evidence):
        return "not_standing", "It corrects something, and is no correction."
    by_hand = evidence.get("by_hand") is True
    if not correction and by_hand != (body["kind"] == "hand_settlement"):
        return "not_by_hand", "Whether it was settled by hand is not what its kind says (R58)."
    if correction and by_hand != round_.by_hand:
        if by_hand:
            return "not_by_hand", f"Round {round_.number} was settled with cards: no points correct it (R58)."
        return "settled_by_hand", f"Round {round_.number} was settled by hand: no cards correct it (R58)."
    return None


def _unlike_deal(evidence: Mapping[str, Any], table: Table, round_: Round) -> Wrong | None:
    """Where the settled round is another than the one that was dealt at this table."""
    entry, code = evidence["input"], "round_event_differs"
    number = round_.number
    if evidence["round"] != number or not _same_moment(evidence["started_at"], round_.started_at):
        return code, f"It is not of round {number}, which began at {round_.started_at}."
    if table.sheet and (entry["sheet"], entry["version"]) != (table.sheet.code, table.sheet.version):
        return code, f"The table plays {table.sheet.code} version {table.sheet.version}."
    if cents_of(entry["limit"]) != round_.limit_cents:
        return code, f"The limit is {entry['limit']}; the round's is {text_of(round_.limit_cents)} (R64)."
    if entry["button"] != round_.button:
        return (
            code,
            f"The button is at seat {entry['button']}; the round began with it at seat {round_.button}.",
        )
    if entry.get("pair_stakes") != round_.stakes:
        return code, "The stakes between two players are not those the round began with."
    kept = evidence.get("reserved_from")
    if (kept["round"] if kept else None) != round_.reserved_from:
        return code, "The round began with hands from another deck (R43)."
    if kept and table.rounds.get(kept["round_id"]) is not table.numbers[kept["round"]]:
        return code, f"Round {kept['round']} has another id than {kept['round_id']}."
    return _unlike_hands(entry["hands"], round_)


def _unlike_hands(entered: Sequence[Mapping[str, Any]], round_: Round) -> Wrong | None:
    dealt = {hand.seat: hand for hand in reversed(round_.hands)}  # of two hands the first
    met: set[int] = set()
    for hand in entered:
        seat = hand["seat"]
        own = dealt.get(seat)
        if own is None:
            return "round_event_differs", f"Seat {seat} was not dealt in."
        if cents_of(hand["stack"]) != own.stack_cents:
            began = text_of(own.stack_cents)
            return "round_event_differs", f"Seat {seat} has {hand['stack']}; the round began with {began}."
        if hand.get("fantasy_land", False) is not (own.fantasy_land and seat not in met):
            return "round_event_differs", f"Seat {seat} began the round otherwise as to fantasy land."
        met.add(seat)
    if len(entered) != len(round_.hands) or met != dealt.keys():
        return "round_event_differs", f"It has {len(entered)} hands; {len(round_.hands)} were dealt."
    return None


def _same_moment(one: str, other: str) -> bool:
    return datetime.fromisoformat(one) == datetime.fromisoformat(other)


def _cards(hands: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    names = ("front", "middle", "back", "dealt")
    return frozenset(card for hand in hands for name in names for card in hand.get(name, "").split())


def _shared_cards(cards: frozenset[str], table: Table, round_: Round) -> Wrong | None:
    for other in table.sharing(round_):
        if shared := sorted(cards & other.cards):
            return "shared_card", f"{shared[0]} was in round {other.number} too, which shares the deck (R43)."
    return None


def _paid(payments: Iterable[Mapping[str, Any]]) -> list[tuple[int, int, int]]:
    """(payer, receiver, cents) of payments as evidence has them, above zero."""
    paid = ((payment["from"], payment["to"], cents_of(payment["paid"])) for payment in payments)
    return [(payer, payee, cents) for payer, payee, cents in paid if cents]


def _other_moves(
    moved: Sequence[tuple[int, int, int]],
    expected: Sequence[tuple[int, int, int]],
    accounts: Mapping[int, int],
) -> str:
    seats = {account: f"seat {seat}" for seat, account in accounts.items()}

    def said(lines: Iterable[tuple[int, int, int]]) -> Iterator[str]:
        for source, target, cents in lines:
            names = [seats.get(account, f"account {account}") for account in (source, target)]
            yield f"{text_of(cents)} from {names[0]} to {names[1]}"

    more = ", ".join(said(line for line in moved if line not in expected)) or "nothing more"
    less = ", ".join(said(line for line in expected if line not in moved)) or "nothing less"
    return f"It moved {more}; by the rules it moves {less}."
