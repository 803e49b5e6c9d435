"""Local time by a list of offsets equals that of the time zone, even when the house moved or clocks
change."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pytest
from hypothesis import given, strategies as st

from ledger.rules.local_time import LocalTime, offsets_of

LA, TOKYO = "America/Los_Angeles", "Asia/Tokyo"
OPENED, MOVED, NOW = (f"{day}T20:10:00.000000Z" for day in ("2026-02-01", "2027-05-05", "2029-01-01"))
HOUSE = offsets_of([(OPENED, LA), (MOVED, TOKYO)], NOW)


@given(st.integers(0, 3 * 365 * 24 * 60 * 60 - 1))
def test_it_is_what_the_clocks_of_the_house_showed(second):
    at = datetime(2026, 1, 2, tzinfo=UTC) + timedelta(seconds=second)
    text = f"{at:%Y-%m-%dT%H:%M:%S.%fZ}"
    zone = ZoneInfo(LA if text[:16] < MOVED[:16] else TOKYO)
    assert LocalTime(HOUSE).of(text) == at.astimezone(zone).isoformat(timespec="microseconds")


def test_the_night_when_clocks_change_has_its_minute():
    assert offsets_of([(OPENED, LA)], "2026-12-01T00:00:00.000000Z") == (
        *(("", "-08:00"), ("2026-03-08T10:00", "-07:00"), ("2026-11-01T09:00", "-08:00")),
    )


@pytest.mark.parametrize(
    "at", [None, 5, "", "Z", "2026Z", "2026-13-01T00:00:00.000000Z", "2026-01-01T00:00:00.000000"]
)
def test_what_is_no_time_has_none(at):
    assert LocalTime(HOUSE).of(at) == ""
    assert LocalTime(()).of("2026-01-05T00:00:00.000000Z") == ""


@pytest.mark.parametrize("zone", ["Nowhere/At_All", "..", "", "None"])
def test_a_zone_that_this_computer_does_not_know_is_told(zone):
    with pytest.raises((ZoneInfoNotFoundError, ValueError)):
        offsets_of([(OPENED, zone)], NOW)
    assert offsets_of([], NOW) == ()
