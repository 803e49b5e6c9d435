"""The particulars of the house (name, licence, clock, limits), checked and recorded with their old values."""

import re
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any
from zoneinfo import available_timezones

from django.db import transaction
from django.db.models import Q, QuerySet

from ledger.errors import BadAmount, BadLicence, BadParticulars, BadTimeZone
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.journal.posting import checked_text, lock_house
from ledger.journal.records import moment
from ledger.jurisdiction import Jurisdiction, jurisdiction
from ledger.models import AuditLog, HouseEvent, Site
from ledger.money import dollars
from ledger.records.house import CLOCKS
from ledger.rules.box_custody import drop_times
from ledger.rules.denominations import parse_values, value_text
from ledger.rules.gaming_days import MOST_SHIFTS
from ledger.rules.local_time import Offsets, offsets_of

NAME_LENGTH, LICENCE_LENGTH, CHIPS_LENGTH, ORIGIN_LENGTH, TIMES_LENGTH = 100, 60, 200, 200, 60
MOST = 32767  # the largest value of a small column
MOST_CONFIRMED = 10_000_000  # cents; a question that comes later asks nobody
HOURS = range(24)
SHIFTS = range(1, MOST_SHIFTS + 1)
# A host name and a path in lower case, without spaces and plus signs, which a signature line cannot have.
_ORIGIN = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*(/[a-z0-9._-]+)+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Particulars:
    """A house as a manager describes it. `day_starts_at` is a local hour, other numbers are counts or
    minutes. `chip_values` are the house's chips, as "0.50 1 5 25". Empty chips, and 0 for the two amounts,
    mean the jurisdiction's usual ones."""

    name: str
    licence: str
    jurisdiction: str
    time_zone: str
    day_starts_at: int
    authorised_tables: int
    return_minutes: int = 120
    hold_minutes: int = 10
    chip_values: str = ""
    shifts: int = 1
    box_seals: bool = False
    drop_times: str = ""
    confirm_from_cents: int = 0
    patron_from_cents: int = 0


NAMES = house_events.PARTICULARS


def houses() -> QuerySet[Site]:
    """Return every house of this database; it serves the first."""
    return Site.objects.order_by("pk")


@cache
def time_zones() -> tuple[str, ...]:
    """Return the names of the time zones to choose from: every place in the zone database, and UTC."""
    return tuple(sorted(zone for zone in available_timezones() if "/" in zone or zone == "UTC"))


def particulars_of(site: Site) -> Particulars:
    return Particulars(**{name: getattr(site, name) for name in NAMES})


def checked(given: Particulars) -> Particulars:
    """Return the particulars in their stored form: texts trimmed, chips once each from the smallest. Raises
    BadParticulars, BadLicence, BadTimeZone, BadAmount."""
    given = replace(given, name=given.name.strip(), licence=given.licence.strip())
    given = replace(given, chip_values=_chips(given.chip_values))
    given = replace(given, drop_times=" ".join(given.drop_times.split()))
    checked_text(given.drop_times, TIMES_LENGTH, "drop_times", empty=True)
    checked_text(given.name, NAME_LENGTH, "name")
    checked_text(given.licence, LICENCE_LENGTH, "licence", empty=True)
    checked_text(given.chip_values, CHIPS_LENGTH, "chip_values", empty=True)
    if not any(one.isascii() and one.isalnum() for one in given.licence):
        raise BadLicence("The licence is missing: enter its number, as GEGE-001234.", field="licence")
    if given.time_zone not in available_timezones():
        raise BadTimeZone(
            f"There is no time zone {given.time_zone[:60]!r}: choose one from the list, as"
            " America/Los_Angeles.",
            field="time_zone",
        )
    try:
        law = jurisdiction(given.jurisdiction)
    except KeyError:
        raise BadParticulars(
            f"The program knows no jurisdiction {given.jurisdiction[:20]!r}.", field="jurisdiction"
        ) from None
    if given.day_starts_at not in HOURS:
        raise BadParticulars("A gaming day starts at an hour from 0 to 23.", field="day_starts_at")
    if given.shifts not in SHIFTS:
        raise BadParticulars(f"A gaming day has from 1 to {MOST_SHIFTS} shifts.", field="shifts")
    try:
        drop_times(given.drop_times)
    except ValueError as error:
        raise BadParticulars(str(error), field="drop_times") from error
    for name in ("authorised_tables", "return_minutes", "hold_minutes"):
        if not 0 <= getattr(given, name) <= MOST:
            raise BadParticulars(f"This number is from 0 to {MOST}.", field=name)
    if not 0 <= given.patron_from_cents <= law.patron_from:
        raise BadParticulars(
            f"{law.title} asks who it is from {dollars(law.patron_from)} on. A house may ask sooner, not"
            " later.",
            field="patron_from_cents",
        )
    if not 0 <= given.confirm_from_cents <= MOST_CONFIRMED:
        raise BadParticulars(
            f"The window asks once more from {dollars(MOST_CONFIRMED)} on at the latest.",
            field="confirm_from_cents",
        )
    return given


