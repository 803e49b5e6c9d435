"""The paper of exceptions: everything corrected, taken back, voided, waived, refused, changed, taken out of
the house or counted with a difference, each with its old and its new value. `EXCEPTIONS` says which records
of the books are exceptions and how both values are shown; another app adds its own by `tell`. Pure."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ledger.money import amount_text
from ledger.papers.cells import mapping, mappings, number
from ledger.papers.paper import Paper, PaperSource, declare_papers
from ledger.records.findings import Body
from ledger.rules.window import OF_RECEIPTS

MOST_GAPS = 1000
"""The most missing numbers that get a line: a forged number must not make us write one for every number below
it."""


class Numbered:
    """A series from 1 where the records are `whole`, else from the first that comes. Numbers may come out of
    order, until `gaps` is asked."""

    def __init__(self, whole: bool) -> None:
        self._next = 1 if whole else None
        self._ahead: set[int] = set()

    def take(self, number: int) -> None:
        if self._next is None:
            self._next = number
        if number < self._next:
            return
        self._ahead.add(number)
        while self._next in self._ahead:
            self._ahead.discard(self._next)
            self._next += 1

    def gaps(self) -> list[int]:
        """Return the numbers that are missing below the last one that came, and await the one after it."""
        if self._next is None or not self._ahead:
            return []
        last = max(self._ahead)
        missing = [one for one in range(self._next, min(last, self._next + MOST_GAPS))
                   if one not in self._ahead]  # fmt: skip
        self._next, self._ahead = last + 1, set()
        return missing


KINDS: Final = {
    "correction": "Corrections",
    "taken_back": "Taken back",
    "void": "Voids and withdrawals",
    "waiver": "Waivers and uncollected fees",
    "clock_stop": "Clock stops",
    "refused": "Refused PINs, sign-ins and amounts",
    "staff": "Staff, roles and access",
    "settings": "Settings, rates and games",
    "taken_out": "Taken out of the house",
    "override": "Overrides",
    "variance": "Variances",
    "dispute": "Disputes and complaints",
    "program": "Program, clock and log",
    "gap": "Gaps in a series",
}
"""The kinds of exceptions, in words."""

Part = str | Callable[[Body], str]
"""A text with places of the record, `{data.before:dollars}`, or a function that returns one."""


@dataclass(frozen=True)
class ToldAs:
    """How a record is shown as an exception: its kind, its subject, both values, and the reason. `only` says
    whether a record is an exception at all."""

    kind: str
    what: Part
    old: Part = ""
    new: Part = ""
    reason: Part = "{reason}"
    only: Callable[[Body], Any] | None = None


def changed(side: str) -> Callable[[Body], str]:
    """Return a function that shows one side of an event, `before` or `after`, of everything that differs."""

    def told(body: Body) -> str:
        """what differs between `before` and what is since"""
        data = mapping(body.get("data"))
        before, after = mapping(data.get("before")), mapping(data.get("after", data))
        names = before if "after" not in data else {**before, **after}
        of = before if side == "before" else after
        return _words({name: of.get(name) for name in names if before.get(name) != after.get(name)})

    return told


def has(*path: str) -> Callable[[Body], Any]:
    """Return a function that says whether a record has anything in this place."""

    def said(body: Body) -> Any:
        return _at(body, path)

    said.__doc__ = f"with `{'.'.join(path)}`"
    return said


def _further(body: Body) -> bool:
    """with an `attempt` above 1"""
    return number(body.get("attempt")) > 1


def _is_capital(body: Body) -> bool:
    """with `series` capital_out"""
    return body.get("series") == "capital_out"


def _otherwise(body: Body) -> Any:
    """with `data.emergency` or `data.seal_reason`"""
    return _at(body, ("data", "emergency")) or _at(body, ("data", "seal_reason"))


_STAFF, _OUT = "staff {data.staff}", "taken_out"
EXCEPTIONS: dict[str, ToldAs] = {
    "entry correction": ToldAs("correction", "entry {evidence.corrects}", "{before}", "{after}"),
    "entry reversal": ToldAs(
        "taken_back", "entry {reverses}", "{before}", "taken back", only=has("evidence", "slip")
    ),
    "entry undo": ToldAs("taken_back", "entry {reverses}", "{before}", "undone"),
    "entry chips_beyond_books": ToldAs(
        "override", "chips beyond the books {evidence.number}", "", "{evidence.cents:dollars} accepted"
    ),
    "document_step authorised": ToldAs(
        "taken_out", "{series} {number}", "", "capital of the house", only=_is_capital
    ),
    "document_step sent": ToldAs(
        "override", "seals of {series} {number}", "", "{reference}", only=has("second")
    ),
    "document_step voided": ToldAs("void", "{series} {number}", "asked for", "void"),
    "document_step differed": ToldAs("variance", "{series} {number}", "", "received {chips_and_cash}"),
    "cage_slip_result withdrawn": ToldAs("void", "cage slip, id {slip}", "first count", "withdrawn"),
    "cage_slip_result differs": ToldAs("variance", "cage slip, id {slip}", "", "{chips_and_cash} counted"),
    "count": ToldAs("variance", "box, id {box}", "another count", "{chips_and_cash}, count {attempt}",
                  only=_further),
    "count_note told": ToldAs("variance", "count sheet, id {sheet}", "", "surveillance told", "{text}"),
    "box_received": ToldAs("override", "seal of box, id {box}", "", "{seal}", only=has("reason")),
    "count_sheet_received": ToldAs(
        "variance", "count sheet, id {sheet}", "", "received {chips_and_cash}", only=has("reason")
    ),
    "struck_count": ToldAs("variance", "a count of {place}", "", "count {attempt} refused"),
    "sign_off": ToldAs(
        "variance",
        "box, id {box}",
        "chips {expected_chips:dollars}, cash {expected_cash:dollars}",
        "chips {counted_chips:dollars}, cash {counted_cash:dollars}",
        "{cause}",
        only=has("cause"),
    ),
    "bank_sign_off": ToldAs(
        "variance",
        "count of entry {entry}",
        "",
        "over chips {over_chips:dollars}, cash {over_cash:dollars}",
        "{cause}",
    ),
    "house_event box_pulled": ToldAs(
        "override", "box {data.number}", "", "{data.seal}", "{data.emergency} {data.seal_reason}",
        only=_otherwise,
    ),
    "house_event pin_refused": ToldAs("refused", "{said_to_be}", "", "{data.count} wrong PINs"),
    "house_event asked_for_more": ToldAs(
        "refused", "{data.place}", "", "{data.cents:dollars} in {data.asset} asked of it, which it has not"
    ),
    "house_event sign_in_refused": ToldAs(
        "refused", "{said_to_be}", "", "{data.count} wrong, {data.guessed}"
    ),
    "house_event attempts_locked": ToldAs("refused", _STAFF, "", "locked after {data.count}, {data.guessed}"),
    "house_event attempts_lifted": ToldAs("refused", _STAFF, "locked, {data.guessed}", "lifted"),
    "house_event staff_changed": ToldAs("staff", _STAFF, changed("before"), changed("after")),
    "house_event access_reviewed": ToldAs(
        "staff", "access review {data.number}", "", "{data.quarter} reviewed"
    ),
    "house_event code_made": ToldAs("staff", _STAFF, "", "one-time code until {data.until}"),
    "house_event password_set": ToldAs("staff", _STAFF, "", "password set"),
    "house_event pin_set": ToldAs("staff", _STAFF, "", "PIN set"),
    "house_event factor_removed": ToldAs("staff", _STAFF, "{data.factor}", "removed"),
    "house_event factors_reset": ToldAs("staff", _STAFF, "second steps", "reset"),
    "house_event session_ended": ToldAs("staff", _STAFF, "signed in", "{data.count} sessions ended"),
    "house_event terminal_enrolled": ToldAs("staff", "terminal {data.name}", "", "enrolled"),
    "house_event terminal_revoked": ToldAs("staff", "terminal {data.name}", "enrolled", "revoked"),
    "house_event token_made": ToldAs(
        "staff", _STAFF, "", "token {data.number} until {data.until}", "{data.name}"
    ),
    "house_event token_revoked": ToldAs("staff", _STAFF, "token {data.number}", "revoked", "{data.name}"),
    "house_event token_refused": ToldAs(
        "refused", _STAFF, "token {data.number}", "{data.code}", "{data.address}"
    ),
    "house_event house_changed": ToldAs("settings", "the house", changed("before"), changed("after")),
    "house_event exported": ToldAs(_OUT, "audit log, {data.from_day} to {data.to_day}", "",
                                 "{data.count} records, players {data.players}, withheld {data.opened}"),
    "house_event downloaded": ToldAs(_OUT, "{data.file}", "", "{data.rows} rows", "{data.address}"),
    "house_event paper_asked": ToldAs(_OUT, "paper {data.number}", "", "{data.paper} as {data.form}"),
    "house_event checkpoint_taken": ToldAs(_OUT, "checkpoint", "", "{data.size} records"),
    "house_event backed_up": ToldAs(_OUT, "backup {data.folder}"),
    "house_event withheld_opened": ToldAs(
        _OUT, "exclusion list, withheld record {data.record}", "withheld", "opened", "{data.reason}"
    ),
    "house_event clock_doubted": ToldAs("program", "clock of {data.host}", "{data.expected}", "{data.clock}"),
    "house_event time_confirmed": ToldAs("program", "clock", "doubted {data.doubted}", "right {data.clock}"),
    "house_event restored": ToldAs("program", "the house", "", "as of the backup of {data.made_at}"),
    "house_event checkpoints_set_aside": ToldAs(
        *("program", "checkpoints up to {data.to_size} records"),
        *("{data.lines} kept", "set aside", "{data.reason}"),
    ),
    "house_event audit_key": ToldAs(
        "program", "key that signs the log", "{data.replaces}", "{data.verifier_key}",
        only=has("data", "replaces"),
    ),
    "house_event sealing_refused": ToldAs("program", "audit log", "", "not sealed", "{data.sentence}"),
    "house_event verified": ToldAs(
        "program", "audit log", "", "{data.findings} findings", only=has("data", "findings")
    ),
    "house_event monitored": ToldAs(
        "program", "audit log", "", "{data.alerts}", only=has("data", "alerts")
    ),
}  # fmt: skip
"""Which records are exceptions: `record`, or `record kind` if it has kinds, steps or outcomes."""

SERIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "entry chips_beyond_books": ("chips beyond the books", ("evidence", "number")),
    "entry reversal": ("reversal slip", ("evidence", "slip")),
    "entry undo": ("reversal slip", ("evidence", "slip")),
    **{f"entry {kind}": ("receipt", ("evidence", "receipt")) for kind in OF_RECEIPTS},
    "document": ("{kind}", ("number",)),
    "cage_slip": ("cage slip", ("number",)),
    "count_sheet": ("count sheet", ("number",)),
    "drawer": ("drawer", ("number",)),
    "house_event access_reviewed": ("access review", ("data", "number")),
    "house_event controls_tested": ("test of controls", ("data", "number")),
    "house_event paper_asked": ("paper", ("data", "number")),
}
"""The series without gaps: the name of one, and the place of the number in its record."""
_WAYS = ("kind", "step", "outcome")
_ACTORS = ("actor", "person", "signed_by", "received_by", "counter", "published_by", "taken_by", "decided_by")
_SECONDS = ("approver", "second", "signed_with", "received_with")
_MOMENTS = ("occurred_at", "at", "signed_at", "received_at", "counted_at", "recorded_at")


def tell(exceptions: Mapping[str, ToldAs], series: Mapping[str, tuple[str, tuple[str, ...]]]) -> None:
    """Add another app's records: those that are exceptions, and those with a number of a series."""
    EXCEPTIONS.update(exceptions)
    SERIES.update(series)


