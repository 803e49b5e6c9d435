"""What the house still lacks before its first table opens, in sentences that say who does what next."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.apps import apps
from django.contrib.auth import get_user_model
from django.db.models import Count, Exists, IntegerField, Q, Subquery, Value
from django.db.models.functions import Coalesce

from ledger.chart import AccountKind, Asset
from ledger.journal.days import gaming_day
from ledger.rights import COUNT_BOXES, KEEP_EXCLUSIONS, READ_BOOKS, WORK_CAGE
from tables.collection.waivers import reasons_in_force
from tables.floor import games
from tables.models import Rate, Table
from tables.rights import DEAL, MANAGE_HOUSE, RUN_FLOOR

NO_TABLES = "The house has no tables: a manager must enter them."
NONE_AUTHORISED = "No tables are authorised: a manager must enter how many the licence allows."
NO_SHEET = "No game sheet can be used: the games page shows the server's administrator why."
NO_RATE = "No collection rate is in force: a manager must publish one."
NO_CHIPS = "The cage has no chips: the cashier must stock it, with a second person."
NO_REASON = "No reason for waiving a fee is published: a manager must publish one."
NO_TERMINAL = "No device takes PINs: the floor must enrol those on which people type one."
NO_CHECKPOINT = "No checkpoint has left the house: take one, and keep it elsewhere."
# How many people a night needs with each right, who they are, and what for.
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
    """One thing that the house lacks, and the rights of which one is enough to see to it."""

    code: str
    sentence: str
    rights: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Readiness:
    """How ready a house is. `people` are how many work here with each right of `PEOPLE`."""

    tables: bool
    authorised: int
    sheets: bool
    rates: bool
    reasons: bool
    people: tuple[int, ...]
    without_pin: int
    terminals: bool
    chips_cents: int
    checkpoint: bool


def lacks(site: Any, now: datetime) -> list[Lack]:
    """Return what the house lacks, in the order in which it is seen to; empty once it is ready."""
    return list(lacking(readiness(site, now)))


def lacking(ready: Readiness) -> Iterator[Lack]:
    """Yield what a house of this readiness lacks. Pure."""
    if not ready.tables:
        yield Lack("tables", NO_TABLES, (MANAGE_HOUSE,))
    if not ready.authorised:
        yield Lack("authorised", NONE_AUTHORISED, (MANAGE_HOUSE,))
    if not ready.sheets:
        yield Lack("sheets", NO_SHEET, (MANAGE_HOUSE,))
    if not ready.rates:
        yield Lack("rates", NO_RATE, (MANAGE_HOUSE,))
    if not ready.reasons:
        yield Lack("reasons", NO_REASON, (MANAGE_HOUSE,))
    for (_, wanted, where, why), there in zip(PEOPLE, ready.people, strict=True):
        if there < wanted:
            sentence = f"{there} of {wanted} {'person' if wanted == 1 else 'people'} for {where}: {why}."
            yield Lack("staff", sentence, (MANAGE_HOUSE,))
    if ready.without_pin:
        some = "1 person" if ready.without_pin == 1 else f"{ready.without_pin} people"
        verb = "has" if ready.without_pin == 1 else "have"
        yield Lack("pins", f"{some} of the floor, the cage and the dealers {verb} no PIN.", (MANAGE_HOUSE,))
    if not ready.terminals:
        yield Lack("terminals", NO_TERMINAL, (RUN_FLOOR, MANAGE_HOUSE))
    if ready.chips_cents <= 0:
        yield Lack("chips", NO_CHIPS, (WORK_CAGE,))
    if not ready.checkpoint:
        yield Lack("checkpoint", NO_CHECKPOINT, (READ_BOOKS,))


def readiness(site: Any, now: datetime) -> Readiness:
    """Read how ready a house is: one query for all but the games, which have theirs."""
    staff = get_user_model()._default_manager.filter(is_active=True)
    chips = site.accounts.filter(kind=AccountKind.CAGE, asset=Asset.CHIPS)
    rights = [right for right, *_ in PEOPLE]
    types = {f"people_{at}": _count(_with(staff, right)) for at, right in enumerate(rights)}
    row = (
        type(site)
        ._default_manager.filter(pk=site.pk)
        .annotate(
            has_tables=Exists(Table.objects.filter(site=site, retired_at__isnull=True)),
            has_rates=Exists(Rate.objects.filter(site=site, effective_from__lte=gaming_day(site, now))),
            has_reasons=Exists(reasons_in_force(site, now)),
            has_checkpoint=Exists(site.events.filter(kind__in=LEFT_THE_HOUSE)),
            has_terminals=Exists(apps.get_model("casino", "Terminal").objects.filter(revoked_at=None)),
            without_pin=_count(_with(staff.filter(pin=""), RUN_FLOOR, DEAL, WORK_CAGE)),
            chips=Coalesce(Subquery(chips.values("balance_cents")[:1]), Value(0)),
            **types,
        )
        .values()
        .get()
    )
    sheets = games.offered_games(site)
    return Readiness(
        tables=row["has_tables"],
        authorised=row["authorised_tables"],
        sheets=len(games.changed_games(sheets)) < len(sheets),
        rates=row["has_rates"],
        reasons=row["has_reasons"],
        people=tuple(row[f"people_{at}"] for at in range(len(rights))),
        without_pin=row["without_pin"],
        terminals=row["has_terminals"],
        chips_cents=row["chips"],
        checkpoint=row["has_checkpoint"],
    )


def _with(staff: Any, *rights: str) -> Any:
    """Those who have one of these rights, each written `app.right`."""
    wanted = Q()
    for right in rights:
        app, _, code = right.partition(".")
        wanted |= Q(groups__permissions__codename=code, groups__permissions__content_type__app_label=app)
    return staff.filter(wanted)


def _count(people: Any) -> Any:
    """How many different people these are, inside another query."""
    counted = people.order_by().values("is_active").annotate(n=Count("pk", distinct=True)).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), Value(0))