def limits_of(site: Site) -> Jurisdiction:
    """Return the limits of a house's jurisdiction, with the amounts that the house has set for its window."""
    law = jurisdiction(site.jurisdiction)
    return replace(
        law,
        confirm_from=site.confirm_from_cents or law.confirm_from,
        patron_from=site.patron_from_cents or law.patron_from,
    )


def checked_origin(origin: str) -> str:
    """Return the stored form of an audit log's name. Raises BadParticulars."""
    origin = origin.strip().lower()
    if len(origin) > ORIGIN_LENGTH or not _ORIGIN.fullmatch(origin):
        raise BadParticulars(
            "The audit log's name is a name of the house's own and a path, as tables.example.com/log.",
            field="origin",
        )
    return origin


def _chips(text: str) -> str:
    if not text.strip():
        return ""
    try:
        return " ".join(value_text(value).removeprefix("$") for value in parse_values(text))
    except BadAmount as error:
        raise BadAmount(error.message, field="chip_values") from error


def open_house(*, particulars: Particulars, origin: str, act: Act) -> Site:
    """Write the house's row with its first record, and the permanent name of its audit log. The caller has
    checked that there is no house yet. Raises what `checked` and `checked_origin` raise."""
    with transaction.atomic():
        # In bulk, which sends no signal: its receivers would record the house a second time, without an
        # actor.
        (site,) = Site.objects.bulk_create([Site(**asdict(checked(particulars)))])
        AuditLog.objects.create(site=site, origin=checked_origin(origin))
        house_events.note_particulars(site, act=act, opened=True)
    return site


def change_house(*, site: Site, particulars: Particulars, act: Act) -> dict[str, Any]:
    """Change the house's row and record the old values; return those of the particulars that changed. Nothing
    is written if nothing changes. Raises what `checked` raises."""
    wanted = checked(particulars)
    with transaction.atomic():
        lock_house(site)
        site.refresh_from_db()
        old, new = asdict(particulars_of(site)), asdict(wanted)
        before = {name: old[name] for name in NAMES if old[name] != new[name]}
        if before:
            for name in before:
                setattr(site, name, new[name])
            Site.objects.filter(pk=site.pk).update(**{name: new[name] for name in before})
            house_events.note_particulars(site, act=act, opened=False, before=before)
    return before


def offsets_until(site: Site, until: datetime) -> Offsets:
    events = HouseEvent.objects.filter(site=site, kind__in=CLOCKS).order_by("pk")
    zones = ((moment(at), str(data["time_zone"])) for at, data in events.values_list("recorded_at", "data"))
    return offsets_of(zones, moment(until))


def of_the_house(path: str = "site") -> Q:
    """Return the filter for rows of this house: `path` leads to their site."""
    return Q(**{path: houses().values("pk")[:1]})
