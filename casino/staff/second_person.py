"""The second person who signs for roles, codes and resets of second steps, determined from the log."""

from casino.sign_in import noting
from ledger.errors import SecondPerson
from ledger.journal.acts import Act
from ledger.journal.particulars import houses
from ledger.proof.audit.checks.identity import SecondPeople
from ledger.rights import KEEP_EXCLUSIONS, RUN_FLOOR, require
from tables.rights import MANAGE_HOUSE

APPROVERS = (RUN_FLOOR, KEEP_EXCLUSIONS, MANAGE_HOUSE)
"""A second person needs one of these permissions, which come from the roles in `SIGNERS`."""
_KINDS = ("staff_changed", "pin_set", "code_made", "terminal_enrolled")


def second_people() -> SecondPeople:
    people, site = SecondPeople(), houses().first()
    if site is not None:
        events = site.events.filter(kind__in=_KINDS).order_by("pk")
        for kind, data in events.values_list("kind", "data"):
            people.take(kind, data)
    return people


def require_second(act: Act, person_id: int) -> None:
    """Refuse an act about this person without a possible second person (`second_person`, `not_allowed`)."""
    approver = noting.approver_of(act)
    if wrong := second_people().wrong(actor=act.actor.pk, staff=person_id, approver=approver):
        raise SecondPerson(wrong, field="approver")
    if act.approver is not None:
        require(act.approver, *APPROVERS)
