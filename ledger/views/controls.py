"""The house's controls: each with its last test, all tested in the background or one at once, and the rows
that are against one. Whoever reads the books reads them; testing is noted in the log."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from ledger.errors import BadPeriod
from ledger.papers.cells import heading
from ledger.papers.controls import Area, Control, ControlOutcome, controls
from ledger.papers.paper import declared
from ledger.proof.log import keeping_papers, testing_controls
from ledger.proof.log.forms import CSV, AskedPaper
from ledger.proof.log.testing_controls import Line, found, last_tests
from ledger.rights import READ_BOOKS, TEST_CONTROLS
from ledger.views.exceptions import MOST_DAYS
from ledger.views.fields import BooksForm, CalendarField
from ledger.views.forms import PeriodForm
from ledger.views.pages import FormPage, found_or_404
from ledger.views.terminal import act_of

OUTCOMES = {
    ControlOutcome.PASSED: ("Passed", "good"),
    ControlOutcome.FAILED: ("Failed", "bad"),
    ControlOutcome.NOTHING: ("Nothing to test", ""),
    ControlOutcome.NOT_KEPT: ("Not kept here", "warn"),
}
"""An outcome in words, and the kind of its badge."""
MOST_SHOWN = 100
"""How many rows against a control its page shows."""


class TestDaysForm(BooksForm):
    """Closed gaming days over which controls are tested."""

    __test__ = False  # not a test of pytest

    first = CalendarField(label="From gaming day")
    last = CalendarField(label="To gaming day")


class FewDaysForm(PeriodForm):
    """The days in which rows are looked for at once."""

    first = CalendarField(label="From gaming day")
    last = CalendarField(label="To gaming day")
    players = None  # type: ignore[assignment]

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or self.cleaned_data
        first, last = given.get("first"), given.get("last")
        if first and last and not timedelta() <= last - first < timedelta(MOST_DAYS):
            sentence = f"Look at {MOST_DAYS} days at once, the first day first; test all for more."
            self.add_error("last", ValidationError(sentence, code=BadPeriod.code))
        return given


@dataclass(frozen=True)
class ControlShown:
    """A control with its last test, if there was one; without evidence it is not kept here."""

    control: Control
    event: Any = None
    said: Line | None = None

    @property
    def source(self) -> str:
        """The title of the paper that is evidence, or which records are; empty without."""
        evidence = self.control.evidence
        title = next((one.title for one in declared(players=True) if one.name == evidence), "")
        return title or (evidence and f"Records: {evidence.rpartition(' ')[2].replace('_', ' ')}")

    @property
    def badge(self) -> tuple[str, str]:
        if not self.control.evidence:
            return OUTCOMES[ControlOutcome.NOT_KEPT]
        return _badge(self.said["outcome"]) if self.said else ("Never tested", "warn")


def _counts(shown: list[ControlShown]) -> list[tuple[str, str]]:
    """Return how many have each result, with the colour of its badge."""
    return [
        (f"{label}: {count}", kind)
        for label, kind in (*OUTCOMES.values(), ("Never tested", "warn"))
        if (count := sum(one.badge[0] == label for one in shown))
    ]


class ControlsPage(FormPage):
    """All controls by area; a test of all of them is made beside the night's work, and kept as a paper."""

    home = "controls"
    rights = (TEST_CONTROLS,)
    readers = (READ_BOOKS,)
    room = "books"
    template = "audit/controls.html"
    form_class = TestDaysForm

    def form(self, data: Any = None) -> TestDaysForm:
        days = testing_controls.closed_quarter(self.site)
        return TestDaysForm(data, initial=dict(zip(("first", "last"), days or (), strict=False)))

    def facts(self, form: Any) -> dict[str, Any]:
        newest = last_tests(self.site)
        shown = [ControlShown(one, *newest.get(one.code, ())) for one in controls()]
        by_area = {area: [one for one in shown if one.control.area == area] for area in Area}
        waiting = keeping_papers.to_make(self.site).filter(asked__data__paper=keeping_papers.TEST).first()
        return {
            "areas": [(area, some, _counts(some)) for area, some in by_area.items()],
            "counts": _counts(shown),
            "waiting": waiting,
            "progress": keeping_papers.progress_of(waiting) if waiting else None,
            "closed": bool(form.initial),
            "may_test": self.request.user.has_perm(TEST_CONTROLS),
        }

    def do(self, form: Any) -> str:
        days = form.cleaned_data["first"], form.cleaned_data["last"]
        asked = AskedPaper(keeping_papers.TEST, CSV, days, False)
        paper = keeping_papers.ask(site=self.site, asked=asked, act=self.act(form))
        return f"All controls are being tested, as {paper}."


