"""People, sign-in and devices: each event compared with those before it. Pure. What only a house can know
is not judged: why an attempt was refused, or who held a PIN. In a part of a log, people, steps and devices
are known once a record of it has named them. `SecondPeople` says who signs as well for a role or a one-time
code, and `Chains` compares each change of the house, its staff and its players with the one before it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from ledger.proof.audit.checks.spill import short_hash
from ledger.records.findings import UNREADABLE, Body, Finding, Problem, name_of
from ledger.records.house import CLOCKS
from ledger.rules.access import over, wrong_reviewers, wrong_token
from ledger.rules.addresses import like_an_address

SIGNERS = frozenset({"compliance", "floor", "manager"})
"""The roles that may sign. Cage staff could sign their own slips with it, dealers and counters answer for one
table or box, and a regulator does no work in the house."""
MISSING = "A second person has to sign this: somebody else of the floor or compliance, or another manager."


class SecondPeople:
    """The people who could sign, by the events so far: those who work here in one of the roles SIGNERS and
    have a PIN, once a terminal takes PINs. Before that a new house's first manager acts alone; afterwards
    nobody does, even when that person has left."""

    def __init__(self) -> None:
        self._roles: dict[int, frozenset[str]] = {}
        self._with_pin: set[int] = set()
        self._has_terminal = False
        self._could: set[int] = set()

    def take(self, kind: str, data: Mapping[str, Any]) -> None:
        """Take the people, PINs and terminals from an event of the house."""
        match kind:
            case "staff_changed":
                self._roles[data["staff"]] = roles_of(data["after"])
            case "pin_set":
                self._with_pin.add(data["staff"])
            case "code_made":  # it ends the PIN
                self._with_pin.discard(data["staff"])
            case "terminal_enrolled":
                self._has_terminal = True
            case _:
                return
        if self._has_terminal:
            self._could |= {one for one in self._with_pin if self._roles.get(one, frozenset()) & SIGNERS}

    def is_needed(self, actor: int | None) -> bool:
        """Return whether this person needs a second one. On the server's command line nobody is signed in."""
        return actor is not None and bool(self._could - {actor})

    def wrong(self, *, actor: int | None, staff: int, approver: int | None) -> str:
        """Return what is wrong with who signed an act about `staff`, in a sentence, or ""."""
        if approver is None:
            return MISSING if self.is_needed(actor) else ""
        if approver == actor:
            return "Nobody is their own second person: choose somebody else."
        if approver == staff:
            return "Nobody signs their own way in: choose somebody else."
        known = self._roles.get(approver)
        if known is not None and not known & SIGNERS:
            return f"Person {approver} may not sign this."
        return ""


def roles_of(facts: Mapping[str, Any] | None) -> frozenset[str]:
    """Return the roles in which somebody works here; none if they have left."""
    return frozenset(facts.get("roles", ())) if facts and facts.get("is_active") else frozenset()


_OWN: Final = frozenset(("signed_in", "signed_out", "code_used"))  # what people do themselves
_ACTING: Final = (
    *("actor", "approver", "begun_by", "charged_by", "closed_by", "closed_with", "counted_by", "counter"),
    *("person", "published_by", "second", "signed_by", "signed_with", "taken_by", "decided_by"),
)
"""The fields of records that name people of the house; those of data and evidence are:"""
_ACTING_INSIDE: Final = ("second", "dealer", "approver")
_REVIEWED: Final = ("username", "full_name", "roles", "is_active")
"""The fields of a review that repeat the person's record."""
_AFTERWARDS: Final = frozenset(("downloaded", "signed_out"))
"""Events recorded at their end, when their person may already have left."""
_UNDER_WAY: Final = timedelta(minutes=1)
"""How long after its person has left an act may end that had begun before."""


@dataclass
class _Token:
    person: int
    until: datetime
    revoked_at: datetime | None = None


