"""Published rates on screen and on paper, changing a table's rate, reasons to waive; and the forms of the
collection."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from ledger.journal.days import gaming_day
from ledger.jurisdiction import jurisdiction
from ledger.money import dollars
from ledger.views.day import the_site
from ledger.views.fields import FIRST_DAY, LAST_DAY, AmountField, CalendarField, PlainField
from ledger.views.listing import LongList, SortColumn, list_page
from ledger.views.pages import find_here, read_by
from tables.collection import waivers
from tables.collection.rates import (
    LICENSED,
    REFERENCE_LENGTH,
    Published,
    RateEntry,
    announce_rate,
    downs_played,
    publish_rate,
    rate_history,
    rates_in_force,
    tables_bound,
    withdraw_rate,
)
from tables.collection.waivers import CODE_LENGTH, TEXT_LENGTH
from tables.errors import BadEntry
from tables.models import Rate, WaiverReason
from tables.rights import MANAGE_HOUSE, READ_TABLES, RUN_FLOOR
from tables.rules.table import buy_ins, downs
from tables.rules.table.paying import AT_A_TABLE, Method
from tables.state.table_state import TableRate, TableState, state_of
from tables.views.acts import HouseActPage, TablePanelActPage
from tables.views.fields import FloorForm

CURRENT = "now"


class WaiveForm(FloorForm):
    fee = forms.ChoiceField(label="Fee", widget=forms.RadioSelect)
    reason = forms.ModelChoiceField(WaiverReason.objects.none(), empty_label="Choose a published reason")

    def __init__(
        self, *args: Any, fees: Sequence[tuple[str, str]], reasons: Any, site: Any, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        fee: Any = self.fields["fee"]
        fee.widget.choices = self.offered = list(fees)
        fee.initial = fees[0][0] if fees else CURRENT
        if not fees:
            fee.widget = forms.HiddenInput()
        # A page sent twice may name a fee that is no longer offered; the verb decides.
        fee.valid_value = lambda value: value == CURRENT or (value.isascii() and value.isdigit())
        reason: Any = self.fields["reason"]
        reason.queryset = WaiverReason.objects.filter(site=site)
        reason.widget.choices = [("", "Choose a published reason"), *((one.pk, one.text) for one in reasons)]

    def clean_fee(self) -> int | None:
        """Return the id of the charge, None for the fee of the running down."""
        fee = self.cleaned_data["fee"]
        return None if fee == CURRENT else int(fee)


class CashForm(FloorForm):
    cents = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


class HoldsFromField(CalendarField):
    """The day from which a published rate or reason holds, within the calendar."""

    def __init__(self, what: str) -> None:
        super().__init__(label="Holds from")
        self.what = what

    def validate(self, value: Any) -> None:
        super().validate(value)
        if value and not FIRST_DAY <= value <= LAST_DAY:
            raise ValidationError(f"No {self.what} can hold from that day.", code=BadEntry.code)


class PublishReasonForm(FloorForm):
    halves = frozenset({"code", "effective_from"})

    text = PlainField(label="Reason", max_length=TEXT_LENGTH, help_text="Every paper shows this wording.")
    code = PlainField(max_length=CODE_LENGTH, help_text="Small letters and hyphens.")
    approval_reference = PlainField(
        label="Approval reference",
        max_length=REFERENCE_LENGTH,
        help_text="The letter or number under which it may be used.",
    )
    effective_from = HoldsFromField("reason")


class PayForm(FloorForm):
    method = forms.ChoiceField(
        label="Paid", choices=AT_A_TABLE, initial=Method.STACK, widget=forms.RadioSelect
    )


class PublishRateForm(FloorForm):
    """A new version of a rate's option, or a new option of the house."""

    beside = {"amount": "fee"}
    halves = frozenset({"limit", "fee"})
    empty = {"option": "Choose"}

    option = forms.ChoiceField(label="Which rate")
    limit = AmountField(help_text="A known option keeps its limit.")
    fee = AmountField(label="Fee", help_text="For each player and down of 40 minutes.")
    approval_reference = PlainField(
        label="Approval reference",
        max_length=REFERENCE_LENGTH,
        help_text="The letter or number under which it may be charged.",
    )
    effective_from = HoldsFromField("rate")

    def clean_option(self) -> int | None:
        """Return the number of the option, None for a new one."""
        option = self.cleaned_data["option"]
        return None if option == "new" else int(option)


class RateChoice(forms.ModelChoiceField):  # type: ignore[type-arg]
    def __init__(self, **options: Any) -> None:
        super().__init__(Rate.objects.none(), empty_label="Choose a limit", **options)

    def label_from_instance(self, rate: Rate) -> str:
        return (
            f"Limit {dollars(rate.limit_cents)}, fee {dollars(rate.fee_cents)} per player and down "
            f"(option {rate.option}, version {rate.version})"
        )


