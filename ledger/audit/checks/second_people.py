"""Who signs beside whoever hands out a role or a one-time code, worked out from the events of the house in their order. Pure.

Whoever has somebody's code can come in as them. So nobody hands one out alone once somebody else could have signed, and the one
whose way in it is never signs it.
"""

from collections.abc import Mapping
from typing import Any

SIGNERS = frozenset({"compliance", "floor", "manager"})
"""The roles that may sign. Whoever works the cage would gain the second signature of their own cage slips by it; who deals or
counts answers for one table or box; a regulator does no work in the house."""
MISSING = "A second person has to sign this: somebody else of the floor or compliance, or another manager."


class SecondPeople:
    """What the events up to now say about who could sign.

    Somebody could once they work here in one of the roles SIGNERS, have a PIN, and a terminal takes PINs. Before that a new
    house's first manager acts alone; after it nobody does, even when that person has left.
    """

    def __init__(self) -> None:
        self._roles: dict[int, frozenset[str]] = {}
        self._with_pin: set[int] = set()
        self._has_terminal = False
        self._could: set[int] = set()

    def take(self, kind: str, data: Mapping[str, Any]) -> None:
        """Take over what an event of the house says of people, PINs and terminals."""
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
        """Whether this person needs somebody beside them. Nobody is signed in where the server's own commands act."""
        return actor is not None and bool(self._could - {actor})

    def wrong(self, *, actor: int | None, staff: int, approver: int | None) -> str:
        """Say what is wrong with who signed an act about `staff`, in a sentence; empty where nothing is."""
        if approver is None:
            return MISSING if self.is_needed(actor) else ""
        if approver == actor:
            return "Nobody signs beside themselves: choose somebody else."
        if approver == staff:
            return "Nobody signs their own way in: choose somebody else."
        known = self._roles.get(approver)
        if known is not None and not known & SIGNERS:
            return f"Person {approver} may not sign this."
        return ""


def roles_of(facts: Mapping[str, Any] | None) -> frozenset[str]:
    """Return the roles in which somebody works here, by what the log knows of them; none of somebody who has left."""
    return frozenset(facts.get("roles", ())) if facts and facts.get("is_active") else frozenset()
