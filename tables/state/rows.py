"""Read the rows behind tables' states, in five queries; six if a fee followed a player there.

They stay plain values: comparing two reads needs no model instances. For the tablet, a table and a round with
their rows, each by one compiled query."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from django.db.models import (
    Aggregate,
    BooleanField,
    Exists,
    ExpressionWrapper,
    Model,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
)

from ledger.db.compiled import Compiled, among
from ledger.journal.particulars import of_the_house
from tables.models import (
    Charge,
    ClockStop,
    CorrectionRequest,
    Down,
    Hand,
    Player,
    Round,
    Settlement,
    Sitting,
    TableSession,
)
from tables.rules.game.rounds import RoundScore
from tables.state.persons import PERSON

Values = Sequence[Any]
ACCOUNT_TIMES = ("opened_at", "sealed_at", "closed_at")
"""Timestamps of accounts: never needed here, and the slowest columns to read."""


class _Listed(Aggregate):
    """Ids as one comma-separated text."""

    function = "GROUP_CONCAT"
    template = "%(function)s(%(expressions)s)"
    output_field = TextField()

    def as_postgresql(self, compiler: Any, connection: Any) -> Any:
        return super().as_sql(
            compiler, connection, function="STRING_AGG", template="%(function)s(%(expressions)s::text, ',')"
        )


_COVERED = Q(covered_by__isnull=False) & ~Exists(Charge.objects.filter(sitting=OuterRef("pk")))
"""Sittings whose cover has not been used by a charge."""
_LEFT_OPEN = Charge.objects.open().filter(uncollected__isnull=False)
"""Open fees of players who have left, at any table; they are few."""
_SEATED = OuterRef(OuterRef("player"))
_FOLLOWED = Exists(
    _LEFT_OPEN.filter(
        uncollected__player__in=Player.objects.filter(Q(pk=_SEATED) | Q(merged_into=_SEATED)).values("pk")
    )
)
"""Sittings of players who have left a fee open under any of their entries."""
_CHARGED = Charge.objects.filter(down=OuterRef("pk")).values("down").values(pks=_Listed(PERSON))
_DEALT = (
    Hand.objects.filter(round=OuterRef("pk")).order_by().values("round").values(pks=_Listed("sitting_id"))
)


def _newest(model: type[Model]) -> QuerySet[TableSession, Any]:
    of_table = model._default_manager.filter(session=OuterRef("pk")).order_by("-number").values("pk")[:1]
    return TableSession.objects.filter(among("pk")).values(newest=Subquery(of_table))


# Rows with annotations that no model declares.
SITTINGS: Compiled[Any] = Compiled(
    lambda _: (
        Sitting.objects.filter(among("session_id"), left_at__isnull=True)
        .annotate(covered=ExpressionWrapper(_COVERED, output_field=BooleanField()), followed=_FOLLOWED)
        .order_by("session_id", "seat")
    ),
    joined="player stack",
    added="covered followed",
    unread=" ".join(["recorded_at", *(f"stack__{at}" for at in ACCOUNT_TIMES)]),
)
DOWNS: Compiled[Any] = Compiled(
    lambda _: Down.objects.filter(pk__in=_newest(Down)).annotate(charged=Subquery(_CHARGED)),
    joined="rate",
    added="charged",
)
STOPS = Compiled(lambda _: ClockStop.objects.filter(among("session_id")).order_by("stopped_at"))
UNPAID: Compiled[Any] = Compiled(
    lambda _: Charge.objects.open().filter(among("session_id")).annotate(person=PERSON).order_by("pk"),
    joined="down rate",
    added="person",
)
FOLLOWING: Compiled[Any] = Compiled(
    lambda _: (
        _LEFT_OPEN.filter(
            uncollected__player__in=Player.objects.filter(Q(among("pk")) | Q(among("merged_into_id"))).values(
                "pk"
            )
        )
        .annotate(person=PERSON)
        .order_by("pk")
    ),
    joined="down rate session session__table uncollected",
    added="person",
)
"""The fees that these persons left open anywhere in the house, oldest first (R51)."""
ROUNDS: Compiled[Any] = Compiled(
    lambda _: Round.objects.filter(pk__in=_newest(Round)).annotate(
        by_hand=Exists(Settlement.objects.filter(round=OuterRef("pk"), by_hand=True)), dealt=Subquery(_DEALT)
    ),
    added="by_hand dealt",
)


@dataclass(frozen=True, slots=True)
class TableRows:
    """One table's rows. `following` are unpaid charges of other tables, of people who sit here (R51)."""

    sittings: Sequence[Values]
    downs: Sequence[Values]
    stops: Sequence[Values]
    unpaid: Sequence[Values]
    rounds: Sequence[Values]
    following: Sequence[Values]


def ids_in(listed: str | None) -> list[int]:
    """Return the ids in a comma-separated text."""
    return [int(pk) for pk in listed.split(",")] if listed else []


def oldest_first(*charges: Iterable[Any]) -> list[Any]:
    """Return charges in the order in which they fell due (R51)."""
    return sorted(chain(*charges), key=lambda charge: charge.pk)


def open_charges(session_id: int, person_id: int) -> list[Any]:
    """Return a person's open charges at a table and followed to it, oldest first (R51)."""
    here = [one for one in UNPAID.rows([session_id]) if one.person == person_id and one.is_owed()]
    left = [charge for charge in FOLLOWING.rows([person_id]) if charge.session_id != session_id]
    return oldest_first(here, left)


def read_rows(session_ids: Collection[int]) -> dict[int, TableRows]:
    """Return the rows of each of these tables, in five queries; six if a fee followed a player."""
    ids = list(session_ids)
    read = [_by_table(query, ids) for query in (SITTINGS, DOWNS, STOPS, UNPAID, ROUNDS)] if ids else []
    if ids:
        read.append(_following(read[0]))
    return {pk: TableRows(*(rows.get(pk, ()) for rows in read)) for pk in ids}


def _following(sittings: Mapping[int, Sequence[Values]]) -> dict[int, list[Values]]:
    followed, player = SITTINGS.column("followed"), SITTINGS.column("player_id")
    sits_at = {row[player]: pk for pk, rows in sittings.items() for row in rows if row[followed]}
    if not sits_at:
        return {}
    person, session = FOLLOWING.column("person"), FOLLOWING.column("session_id")
    rows_of: defaultdict[int, list[Values]] = defaultdict(list)
    for values in FOLLOWING.values(list(sits_at)):
        at = sits_at[values[person]]
        if values[session] != at:
            rows_of[at].append(values)
    return rows_of


def _by_table(query: Compiled[Any], ids: list[int]) -> dict[int, list[Values]]:
    column = query.column("session_id")
    rows_of: dict[int, list[Values]] = {}
    for values in query.values(ids):
        rows_of.setdefault(values[column], []).append(values)
    return rows_of


class Fresh(NamedTuple):
    """What an act knows of the round it started or settled, so that nobody reads it again. `hands` by
    position with players; if settled, also the deal and the score."""

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
