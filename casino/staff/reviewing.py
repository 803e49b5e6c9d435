"""The quarterly review of user access: a numbered record of who had which rights, and who looked at it."""

from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction

from casino.models import Staff
from casino.sign_in import noting
from ledger.errors import SecondPerson
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.journal.records import moment
from ledger.rights import KEEP_EXCLUSIONS, require
from ledger.rules.access import quarter_of, wrong_reviewers
from tables.rights import MANAGE_HOUSE

REVIEWERS = (KEEP_EXCLUSIONS, MANAGE_HOUSE)
KIND = "access_reviewed"


def review_access(*, site: Any, act: Act) -> Any:
    """Record a review of everybody's rights as they are now. Refuses `second_person` if somebody who gives
    rights reviews them alone, and `key_reused`."""
    require(act.actor, *REVIEWERS)
    second = noting.approver_of(act)
    if act.approver is not None:
        require(act.approver, *REVIEWERS)
    gives_rights = act.actor.has_perm(MANAGE_HOUSE)
    if wrong := wrong_reviewers(act.actor.pk, second, gives_rights=gives_rights):
        raise SecondPerson(wrong, field="approver")
    with transaction.atomic():
        noting.in_turn()
        if earlier := house_events.noted_before(site, KIND, act, {"approver": second}):
            return earlier
        return house_events.note(
            site,
            KIND,
            act=act,
            number=house_events.next_number(site, KIND),
            quarter=quarter_of(act.now.astimezone(ZoneInfo(site.time_zone)).date()),
            people=[_reviewed(person) for person in everybody()],
            approver=second,
            key=act.key,
        )


def everybody() -> list[Staff]:
    return list(Staff.objects.prefetch_related("groups").order_by("pk"))


def _reviewed(person: Staff) -> dict[str, object]:
    return {
        "staff": person.pk,
        "username": person.username,
        "full_name": person.full_name,
        "roles": sorted(group.name for group in person.groups.all()),
        "is_active": person.is_active,
        "created": moment(person.date_joined),
        "last_sign_in": moment(person.last_login) if person.last_login else None,
    }
