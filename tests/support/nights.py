"""Simulated nights for tests: `play_a_night(site, tables=1, hours=1, seed=1)`."""

from datetime import UTC, datetime, timedelta

from casino import roles
from casino.demo.nights.house import SimulatedHouse
from casino.demo.nights.plan import play_night
from casino.models import Staff

CREW = {"floor": "floor", "floor2": "floor", "dealer": "dealer", "cashier": "cashier"}
END = datetime(2026, 3, 8, 5, 0, tzinfo=UTC)


def hire_crew() -> None:
    """Employ the staff a night needs, unless the cast has them."""
    for username, role in CREW.items():
        if not Staff.objects.filter(username=username).exists():
            roles.assign(Staff.objects.create_user(username), role)


def play_a_night(
    site, tables=1, hours=1, seed=1, end: datetime = END, *, leave_open=False, watch=None, sheets=()
) -> SimulatedHouse:
    """Play a night that ends about `end`, with up to an hour of cashing out unless `leave_open`. The site
    counts as a demo here. The same arguments play the same night."""
    site.demo = True
    hire_crew()
    house = SimulatedHouse(site=site, seed=seed, start=end - timedelta(hours=hours), watch=watch)
    play_night(house, tables=tables, hours=hours, leave_open=leave_open, sheets=sheets)
    return house
