"""The papers of the floor in an export: collections, rounds, and who the players are. Pure. A paid charge
is written with its payment, an open one when its day is closed; what was taken back is a negative line,
and its charge is written once more."""

from collections.abc import Iterator, Mapping
from typing import Any

from ledger.money import amount_text
from ledger.papers.cells import cell, cents_in, declare_kinds, mapping, mappings, number
from ledger.papers.paper import Paper, PaperGroup, PaperSource, declare_papers
from ledger.papers.people import PeoplePaper
from ledger.records.declaring import cells_of
from ledger.records.findings import Body
from tables.audit import (
    controls as _controls,  # noqa: F401 (declares those of the floor)
    disputes as _disputes,  # noqa: F401 (declares its paper)
    exceptions as _exceptions,  # noqa: F401 (what the floor tells of its records)
    handovers as _handovers,  # noqa: F401 (declares its paper)
)
from tables.audit.records.entries import COLLECTIONS

_SEATS = ("1", "2", "3", "4", "5")
_OF_FEES = ("collection", "waiver", "reversal", "undo")
_SAID = cells_of("entry", _OF_FEES, COLLECTIONS)
"""The last columns of collections.csv, and their places in an entry."""
declare_kinds(_SAID)
_FIRST = ("waiver", "uncollected", "recovery", "reversal_slip")
_LAST = (*_FIRST, *(column for column in _SAID if column not in _FIRST))


class OpenTables:
    def __init__(self) -> None:
        self._tables: dict[int, Any] = {}

    def take(self, event: Body) -> None:
        session = number(event.get("session"))
        if event.get("kind") == "opened":
            self._tables[session] = mapping(event.get("data")).get("table")
        elif event.get("kind") == "closed":
            self._tables.pop(session, None)

    def of(self, body: Mapping[str, Any]) -> Any:
        return self._tables.get(number(body.get("session")))

    def cell(self, body: Mapping[str, Any]) -> str:
        """Return the cell for a table's number; empty if it is not open."""
        return cell(self.of(body))


class PaperAtTables(Paper):
    """A paper that has the numbers of tables: `_tables` are those open so far."""

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._tables = OpenTables()


class CollectionsPaper(PaperAtTables):
    name = COLLECTIONS
    title = "Collections"
    purpose = "Every fee of the day by down, seat and player: taken, half, waived, uncollected or still open"
    law = "Penal Code 337j(f)"
    sums = ("amount",)
    signs = ("Prepared by", "Verified by")
    columns = (
        *("gaming_day", "shift", "session", "table", "down", "sitting", "player", "minute", "rule", "fee"),
        *("amount", "option", "version", "charge", "charged_at", "taken_by", "entry"),
        *_LAST,
    )
    group = PaperGroup.COLLECTION
    place = 200
    takes = frozenset({"entry", "charge", "table_event", "closed_day"})

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._open: dict[int, dict[str, Any]] = {}
        self._ahead: dict[int, PaidAhead] = {}
        self._uncollected: dict[int, Any] = {}

    def take(self, body: Body) -> Iterator[bytes]:
        match body.get("record"):
            case "entry":
                yield from self._entry(body)
            case "charge":
                self._open[number(body.get("id"))] = self._charge(body, body.get("charged_at"))
                if body.get("round_id") is None:
                    self._ahead[number(body.get("id"))] = PaidAhead(body)
            case "table_event":
                self._event(body)
            case "closed_day":
                yield from self._unfinished(str(body.get("gaming_day")))

    def finish(self) -> Iterator[bytes]:
        yield from self._unfinished(None)

    def _unfinished(self, day: str | None) -> Iterator[bytes]:
        """Yield charges open when this day is closed (None: at the end); their outcome is a later day's."""
        for one in sorted(self._open):
            charge = self._open[one]
            if day is None or str(charge["gaming_day"]) <= day:
                lost = self._uncollected.pop(one, None)
                state = "uncollected" if lost is not None else "not owed" if one in self._ahead else "open"
                yield self.written({**charge, "taken_by": state, "uncollected": lost})
                del self._open[one]
        self._ahead = {
            one: ahead for one, ahead in self._ahead.items() if day is not None and ahead.day > day
        }

    def _entry(self, body: Body) -> Iterator[bytes]:
        kind, evidence = body.get("kind"), mapping(body.get("evidence"))
        if kind in ("collection", "waiver"):
            charge = self._open.pop(number(evidence.get("charge")), None)
            if charge is None:
                known = {**evidence, "id": evidence.get("charge"), "gaming_day": body.get("gaming_day")}
                charge = self._charge(known, body.get("occurred_at"))
            self._uncollected.pop(number(evidence.get("charge")), None)
            yield self.written(charge | _paid(body, evidence))
        elif kind in ("reversal", "undo") and evidence.get("of") in ("collection", "waiver"):
            yield self.written(self._taking_back(body, evidence))

    def _charge(self, body: Body, at: Any) -> dict[str, Any]:
        """Return the cells of a charge; its shift is that of the moment `at`."""
        rate = mapping(body.get("rate"))
        names = ("gaming_day", "session", "down", "sitting", "player", "rule", "charged_at")
        return {
            **{name: body.get(name) for name in names},
            "shift": self.setting.shift(body.get("gaming_day"), at),
            "table": self._tables.of(body),
            "minute": body.get("minute_seconds"),
            "fee": number(body.get("fee_cents")),
            "amount": number(body.get("cents")),
            "option": rate.get("option"),
            "version": rate.get("version"),
            "charge": body.get("id"),
        }

    def _taking_back(self, body: Body, evidence: Body) -> dict[str, Any]:
        """Return the cells of a payment taken back: a negative amount. The charge is open again."""
        one, day = number(evidence.get("charge")), body.get("gaming_day")
        at = evidence.get("charged_at") if day == evidence.get("charge_day") else body.get("occurred_at")
        charge = self._charge({**evidence, "id": one, "gaming_day": day}, at)
        if day == evidence.get("charge_day"):  # a charge of a closed day is in its papers as open
            self._open[one] = charge
            if "uncollected" in evidence:
                self._uncollected[one] = evidence["uncollected"]
        return charge | _paid(body, evidence) | {"amount": -number(evidence.get("cents"))}

    def _event(self, body: Body) -> None:
        self._tables.take(body)
        data, session = mapping(body.get("data")), number(body.get("session"))
        match body.get("kind"):
            case "fee_uncollected" if number(data.get("charge")) in self._open:
                self._uncollected[number(data.get("charge"))] = data.get("number")
            case "seated" | "left" | "round_started" as kind:
                due = [one for one, ahead in self._ahead.items() if ahead.falls_due(kind, session, data)]
                for one in due:
                    del self._ahead[one]


