"""A refusal has one code and one HTTP status at every door, each of which is made to refuse with every class
of it: in the short form with each that the product catches by name, one of each status and kind, and its part
of the others. A new URL fails `test_every_address_is_tried` until it is added here."""

import inspect
import json
from datetime import date
from functools import partial
from types import SimpleNamespace

import pytest
from django.forms.utils import ErrorDict
from django.http import HttpResponse
from django.template import TemplateDoesNotExist
from django.urls import URLPattern, get_resolver
from rest_framework.views import APIView

from casino.house import first_start, views
from casino.requests.middleware import Refusals
from casino.sign_in import coming_in
from casino.sign_in.errors import TooManyAttempts
from casino.staff import hiring, views as staff_pages
from ledger.cage import banks, boxes, drawers, exclusions as exclusion_list, stocking
from ledger.errors import NotAllowed, Refusal
from ledger.journal import withholding
from ledger.journal.acts import Act
from ledger.reports import cage_slips
from ledger.rules.denominations import Pieces
from ledger.views import api as books_api, exclusions, log, pages as form_pages
from tables.api import views as api
from tables.errors import WrongPin
from tables.floor import waiting
from tables.models import Round
from tables.views import acts, fields
from tables.views.acts import ActPage
from tables.views.cage import day as cage_banks, day as cage_day, stocking as cage_stocking, window
from tables.views.cage.stocking import CountDrawer
from tables.views.cage.window import AtTheWindow
from tables.views.fields import FloorForm
from tables.views.players import pages as players_pages
from tables.views.waiting import acts as waiting_pages
from tests.casino.house.test_first_start import HOUSE, ORIGIN, ZOE
from tests.support.cast import PIN
from tests.support.refused import EVERY, answers, told_apart

KEY = "a-key-of-this-act"
API_VERBS = (
    *(("starting", "start_round"), ("running", "save_draft")),
    *(("settling", "settle_round"), ("running", "void_round")),
    *(("disputes", "report_discrepancy"), ("corrections", "ask_correction")),
    ("corrections", "approve_correction"),
    ("corrections", "refuse_correction"),
)


KEYED, REASON, NO_HANDS = {"key": KEY}, {"reason": "a card was exposed"}, {"hands": []}
API_ENTRIES = {
    "api-rounds": KEYED,
    "api-draft": {"version": 0, **NO_HANDS},
    "api-settle": {**KEYED, **NO_HANDS},
    "api-void": {**KEYED, **REASON},
    "api-discrepancy": {**KEYED, "number": 1, "net": []},
    "api-corrections": {**KEYED, **REASON, **NO_HANDS},
    "api-check-correction": NO_HANDS,
    "api-approve": KEYED,
    "api-refuse": REASON,
}


def addresses(resolver=None):
    for pattern in (resolver or get_resolver()).url_patterns:
        if not isinstance(pattern, URLPattern):
            yield from addresses(pattern)
        elif pattern.name:
            yield pattern.name, pattern.callback


VIEWS = dict(addresses())
ACTS = {
    name: view.view_class
    for name, view in VIEWS.items()
    if issubclass(getattr(view, "view_class", object), ActPage)
}
WINDOWS = {
    name: view.view_class
    for name, view in VIEWS.items()
    if issubclass(getattr(view, "view_class", object), AtTheWindow)
}
API = {name: view.cls for name, view in VIEWS.items() if issubclass(getattr(view, "cls", object), APIView)}
BOOKS_API = {name: API.pop(name) for name, view in [*API.items()] if issubclass(view, books_api.BooksView)}


def asks_in(view):
    """Return the namespace of the module in which a page checks permission first."""
    while view is not None and "require" not in view.__globals__:
        view = getattr(view, "__wrapped__", None)
    return view and view.__globals__


