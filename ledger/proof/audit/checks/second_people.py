"""The second signature for handing out a role or a one-time code, by the events of the house. Pure. With a
person's code anybody can sign in as them: so nobody hands one out alone once somebody else could have signed,
and its recipient never signs for it."""

from collections.abc import Mapping
from typing import Any

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
