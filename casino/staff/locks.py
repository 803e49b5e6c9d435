"""Lifting the lock that too many wrong passwords or PINs have put on a person or a terminal, or a terminal's wait."""

from django.db import transaction

from casino.models import Attempts
from casino.sign_in import attempts
from ledger.journal.acts import Act
from ledger.rights import require
from tables.errors import StalePage
from tables.rights import MANAGE_HOUSE


def lift_lock(*, lock_id: int, act: Act) -> Attempts:
    """End a lock or a wait, so that the person or terminal starts from nothing. Refuses `not_allowed`, and `stale_page` without
    one."""
    with transaction.atomic():
        require(act.actor, MANAGE_HOUSE)
        run = (
            Attempts.objects.select_for_update(of=("self",))
            .select_related("person")
            .filter(pk=lock_id)
            .first()
        )
        if run is None or not attempts.is_held_up(run, act.now):
            raise StalePage("This lock has been lifted already.")
        attempts.lift(run, act)
    return run