class Identity:
    """The people, steps and terminals that a log has named. `whole`: it begins with the first leaf."""

    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        self._people: dict[int, dict[str, Any] | None] = {}
        self._codes: set[int] = set()
        self._steps: dict[tuple[int, str, str], int] = {}
        self._terminals: dict[int, str] = {}
        self._revoked: set[int] = set()
        self._hired: dict[int, Finding] = {}
        self._reset: set[int] = set()
        self._second = SecondPeople()
        self._left: dict[int, str] = {}
        self._strangers: set[int] = set()
        self._reviews = 0
        self._tokens: dict[int, _Token] = {}

    def take(self, leaf: int, body: Body) -> Iterator[Problem]:
        if signed := self._wrong_second(body):
            yield "second_person", signed
        if wrong := self._wrong_person(leaf, body) or self._wrong_before(body):
            yield "identity_differs", wrong
        elif not signed:
            yield from self.acted(body)
        self._second.take(body["kind"], body["data"])

    def acted(self, body: Body) -> Iterator[Problem]:
        """Judge that everybody whom a record names as acting works here; each is named once."""
        for person in _people_in(body):
            wrong, left = "", self._left.get(person)
            if person not in self._people:
                if self._whole and self._people:
                    wrong = f"No record before it names person {person}."
            elif left is not None and body.get("kind") not in _AFTERWARDS and _is_later(body, left):
                wrong = f"Person {person} had left."
            if wrong and person not in self._strangers:
                self._strangers.add(person)
                yield "identity_differs", wrong

    def finish(self) -> Iterator[Finding]:
        yield from self._hired.values()

    def _wrong_second(self, body: Body) -> str:
        """Check that handing out a code or role, or removing second steps, has a second person."""
        data = body["data"]
        match body["kind"]:
            case "staff_changed":
                if not roles_of(data["after"]) - roles_of(data["before"]):
                    return ""
            case "code_made" | "factors_reset":
                pass
            case _:
                return ""
        approver = data["approver"]
        if self._whole and approver is not None and approver not in self._people:
            return f"No record before it names person {approver}, who is to have signed it."
        return self._second.wrong(actor=body["actor"], staff=data["staff"], approver=approver)

    def _wrong_person(self, leaf: int, body: Body) -> str:
        """Check that the person an event is about, or who acts, works here."""
        kind, data = body["kind"], body["data"]
        person = body["actor"] if kind in _OWN else data.get("staff")
        if kind in _OWN and person is None:
            return "It does not say who that was."
        if kind == "staff_changed" or person is None:
            return ""
        if person not in self._people:
            unknown = f"No record before it names person {person}." if self._whole else ""
            if unknown and kind == "code_made":  # the act that hires somebody names them at its end
                self._hired.setdefault(person, Finding("identity_differs", unknown, leaf, name_of(body)))
                return ""
            return unknown
        facts = self._people[person]
        if kind == "signed_in" and not (facts and facts.get("is_active")):
            return f"Person {person} did not work here then."
        return ""

    def _wrong_before(self, body: Body) -> str:
        """Check that the records it depends on come before it."""
        data = body["data"]
        match body["kind"]:
            case "staff_changed":
                return self._changed(data["staff"], data["before"], data["after"], body["recorded_at"])
            case "code_made":
                self._codes.add(data["staff"])
            case "code_used":
                made = body["actor"] in self._codes or not self._whole
                self._codes.discard(body["actor"])
                return "" if made else f"No code had been made for person {body['actor']}."
            case "password_set" | "pin_set" if (
                body["actor"] == data["staff"] and data["staff"] in self._codes
            ):
                return f"Person {data['staff']} set it before they had used their one-time code."
            case "factor_added" | "factor_removed":
                step = data["staff"], data["factor"], data["name"]
                return self._step(step, added=body["kind"] == "factor_added") or self._whose(body)
            case "access_reviewed":
                return self._reviewed(body)
            case "factors_reset":
                self._reset.add(data["staff"])
            case "terminal_enrolled":
                return self._enrolled(data["number"], data["name"])
            case "terminal_revoked":
                return self._revoke(data["number"], data["name"])
            case "token_made":
                return self._token_made(body)
            case "token_revoked" | "token_refused":
                return self._token_of(body, data["staff"])
            case "downloaded" if "token" in data:
                return self._by_token(body)
        return ""

    def _changed(
        self, person: int, before: dict[str, Any] | None, after: dict[str, Any] | None, at: str
    ) -> str:
        known = self._people.get(person) if self._whole else before  # in a part, `chains` judges it
        self._people[person] = after
        self._hired.pop(person, None)
        self._left.pop(person, None)
        if not (after and after.get("is_active")):
            self._left[person] = at
        return "" if known == before else f"Person {person} was recorded differently before it."

    def _reviewed(self, body: Body) -> str:
        """Check that a review lists everybody as they were, and that nobody who gives rights signed it
        alone."""
        data, reviewer = body["data"], body["actor"]
        awaited, self._reviews = self._reviews + 1, data["number"]
        if data["number"] != awaited and (self._whole or awaited > 1):
            return f"It is review {data['number']}; {awaited} comes next."
        listed = {one["staff"]: one for one in data["people"]}
        for person, facts in self._people.items():
            said = listed.get(person)
            if facts is not None and (said is None or any(said[name] != facts[name] for name in _REVIEWED)):
                return f"Person {person} was recorded differently before it."
        if self._whole and (strange := listed.keys() - self._people.keys()):
            return f"No record before it names person {min(strange)}."
        gives = "manager" in roles_of(self._people.get(reviewer))
        return wrong_reviewers(reviewer, data["approver"], gives_rights=gives)

    def _step(self, step: tuple[int, str, str], *, added: bool) -> str:
        if added:
            self._steps[step] = self._steps.get(step, 0) + 1
        elif left := self._steps.get(step, 0):
            self._steps[step] = left - 1
        elif self._whole:
            return f"Person {step[0]} had no such second step."
        return ""

    def _whose(self, body: Body) -> str:
        """Check that a second step is its owner's; others remove it after a reset, when it was lost."""
        person = body["data"]["staff"]
        if body["actor"] == person:
            self._reset.discard(person)
            return ""
        if body["kind"] == "factor_added":
            return f"Person {person} did not set it up."
        known = person in self._reset or not self._whole
        return "" if known else f"No record says that person {person} had lost their second step."

    def _enrolled(self, number: int, name: str) -> str:
        again = number in self._terminals or number in self._revoked
        twin = name in self._terminals.values()
        self._terminals[number] = name
        if like_an_address(name):
            return f"Terminal {number} is called like an address, or like the command line."
        if again:
            return f"Terminal {number} had been enrolled before."
        return f"Another terminal was called {name}." if twin else ""

    def _revoke(self, number: int, name: str) -> str:
        known = self._terminals.pop(number, None)
        again = number in self._revoked
        self._revoked.add(number)
        if again:
            return f"Terminal {number} had been revoked before."
        if known is None:
            return f"Terminal {number} had not been enrolled." if self._whole else ""
        return "" if known == name else f"Terminal {number} was called {known}."

    def _token_made(self, body: Body) -> str:
        data, made_at = body["data"], datetime.fromisoformat(body["recorded_at"])
        token = _Token(data["staff"], datetime.fromisoformat(data["until"]))
        again = data["number"] in self._tokens
        self._tokens[data["number"]] = token
        facts = self._people.get(token.person)
        if again:
            return f"Token {data['number']} had been made before."
        if facts is None:
            return ""  # not known, in a part
        return wrong_token(
            person=token.person,
            maker=body["actor"],
            roles=roles_of(facts),
            made_at=made_at,
            until=token.until,
        )

    def _token_of(self, body: Body, person: int | None) -> str:
        """Check that a token was made before for this person, and remember when it was revoked."""
        number = body["data"].get("number", body["data"].get("token"))
        token = self._tokens.get(number)
        if token is None:
            return f"Token {number} had not been made." if self._whole else ""
        if token.person != person:
            return f"Token {number} is that of person {token.person}."
        if body["kind"] == "token_revoked":
            if token.revoked_at is not None:
                return f"Token {number} had been revoked before."
            token.revoked_at = datetime.fromisoformat(body["recorded_at"])
        return ""

    def _by_token(self, body: Body) -> str:
        """Check that a program's download was asked for while its token was valid."""
        if wrong := self._token_of(body, body["actor"]):
            return wrong
        token = self._tokens.get(body["data"]["token"])
        at = datetime.fromisoformat(body["at"])
        return over(at, until=token.until, revoked_at=token.revoked_at) if token else ""


