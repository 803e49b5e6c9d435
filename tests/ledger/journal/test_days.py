"""A gaming day starts at the site's local hour, also when the clocks change."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, strategies as st

from ledger.journal.days import day_bounds, gaming_day
from ledger.models import Site

HOUSE = Site(name="Room", time_zone="America/Los_Angeles", day_starts_at=6)


@pytest.mark.parametrize(
    ("at", "day"),
    [
        (datetime(2026, 11, 22, 4, 0, tzinfo=UTC), date(2026, 11, 21)),  # Saturday, 20:00
        (datetime(2026, 11, 22, 13, 59, 59, tzinfo=UTC), date(2026, 11, 21)),  # Sunday, 05:59:59
        (datetime(2026, 11, 22, 14, 0, tzinfo=UTC), date(2026, 11, 22)),  # Sunday, 06:00
        (datetime(2026, 7, 1, 13, 0, tzinfo=UTC), date(2026, 7, 1)),  # in summer 06:00 is an hour earlier
    ],
)
def test_the_day_turns_at_six_in_the_morning(at, day):
    assert gaming_day(HOUSE, at) == day


def test_the_day_is_longer_or_shorter_when_the_clocks_change():
    spring, autumn, plain = (
        day_bounds(HOUSE, day) for day in (date(2026, 3, 7), date(2026, 10, 31), date(2026, 5, 1))
    )
    hours = [(end - start) / timedelta(hours=1) for start, end in (spring, autumn, plain)]
    assert hours == [23, 25, 24]


def test_a_moment_without_a_zone_is_no_moment():
    with pytest.raises(ValueError, match="time zone"):
        gaming_day(HOUSE, datetime(2026, 11, 22, 4, 0))  # noqa: DTZ001


@given(
    at=st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    hour=st.integers(0, 23),
    zone=st.sampled_from(["America/Los_Angeles", "America/New_York", "Europe/Berlin", "Asia/Macau", "UTC"]),
)
def test_every_moment_lies_within_its_own_day(at, hour, zone):
    site = Site(name="Room", time_zone=zone, day_starts_at=hour)
    start, end = day_bounds(site, gaming_day(site, at))
    assert start <= at < end