READING = {
    name: view
    for name, view in VIEWS.items()
    if name not in ("live", "dispute") and asks_in(view) and not hasattr(view, "view_class")
}
STAFF = {
    "staff-hire": "hire",
    "staff-person": "change_person",
    "staff-code": "make_code",
    "staff-reset-factors": "reset_factors",
    "staff-let-go": "let_go",
    "staff-take-back": "take_back",
    "staff-lift-lock": "lift_lock",
}
OTHERS = {
    *("stock-cage", "cage-slip", "withdraw-slip", "cashier-box", "close-day", "count-box"),
    *("begin-count-sheet", "count-sheet", "note-on-count-sheet", "receive-sheet", "receive-boxes"),
    *("exclusions", "lift-exclusion", "open-withheld", "waiting", "audit-export", "chips-beyond-books"),
    *("set-up", "set-up-manager", "player", "merge-players", "cashier-bank", "close-shift"),
    *("keep-paper", "keep-replay", "cancel-paper", "staff-access", "controls", "control"),
    *("ask-bank", "document", "void-document", "drawer-take", "drawer-give-back", "drawer-close"),
    *("vault-count", "pay-out-tokes", "begin-deposit", "begin-chip-purchase", "begin-destruction"),
    *("begin-unclaimed", "change-chips", "unclaimed-count", "reserve-count"),
    *("begin-reserve-set", "begin-reserve-release", "begin-cash-order", "begin-capital-out"),
    *("order-line", "change-need", "handovers"),
}
# Sign-in, one's own password and PIN are tested in casino/sign_in; the others refuse nobody signed in.
NEVER_REFUSE = {
    "home",
    "sign-in",
    "sign-out",
    "pin",
    "password",
    "first",
    *("healthz", "healthz-alive", "healthz-ready", "healthz-well"),
    "design",
    "dispute",
    *("mail", "sign-in-badge", "second-step", "sign-in-passkey", "places"),
    *("steps", "add-app", "add-passkey", "remove-step", "new-codes", "terminals", "revoke-terminal"),
    *("tokens", "revoke-token", "tv", "wait"),
}


class Verb:
    def __init__(self):
        self.refusal = None

    def refuse_with(self, refusal):
        self.refusal = refusal

    def __call__(self, *args, **options):
        raise self.refusal


@pytest.fixture
def verb():
    return Verb()


@pytest.fixture
def pages(monkeypatch):
    """Pages without their templates, which do not affect the status."""

    def render(request, template, facts=None, status=200):
        return HttpResponse(status=status)

    for module in (acts, form_pages, log):
        monkeypatch.setattr(module, "render", render)


@pytest.fixture
def read_once(monkeypatch):
    """`read_once(holder, *names)`: cache these reads, which are the same for every refusal."""

    def remembered(read):
        found = []

        def first(*given, **named):
            if not found:
                found.append(read(*given, **named))
            return found[0]

        return first

    def once(holder, *names):
        for name in names:
            monkeypatch.setattr(holder, name, remembered(getattr(holder, name)))

    return once


@pytest.fixture
def send(rf):
    """`send(person, data)`: the request of this person's browser."""

    def request(person, data=(), method="post", **options):
        sent = getattr(rf, method)("/somewhere/", dict(data), **options)
        sent.user, sent.htmx, sent.session = person, False, {}
        return sent

    return request


def test_no_two_classes_share_a_code():
    assert len({refusal.code for refusal in EVERY}) == len(EVERY)
    assert {refusal.status for refusal in EVERY} == {400, 403, 404, 409, 429, 503}


def test_what_the_product_catches_by_name_is_tried_at_every_door():
    assert {"NotAllowed", "RolesConflict", "StalePage", "TooManyAttempts"} <= {
        refusal.__name__ for refusal in told_apart()
    }
    assert len(told_apart()) < len(EVERY) / 3


def test_every_address_is_tried():
    tried = {*ACTS, *WINDOWS, *API, *BOOKS_API, *READING, *OTHERS, *STAFF, "staff", *NEVER_REFUSE, "live"}
    assert set(VIEWS) - tried == set()
    assert tried <= set(VIEWS)
    assert min(map(len, (ACTS, WINDOWS, API, READING))) > 3


def filled(form_class):
    form = form_class.__new__(form_class)
    form.second_person = None
    FloorForm.__init__(form, {"key": KEY})
    form._errors, form.cleaned_data = ErrorDict(), {"key": KEY}
    return form


@pytest.mark.parametrize("piece", [False, True])
@pytest.mark.parametrize("name", ACTS)
def test_an_act(name, piece, verb, pages, rf):
    request = rf.post("/somewhere/")

    def door():
        view = ACTS[name]()
        view.setup(request)
        view.request.htmx = piece
        view.form = lambda data: filled(view.form_class)
        view.do, view.panel_facts, view.facts = verb, dict, lambda form: {}
        return view.post(view.request)

    assert answers(door, verb.refuse_with) == {}