def _people_in(body: Body) -> Iterator[int]:
    for name in _ACTING:
        if type(person := body.get(name)) is int:
            yield person
    part = body.get("data") or body.get("evidence")
    if isinstance(part, dict):
        yield from (part[name] for name in _ACTING_INSIDE if type(part.get(name)) is int)


def _is_later(body: Body, left: str) -> bool:
    """Return whether a record is later than any act that was under way when its person left."""
    at = body["recorded_at"]
    return at > left and datetime.fromisoformat(at) - datetime.fromisoformat(left) > _UNDER_WAY


_Subject = tuple[str, int]
_NOTHING = short_hash(b"")


class Chains:
    """The last known state of each, in a part of a log with the records before it that belong to it. A change
    records the old values, so one that was left out is noticed at the next one. `players`: all changes of the
    named players are included. Whether a change is missing after the last one before the part cannot be
    known."""

    def __init__(self, *, players: bool) -> None:
        self._last: dict[_Subject, Any] = {}
        self._players = players
        self._house: dict[str, Any] = {}

    def __contains__(self, player: object) -> bool:
        return ("Player", player) in self._last

    def wrong(self, body: Body) -> str:
        """Return how a change contradicts the one before it; empty if it does not, or is not a change."""
        try:
            match body["record"], body.get("kind"):
                case "house_event", "staff_changed":
                    data = body["data"]
                    return self._follows(("Person", data["staff"]), data["before"], data["after"], None)
                case "house_event", kind if kind in CLOCKS:
                    return self._changed(body["data"])
                case "player_change", _ if self._players:
                    before, after = (short_hash(body[name].encode()) for name in ("before", "after"))
                    return self._follows(("Player", body["player"]), before, after, _NOTHING)
        except UNREADABLE:
            pass  # the checks report what cannot be read
        return ""

    def _follows(self, subject: _Subject, before: Any, after: Any, first: Any) -> str:
        last = self._last.get(subject, first)
        self._last[subject] = after
        what, number = subject
        return "" if last == before else f"{what} {number} had other values before it than it says."

    def _changed(self, body: Mapping[str, Any]) -> str:
        """Return which particular of the house contradicts the change before; empty if none does."""
        now = {name: value for name, value in body.items() if name not in ("before", "key")}
        last, self._house = self._house, now
        before = body.get("before")
        if not isinstance(before, dict) or not last:
            return ""
        other = [name for name, value in last.items() if {**now, **before}.get(name) != value]
        return f"The house's {other[0]} had another value before it than it says." if other else ""