class ExceptionsPaper(Paper):
    """A line for each exception, in the gaming day it names, else in the one in which it was recorded. Gaps
    in a series are written when a day is closed: by then all its numbers have come."""

    name = "exceptions.csv"
    title = "Exceptions"
    purpose = "What was corrected, taken back, waived, refused, changed or taken out, with old and new value"
    signs = ("Reviewed by",)
    unprinted = ("at", "record", "record_id", "session", "shift")
    later = True
    columns = (
        *("gaming_day", "shift", "at", "local_time", "kind", "object", "old", "new", "reason", "actor"),
        *("role", "approver", "terminal", "session", "round_id", "record", "record_id"),
    )
    place = 531
    takes = None

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._sums: dict[tuple[str, int], tuple[str, ...]] = {}
        self._series: dict[str, Numbered] = {}
        self._roles: dict[int, str] = {}

    def earlier(self, body: Body) -> None:
        if body.get("kind") == "staff_changed":
            data = mapping(body.get("data"))
            roles = mapping(data.get("after")).get("roles")
            self._roles[number(data.get("staff"))] = _words(roles)

    def take(self, body: Body) -> Iterator[bytes]:
        key = _key(body, EXCEPTIONS)
        if key is not None and ((only := EXCEPTIONS[key].only) is None or only(body)):
            yield self._line(body, EXCEPTIONS[key])
        if body.get("record") == "house_event":
            self.earlier(body)
        elif body.get("record") == "entry":
            self._sums[str(body.get("gaming_day")), number(body.get("id"))] = _sum(body)
        self._count(body)
        if body.get("record") == "closed_day":
            yield from self._gaps(body)
            self.dates.close(body)
            self._sums = {one: told for one, told in self._sums.items() if one[0] >= self.dates.open}

    def finish(self) -> Iterator[bytes]:
        yield from self._gaps({})

    def _line(self, body: Body, told: ToldAs) -> bytes:
        day, at = self.dates.of(body), _first(body, _MOMENTS)
        data = mapping(body.get("data"))
        # What it corrects or takes back is shown if it is of the same gaming day: an earlier day's entry is
        # in that day's papers alone.
        entry = mapping(body.get("evidence")).get("corrects") or body.get("reverses")
        before, after = self._sums.get((str(body.get("gaming_day")), number(entry)), ()), _sum(body)
        known = {**body, **_known(body), "before": _apart(before, after), "after": _apart(after, before)}
        actor = _first(body, _ACTORS)
        about = {**data, **mapping(body.get("evidence")), **body}
        return self.written(
            {
                **about,
                **self.dated(day, at),
                "kind": told.kind,
                "object": _said(told.what, known),
                "old": _said(told.old, known),
                "new": _said(told.new, known),
                "reason": _said(told.reason, known),
                "actor": actor,
                "role": self._roles.get(number(actor)),
                "approver": _first(body, _SECONDS) or _first(data, _SECONDS),
                "record": body.get("record"),
                "record_id": body.get("id"),
            }
        )

    def _count(self, body: Body) -> None:
        key = _key(body, SERIES)
        if key is None:
            return
        name, path = SERIES[key]
        if type(found := _at(body, path)) is int:
            series = self._series.setdefault(_said(name, body), Numbered(self.setting.whole))
            series.take(found)

    def _gaps(self, closing: Body) -> Iterator[bytes]:
        for name, series in sorted(self._series.items()):
            for missing in series.gaps():
                yield self._line(
                    {**closing, "record": closing.get("record", ""), "missing": f"{name} {missing}"},
                    ToldAs("gap", "{missing}", "", "no record has this number", ""),
                )


