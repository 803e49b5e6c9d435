"""Forms of the cage, the count room, the exclusion list and the reports."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any, Self
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils import timezone

from ledger import lengths
from ledger.errors import BadText
from ledger.journal.days import gaming_day
from ledger.models import Site
from ledger.papers.paper import declared
from ledger.proof.audit.tree.note import MOST_BYTES
from ledger.proof.log.exporting import Wanted
from ledger.proof.log.forms import ALL, PARTS, WRITERS, XLSX, AskedPaper, papers_of, slug
from ledger.proof.log.keeping_papers import BUNDLE, ZIP
from ledger.views.fields import (
    DJANGO_CODES,
    FIRST_DAY,
    LAST_DAY,
    BooksForm,
    CalendarField,
    CodedForm,
    ReasonField,
    StatusForm,
)

_MOST = 999_999_999


class ReceiptForm(BooksForm):
    cents = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


class CauseField(forms.CharField):
    def __init__(self, **options: Any) -> None:
        super().__init__(
            max_length=lengths.POSTED_REASON,
            label="Cause of the difference",
            widget=forms.Textarea(attrs={"rows": 3}),
            **options,
        )


class EvidenceField(forms.CharField):
    what = "The number of the camera's clip, or of the paper, that shows it."

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, max_length=lengths.EVIDENCE, label="Evidence", **options)


class ExclusionForm(BooksForm):
    name = forms.CharField(required=False, max_length=80, label="Name")
    number = forms.CharField(required=False, max_length=20, label="Card number")
    description = forms.CharField(
        required=False, max_length=120, label="Description", help_text="What tells this person apart."
    )
    reference = forms.CharField(
        max_length=80, label="List or order", help_text="Where it comes from, as others can find it."
    )
    effective_from = CalendarField(label="From")
    until = CalendarField(label="Last day", required=False, help_text="Empty: for life.")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for field in self.fields.values():
            field.widget.attrs["autocomplete"] = "off"


class BooksReasonForm(BooksForm):
    reason = ReasonField(label="Reason")


class DayForm(forms.Form):
    """A gaming day, as 2026-11-21 (`bad_text`)."""

    day = forms.CharField(label="Gaming day", max_length=10, widget=forms.DateInput(attrs={"type": "date"}))

    def clean_day(self) -> date | None:
        text = self.cleaned_data["day"]
        if not text:
            return None
        try:
            day = date.fromisoformat(text) if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) else None
        except ValueError:
            day = None
        return day_of_a_house(day or date.min)


def day_of_a_house(day: date | None) -> date | None:
    """Return the day, or None. Raises ValidationError at the ends of the calendar."""
    if day is not None and not FIRST_DAY <= day <= LAST_DAY:
        raise ValidationError("A day is written like 2026-11-21.", code=BadText.code)
    return day


class MomentForm(CodedForm):
    """A moment on the house's clock, or none; `moment` in UTC. `twice`: it occurs twice that night."""

    codes = DJANGO_CODES

    on = forms.DateField(required=False, label="Date", widget=forms.DateInput(attrs={"type": "date"}))
    time = forms.TimeField(
        required=False, label="Time", widget=forms.TimeInput(attrs={"type": "time", "step": 1})
    )
    again = forms.BooleanField(required=False, label="The second time that night")

    def __init__(self, *args: Any, zone: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self.zone = ZoneInfo(zone)
        self.moment: datetime | None = None
        self.twice = False

    def clean(self) -> dict[str, Any]:
        """Combine date and time; either alone is refused, and so is a time that the clock skipped."""
        cleaned = super().clean() or self.cleaned_data
        on, at = cleaned.get("on"), cleaned.get("time")
        if self.errors or (on is None and at is None):
            return cleaned
        if on is None or at is None:
            missing = "on" if on is None else "time"
            self.add_error(missing, ValidationError("A moment has a date and a time.", code=BadText.code))
        elif not FIRST_DAY <= on <= LAST_DAY:
            self.add_error("on", ValidationError("A date is written like 2026-11-21.", code=BadText.code))
        else:
            self._put_together(datetime.combine(on, at, self.zone))
        return cleaned

    def _put_together(self, shown: datetime) -> None:
        moment = shown.astimezone(UTC)
        if moment.astimezone(self.zone).replace(tzinfo=None) != shown.replace(tzinfo=None):
            skipped = "The clock went forward that night and never showed this time."
            self.add_error("time", ValidationError(skipped, code=BadText.code))
            return
        self.twice = shown.utcoffset() != shown.replace(fold=1).utcoffset()
        self.moment = shown.replace(fold=int(self.cleaned_data["again"])).astimezone(UTC)


class PeriodForm(StatusForm):
    """Gaming days, and whether players are named."""

    codes = DJANGO_CODES

    first = forms.DateField(
        required=False,
        label="From gaming day",
        widget=forms.DateInput(attrs={"type": "date", "class": "input"}),
    )
    last = forms.DateField(
        required=False,
        label="To gaming day",
        widget=forms.DateInput(attrs={"type": "date", "class": "input"}),
    )
    players = forms.BooleanField(
        required=False,
        label="With players' names",
        help_text="Without them, players are numbers. That they went along is noted.",
    )

    def clean_first(self) -> date | None:
        return day_of_a_house(self.cleaned_data["first"])

    def clean_last(self) -> date | None:
        return day_of_a_house(self.cleaned_data["last"])


class PapersForm(PeriodForm):
    """The gaming days of papers: today if none is given, one if only one is; and which part of them."""

    table = forms.IntegerField(required=False, min_value=1, max_value=_MOST, label="Table")
    shift = forms.IntegerField(required=False, min_value=1, max_value=_MOST, label="Shift")
    player = forms.IntegerField(required=False, min_value=1, max_value=_MOST, label="Player's number")

    @classmethod
    def of(cls, asked: QueryDict, site: Site) -> Self:
        today = gaming_day(site, timezone.now()).isoformat()
        first = asked.get("first") or asked.get("last") or today
        last = asked.get("last") or first
        return cls({**asked.dict(), "first": first, "last": last})

    def paper_asked(self, name: str = ALL, form: str = XLSX) -> AskedPaper:
        given = self.cleaned_data
        return AskedPaper(name, form, (given["first"], given["last"]), given["players"], _part(given))


def _part(given: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((column, str(given[column])) for column in PARTS if given[column])


class KeepPaperForm(BooksForm):
    """A paper to be made and kept: which, in which form, of the gaming days that the page shows."""

    paper = forms.ChoiceField(label="Paper")
    form = forms.ChoiceField(
        label="Form", choices=[(name, name.upper()) for name in (*WRITERS, ZIP)], initial=XLSX
    )
    first = CalendarField(widget=forms.HiddenInput)
    last = CalendarField(widget=forms.HiddenInput)
    players = forms.BooleanField(required=False, widget=forms.HiddenInput)
    table = forms.IntegerField(required=False, min_value=1, max_value=_MOST, widget=forms.HiddenInput)
    shift = forms.IntegerField(required=False, min_value=1, max_value=_MOST, widget=forms.HiddenInput)
    player = forms.IntegerField(required=False, min_value=1, max_value=_MOST, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        papers = [(slug(paper), paper.title) for paper in declared(players=True)]
        self.fields["paper"].choices = [  # type: ignore[attr-defined]
            (ALL, "All papers in one workbook (XLSX)"),
            (BUNDLE, "All papers with their proof (ZIP)"),
            *papers,
        ]

    @classmethod
    def of(cls, asked: AskedPaper) -> Self:
        """Return the form that offers the papers of these days; of a part, those that can be a part."""
        first, last = asked.days
        form = cls(initial={"first": first, "last": last, "players": asked.players or "", **dict(asked.part)})
        if asked.part:
            offered = {ALL, *map(slug, papers_of(asked))}
            choice: Any = form.fields["paper"]
            choice.choices = [pair for pair in choice.choices if pair[0] in offered]
        return form

    @property
    def paper_asked(self) -> AskedPaper:
        given = self.cleaned_data
        form = {ALL: XLSX, BUNDLE: ZIP}.get(given["paper"], given["form"])
        # An export proves whole days: it has no parts.
        part = () if given["paper"] == BUNDLE else _part(given)
        return AskedPaper(given["paper"], form, (given["first"], given["last"]), given["players"], part)


class ExportForm(PeriodForm):
    """An export's gaming days, checkpoint to continue, names, and other withheld texts; all optional."""

    since = forms.CharField(
        required=False,
        strip=False,
        max_length=MOST_BYTES,
        label="The checkpoint I hold",
        help_text="The whole text of one taken earlier: the export then proves that the log has only grown"
        " since.",
        widget=forms.Textarea(attrs={"rows": 6, "autocomplete": "off", "spellcheck": "false"}),
    )

    opened = forms.BooleanField(
        required=False,
        label="With looks at the exclusion list",
        help_text="Without them, the export has commitments to them. That they went along is noted.",
    )

    @property
    def wanted(self) -> Wanted:
        given = self.cleaned_data
        return Wanted((given["first"], given["last"]), given["since"], given["players"], given["opened"])

    def clean_since(self) -> bytes | None:
        """Return the checkpoint as it was signed, whatever line ends a browser sends; None if empty."""
        text = self.cleaned_data["since"].replace("\r\n", "\n").strip()
        return f"{text}\n".encode() if text else None