class ControlPage(FormPage):
    """One control: what it says, its last test, and the rows of some days that are against it."""

    rights = (TEST_CONTROLS,)
    readers = (READ_BOOKS,)
    room = "books"
    template = "audit/control.html"
    form_class = TestDaysForm

    def find(self, *, control: str) -> None:
        self.control = found_or_404(next((one for one in controls() if one.code == control), None))

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        return self.shown(TestDaysForm(initial=self._days_asked()))

    def _days_asked(self) -> dict[str, Any]:
        asked = {name: self.request.GET[name] for name in ("first", "last") if name in self.request.GET}
        days = testing_controls.closed_quarter(self.site)
        if asked or days is None:
            return asked
        first, last = days
        return {"first": str(max(first, last - timedelta(days=MOST_DAYS - 1))), "last": str(last)}

    def facts(self, form: Any) -> dict[str, Any]:
        event, said = last_tests(self.site).get(self.control.code, (None, None))
        asked = form.data if form.is_bound else form.initial
        look = FewDaysForm({name: asked[name] for name in ("first", "last") if name in asked})
        line, rows = self._found(look) if look.is_valid() else ({}, [])
        return {
            "look": look,
            "one": ControlShown(self.control, event, said),
            "line": line,
            "badge": _badge(line["outcome"]) if line else None,
            "rows": rows[:MOST_SHOWN],
            "more": len(rows) - MOST_SHOWN,
            "named": [(name, _day(name)) for name in line["rows"].split("; ")] if line and not rows else [],
            "heads": [heading(name) for name in ("gaming_day", *self.control.shows)],
            "may_test": self.control.evidence and self.request.user.has_perm(TEST_CONTROLS),
        }

    def _found(self, look: FewDaysForm) -> tuple[Line, list[dict[str, Any]]]:
        days = look.cleaned_data["first"], look.cleaned_data["last"]
        try:
            lines, against = found(self.site, days, self.control, act=act_of(self.request, self.room))
        except BadPeriod:  # nothing was recorded in these days
            return {}, []
        line = next((one for one in lines if one["control"] == self.control.code), {})
        columns = ("gaming_day", *self.control.shows)
        return line, [
            {"cells": [one.get(name, "") for name in columns], "address": _address(one)} for one in against
        ]

    def do(self, form: Any) -> str:
        days = form.cleaned_data["first"], form.cleaned_data["last"]
        event = testing_controls.test_control(self.control, site=self.site, days=days, act=self.act(form))
        (test,) = event.data["tests"]
        return f"Test {event.data['number']} is noted: {_badge(test['outcome'])[0].lower()}."

    def back(self) -> str:
        days = {name: self.request.POST[name] for name in ("first", "last")}
        return reverse("control", args=[self.control.code], query=days)


def _badge(outcome: str) -> tuple[str, str]:
    return OUTCOMES[ControlOutcome(outcome)]


def _day(name: str) -> str:
    """Return the address of a gaming day that a paper names; empty if it is none, as a quarter."""
    try:
        return reverse("audit-day", args=[date.fromisoformat(name[:10])])
    except ValueError:
        return ""


def _record(kind: str, number: str) -> str:
    return reverse("audit-record", args=[kind, number])


def _address(line: Line) -> str:
    """Return where a row of evidence is shown: its fee, its entry, its record, or its gaming day."""
    record, number = line.get("record", "entry"), line.get("record_id") or line.get("entry")
    if line.get("charge"):
        return _record("charge", line["charge"])
    if number:
        return reverse("entry", args=[number]) if record == "entry" else _record(record, number)
    return _day(line["gaming_day"])