@pytest.mark.parametrize("name", WINDOWS)
def test_the_window(name, verb, monkeypatch, rf):
    def shown(request, **refused):
        return HttpResponse(status=max(form.status for form in refused.values()))

    monkeypatch.setattr(window, "window", shown)
    entry = {"key": KEY, "amount": "10.00", "cents": "1000", "name": "", "number": ""}
    entry = {key: value for key, value in entry.items() if key in WINDOWS[name].form_class.base_fields}

    request = rf.post("/somewhere/", entry)

    def door():
        view = WINDOWS[name]()
        view.setup(request)
        values = {"denominations": {"chips": (500,), "cash": ()}} if "amount" in entry else {}
        view.form = lambda data: view.form_class(data, **values)
        view.do = verb
        return view.post(view.request)

    assert answers(door, verb.refuse_with) == {}


@pytest.fixture
def box(game, floor, dealer):
    return boxes.pull_box(box=game.session.box, second=dealer, act=Act(actor=floor, now=game.now))


def test_the_sign_off_of_a_box(box, verb, pages, monkeypatch, read_once, send, cashier):
    monkeypatch.setattr(boxes, "sign_off", verb)
    read_once(cage_day.Box, "row")
    read_once(cage_day.reconciliation, "collections_in")
    request = send(cashier, {"key": KEY})
    door = partial(cage_day.Box.as_view(), request, box_id=box.pk)
    assert answers(door, verb.refuse_with) == {}


def test_the_sign_off_of_a_bank(game, floor2, verb, pages, monkeypatch, send, cashier):
    game.close(floor2, chips_over=-500)
    monkeypatch.setattr(banks, "sign_off_bank", verb)
    request = send(cashier, {"key": KEY, "cause": "a chip rolled away"})
    counted = game.site.entries.get(kind="bank_count")
    door = partial(cage_banks.Bank.as_view(), request, entry_id=counted.pk)
    assert answers(door, verb.refuse_with) == {}


@pytest.mark.parametrize("way", ["opening", "count", "reserve", "to_drawer", "from_drawer", "closing"])
def test_the_first_count_of_a_cage_slip(way, game, verb, pages, monkeypatch, read_once, send, cashier):
    monkeypatch.setattr(stocking, "count_first", verb)
    read_once(form_pages, "the_site")
    drawer, request = drawers.drawer_of(game.site, cashier), send(cashier, {"key": KEY, "chips_500": "1"})
    view = cage_stocking.CountFirst if way in ("opening", "count", "reserve") else CountDrawer
    by = {"drawer_id": drawer.pk} if view is CountDrawer else {}
    assert answers(partial(view.as_view(way=way), request, **by), verb.refuse_with) == {}


@pytest.fixture
def slip(site, cashier, game):
    act = Act(actor=cashier, now=game.now, key="a slip")
    return stocking.count_first(site=site, way="count", pieces=Pieces({500: 1}), act=act)


def test_the_second_count_of_a_cage_slip(slip, verb, pages, monkeypatch, read_once, send, cashier):
    monkeypatch.setattr(stocking, "count_second", verb)
    read_once(form_pages, "the_site")
    read_once(cage_stocking, "get_object_or_404")
    read_once(cage_slips, "slip_row")
    read_once(fields, "authenticate", "by_full_name")
    request = send(cashier, {"key": KEY, "chips_500": "1", "second": "floor", "second_pin": PIN})
    door = partial(cage_stocking.Slip.as_view(), request, slip_id=slip.pk)
    assert answers(door, verb.refuse_with) == {}


def test_the_withdrawal_of_a_cage_slip(slip, verb, pages, monkeypatch, read_once, send, cashier):
    monkeypatch.setattr(stocking, "withdraw_slip", verb)
    read_once(form_pages, "the_site")
    read_once(cage_stocking, "get_object_or_404")
    read_once(cage_slips, "slip_row")
    request = send(cashier, {"key": KEY, "reason": "the van was late"})
    door = partial(cage_stocking.WithdrawSlip.as_view(), request, slip_id=slip.pk)
    assert answers(door, verb.refuse_with) == {}


