"""What the house lacks before its first table opens, in sentences that say who does what."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Count, Exists, IntegerField, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from ledger.chart import AccountKind, Asset
from ledger.journal.days import gaming_day
from ledger.journal.particulars import houses
from ledger.rights import COUNT_BOXES, KEEP_EXCLUSIONS, READ_BOOKS, WORK_CAGE
from tables.collection.waivers import reasons_in_force
from tables.floor import games
from tables.models import Rate, Table
from tables.rights import DEAL, MANAGE_HOUSE, RUN_FLOOR

# How many people a night needs with each right, their role, and what for.
PEOPLE = (
    (RUN_FLOOR, 2, "the floor", "what one asks for, the other approves"),
    (DEAL, 1, "the tables, as dealer", "nobody else deals"),
    (WORK_CAGE, 1, "the cage", "a cashier keeps its float and signs the boxes off"),
    (COUNT_BOXES, 2, "the count room", "each drop box is counted twice"),
    (KEEP_EXCLUSIONS, 1, "compliance", "somebody keeps the exclusion list"),
)
LEFT_THE_HOUSE = ("checkpoint_taken", "exported")


@dataclass(frozen=True, slots=True)
class Lack:
    """One thing the house lacks; any one of the rights is enough to see to it."""

    code: str
    sentence: str
    rights: tuple[str, ...]


# Checked before the people, and after them.
FIRST = (
    Lack("tables", "The house has no tables: a manager must enter them.", (MANAGE_HOUSE,)),
    Lack(
        "authorised",
        "No tables are authorised: a manager must enter how many the licence allows.",
        (MANAGE_HOUSE,),
    ),
    Lack(
        "sheets",
        "No game sheet can be used: the games page shows the server's administrator why.",
        (MANAGE_HOUSE,),
    ),
    Lack("rates", "No collection rate is in force: a manager must publish one.", (MANAGE_HOUSE,)),
    Lack("reasons", "No reason for waiving a fee is published: a manager must publish one.", (MANAGE_HOUSE,)),
)
THEN = (
    Lack(
        "terminals",
        "No device takes PINs: the floor must enrol those on which people type one.",
        (RUN_FLOOR, MANAGE_HOUSE),
    ),
    Lack("chips", "The cage has no chips: the cashier must stock it, with a second person.", (WORK_CAGE,)),
    Lack("checkpoint", "No checkpoint has left the house: take one, and keep it elsewhere.", (READ_BOOKS,)),
)
UNCOUNTED = FIRST + THEN
"""What is there or not; of people it is said how many."""
_above: dict[str, Callable[[], QuerySet[Any]]] = {}


def register(code: str, rows: Callable[[], QuerySet[Any]]) -> None:
    """Register rows of an app above the floor, of which the house needs at least one. Call it in
    AppConfig.ready."""
    _above[code] = rows


@dataclass(frozen=True, slots=True)
class Readiness:
    """The things that are `there`, by code, and the number of `people` with each right of `PEOPLE`."""

    there: Mapping[str, bool]
    people: tuple[int, ...]
    without_pin: int


def lacks(site: Any, now: datetime) -> list[Lack]:
    """Return what the house lacks, in the order to see to it."""
    return list(lacking(readiness(site, now)))


def lacking(ready: Readiness) -> Iterator[Lack]:
    """Yield what a house of this readiness lacks. Pure."""
    yield from (lack for lack in FIRST if not ready.there[lack.code])
    for (_, wanted, where, why), there in zip(PEOPLE, ready.people, strict=True):
        if there < wanted:
            needed = "1 person" if wanted == 1 else f"{wanted} people"
            sentence = f"{there} of {needed} for {where}: {why}."
            yield Lack("staff", sentence, (MANAGE_HOUSE,))
    if ready.without_pin:
        sentence = f"{ready.without_pin} people of the floor, the cage and the dealers have no PIN."
        if ready.without_pin == 1:
            sentence = "1 person of the floor, the cage and the dealers has no PIN."
        yield Lack("pins", sentence, (MANAGE_HOUSE,))
    yield from (lack for lack in THEN if not ready.there[lack.code])


def readiness(site: Any, now: datetime) -> Readiness:
    """Read how ready a house is: one query for all but the games."""
    staff = get_user_model()._default_manager.filter(is_active=True)
    people = [_count(_with(staff, right)) for right, *_ in PEOPLE]
    stored = {
        "tables": Table.objects.filter(site=site, retired_at__isnull=True),
        "rates": Rate.objects.filter(site=site, effective_from__lte=gaming_day(site, now)),
        "reasons": reasons_in_force(site, now),
        "chips": site.accounts.filter(kind=AccountKind.VAULT, asset=Asset.CHIPS, balance_cents__gt=0),
        "checkpoint": site.events.filter(kind__in=LEFT_THE_HOUSE),
        **{code: rows() for code, rows in _above.items()},
    }
    read = (
        houses()
        .filter(pk=site.pk)
        .annotate(
            without_pin=_count(_with(staff.filter(pin=""), RUN_FLOOR, DEAL, WORK_CAGE)),
            **{f"has_{code}": Exists(rows) for code, rows in stored.items()},
            **{f"people_{at}": counted for at, counted in enumerate(people)},
        )
    )
    row: Mapping[str, Any] = read.values().get()
    sheets = games.offered_games(site)
    there = {code: row[f"has_{code}"] for code in stored} | {
        "authorised": row["authorised_tables"] > 0,
        "sheets": len(games.changed_games(sheets)) < len(sheets),
    }
    counted = tuple(row[f"people_{at}"] for at in range(len(people)))
    return Readiness(there, counted, row["without_pin"])


def _with(staff: Any, *rights: str) -> Any:
    wanted = Q()
    for right in rights:
        app, _, code = right.partition(".")
        wanted |= Q(groups__permissions__codename=code, groups__permissions__content_type__app_label=app)
    return staff.filter(wanted)


def _count(people: Any) -> Any:
    """Count distinct people, inside another query."""
    counted = people.order_by().values("is_active").annotate(n=Count("pk", distinct=True)).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), Value(0))
