"""Rates on a screen and on paper: the card of those in force, all that were published, and changing that of a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from ledger.journal.days import gaming_day
from ledger.jurisdiction import jurisdiction
from ledger.money import dollars
from ledger.rights import require
from ledger.views.day import the_site
from tables.collection.rates import (
    LICENSED,
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
from tables.models import Rate
from tables.rights import MANAGE_HOUSE, READ_TABLES, RUN_FLOOR
from tables.rules.table import buy_ins, downs
from tables.state.table_state import TableRate, TableState, state_of
from tables.views.acts import ActPage, TablePanelActPage
from tables.views.collection.forms import ChangeRateForm, PublishRateForm


@dataclass(frozen=True)
class CardRow:
    """A rate in force as players read it."""

    rate: Rate

    @property
    def half_cents(self) -> int:
        """What somebody pays who sits down when half the down is over (R61)."""
        return downs.half_of(self.rate.fee_cents)

    @property
    def smallest_buy_in_cents(self) -> int:
        return buy_ins.smallest_buy_in(self.rate.limit_cents)


@dataclass(frozen=True)
class HistoryRow:
    """A published version, what has become of it, and the open tables that play at it."""

    published: Published
    state: str
    tables: Sequence[tuple[int, str]]
    downs: int


def _card(site: Any, now: Any) -> dict[str, Any]:
    """What the card shows, on the screen and on paper: the rows that tables charge by."""
    return {
        "site": site,
        "day": gaming_day(site, now),
        "card": [CardRow(rate) for rate in rates_in_force(site, now)],
    }


@require_safe
def rates(request: HttpRequest) -> HttpResponse:
    """The rates in force, and every version that was published."""
    require(request.user, READ_TABLES)
    site, now = the_site(), timezone.now()
    facts = _card(site, now) | {
        "history": _history(site, gaming_day(site, now)),
        "law": jurisdiction(site.jurisdiction),
        "may_publish": request.user.has_perm(MANAGE_HOUSE),
        "may_run": request.user.has_perm(RUN_FLOOR),
    }
    return render(request, "collection/rates.html", facts)


@require_safe
def card(request: HttpRequest) -> HttpResponse:
    """The rate card alone, to be printed and posted."""
    require(request.user, READ_TABLES)
    return render(request, "collection/rate_card.html", _card(the_site(), timezone.now()))


def _history(site: Any, day: date) -> list[HistoryRow]:
    bound, played = tables_bound(site), downs_played(site)
    return [
        HistoryRow(
            one,
            _state(one, day),
            bound.get(one.rate.pk, ()),
            played.get(one.rate.pk, 0),
        )
        for one in rate_history(site)
    ]


def _state(one: Published, day: date) -> str:
    if one.never_held:
        return "never"
    if one.holds_on(day):
        return "in_force"
    return "to_come" if one.rate.effective_from > day else "replaced"


class PublishRate(ActPage):
    """Publishing a rate."""

    right = MANAGE_HOUSE
    form_class = PublishRateForm
    title = "Publish a rate"
    button = "Publish the rate"
    panel = "publish"
    page_template = "collection/publish_rate.html"

    def find(self) -> None:
        """No table: the house, and what it has published."""
        self.site = the_site()

    def require_sight(self) -> None:
        """There is no table to look at."""

    def form_options(self) -> dict[str, Any]:
        newest: dict[int, Rate] = {}
        for one in rate_history(self.site):
            newest.setdefault(one.rate.option, one.rate)
        limits = {number: limit for number, (limit, _) in LICENSED.items()}
        limits |= {number: rate.limit_cents for number, rate in newest.items()}
        return {
            "options": [
                (str(number), _option_label(number, limit, newest.get(number)))
                for number, limit in sorted(limits.items())
            ],
            "initial": {"effective_from": gaming_day(self.site, self.now)},
        }

    def back(self) -> str:
        return reverse("rates")

    def warning(self) -> str:
        return "A published rate stays published. A later version takes its place; nothing is ever changed."

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

    def done(self, said: str) -> HttpResponse:
        messages.success(self.request, said)
        return redirect(self.back())


def _option_label(number: int, limit_cents: int, newest: Rate | None) -> str:
    now = (
        "not published yet"
        if newest is None
        else f"fee {dollars(newest.fee_cents)}, version {newest.version}"
    )
    return f"Option {number}: limit {dollars(limit_cents)} ({now})"


class ChangeRate(TablePanelActPage):
    """Announcing another rate, limit or maximum buy-in for an open table."""

    title = "Change the rate"
    button = "Announce the change"
    form_class = ChangeRateForm

    def form_options(self) -> dict[str, Any]:
        return {
            "rates": Rate.objects.filter(
                pk__in=[one.pk for one in rates_in_force(self.session.table.site, self.now)]
            ).order_by("limit_cents", "option")
        }

    def notes(self) -> Sequence[tuple[str, str]]:
        state = state_of(self.session)
        change = state.announced(self.now)
        now = state.rate_of(state.down_at(self.now)) if change is None else state.rate
        said = [("Now", _rate_words(now))]
        if change is not None:
            said.append((f"From down {change[0]}", _rate_words(change[1])))
        return tuple(said)

    def warning(self) -> str:
        return _when(state_of(self.session), self.now)

    def do(self, form: ChangeRateForm) -> str:
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
    """Taking an announced change back before it takes effect."""

    title = "Take the change back"
    button = "Take it back"

    def notes(self) -> Sequence[tuple[str, str]]:
        change = state_of(self.session).announced(self.now)
        return () if change is None else ((f"From down {change[0]}", _rate_words(change[1])),)

    def do(self, form: Any) -> str:
        session = withdraw_rate(
            session_id=self.session.pk,
            act=self.act(form),
        )
        return f"{session.table} goes on at {_rate_words(state_of(session).rate)}."


def _rate_words(rate: TableRate) -> str:
    fee = dollars(rate.fee_cents)
    return f"limit {dollars(rate.limit_cents)}, fee {fee}, buy-in at most {dollars(rate.max_buy_in_cents)}"


def _when(state: TableState, now: Any) -> str:
    """From when on a change that is announced now would hold."""
    if state.latest_down is None:
        return "It holds from the first round on."
    if state.waits(now):
        return (
            "The clock waits for a second player: it holds as soon as two can be dealt in at the new limit."
        )
    return "It holds from the next down on. A round that runs is settled at the limit it began with."
