"""Who the numbers of an export stand for: what the log's records say of staff and players, since when and until when. Pure."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ledger.audit.errors import NotCanonical
from ledger.audit.findings import Body
from ledger.audit.tree import canonical

STAFF, PLAYERS = "staff.csv", "players.csv"
COLUMNS = ("person", "what", "value", "since", "until")
CLOCKS = frozenset({"house_opened", "house_changed"})
OF_STAFF = CLOCKS | {"staff_changed"}
"""Events of the house that a part of a log needs of the records before it: who works here, and by which clock."""
KEY_NOTED, TIME_CONFIRMED = "audit_key", "time_confirmed"
OF_CHECKPOINTS = frozenset({KEY_NOTED, TIME_CONFIRMED})
"""Events of the house that go with every export, wherever they stand in the log: which keys sign, and until when the clock they
went by was ahead."""
OF_PLAYERS = frozenset({"player_change", "player_merge"})

Opened = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Gives what the record of a player's entry has committed to; nothing where that cannot be had."""
Line = tuple[int, str, str, str, str]
"""A person, what was said of them, since when, the value, until when: in this order they are sorted."""
_Said = frozenset[tuple[str, str]]


class People:
    """What was said of each person. What a record says of the time before it, without an older one here, has no beginning."""

    def __init__(self) -> None:
        self._now: dict[int, dict[tuple[str, str], str]] = {}
        self._past: list[Line] = []

    def __contains__(self, person: int) -> bool:
        return person in self._now

    def say(self, person: int, before: _Said, after: _Said, at: str) -> None:
        """Take what is said of a person from this time on."""
        now = self._now.setdefault(person, dict.fromkeys(before, ""))
        for what, value in now.keys() - after:
            self._past.append((person, what, now.pop((what, value)), value, at))
        for one in after - now.keys():
            now[one] = at

    def add(self, person: int, what: str, value: str, at: str) -> None:
        """Take one thing more that is said of a person from this time on."""
        self._now.setdefault(person, {}).setdefault((what, value), at)

    def lines(self) -> list[Line]:
        """Return everything that was said, by person."""
        still = (
            (person, what, since, value, "")
            for person, said in self._now.items()
            for (what, value), since in said.items()
        )
        return sorted([*self._past, *still])


def said_of_staff(facts: Any) -> _Said:
    """Return what the record of a change says of somebody who works here."""
    if not isinstance(facts, dict):
        return frozenset()
    names = {"username": "username", "full_name": "name", "badge": "badge"}
    said = {(what, str(facts[name])) for name, what in names.items() if facts.get(name)}
    roles = facts.get("roles")
    said |= {("role", str(role)) for role in (roles if isinstance(roles, list) else ())}
    return frozenset(said | ({("works_here", "yes")} if facts.get("is_active") else set()))


def said_of_player(facts: Mapping[str, Any]) -> _Said:
    """Return what an entry of a player says."""
    return frozenset((what, str(text)) for what, text in facts.items() if text)


def may_be_earlier(body: Body, *, players: bool) -> bool:
    """Return whether a part of the log may need this record from before it: who works here, by which clock, which keys and rates
    there are, and who players are, if they are named."""
    of_house = body["record"] == "house_event" and body["kind"] in OF_STAFF | OF_CHECKPOINTS
    return of_house or body["record"] == "rate" or (players and body["record"] in OF_PLAYERS)


def may_be_later(body: Body) -> bool:
    """Return whether a part of the log may need this record from behind it: it is about the checkpoint."""
    return body["record"] == "house_event" and body["kind"] in OF_CHECKPOINTS


def players_in(body: Body) -> Iterator[int]:
    """Yield the players that a record names."""
    for part in (body, body.get("data"), body.get("evidence")):
        if isinstance(part, dict):
            for name in ("player", "debtor", "creditor", "merged", "into"):
                if type(number := part.get(name)) is int:
                    yield number


def line_that_opens(change: int, salt: str, text: str) -> bytes:
    """Return the line that opens what the record of a player's entry has committed to."""
    return (
        json.dumps({"id": change, "salt": salt, "text": text}, ensure_ascii=False, sort_keys=True).encode()
        + b"\n"
    )


def opened_by(line: bytes, body: Body) -> Mapping[str, Any] | None:
    """Return what a line opens of the record of a player's entry; None if it is not what that has committed to."""
    try:
        said = json.loads(line)
        text = said["text"]
        if line_that_opens(body["id"], said["salt"], text) != line:
            return None
        facts = canonical.decode(text.encode())
        return (
            facts
            if canonical.commitment(said["salt"], text) == body["after"] and isinstance(facts, dict)
            else None
        )
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, NotCanonical):
        return None
