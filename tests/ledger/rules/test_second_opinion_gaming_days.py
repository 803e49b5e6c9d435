"""Gaming days by a slow second opinion: looking at the clock on the wall, minute by minute."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import example, given, strategies as st

from ledger.rules.gaming_days import Clock, bounds_of, day_of

MINUTE = timedelta(minutes=1)
ZONES = (
    "America/Los_Angeles",
    "America/Havana",
    "Australia/Lord_Howe",
    "Europe/London",
    "Asia/Kathmandu",
    "UTC",
)
clocks = st.builds(Clock, st.sampled_from(ZONES).map(ZoneInfo), st.integers(0, 23))
moments = st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
LOS_ANGELES = ZoneInfo("America/Los_Angeles")


def on_the_wall(at: datetime, clock: Clock) -> date:
    """The newest day whose hour the clock has shown by then: going back an hour in autumn undoes no day."""
    shown = (at - MINUTE * back for back in range(121))
    walls = (moment.astimezone(clock.zone) for moment in shown)
    return max(wall.date() - timedelta(days=wall.hour < clock.starts_at) for wall in walls)


@given(moments, clocks)
@example(datetime(2026, 11, 1, 9, 30, tzinfo=UTC), Clock(LOS_ANGELES, 1))  # the second 1:30 of that night
@example(
    datetime(2026, 3, 8, 9, 59, tzinfo=UTC), Clock(LOS_ANGELES, 2)
)  # the last minute before 2:00, which is skipped
@example(datetime(2026, 3, 8, 10, 0, tzinfo=UTC), Clock(LOS_ANGELES, 2))
def test_the_day_of_a_moment_is_what_the_wall_says(at, clock):
    at = at.replace(second=0, microsecond=0)
    assert day_of(at, clock) == on_the_wall(at, clock)


@given(moments, clocks)
@example(datetime(2026, 10, 31, 12, tzinfo=UTC), Clock(LOS_ANGELES, 6))  # 25 hours
@example(datetime(2026, 3, 7, 12, tzinfo=UTC), Clock(LOS_ANGELES, 6))  # 23 hours
def test_a_day_begins_with_the_minute_in_which_the_wall_says_so(at, clock):
    start, end = bounds_of(at.date(), clock)
    assert on_the_wall(start, clock) == at.date() == on_the_wall(end - MINUTE, clock)
    assert on_the_wall(start - MINUTE, clock) < at.date() < on_the_wall(end, clock)