class LimitForm(FloorForm):
    """A limit with its fee, one of `rates`, and the maximum buy-in: 100 times the limit by default."""

    beside = {"max_buy_in": "max_buy_in", "amount": "max_buy_in"}

    rate = RateChoice(label="Limit and fee from the next down")
    max_buy_in = AmountField(
        label="Maximum buy-in", required=False, help_text="Empty: a hundred times the limit."
    )

    def __init__(self, *args: Any, rates: Iterable[Rate], **options: Any) -> None:
        super().__init__(*args, **options)
        rate: Any = self.fields["rate"]
        held = Rate.objects.filter(pk__in=[one.pk for one in rates])
        rate.queryset = held.order_by("limit_cents", "option")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("rate") and cleaned.get("max_buy_in") is None:
            cleaned["max_buy_in"] = 100 * cleaned["rate"].limit_cents
        return cleaned


@dataclass(frozen=True)
class CardRow:
    rate: Rate

    @property
    def half_cents(self) -> int:
        """The fee of a player who sits down in the second half of the down (R61)."""
        return downs.half_of(self.rate.fee_cents)

    @property
    def smallest_buy_in_cents(self) -> int:
        return buy_ins.smallest_buy_in(self.rate.limit_cents)


HISTORY = LongList(
    "option",
    option=SortColumn("Rate", "rising", "falling", ("published__rate__option", "published__rate__version")),
    limit=SortColumn("Limit", "rising", "falling", ("published__rate__limit_cents", "published__rate__pk")),
    fee=SortColumn("Fee", "rising", "falling", ("published__rate__fee_cents", "published__rate__pk")),
    holds=SortColumn("Holds", "first to last", "last to first", ("published__rate__effective_from",)),
    downs=SortColumn("Downs played", "fewest first", "most first", ("downs", "published__rate__pk")),
)
"""All rates that were published."""


@dataclass(frozen=True)
class HistoryRow:
    """A published version, its state, and the open tables that use it."""

    published: Published
    state: str
    tables: Sequence[tuple[int, str]]
    downs: int


def _card(site: Any, now: Any) -> dict[str, Any]:
    return {"day": gaming_day(site, now), "card": [CardRow(rate) for rate in rates_in_force(site, now)]}


@read_by(READ_TABLES)
def rates(request: HttpRequest) -> HttpResponse:
    site, now = the_site(), timezone.now()
    facts = _card(site, now) | {
        "history": list_page(request, HISTORY, _history(site, gaming_day(site, now)), _words),
        "law": jurisdiction(site.jurisdiction),
        "may_publish": request.user.has_perm(MANAGE_HOUSE),
        "may_run": request.user.has_perm(RUN_FLOOR),
    }
    return render(request, "collection/rates.html", facts)


@read_by(READ_TABLES)
def card(request: HttpRequest) -> HttpResponse:
    return render(request, "collection/rate_card.html", _card(the_site(), timezone.now()))


def _history(site: Any, day: date) -> list[HistoryRow]:
    bound, played = tables_bound(site), downs_played(site)
    return [
        HistoryRow(one, _state(one, day), bound.get(one.rate.pk, ()), played.get(one.rate.pk, 0))
        for one in rate_history(site)
    ]


def _words(row: HistoryRow) -> str:
    rate, state = row.published.rate, row.state.replace("_", " ")
    amounts = (dollars(rate.limit_cents), dollars(rate.fee_cents))
    said = ("option", rate.option, "version", rate.version, *amounts, rate.approval_reference)
    return " ".join(map(str, (*said, rate.published_by, state)))


def _state(one: Published, day: date) -> str:
    if one.never_held:
        return "never"
    if one.holds_on(day):
        return "in_force"
    return "to_come" if one.rate.effective_from > day else "replaced"


class PublishRate(HouseActPage):
    rights = (MANAGE_HOUSE,)
    form_class = PublishRateForm
    title = "Publish a rate"
    button = "Publish the rate"
    home = "rates"
    template = "collection/publish_rate.html"
    warning = "A published rate stays published. A later version takes its place; nothing is ever changed."

    def form_options(self) -> dict[str, Any]:
        newest: dict[int, Rate] = {}
        for one in rate_history(self.site):
            newest.setdefault(one.rate.option, one.rate)
        limits = {number: limit for number, (limit, _) in LICENSED.items()}
        limits |= {number: rate.limit_cents for number, rate in newest.items()}
        options = [
            (str(number), _option_label(number, limit, newest.get(number)))
            for number, limit in sorted(limits.items())
        ]
        return {
            "choices": {"option": [*options, ("new", "A new option of the house's own")]},
            "initial": {"effective_from": gaming_day(self.site, self.now)},
        }

    def do(self, form: PublishRateForm) -> str:
        entry = form.cleaned_data
        rate = publish_rate(
            site=self.site,
            option=entry["option"],
            entry=RateEntry(
                entry["limit"], entry["fee"], entry["approval_reference"], entry["effective_from"]
            ),
            act=self.act(form),
        )
        return f"{rate} is published: {dollars(rate.fee_cents)} at a limit of {dollars(rate.limit_cents)}."


