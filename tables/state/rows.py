"""Read the rows behind the state of one table, or of all tables, in five queries.

They stay plain values until a model instance is needed: comparing two reads needs no instances, and most of the time
nothing has changed.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

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
from tables.models import Charge, ClockStop, Down, Hand, Round, Settlement, Sitting, TableSession
from tables.state.persons import PERSON

Values = Sequence[Any]
ACCOUNT_TIMES = ("opened_at", "sealed_at", "closed_at")
"""When an account was created and ended: never needed here, and timestamps are the slowest columns to read."""


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
_CHARGED = Charge.objects.filter(down=OuterRef("pk")).values("down").values(pks=_Listed(PERSON))
_DEALT = (
    Hand.objects.filter(round=OuterRef("pk")).order_by().values("round").values(pks=_Listed("sitting_id"))
)


def _newest(model: type[Model]) -> QuerySet[TableSession, Any]:
    """Return the newest down or round of each requested table."""
    of_table = model._default_manager.filter(session=OuterRef("pk")).order_by("-number").values("pk")[:1]
    return TableSession.objects.filter(among("pk")).values(newest=Subquery(of_table))


# Rows with what was asked for besides, which no model declares.
SITTINGS: Compiled[Any] = Compiled(
    lambda _: (
        Sitting.objects.filter(among("session_id"), left_at__isnull=True)
        .annotate(covered=ExpressionWrapper(_COVERED, output_field=BooleanField()))
        .select_related("player", "stack")
        .defer("recorded_at", *(f"stack__{at}" for at in ACCOUNT_TIMES))
        .order_by("session_id", "seat")
    )
)
DOWNS: Compiled[Any] = Compiled(
    lambda _: (
        Down.objects.filter(pk__in=_newest(Down)).annotate(charged=Subquery(_CHARGED)).select_related("rate")
    )
)
STOPS = Compiled(lambda _: ClockStop.objects.filter(among("session_id")).order_by("stopped_at"))
UNPAID: Compiled[Any] = Compiled(
    lambda _: (
        Charge.objects.open()
        .filter(among("session_id"))
        .annotate(person=PERSON)
        .select_related("down", "rate")
        .order_by("down__number", "pk")
    )
)
ROUNDS: Compiled[Any] = Compiled(
    lambda _: Round.objects.filter(pk__in=_newest(Round)).annotate(
        by_hand=Exists(Settlement.objects.filter(round=OuterRef("pk"), by_hand=True)),
        dealt=Subquery(_DEALT),
    )
)


@dataclass(frozen=True, slots=True)
class TableRows:
    """One table's rows: its sittings, newest down, clock stops, unpaid charges and newest round."""

    sittings: Sequence[Values]
    downs: Sequence[Values]
    stops: Sequence[Values]
    unpaid: Sequence[Values]
    rounds: Sequence[Values]

    def seated(self) -> list[Sitting]:
        """The sittings at the table by seat, with `player`, `stack` and `covered`."""
        return SITTINGS.made(self.sittings)

    def latest_down(self) -> tuple[Down | None, set[int]]:
        """The newest down with its `rate`, and the persons who have been charged for it."""
        for down in DOWNS.made(self.downs):
            return down, set(_ids(down.charged))
        return None, set()

    def clock_stops(self) -> list[ClockStop]:
        """The clock stops in order."""
        return STOPS.made(self.stops)

    def open_charges(self) -> list[Any]:
        """The charges not yet taken, by down, each with its `down` and `rate`, and the `person` who owes it."""
        return UNPAID.made(self.unpaid)

    def last_round(self) -> tuple[Round | None, list[int]]:
        """The newest round with `by_hand`, and the sitting of each hand dealt in it."""
        for round_ in ROUNDS.made(self.rounds):
            return round_, _ids(round_.dealt)
        return None, []


def _ids(listed: str | None) -> list[int]:
    return [int(pk) for pk in listed.split(",")] if listed else []


def read_rows(session_ids: Collection[int]) -> dict[int, TableRows]:
    """Return the rows of each of these tables, in five queries however many there are."""
    ids = list(session_ids)
    read = [_by_table(query, ids) for query in (SITTINGS, DOWNS, STOPS, UNPAID, ROUNDS)] if ids else []
    return {pk: TableRows(*(rows.get(pk, ()) for rows in read)) for pk in ids}


def _by_table(query: Compiled[Any], ids: list[int]) -> dict[int, list[Values]]:
    column = query.column("session_id")
    found: dict[int, list[Values]] = {}
    for values in query.values(ids):
        found.setdefault(values[column], []).append(values)
    return found
