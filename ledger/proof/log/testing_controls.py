"""Test the house's controls over closed gaming days, by the lines of papers made from sealed records, and
note the result under a number. The offline check repeats each test."""

import csv
import io
from collections.abc import Callable
from datetime import date
from typing import IO, Any

from django.db import transaction

from ledger.errors import BadPeriod, DayNotClosed, NotSealed
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.journal.posting import lock_house
from ledger.models import HouseEvent, Site
from ledger.papers.controls import Control, ControlsPaper, Passes, table_digest
from ledger.papers.paper import declared
from ledger.proof.log.exporting import papers_taken
from ledger.proof.log.forms import Written
from ledger.rights import TEST_CONTROLS, require

KIND = HouseEvent.Kind.CONTROLS_TESTED
ClosedDays = tuple[date, date]
Progress = Callable[[int, int], None]
Line = dict[str, str]


def require_tester(site: Site, days: ClosedDays, act: Act) -> None:
    """Raise NotAllowed, BadPeriod, or DayNotClosed: a result must not change any more."""
    require(act.actor, TEST_CONTROLS)
    first, last = days
    if first > last:
        raise BadPeriod("The first day must not be after the last day.", field="first")
    if not site.closed_days.filter(gaming_day=last).exists():
        raise DayNotClosed(f"Gaming day {last} is not closed: test up to a closed day.", field="last")


def write_test(out: IO[bytes], *, site: Site, days: ClosedDays, progress: Progress, act: Act) -> Written:
    """Test all controls, note it under the act's key, and write the paper of controls. Raises NotAllowed,
    BadPeriod, DayNotClosed, NotSealed."""
    require_tester(site, days, act)
    name = ControlsPaper.name
    with papers_taken(site, days, only={name}, progress=progress, now=act.now) as taken:
        data, leaves = taken.files[name].read(), taken.signed.size
    lines = _lines(data)
    _note(site, days, lines, act)
    out.write(data)
    return Written(len(lines), leaves)


def test_control(control: Control, *, site: Site, days: ClosedDays, act: Act) -> HouseEvent:
    """Test one control, and note it. Raises NotAllowed, BadPeriod, DayNotClosed, NotSealed, KeyReused."""
    require_tester(site, days, act)
    lines, _ = found(site, days, control, act=act)
    return _note(site, days, [line for line in lines if line["control"] == control.code], act)


def found(
    site: Site, days: tuple[date | None, date | None], control: Control | None = None, *, act: Act
) -> tuple[list[Line], list[Line]]:
    """Return the lines of the paper of controls for some days, and those of its evidence that are against
    one control; both empty if nothing was recorded then. Raises BadPeriod if the days are turned round."""
    paper = next((one for one in declared(players=True) if control and one.name == control.evidence), None)
    only = {ControlsPaper.name} | ({paper.name} if paper else set())
    try:
        with papers_taken(site, days, only=only, now=act.now) as taken:
            lines = _lines(taken.files[ControlsPaper.name].read())
            evidence = _lines(taken.files[paper.name].read()) if paper else []
    except NotSealed:
        return [], []
    if control is None or control.passes not in (Passes.EACH, Passes.NONE):
        return lines, []
    return lines, [one for one in evidence if control.is_of(one) and control.is_against(one)]


def last_tests(site: Site) -> dict[str, tuple[HouseEvent, Line]]:
    """Return the newest recorded test of each control, by its code, with its result."""
    newest: dict[str, tuple[HouseEvent, Any]] = {}
    for event in site.events.filter(kind=KIND).select_related("actor").order_by("pk"):
        newest |= {one["control"]: (event, one) for one in event.data["tests"]}
    return newest


def closed_quarter(site: Site) -> tuple[date, date] | None:
    """Return the days to test now: of the newest closed day's quarter, those up to it; None before any."""
    newest = site.closed_days.order_by("-gaming_day").first()
    if newest is None:
        return None
    last: date = newest.gaming_day
    return last.replace(month=(last.month - 1) // 3 * 3 + 1, day=1), last


def _lines(data: bytes) -> list[Line]:
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def _note(site: Site, days: ClosedDays, lines: list[Line], act: Act) -> HouseEvent:
    first, last = map(str, days)
    tests = [
        {"control": one["control"], "outcome": one["outcome"]}
        | {name: int(one[name]) for name in ("tested", "failed")}
        for one in lines
    ]
    with transaction.atomic():
        lock_house(site)
        if earlier := house_events.noted_before(site, KIND, act, {"from_day": first, "to_day": last}):
            return earlier
        return house_events.note(
            site,
            KIND,
            act=act,
            number=house_events.next_number(site, KIND),
            from_day=first,
            to_day=last,
            table=table_digest(),
            tests=tests,
            key=act.key,
        )
