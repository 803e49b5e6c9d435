"""Who signs beside a manager who hands out a role or a one-time code, or takes off second steps: asked of the log."""

from casino.sign_in import noting
from ledger.audit.checks.second_people import SecondPeople
from ledger.errors import SecondPerson
from ledger.journal.acts import Act
from ledger.journal.particulars import houses
from ledger.rights import KEEP_EXCLUSIONS, RUN_FLOOR, require
from tables.rights import MANAGE_HOUSE

APPROVERS = (RUN_FLOOR, KEEP_EXCLUSIONS, MANAGE_HOUSE)
"""The rights of which a second person needs one: those of the roles in `SIGNERS`."""
_KINDS = ("staff_changed", "pin_set", "code_made", "terminal_enrolled")


def second_people() -> SecondPeople:
    """Return what the events of the house say up to now; two queries."""
    people, site = SecondPeople(), houses().first()
    if site is not None:
        events = site.events.filter(kind__in=_KINDS).order_by("pk")
        for kind, data in events.values_list("kind", "data"):
            people.take(kind, data)
    return people


def require_second(act: Act, person_id: int) -> None:
    """Refuse an act about this person that nobody signs who could (`second_person`, `not_allowed`)."""
    approver = noting.approver_of(act)
    if wrong := second_people().wrong(actor=act.actor.pk, staff=person_id, approver=approver):
        raise SecondPerson(wrong, field="approver")
    if act.approver is not None:
        require(act.approver, *APPROVERS)