def test_the_closing_of_a_day(site, verb, pages, monkeypatch, read_once, send, cashier, floor):
    monkeypatch.setattr("ledger.journal.closing.close_day", verb)
    monkeypatch.setattr(cage_day, "day_facts", lambda *_: {"boxes": []})
    monkeypatch.setattr(cage_day, "closing_list", lambda *_: {})
    read_once(fields, "authenticate", "by_full_name")
    request = send(cashier, {"key": KEY, "second": "floor", "second_pin": PIN})
    door = partial(cage_day.CloseDay.as_view(), request, day=date(2026, 3, 7))
    assert answers(door, verb.refuse_with) == {}


def test_the_exclusion_list(site, verb, pages, monkeypatch, send, employ):
    monkeypatch.setattr(exclusion_list, "add_exclusion", verb)
    entry = {
        "name": "Mallory",
        "reference": "GEGE-7",
        "effective_from": "2026-03-07",
    }
    request = send(employ("carla", "compliance"), {"key": KEY, **entry})
    assert answers(partial(exclusions.Listed.as_view(), request), verb.refuse_with) == {}


def test_lifting_an_exclusion(site, verb, pages, monkeypatch, send, employ):
    monkeypatch.setattr(exclusion_list, "lift_exclusion", verb)
    monkeypatch.setattr(exclusions.Lift, "found", lambda view: SimpleNamespace(pk=1))
    request = send(employ("carla", "compliance"), {"key": KEY, "reason": "the order ended"})
    door = partial(exclusions.Lift.as_view(), request, exclusion_id=1)
    assert answers(door, verb.refuse_with) == {}


def test_opening_what_the_log_withholds(site, verb, pages, monkeypatch, send, regulator):
    monkeypatch.setattr(withholding, "open_batch", verb)
    monkeypatch.setattr(
        log.OpenWithheld, "find", lambda view, batch_id: setattr(view, "batch", SimpleNamespace(pk=1))
    )
    request = send(regulator, {"key": KEY, "reason": "an inspection"})
    door = partial(log.OpenWithheld.as_view(), request, batch_id=1)
    assert answers(door, verb.refuse_with) == {}


def test_the_waiting_lists(site, verb, pages, monkeypatch, send, floor):
    monkeypatch.setattr(waiting, "join", verb)
    monkeypatch.setattr(waiting_pages, "waiting_lists", lambda site, now: [])
    request = send(floor, {"key": KEY, "name": "Ann", "game": "face-up", "limit": "5.00"})
    assert answers(partial(waiting_pages.Lists.as_view(), request), verb.refuse_with) == {}


def test_the_first_start(db, verb, pages, monkeypatch, rf):
    monkeypatch.setattr(first_start, "link_held", lambda pk, now: SimpleNamespace(pk=1))
    monkeypatch.setattr(first_start, "set_up", verb)
    monkeypatch.setattr(views, "checked", verb)
    entries = {
        views.SetUpHouse: HOUSE | {"origin": ORIGIN},
        views.SetUpManager: ZOE | {"again": ZOE["password"]},
    }
    for view, entry in entries.items():
        request = rf.post("/somewhere/", entry | {"key": KEY})
        request.session = {views.HOUSE: HOUSE, views.ORIGIN: ORIGIN}
        assert answers(partial(view.as_view(), request), verb.refuse_with) == {}


@pytest.mark.parametrize("name", STAFF)
def test_the_staff(name, site, verb, pages, monkeypatch, read_once, send, manager, dealer):
    read_once(form_pages, "the_site")
    read_once(staff_pages.StaffPage, "row")
    lock = name == "staff-lift-lock"
    monkeypatch.setattr(hiring, STAFF[name], verb)
    known = {"staff-hire": {"username": "zoe", "full_name": "Zoe"}, "staff-person": {"full_name": "Zoe"}}
    request = send(manager, {"key": KEY, **known.get(name, {})})
    coming_in.proved_again(request)
    found_by = {"lock_id": 1} if lock else {} if name == "staff-hire" else {"person_id": dealer.pk}
    assert answers(partial(VIEWS[name], request, **found_by), verb.refuse_with) == {}