def _option_label(number: int, limit_cents: int, newest: Rate | None) -> str:
    now = (
        "not published yet"
        if newest is None
        else f"fee {dollars(newest.fee_cents)}, version {newest.version}"
    )
    return f"Option {number}: limit {dollars(limit_cents)} ({now})"


class ChangeRate(TablePanelActPage):
    title = "Change the rate"
    button = "Announce the change"
    form_class = LimitForm

    def form_options(self) -> dict[str, Any]:
        return {"rates": rates_in_force(self.session.table.site, self.now)}

    def notes(self) -> Sequence[tuple[str, str]]:
        state = state_of(self.session)
        change = state.announced(self.now)
        now = state.rate_of(state.down_at(self.now)) if change is None else state.rate
        lines = [("Now", _rate_words(now))]
        if change is not None:
            lines.append((f"From down {change[0]}", _rate_words(change[1])))
        return tuple(lines)

    @property
    def warning(self) -> str:
        return _when(state_of(self.session), self.now)

    def do(self, form: LimitForm) -> str:
        entry = form.cleaned_data
        session = announce_rate(
            session_id=self.session.pk,
            rate=entry["rate"],
            max_buy_in_cents=entry["max_buy_in"],
            act=self.act(form),
        )
        change = state_of(session).announced(self.now)
        if change is None:
            return f"{session.table} plays at {_rate_words(state_of(session).next_rate)}."
        return f"From down {change[0]} {session.table} plays at {_rate_words(change[1])}."


class WithdrawRate(TablePanelActPage):
    title = "Take the change back"
    button = "Take it back"

    def notes(self) -> Sequence[tuple[str, str]]:
        change = state_of(self.session).announced(self.now)
        return () if change is None else ((f"From down {change[0]}", _rate_words(change[1])),)

    def do(self, form: Any) -> str:
        session = withdraw_rate(session_id=self.session.pk, act=self.act(form))
        return f"{session.table} goes on at {_rate_words(state_of(session).rate)}."


def _rate_words(rate: TableRate) -> str:
    fee = dollars(rate.fee_cents)
    return f"limit {dollars(rate.limit_cents)}, fee {fee}, buy-in at most {dollars(rate.max_buy_in_cents)}"


def _when(state: TableState, now: Any) -> str:
    if state.latest_down is None:
        return "It holds from the first round on."
    if state.waits(now):
        return (
            "The clock waits for a second player: it holds as soon as two can be dealt in at the new limit."
        )
    return "It holds from the next down on. A round that runs is settled at the limit it began with."


# -- the published reasons to waive a fee --------------------------------------------------------------------


@read_by(READ_TABLES)
def reasons(request: HttpRequest) -> HttpResponse:
    site = the_site()
    facts = {
        "reasons": WaiverReason.objects.filter(site=site).order_by("withdrawn_on", "code"),
        "day": gaming_day(site, timezone.now()),
        "may_publish": request.user.has_perm(MANAGE_HOUSE),
    }
    return render(request, "collection/reasons.html", facts)


class PublishReason(HouseActPage):
    rights = (MANAGE_HOUSE,)
    title = "Publish a reason"
    button = "Publish"
    form_class = PublishReasonForm
    home, back_to = "waiver-reasons", "Reasons for waivers"
    warning = "What is published never changes. It can be withdrawn, and another one published."

    def do(self, form: PublishReasonForm) -> str:
        reason = waivers.publish_waiver_reason(site=self.site, **form.entered, act=self.act(form))
        return f"{reason.code} is published from {reason.effective_from}."


class WithdrawReason(HouseActPage):
    rights = (MANAGE_HOUSE,)
    title = "Withdraw the reason"
    button = "Withdraw"
    danger = True
    home, back_to = "waiver-reasons", "Reasons for waivers"

    def find(self, reason_id: int) -> None:
        self.reason = find_here(WaiverReason, reason_id)

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("Reason", self.reason.text), ("Approval", self.reason.approval_reference))

    def do(self, form: FloorForm) -> str:
        waivers.withdraw_waiver_reason(reason_id=self.reason.pk, act=self.act(form))
        return f"{self.reason.code} is withdrawn."
