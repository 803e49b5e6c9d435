"""The manager's desk, the particulars, the page of who did what; and the pages of the first start."""

from dataclasses import asdict
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.contrib.auth import get_user_model
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.password_validation import password_validators_help_texts
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from casino.house import first_start
from casino.house.acts import GROUPS, ROWS, SET_UP, Sought, deeds, last_changes, words_of
from casino.house.first_start import FirstManager, change_particulars, mark_of
from casino.serving import system
from casino.sign_in.attempts import At, Attempt
from casino.sign_in.coming_in import come_in
from casino.sign_in.passwords import BadPassword
from ledger.cage.stocking import denominations
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day
from ledger.journal.particulars import (
    CHIPS_LENGTH,
    HOURS,
    LICENCE_LENGTH,
    MOST,
    NAME_LENGTH,
    ORIGIN_LENGTH,
    SHIFTS,
    TIMES_LENGTH,
    Particulars,
    checked,
    checked_origin,
    limits_of,
    particulars_of,
    time_zones,
)
from ledger.jurisdiction import jurisdiction, jurisdictions
from ledger.proof.log import archived, sealing
from ledger.rights import READ_BOOKS, require
from ledger.rules.denominations import value_text
from ledger.views.day import the_site
from ledger.views.fields import AmountField, PlainField, StatusForm
from ledger.views.pages import EntryPage, read_by
from ledger.views.terminal import terminal_of
from tables.rights import MANAGE_HOUSE
from tables.views.acts import HouseActPage
from tables.views.fields import FloorForm
from tables.views.house.acts import checklist

NO_COMPLETING = {"autocomplete": "off"}