def _apart(these: Sequence[str], others: Sequence[str]) -> str:
    """Return the parts of these that the others lack; all of them if they are equal."""
    return ", ".join([one for one in these if one not in others] or these)


def _key(body: Body, among: Mapping[str, Any]) -> str | None:
    record = body.get("record")
    ways = [f"{record} {body[way]}" for way in _WAYS if isinstance(body.get(way), str)]
    return next((one for one in (*ways, str(record)) if one in among), None)


def _known(body: Body) -> Mapping[str, str]:
    """Return texts that several kinds of records need: a username, amounts of chips and cash."""
    name = mapping(body.get("data")).get("username")
    both = [f"{one} {amount_text(number(body[f'{one}_cents']))}" for one in ("chips", "cash")
            if f"{one}_cents" in body]  # fmt: skip
    return {"said_to_be": str(name or "a name that nobody has"), "chips_and_cash": ", ".join(both)}


def _sum(entry: Body) -> tuple[str, ...]:
    """Return an entry in a few words: each seat's result and cards, or what was moved."""
    evidence = mapping(entry.get("evidence"))
    if isinstance(result := evidence.get("result"), dict):
        cards = _cards(mapping(evidence.get("input")).get("hands"))
        cents = {seat: one[1] for seat, one in result.items() if isinstance(one, list) and len(one) == 2}
        return tuple(
            f"seat {seat} {amount_text(number(net))}{cards.get(str(seat), '')}"
            for seat, net in sorted(cents.items())
        )
    kind = str(evidence.get("of") or entry.get("kind")).replace("_", " ")
    moved = sum(number(line.get("cents")) for line in mappings(entry.get("transfers")))
    cents_said = evidence.get("cents")
    how = evidence.get("method")
    amount = amount_text(number(cents_said) if type(cents_said) is int else moved)
    return (f"{kind} {amount}" + (f", {str(how).replace('_', ' ')}" if how else ""),)


