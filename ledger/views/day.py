"""The house and the gaming day of a page: from its address, else today. Only views read the clock."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db import DatabaseError
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from ledger.db.compiled import Compiled
from ledger.journal.days import day_bounds, gaming_day
from ledger.models import Site
from ledger.proof.log.state import LogState, log_state
from ledger.views.fields import FIRST_DAY, LAST_DAY
from ledger.views.forms import DayForm

_SITE = Compiled(lambda _: Site.objects.order_by("pk")[:1])


def site_here() -> Site | None:
    return next(iter(_SITE.rows()), None)


def house(request: HttpRequest) -> dict[str, Any]:
    """Context processor: the house (also as `site`) and `audit_log`; None before set-up, queried if shown."""
    house = SimpleLazyObject(_house)
    return {"house": house, "site": house, "audit_log": SimpleLazyObject(lambda: _audit_log(house))}


def _house() -> Site | None:
    try:
        return site_here()
    except DatabaseError:  # the error page is made of the same templates
        return None


def _audit_log(house: Any) -> LogState | None:
    return log_state(house, timezone.now()) if house else None


@dataclass(frozen=True)
class Day:
    """A gaming day of the house. `form` is the picker, with its error if there is one."""

    site: Site
    day: date
    today: date
    form: DayForm

    @property
    def previous(self) -> date | None:
        return self.day - timedelta(days=1) if self.day > FIRST_DAY else None

    @property
    def next(self) -> date | None:
        return self.day + timedelta(days=1) if self.day < self.today else None

    @property
    def bounds(self) -> tuple[datetime, datetime]:
        """Start and end in UTC, half-open."""
        return day_bounds(self.site, self.day)

    @property
    def start(self) -> datetime:
        return self.bounds[0]

    @property
    def end(self) -> datetime:
        return self.bounds[1]

    @property
    def status(self) -> int:
        """200, or 400 for an unreadable day in the address."""
        return 400 if self.form.errors else 200


def the_site() -> Site:
    """Return the house of this database; 404 before it has been set up."""
    site = site_here()
    if site is None:
        raise Http404
    return site


def asked_day(request: HttpRequest, day: date | None = None) -> Day:
    """Return the gaming day in `?day=`, or the one given; today if missing or unreadable."""
    site = the_site()
    today = gaming_day(site, timezone.now())
    if day is not None and not FIRST_DAY <= day <= LAST_DAY:
        raise Http404
    form = DayForm(request.GET if request.GET.get("day") else {"day": (day or today).isoformat()})
    chosen = (form.cleaned_data["day"] if form.is_valid() else None) or day or today
    return Day(site, chosen, today, form)
