"""A table and a round with their rows, each by one compiled query, for the tablet."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import QuerySet

from ledger.db.compiled import Compiled
from ledger.journal.particulars import of_the_house
from tables.models import CorrectionRequest, Hand, Round, TableSession
from tables.rules.game.rounds import RoundScore


class Fresh(NamedTuple):
    """What an act knows of the round it started or settled, so that nobody reads it again.

    `hands` by position with players; if settled, also the deal and the score.
    """

    hands: Sequence[Any]
    deal: Mapping[str, Any] | None = None
    scored: RoundScore | None = None


LATEST_CORRECTIONS = 8
"""How many of a table's correction requests are sent with its plan, so that a tablet sees what became of its
own."""

# A table with its house and game; the rest belongs to a table's state.
SESSION = Compiled(
    lambda pk: TableSession.objects.filter(of_the_house("table__site"), pk=pk),
    joined="table table__site sheet",
    unread="sheet__raw",
)
ROUND = Compiled(
    lambda pk: Round.objects.filter(of_the_house("session__table__site"), pk=pk),
    joined="session session__table session__table__site session__sheet",
    unread="session__sheet__raw",
)
HANDS = Compiled(lambda pk: Hand.objects.filter(round=pk), joined="sitting sitting__player")
"""The hands of a round by position, each with its player."""
LAST_SETTLED = Compiled(
    lambda pk: Round.objects.filter(session=pk, state=Round.State.SETTLED).order_by("-number")[:1], read="id"
)


def _requests(ask: Callable[[int], QuerySet[CorrectionRequest]]) -> Compiled[CorrectionRequest]:
    unread = "hands round__draft round__pair_stakes"
    return Compiled(ask, joined="round asked_by decided_by", unread=unread)


CORRECTIONS = _requests(
    lambda pk: CorrectionRequest.objects.filter(round=pk, hands__isnull=False).order_by("-pk")
)
"""What was asked for in a round, the newest first."""
CORRECTIONS_AT = _requests(
    lambda pk: CorrectionRequest.objects.filter(round__session=pk).order_by("-pk")[:LATEST_CORRECTIONS]
)
"""The latest correction requests at a table, the newest first."""