class HouseForm(FloorForm):
    halves = frozenset({"licence", "jurisdiction", "day_starts_at", "shifts"})

    name = forms.CharField(label="Name of the house", max_length=NAME_LENGTH)
    licence = forms.CharField(
        max_length=LICENCE_LENGTH,
        help_text="Its number, as on the document.",
        widget=forms.TextInput(attrs=NO_COMPLETING | {"placeholder": "GEGE-001234"}),
    )
    jurisdiction = forms.ChoiceField(help_text="Whose limits hold.")
    time_zone = forms.CharField(
        max_length=60,
        help_text="Type a place nearby and choose from the list.",
        widget=forms.TextInput(
            attrs=NO_COMPLETING | {"list": "time-zones", "placeholder": "America/Los_Angeles"}
        ),
    )
    day_starts_at = forms.TypedChoiceField(
        label="A gaming day starts at",
        coerce=int,
        choices=[(hour, f"{hour:02}:00") for hour in HOURS],
        initial=6,
        help_text="An hour at which nobody plays, on the house's clock.",
    )
    shifts = forms.TypedChoiceField(
        label="Shifts of a gaming day",
        coerce=int,
        choices=[(shifts, str(shifts)) for shifts in SHIFTS],
        initial=1,
        help_text="Of equal length, the first from that hour on. Each is closed by two people.",
    )
    authorised_tables = forms.IntegerField(
        label="Tables authorised",
        min_value=1,
        max_value=MOST,
        initial=10,
        help_text="How many may be open at once by the licence.",
    )

    box_seals = forms.BooleanField(
        label="Drop boxes carry numbered seals",
        required=False,
        initial=True,
        help_text="Their numbers are noted, and two people bring each box into the count room. A small house"
        " may do without.",
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        choice: Any = self.fields["jurisdiction"]
        choice.choices = [(one.code, one.title) for one in jurisdictions()]

    @property
    def time_zones(self) -> tuple[str, ...]:
        return time_zones()

    @property
    def particulars(self) -> Particulars:
        entry = self.cleaned_data
        return Particulars(
            **{name: entry[name] for name in Particulars.__dataclass_fields__ if entry.get(name) is not None}
        )


class NewHouseForm(HouseForm):
    """The particulars of a new house, and the log's name, which never changes again."""

    origin = forms.CharField(
        label="Name of the audit log",
        max_length=ORIGIN_LENGTH,
        help_text="Under a name that the house owns, as tables.example.com/log. Its signatures carry it; it "
        "never changes.",
        widget=forms.TextInput(attrs=NO_COMPLETING | {"autocapitalize": "none"}),
    )


class ParticularsForm(HouseForm):
    """All particulars. `seen` is the mark of those that the page showed."""

    beside = {"amount": "chip_values"}
    halves = HouseForm.halves | {"return_minutes", "hold_minutes"}

    return_minutes = forms.IntegerField(
        label="Minutes a buy-in is remembered",
        min_value=0,
        max_value=MOST,
        help_text="Who comes back sooner brings what they took away.",
    )
    hold_minutes = forms.IntegerField(
        label="Minutes a seat is held", min_value=0, max_value=MOST, help_text="For a player who was called."
    )
    chip_values = PlainField(
        label="The house's chips",
        required=False,
        max_length=CHIPS_LENGTH,
        help_text="What each is worth in dollars, as 0.50 1 5 25. Empty: those usual in the jurisdiction.",
    )
    drop_times = forms.CharField(
        label="Times at which boxes are pulled",
        required=False,
        max_length=TIMES_LENGTH,
        help_text="By the house's clock and as filed, as 06:00 14:00 22:00. Half an hour before and after, a"
        " pull needs no reason. Empty: none are filed.",
    )
    confirm_from_cents = AmountField(
        label="The window asks once more from",
        required=False,
        help_text="An amount that is sold, redeemed or changed. 0: as the jurisdiction's file says.",
    )
    patron_from_cents = AmountField(
        label="The patron is named from",
        required=False,
        help_text="What somebody brings or takes in a gaming day. 0: as the jurisdiction's file says.",
    )
    seen = forms.CharField(max_length=16, widget=forms.HiddenInput)


class FirstManagerForm(FloorForm):
    halves = frozenset({"password", "again"})

    full_name = forms.CharField(max_length=60, widget=forms.TextInput(attrs={"autocomplete": "name"}))
    username = forms.CharField(
        max_length=150,
        help_text="What you sign in with, and what stands in the books.",
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    password = forms.CharField(
        strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "new-password"})
    )
    again = forms.CharField(
        strip=False,
        label="Password again",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    @property
    def rules(self) -> list[str]:
        return password_validators_help_texts()

    @property
    def manager(self) -> FirstManager:
        entry = self.cleaned_data
        return FirstManager(entry["username"], entry["full_name"], entry["password"])

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if {"password", "again"} <= cleaned.keys() and cleaned["password"] != cleaned["again"]:
            self.add_error("again", ValidationError("The two passwords differ.", code=BadPassword.code))
        return cleaned


LARGEST = 2**63 - 1


@require_safe
def desk(request: HttpRequest) -> HttpResponse:
    require(request.user, MANAGE_HOUSE)
    site = the_site()
    facts = {
        "limits": limits_of(site),
        "chips": " ".join(value_text(value) for value in denominations(site)["chips"]),
        "lacks": checklist(request.user, site, timezone.now()),
        "changes": last_changes(site),
    }
    return render(request, "house/desk.html", facts)


@read_by(READ_BOOKS)
def system_page(request: HttpRequest) -> HttpResponse:
    """Show what the house runs on, what the log states, the last checks, and how long records are kept."""
    site = the_site()
    today = gaming_day(site, timezone.now())
    statement = system.stated(site)
    said = {(one["part"], one["name"]): one["value"] for one in statement.data["facts"]} if statement else {}
    parts: dict[str, list[dict[str, str]]] = {}
    for one in system.facts(site):
        known = said.get((one["part"], one["name"]), "")
        parts.setdefault(one["part"], []).append(
            one | {"stated": "" if known == one["value"] else known or "-"}
        )
    since, kept = archived.retained(site, today)
    kinds = {"verified": "Log verified", "monitored": "Log monitored", "backed_up": "Backed up"}
    kinds |= {"archive_verified": "Kept papers verified", "controls_tested": "Controls tested"}
    facts = {
        "law": jurisdiction(site.jurisdiction),
        "statement": statement,
        "stated_day": str(gaming_day(site, statement.recorded_at)) if statement else "",
        "last_day": str(today),
        "parts": parts,
        "differs": any(one["stated"] for some in parts.values() for one in some),
        "checks": [
            (title, site.events.filter(kind=kind).order_by("-pk").first()) for kind, title in kinds.items()
        ],
        "signed": sealing.latest(sealing.log_of(site)),
        "since": since,
        "kept": kept,
    }
    return render(request, "house/system.html", facts)


class ChangeParticulars(HouseActPage):
    rights = (MANAGE_HOUSE,)
    title = "Particulars of the house"
    button = "Change them"
    form_class = ParticularsForm
    home, back_to = "house", "House"
    template = "house/change_particulars.html"

    def form_options(self) -> dict[str, Any]:
        now = particulars_of(self.site)
        return {"initial": asdict(now) | {"seen": mark_of(now)}}

    def do(self, form: ParticularsForm) -> str:
        before = change_particulars(
            site=self.site, particulars=form.particulars, seen=form.cleaned_data["seen"], act=self.act(form)
        )
        sentence = words_of("house_changed", asdict(particulars_of(self.site)) | {"before": before})
        return sentence or "The house is as you entered it."


class SoughtForm(StatusForm):
    group = forms.ChoiceField(
        label="What",
        required=False,
        choices=[("", "Everything"), *((name, label) for name, (label, _) in GROUPS.items())],
    )
    person: Any = forms.ModelChoiceField(None, label="Who", required=False, empty_label="Everybody")
    first = forms.DateField(label="From", required=False, widget=forms.DateInput({"type": "date"}))
    last = forms.DateField(label="To", required=False, widget=forms.DateInput({"type": "date"}))
    before = forms.IntegerField(required=False, min_value=1, max_value=LARGEST, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        people = get_user_model().objects.order_by("username")
        self.fields["person"].queryset = people  # type: ignore[attr-defined]

    def sought(self, zone: ZoneInfo) -> Sought:
        given = self.cleaned_data
        return Sought(
            group=given["group"],
            person=given["person"].pk if given["person"] else None,
            since=_midnight(given["first"], zone),
            until=_midnight(given["last"], zone, days=1),
            before=given["before"],
        )


def _midnight(day: Any, zone: ZoneInfo, days: int = 0) -> datetime | None:
    if day is None:
        return None
    try:
        return datetime.combine(day + timedelta(days=days), time(), zone)
    except OverflowError:
        return None


@require_safe
def acts_page(request: HttpRequest) -> HttpResponse:
    require(request.user, READ_BOOKS)
    site = the_site()
    form = SoughtForm(request.GET)
    zone = ZoneInfo(site.time_zone)
    found = deeds(site, form.sought(zone) if form.is_valid() else Sought())
    query = request.GET.copy()
    query.pop("before", None)
    facts = {
        "form": form,
        "deeds": found[:ROWS],
        "older": found[ROWS - 1].pk if len(found) > ROWS else None,
        "query": f"{query.urlencode()}&" if query else "",
    }
    return render(request, "house/acts.html", facts, status=form.status)


MARK, HOUSE, ORIGIN = "set-up-link", "set-up-house", "set-up-origin"


@method_decorator([login_not_required, never_cache], name="dispatch")
class SetUpPage(EntryPage):
    """A link admits the browser. Its token is in the address once, then replaced by a mark in the session, so
    that no history or log keeps it."""

    def link(self) -> int:
        pk: int = first_start.link_held(self.request.session.get(MARK), timezone.now()).pk
        return pk


class SetUpHouse(SetUpPage):
    form_class = NewHouseForm
    template = "house/set_up.html"

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        """Show the form with earlier input; with a token in the address, redeem it first."""
        if "token" in request.GET:
            request.session[MARK] = self.come_in(request.GET["token"])
            return redirect("set-up")
        self.link()
        origin = request.session.get(ORIGIN, first_start.usual_origin())
        return self.shown(NewHouseForm(initial={**request.session.get(HOUSE, {}), "origin": origin}))

    def come_in(self, token: str) -> int:
        """Return the link of a token. Guesses count until there is a house: images may point here."""
        if not first_start.wanted():
            raise first_start.refusal()
        with Attempt(At.TERMINAL, "", self.request) as attempt:
            link = first_start.find_link(token, timezone.now())
            if link is not None:
                attempt.succeeded()
        if link is None:
            raise first_start.refusal()
        return link.pk

    def post(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        self.link()
        return super().post(request)

    def do(self, form: NewHouseForm) -> tuple[Particulars, str]:
        return checked(form.particulars), checked_origin(form.cleaned_data["origin"])

    def done(self, entered: tuple[Particulars, str], form: NewHouseForm) -> HttpResponse:
        """Keep the input in the session and go on to the manager; nothing is written yet."""
        house, self.request.session[ORIGIN] = entered
        self.request.session[HOUSE] = asdict(house)
        return redirect("set-up-manager")


class SetUpManager(SetUpPage):
    """The second step: create both, sign the manager in, and go to the desk."""

    form_class = FirstManagerForm
    template = "house/set_up_manager.html"

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        self.link()
        return super().get(request) if HOUSE in request.session else redirect("set-up")

    def post(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        self.link_id = self.link()
        return super().post(request) if HOUSE in request.session else redirect("set-up")

    def do(self, form: FirstManagerForm) -> Any:
        session = self.request.session
        return first_start.set_up(
            link_id=self.link_id,
            particulars=Particulars(**session[HOUSE]),
            origin=session[ORIGIN],
            manager=form.manager,
            act=Act(actor=None, now=timezone.now(), terminal=terminal_of(self.request, SET_UP)),
        )

    def done(self, person: Any, form: FirstManagerForm) -> HttpResponse:
        for name in (MARK, HOUSE, ORIGIN):
            self.request.session.pop(name, None)
        come_in(self.request, person, "set-up address")
        return redirect("house")
