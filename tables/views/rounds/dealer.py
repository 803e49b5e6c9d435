"""The dealer's pages: choosing a table, entering rounds (by the API), pushes; and what a tablet keeps of
them to play on without the network."""

import hashlib
import io
import zipfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib import auth, messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import escape
from django.utils.translation import to_locale

from ledger import lengths
from ledger.errors import Refusal
from ledger.journal.particulars import of_the_house
from ledger.views.pages import find_here, read_by
from tables.errors import DealerInRound
from tables.floor.line_up import proposed
from tables.rights import DEAL
from tables.rounds.pushes import only_deals, own_tables, push_dealer, require_sight
from tables.state.table_state import sessions
from tables.views.acts import ActPage, TablePanelActPage
from tables.views.fields import FloorForm, PinField, by_full_name, dealer_of, proved, with_pins

NOBODY, STRANGER = "(nobody)", "(stranger)"  # staff names have no brackets


class PushForm(FloorForm):
    """The dealer who comes in at a table, with their PIN; `dealer` is None if nobody comes."""

    beside: ClassVar = {"dealer": "comes"}
    use_required_attribute = False  # without a dealer there is no PIN to type
    halves = frozenset({"comes", "pin"})

    comes = forms.CharField(label="Who comes in", max_length=150, widget=forms.Select)
    pin = PinField(label="Their PIN")

    def __init__(self, *args: Any, session: Any, next_dealer: Any = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.dealer = None
        people = by_full_name(one for one in with_pins(DEAL) if one.pk != session.dealer_id)
        self.offered = [username for username, _ in people]
        self.fields["comes"].widget.choices = [("", "Choose a dealer"), *people]
        if session.dealer_id is not None:
            self.fields["comes"].widget.choices.append((NOBODY, "Nobody yet"))
        if next_dealer is not None and next_dealer.get_username() in self.offered:
            self.initial["comes"] = next_dealer.get_username()
            self.fields["comes"].help_text = f"{next_dealer} is next in line."
        if "leave_round" in self.data:
            self._ask_to_leave()

    def refuse(self, error: Refusal) -> None:
        """Show the refusal; offer a tick to push a dealer who is in a round."""
        super().refuse(error)
        if error.code == DealerInRound.code:
            self._ask_to_leave()

    def _ask_to_leave(self) -> None:
        self.fields["leave_round"] = forms.BooleanField(
            required=False, label="Push anyway: the floor finds that round another dealer"
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        comes, pin = cleaned.get("comes"), cleaned.get("pin")
        if comes == NOBODY:
            self.errors.pop("pin", None)
        elif comes and pin:
            self.dealer = proved(self, self.request, comes, "pin", self.offered)
        return cleaned


class HandOverForm(PushForm):
    """The same at the tablet: a badge that is read or typed, with its PIN; names are folded away."""

    halves = frozenset({"badge", "pin"})
    seldom = frozenset({"comes"})
    field_order = ("badge", "pin", "comes")

    badge = forms.CharField(
        label="Badge or username of the dealer who comes in",
        max_length=150,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["comes"].required = False
        self.fields["comes"].label = "Or choose who comes in"

    def clean(self) -> dict[str, Any]:
        badge, chosen = self.cleaned_data.get("badge"), self.cleaned_data.get("comes")
        if badge:
            self.cleaned_data["comes"] = dealer_of(badge) or STRANGER
        elif not chosen:
            self.add_error("badge", ValidationError("Whose badge?", code="required"))
        return super().clean()


class OwnPinForm(FloorForm):
    pin = PinField(label="Your PIN")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("pin"):
            name = self.request.user.get_username()
            proved(self, self.request, name, "pin", [name])
        return cleaned


BESIDE = (
    "ledger/__init__.py",
    "ledger/errors.py",
    "ledger/money.py",
    "ledger/rules/__init__.py",
    "ledger/rules/phrasebook.py",
    "tables/__init__.py",
    "tables/errors.py",
    "tables/rounds/__init__.py",
    "tables/rounds/checked.py",
    "tables/rounds/entry.py",
    "tables/rounds/on_tablet.py",
)
"""What runs on a tablet beside the rules."""
SHOWN = ("casino/static", "templates/dealer", "templates/base.html")
SCRIPT = "text/javascript"
WASM = "'wasm-unsafe-eval'"
ZIP_TIME = (1980, 1, 1, 0, 0, 0)


def rules_files() -> list[Path]:
    """Return the files of the rules that run on a tablet, and those beside them; without batches."""
    rules = settings.BASE_DIR / "tables/rules"
    found = [path for path in rules.rglob("*") if path.suffix in (".py", ".toml", ".md")]
    found = [path for path in found if path.relative_to(rules).parts[0] != "batch"]
    return sorted((*found, *(settings.BASE_DIR / name for name in BESIDE)))


@lru_cache
def rules_zip() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in rules_files():
            member = zipfile.ZipInfo(path.relative_to(settings.BASE_DIR).as_posix(), ZIP_TIME)
            archive.writestr(member, path.read_bytes(), zipfile.ZIP_DEFLATED)
        for language, _ in settings.LANGUAGES:
            path = settings.LOCALE_PATHS[0] / to_locale(language) / "LC_MESSAGES/django.mo"
            if path.exists():
                member = zipfile.ZipInfo(f"locale/{language}.mo", ZIP_TIME)
                archive.writestr(member, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


@lru_cache
def shell_version() -> str:
    """Return what changes with any file of the dealer's page or of the rules."""
    found = hashlib.sha256(rules_zip())
    for place in SHOWN:
        path = settings.BASE_DIR / place
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                found.update(f"{file.relative_to(settings.BASE_DIR)} {file.stat().st_size}\n".encode())
                found.update(file.read_bytes())
    return found.hexdigest()[:16]


FILES = {"rules.zip": "application/zip", "keeper.js": SCRIPT, "engine.js": SCRIPT}
"""What a tablet fetches below its pages' address, by name."""


@read_by(DEAL)
def tablet_file(request: HttpRequest, name: str) -> HttpResponse:
    """Return the rules packed, the service worker of the dealer's pages, or the script of the thread that
    runs the rules: of all our scripts it alone may compile WebAssembly."""
    if name not in FILES:
        raise Http404
    body = rules_zip() if name == "rules.zip" else _script(name)
    answer = HttpResponse(body, content_type=FILES[name])
    if name == "keeper.js":
        answer.headers["Service-Worker-Allowed"] = "/dealer/"
    if name == "engine.js":
        answer._csp_update = {"script-src": [WASM]}  # type: ignore[attr-defined]
    return answer


def _script(name: str) -> bytes:
    return (settings.BASE_DIR / "casino/static/js/dealer" / name).read_bytes()


@read_by(DEAL)
def choose(request: HttpRequest) -> HttpResponse:
    """Redirect a dealer to their table, or list tables that need a dealer; others see every open table."""
    opened = sessions().filter(of_the_house("table__site"), closed_at__isnull=True)
    if not only_deals(request.user):
        return render(request, "dealer/choose.html", {"sessions": opened})
    here, own = _table_here(request), own_tables(request.user)
    if own and here in (None, own[0].table.number):
        return redirect("dealer-session", session_id=own[0].pk)
    if here is not None:
        opened = opened.filter(table__number=here)
        if opened.exclude(dealer=None):  # another dealer's: whoever comes in next says so
            auth.logout(request)
            return redirect("sign-in-badge")
    closed = "" if here is None else f"Table {here} is not open"
    shown = {"sessions": opened.filter(dealer=None), "take": True, "closed": closed}
    return render(request, "dealer/choose.html", shown)


def _table_here(request: HttpRequest) -> int | None:
    """Return the number of the table whose own terminal asks; one without a table follows its dealer."""
    return getattr(getattr(request, "terminal", None), "table", None)


@read_by(DEAL)
def deal(request: HttpRequest, session_id: int) -> HttpResponse:
    session = find_here(sessions().select_related("dealer"), session_id, "table__site")
    if only_deals(request.user) and _table_here(request) not in (None, session.table.number):
        return redirect("dealer")
    require_sight(request.user, session)
    shown = {"session": session, "reason_length": lengths.REASON, "shell": shell_version()}
    return render(request, "dealer/deal.html", shown | {"sheet": bytes(session.sheet.raw).decode()})


class PushDealer(TablePanelActPage):
    title = "Push"
    button = "Push"
    form_class = PushForm

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("Dealer now", escape(self.session.dealer) if self.session.dealer else "nobody yet"),)

    def form_options(self) -> dict[str, Any]:
        return {"session": self.session, "next_dealer": self.next_dealer}

    @property
    def next_dealer(self) -> Any:
        """Whom the line-up proposes, while nobody has been entered."""
        if self.request.method == "POST":
            return None
        return proposed(self.site, self.now, leaving=self.session.dealer_id)

    def do(self, form: PushForm) -> str:
        self.session = push_dealer(
            session_id=self.session.pk,
            dealer=form.dealer,
            leave_round=bool(form.cleaned_data.get("leave_round")),
            act=self.act(form),
        )
        return f"{form.dealer or 'Nobody'} deals at {self.session.table}."


class HandOver(PushDealer):
    """The push at the table's tablet: the incoming dealer types a PIN and is signed in.

    The round's unsent hands stay."""

    rights = (DEAL,)
    button = "Come in"
    form_class = HandOverForm

    def back(self) -> str:
        return reverse("dealer-session", args=[self.session.pk])

    @property
    def by_piece(self) -> bool:
        return False  # the signed-in person changes, so the whole page does

    def do(self, form: PushForm) -> str:
        sentence = super().do(form)
        self.came = form.dealer
        if form.dealer is not None and form.dealer.pk != self.request.user.pk:
            auth.logout(self.request)
            auth.login(self.request, form.dealer)
        return sentence

    def done(self, sentence: str, form: FloorForm) -> HttpResponse:
        if self.came is not None:
            return redirect(self.back())
        messages.success(self.request, sentence)
        return redirect("dealer")


class TakeTable(ActPage):
    rights = (DEAL,)
    title = "Deal here"
    button = "Deal at this table"
    form_class = OwnPinForm

    def require_sight(self) -> None: ...

    def back(self) -> str:
        return reverse("dealer")

    def do(self, form: OwnPinForm) -> str:
        push_dealer(session_id=self.session.pk, dealer=self.request.user, act=self.act(form))
        return f"You deal at {self.session.table}."

    def done(self, sentence: str, form: FloorForm) -> HttpResponse:
        return redirect("dealer-session", session_id=self.session.pk)