def _cards(hands: Any) -> Mapping[str, str]:
    """Return the cards of each seat that a settlement was entered with."""
    cards: dict[str, str] = {}
    for hand in mappings(hands):
        rows = " / ".join(str(hand[name]) for name in ("front", "middle", "back") if hand.get(name))
        seat = str(hand.get("seat"))
        cards[seat] = cards.get(seat, "") + (f" ({rows})" if rows else "")
    return cards


_PLACE = re.compile(r"\{([a-z_.]+)(?::(dollars))?\}")


def _said(part: Part, body: Body) -> str:
    if not isinstance(part, str):
        return part(body)

    def put(found: re.Match[str]) -> str:
        value = _at(body, found[1].split("."))
        return amount_text(number(value)) if found[2] else _words(value)

    return _PLACE.sub(put, part).strip()


def _at(body: Any, path: Sequence[str]) -> Any:
    for name in path:
        body = mapping(body).get(name)
    return body


def _words(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(map(_words, value))
        case dict():
            return "; ".join(f"{str(name).replace('_', ' ')} {_words(one) or 'none'}"
                             for name, one in value.items())  # fmt: skip
    return str(value)


def _first(body: Body, names: Sequence[str]) -> Any:
    return next((body[name] for name in names if body.get(name) is not None), None)


declare_papers(ExceptionsPaper)
