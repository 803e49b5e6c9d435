"""Common parts of pages: who may read one, and pages whose form a verb carries out."""

from collections.abc import Callable
from datetime import datetime
from functools import cached_property, wraps
from http import HTTPStatus
from typing import Any, ClassVar, TypeVar, cast
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape
from django.views import View
from django.views.decorators.http import require_safe

from ledger.cage import exclusions
from ledger.errors import CrossSite, Refusal
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.journal.particulars import of_the_house
from ledger.models import Site
from ledger.rights import require
from ledger.views.day import the_site
from ledger.views.fields import BooksForm, StatusForm
from ledger.views.terminal import act_of

Reading = TypeVar("Reading", bound=Callable[..., HttpResponseBase])
Found = TypeVar("Found")


def read_by(*rights: str) -> Callable[[Reading], Reading]:
    """Restrict a page or download to GET by people with one of these rights."""

    def guarded(view: Reading) -> Reading:
        @require_safe
        @wraps(view)
        def page(request: HttpRequest, *args: Any, **found_by: Any) -> HttpResponseBase:
            require(request.user, *rights)
            return view(request, *args, **found_by)

        return cast(Reading, page)

    return guarded


def found_or_404(found: Found | None) -> Found:
    if found is None:
        raise Http404
    return found


def find_here(rows: Any, pk: int, path: str = "site") -> Any:
    """Return the row of this house with this id, or 404; `path` leads to its site."""
    return get_object_or_404(rows, of_the_house(path), pk=pk)


def require_own_page(request: HttpRequest) -> None:
    """Raise CrossSite if another site sent the browser here: leaving the house is recorded under somebody's
    name, so it must be their own act. Maintained browsers send the header; a client without it is not a
    browser that another site could use."""
    if request.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
        raise CrossSite("Another page has sent you here. Start the download from the house's own page.")


def answered(request: HttpRequest, template: str, facts: dict[str, Any], *forms: StatusForm) -> HttpResponse:
    """Render a page with the status of its `forms`. What they refuse and the page has no place for, since
    what was sent is not on it any more, stands on top, so that no refusal is without its sentence and
    code."""
    status = max(form.status for form in forms)
    answer = render(request, template, facts, status=status)
    page = answer.content.decode() if status >= HTTPStatus.BAD_REQUEST else ""
    unsaid = [one for form in forms for one in form.refusals() if escape(one[0]) not in page] if page else []
    return render(request, template, facts | {"unsaid": unsaid}, status=status) if unsaid else answer


class EntryPage(View):
    """A page with a form: GET shows it; POST does what was entered, or shows the form with the error."""

    form_class: ClassVar[type[StatusForm]]
    template: ClassVar[str]

    def form(self, data: Any = None) -> Any:
        return self.form_class(data)

    def facts(self, form: Any) -> dict[str, Any]:
        return {}

    def do(self, form: Any) -> Any:
        """Do what was entered, and return what `done` needs; the form shows what is refused here."""

    def heed(self, form: Any) -> None:
        """Record what the form was answered before its verb asks; by itself nothing."""

    def done(self, made: Any, form: Any) -> HttpResponse:
        raise NotImplementedError

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        return self.shown(self.form())

    def post(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        form = self.form(request.POST)
        if not form.is_valid():
            return self.refused(form)
        try:
            self.heed(form)
            made = self.do(form)
        except Refusal as refusal:
            self.was_refused(refusal, form)
            form.refuse(refusal)
            return self.refused(form)
        return self.done(made, form)

    def was_refused(self, refusal: Refusal, form: Any) -> None:
        """Note what is refused; by itself nothing."""

    def shown(self, form: Any) -> HttpResponse:
        return answered(self.request, self.template, {"form": form} | self.facts(form), form)

    def refused(self, form: Any) -> HttpResponse:
        return self.shown(form)


class FormPage(EntryPage):
    """A page with a form that one verb carries out. `rights` may act; `readers` may only look."""

    rights: ClassVar[tuple[str, ...]]
    readers: ClassVar[tuple[str, ...]] = ()
    room: ClassVar[str]
    home: ClassVar[str]
    """The name of the page that follows an act, unless `back` says another."""
    form_class: ClassVar[type[BooksForm]]

    now: datetime
    refusal: Refusal | None = None
    """Why an entry is not looked at; the form is shown again with it."""

    def dispatch(self, request: HttpRequest, *args: Any, **found_by: Any) -> HttpResponseBase:
        require(request.user, *self.rights, *(self.readers if request.method in ("GET", "HEAD") else ()))
        self.now = timezone.now()
        self.find(**found_by)
        self.require_sight()
        if self.refusal is not None:
            form = self.form(request.POST)
            form.refuse_unread(self.refusal)
            return self.refused(form)
        return super().dispatch(request, *args, **found_by)

    def find(self, *args: Any, **found_by: Any) -> None:
        """Fetch what the address names, or 404."""

    def require_sight(self) -> None:
        """Refuse people who may not look at this object."""

    @cached_property
    def site(self) -> Site:
        return the_site()

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.site.time_zone)

    def do(self, form: Any) -> str:
        raise NotImplementedError

    def back(self) -> str:
        return reverse(self.home)

    def act(self, form: Any, *, approver: Any = None) -> Act:
        """Return the act of this request; the reason is the form's, if it asks for one."""
        entry = form.cleaned_data
        reason = entry.get("reason")
        reason = reason if isinstance(reason, str) else ""
        return act_of(
            self.request, self.room, key=entry["key"], reason=reason, approver=approver, now=self.now
        )

    def heed(self, form: Any) -> None:
        """Record whether somebody is the person on the exclusion list that the form asked about."""
        if told := form.answered("exclusion"):
            exclusions.answer(site=self.site, **told, act=act_of(self.request, self.room, now=self.now))

    def was_refused(self, refusal: Refusal, form: Any) -> None:
        if refusal.asked is not None:
            house_events.note_refused(self.site, refusal, self.act(form))

    def done(self, sentence: str, form: Any) -> HttpResponse:
        if sentence:
            messages.success(self.request, sentence)
        return redirect(self.back())


class FormOnPage(FormPage):
    """A further form, `beside`, on the page of the next base class, which shows what it refuses."""

    readers: ClassVar[tuple[str, ...]] = ()
    beside: ClassVar[str]
    done = FormPage.done

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        return redirect(self.back())

    def facts(self, form: Any) -> dict[str, Any]:
        return super().facts(form) | {"form": super().form().without_cursor(), self.beside: form}