def _paid(body: Body, evidence: Body) -> dict[str, Any]:
    said = {"taken_by": evidence.get("method"), "entry": body.get("id")}
    for column in _LAST:
        _, *above, name = _SAID[column][0]
        inside = evidence
        for part in above:
            inside = mapping(inside.get(part))
        said[column] = inside.get(name)
    return said


class PaidAhead:
    """A charge paid before a round of its down started with the player: only such a round makes it due."""

    def __init__(self, charge: Mapping[str, Any]) -> None:
        self.day = str(charge.get("gaming_day"))
        self._down, self._session = charge.get("down_id"), charge.get("session")
        self._player, self._sitting = charge.get("player"), charge.get("sitting")
        self._is_there = True

    def falls_due(self, kind: str, session: int, data: Mapping[str, Any]) -> bool:
        """Follow the player's presence; return whether this event makes the charge due."""
        if kind == "left" and data.get("sitting") == self._sitting:
            self._is_there = False
        elif kind == "seated" and (session, data.get("player")) == (self._session, self._player):
            self._sitting, self._is_there = data.get("sitting"), True
        return kind == "round_started" and data.get("down_id") == self._down and self._is_there


class RoundsPaper(PaperAtTables):
    name = "rounds.csv"
    title = "Rounds"
    purpose = "Every settled round, and what each seat won or lost"
    columns = (
        *("gaming_day", "session", "table", "round", "entry", "kind", "sheet", "version", "limit"),
        *(f"seat_{seat}" for seat in _SEATS),
    )
    group = PaperGroup.PLAYERS
    place = 300
    takes = frozenset({"entry", "table_event"})

    def take(self, body: Body) -> Iterator[bytes]:
        if body.get("record") == "table_event":
            self._tables.take(body)
            return
        evidence = mapping(body.get("evidence"))
        if body.get("kind") in ("round", "hand_settlement", "correction") and "result" in evidence:
            deal, nets = mapping(evidence.get("input")), _nets(evidence)
            about = {**body, **evidence, "table": self._tables.of(evidence), "entry": body.get("id")}
            about |= {"kind": body.get("kind"), "sheet": deal.get("sheet"), "version": deal.get("version")}
            about |= {"limit": deal.get("limit"), **{f"seat_{seat}": nets.get(seat) for seat in _SEATS}}
            yield self.written(about)


def _nets(evidence: Body) -> Mapping[str, Any]:
    """Return each seat's net result as text; in a race the match's result, once it is won."""
    if "match" not in evidence:
        return {seat: _net(result) for seat, result in mapping(evidence.get("result")).items()}
    match = mapping(evidence.get("match"))
    cents = dict.fromkeys(mapping(match.get("after")), 0)
    for payment in mappings(match.get("payments")):
        moved = cents_in(payment.get("paid"))
        for end, sign in (("from", -1), ("to", 1)):
            seat = str(payment.get(end))
            cents[seat] = cents.get(seat, 0) + sign * moved
    return {seat: amount_text(net) for seat, net in cents.items()}


def _net(result: Any) -> str:
    """Return the money of a seat's result (points, cents); other forms as they are."""
    if isinstance(result, list) and len(result) == 2 and type(result[1]) is int:
        return amount_text(result[1])
    return str(result)


class PlayersPaper(PeoplePaper):
    name = "players.csv"
    title = "Players"
    purpose = "Who the numbers of the players are"
    group = PaperGroup.PLAYERS
    place = 800
    takes = frozenset({"player_change", "player_merge"})
    names_players = True

    def earlier(self, body: Body) -> None:
        at = str(body.get("recorded_at"))
        if body.get("record") == "player_merge":
            self._people.add(number(body.get("merged")), "same_as", str(number(body.get("into"))), at)
        elif self.setting.opened is not None:
            facts = self.setting.opened(body)
            particulars = frozenset((what, str(text)) for what, text in facts.items() if text)
            self._people.say(number(body.get("player")), frozenset(), particulars, at)


declare_papers(CollectionsPaper, RoundsPaper, PlayersPaper)
