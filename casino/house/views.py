"""The manager's desk, the particulars, the page of who did what; and the pages of the first start."""

from dataclasses import asdict
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.contrib.auth import get_user_model
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from casino.house import first_start
from casino.house.acts import GROUPS, ROWS, SET_UP, Sought, deeds, last_changes, words_of
from casino.house.forms import FirstManagerForm, NewHouseForm, ParticularsForm
from casino.house.particulars import change_particulars, mark_of
from casino.serving import system
from casino.sign_in.attempts import At, Attempt
from casino.sign_in.coming_in import come_in
from ledger.cage.stocking import denominations
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day
from ledger.journal.particulars import Particulars, checked, checked_origin, limits_of, particulars_of
from ledger.jurisdiction import jurisdiction
from ledger.proof.log import archived, sealing
from ledger.rights import READ_BOOKS, require
from ledger.rules.denominations import value_text
from ledger.views.day import the_site
from ledger.views.fields import StatusForm
from ledger.views.pages import EntryPage, read_by
from ledger.views.terminal import terminal_of
from tables.rights import MANAGE_HOUSE
from tables.views.acts import HouseActPage
from tables.views.house.acts import checklist

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
        """Return the link of a token. Counts guesses, except once there is a house: nothing is left to guess
        then, and images on foreign pages may point here."""
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
