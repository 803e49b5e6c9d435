"""A table, a round and what belongs to it, each read by one query that is planned once: what the dealer's tablet asks for."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import QuerySet

from ledger.db.compiled import Compiled
from ledger.journal.particulars import of_the_house
from tables.models import CorrectionRequest, Hand, Round, TableSession
from tables.rules.game.rounds import RoundScore


class Fresh(NamedTuple):
    """What an act knows of the round that it started or settled, so that nobody reads it again: the `hands` by position, each
    with its player, and of a settled one the round in the score format and its score. Nothing else belongs to it yet.
    """

    hands: Sequence[Any]
    deal: Mapping[str, Any] | None = None
    scored: RoundScore | None = None


LATEST_CORRECTIONS = 8
"""As many of a table's requests are told with its plan, so that a tablet hears what became of its own."""

# A table with its house and its game, whose bytes are read once in a process; all else belongs to a table's state.
SESSION = Compiled(
    lambda pk: (
        TableSession.objects.filter(of_the_house("table__site"), pk=pk)
        .select_related("table__site", "sheet")
        .defer("sheet__raw")
    )
)
ROUND = Compiled(
    lambda pk: (
        Round.objects.filter(of_the_house("session__table__site"), pk=pk)
        .select_related("session__table__site", "session__sheet")
        .defer("session__sheet__raw")
    )
)
HANDS = Compiled(lambda pk: Hand.objects.filter(round=pk).select_related("sitting__player"))
"""The hands of a round by position, each with its player."""
LAST_SETTLED = Compiled(
    lambda pk: Round.objects.filter(session=pk, state=Round.State.SETTLED).order_by("-number").only("pk")[:1]
)


def _requests() -> QuerySet[CorrectionRequest]:
    asked = CorrectionRequest.objects.select_related("round", "asked_by", "decided_by").order_by("-pk")
    return asked.defer("hands", "round__draft", "round__pair_stakes")


CORRECTIONS = Compiled(lambda pk: _requests().filter(round=pk, hands__isnull=False))
"""What was asked for in a round, the newest first."""
CORRECTIONS_AT = Compiled(lambda pk: _requests().filter(round__session=pk)[:LATEST_CORRECTIONS])
"""What was asked for lately at a table, the newest first."""
