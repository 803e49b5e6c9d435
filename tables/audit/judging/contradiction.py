"""The contradiction by which a judge stops a session, and which sessions it stops. Pure."""

from typing import Final

from ledger.records.findings import Body
from tables.audit.floor.floor import Floor, numbers_in
from tables.audit.floor.sitting import Mark


class Contradiction(Exception):
    """A record contradicts those before it: a code and a sentence. `mark` names the
    record at fault if it is an earlier one."""

    def __init__(self, code: str, sentence: str, mark: Mark | None = None) -> None:
        super().__init__(code, sentence)
        self.code, self.sentence, self.mark = code, sentence, mark


_SESSIONS: Final = ("session", "to_session", "due_session")
_AT_TABLES: Final = ("entry", "table_event", "down", "charge", "claim")
_ONE_SIDED: Final = ("must_move_set", "pushed", "left")
"""Events that name another session and change nothing there."""


def concerned(floor: Floor, body: Body) -> set[int]:
    """Return the sessions that a record names, and those that the ids in it belong to: if the two differ,
    nobody can tell which of them is right."""
    if body.get("record") not in _AT_TABLES:
        return set()
    names = _SESSIONS[:1] if body.get("kind") in _ONE_SIDED else _SESSIONS
    sessions = {number for name in names for number in numbers_in(body, name)}
    sittings, rounds = numbers_in(body, "sitting"), numbers_in(body, "round_id")
    entries = numbers_in(body, "reverses") | numbers_in(body, "corrects")
    charges = [floor.charges.get(number) for number in numbers_in(body, "charge")]
    sessions |= {charge.session for charge in charges if charge is not None}
    for table in floor.every():
        chips = table.chips.keys() | table.reversed_chips.keys()
        if table.sittings.keys() & sittings or table.rounds.keys() & rounds or chips & entries:
            sessions.add(table.session)
    return sessions