def test_the_list_of_the_staff(site, verb, pages, monkeypatch, send, manager):
    monkeypatch.setattr(form_pages, "require", verb)
    guard, request = Refusals(lambda request: None), send(manager, method="get")

    def door():
        try:
            return VIEWS["staff"](request)
        except Refusal as refusal:
            return guard.process_exception(request, refusal)

    assert answers(door, verb.refuse_with) == {}


def test_the_entry_of_a_player(site, verb, pages, monkeypatch, read_once, send, floor, ann):
    read_once(players_pages, "with_whereabouts", "history", "found")
    monkeypatch.setattr(players_pages, "change_player", verb)
    door = partial(players_pages.Entry.as_view(), send(floor, {"key": KEY, "name": "Anna"}), player_id=ann.pk)
    assert answers(door, verb.refuse_with) == {}


def test_a_merge_of_two_players(site, verb, pages, monkeypatch, read_once, send, floor, ann, bob):
    read_once(fields, "by_full_name")
    read_once(players_pages, "with_whereabouts")
    monkeypatch.setattr(players_pages, "merge_players", verb)
    monkeypatch.setattr(players_pages.MergeForm, "clean", lambda form: form.cleaned_data)
    sent = {"key": KEY, "stays": str(ann.pk), "reason": "one card", "second": "floor2", "second_pin": "2468"}
    door = partial(players_pages.Merge.as_view(), send(floor, sent), player_id=ann.pk, other_id=bob.pk)
    assert answers(door, verb.refuse_with) == {}


def test_the_export_of_the_log(site, verb, pages, monkeypatch, send, regulator):
    monkeypatch.setattr("ledger.proof.log.exporting.export", verb)
    request = send(regulator, method="get")
    assert answers(partial(log.export, request), verb.refuse_with) == {}


@pytest.mark.parametrize("name", API)
def test_the_api(name, verb, monkeypatch, rf, dealer):
    round_ = Round(draft_version=1, draft=[])
    for finds in ("_round", "_session", "_require_correction"):
        monkeypatch.setattr(api, finds, lambda request, number=0: round_)
    monkeypatch.setattr(api, "found_or_404", lambda row: round_)
    for module, does in API_VERBS:
        monkeypatch.setattr(getattr(api, module), does, verb)
    monkeypatch.setattr(api, "state_of" if name == "api-plan" else "require", verb)
    method = next(method for method in ("get", "put", "post") if hasattr(API[name], method))
    found_by = list(inspect.signature(getattr(API[name], method)).parameters)[2]
    entry = API_ENTRIES.get(name, {})
    options = {"data": json.dumps(entry), "content_type": "application/json"} if method != "get" else {}

    def door():
        request = getattr(rf, method)("/api/somewhere", **options)
        request.user, request._dont_enforce_csrf_checks = dealer, True
        return VIEWS[name](request, **{found_by: 1})

    assert answers(door, verb.refuse_with) == {}


@pytest.mark.parametrize("name", READING)
def test_a_page_or_a_download(name, verb, monkeypatch, send, regulator):
    view, guard = READING[name], Refusals(lambda request: None)
    monkeypatch.setitem(asks_in(view), "require", verb)
    monkeypatch.setattr("casino.views.get_template", no_template)
    asked = dict.fromkeys(list(inspect.signature(view).parameters)[1:], 1)
    request = send(regulator, method="get")

    def door():
        try:
            return view(request, **asked)
        except Refusal as refusal:
            return guard.process_exception(request, refusal)

    assert answers(door, verb.refuse_with) == {}


def no_template(name):
    raise TemplateDoesNotExist(name)


@pytest.mark.django_db
def test_the_stream(client, employ):
    client.force_login(employ("nobody"))
    assert client.get("/live/").status_code == NotAllowed.status


@pytest.mark.parametrize("refused", [WrongPin, TooManyAttempts])
def test_a_second_person_whose_pin_is_refused(refused, verb, monkeypatch):
    monkeypatch.setattr(fields, "authenticate", verb)
    verb.refuse_with(refused("As if.", field="pin"))
    form = filled(fields.TwoPeopleForm)
    form.cleaned_data["second_pin"] = "2468"
    assert fields.proved(form, None, "floor2", "second_pin", ["floor2"]) is None
    assert form.status == refused.status
