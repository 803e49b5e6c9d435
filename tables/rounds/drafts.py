"""Save what the dealer has entered so far, so that a lost tablet loses nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from ledger.journal.acts import Act
from ledger.rights import require
from tables.errors import (
    StalePage,
)
from tables.models import Round
from tables.rights import DEAL
from tables.rounds.pushes import require_dealer
from tables.rounds.settling import require_dealt
from tables.state.locks import hold_round


def save_draft(*, round_id: int, version: int, hands: Sequence[Mapping[str, Any]], act: Act) -> Round:
    """Save what the dealer has entered so far; none of it counts until it is confirmed.

    `version` is the draft the tablet started from. Refuses `stale_page` if another tablet has saved since, and
    `not_your_table`.
    """
    require(act.actor, DEAL)
    with transaction.atomic():
        session, round_ = hold_round(round_id)
        require_dealer(session, act)
        require_dealt(round_)
        if version != round_.draft_version:
            raise StalePage("Somebody else has entered cards since: load their entry.", field="version")
        round_.draft, round_.draft_version = list(hands), version + 1
        round_.save(update_fields=["draft", "draft_version"])
    return round_
