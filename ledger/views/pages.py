"""What pages have in common: who may read one, and the form of one whose entry a verb carries out."""

from collections.abc import Callable
from datetime import datetime
from functools import cached_property, wraps
from typing import Any, ClassVar, TypeVar, cast
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views import View
from django.views.decorators.http import require_safe

from ledger.errors import CrossSite, Refusal
from ledger.journal.acts import Act
from ledger.models import Site
from ledger.rights import require
from ledger.views.day import the_site
from ledger.views.fields import BooksForm
from ledger.views.terminal import act_of

Reading = TypeVar("Reading", bound=Callable[..., HttpResponseBase])


def read_by(*rights: str) -> Callable[[Reading], Reading]:
    """Make a page, or a download, that whoever has one of these rights reads. It is asked for by GET alone."""

    def guarded(view: Reading) -> Reading:
        @require_safe
        @wraps(view)
        def page(request: HttpRequest, *args: Any, **found_by: Any) -> HttpResponseBase:
            require(request.user, *rights)
            return view(request, *args, **found_by)

        return cast(Reading, page)

    return guarded


def require_own_page(request: HttpRequest) -> None:
    """Refuse to be sent here by another site (`cross_site`): what leaves the house is noted under somebody's name, so it is their
    own act. Every browser that is still mended says where it comes from; what does not say so is no browser, and no other site
    makes it bring somebody's cookie."""
    if request.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
        raise CrossSite("Another page has sent you here. Start the download from the house's own page.")


class FormPage(View):
    """A page with a form: GET shows it, POST has one verb do what was entered, or shows the form again with what is wrong.

    Whoever has one of `rights` may do it; whoever has one of `readers` may look as well.
    """

    rights: ClassVar[tuple[str, ...]]
    readers: ClassVar[tuple[str, ...]] = ()
    room: ClassVar[str]
    form_class: ClassVar[type[BooksForm]]
    template: ClassVar[str]

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
        """Refuse whoever may not look at just that."""

    @cached_property
    def site(self) -> Site:
        """The house; 404 before it has been set up."""
        return the_site()

    @property
    def zone(self) -> ZoneInfo:
        """The zone of the house's clocks."""
        return ZoneInfo(self.site.time_zone)

    def form(self, data: Any = None) -> Any:
        return self.form_class(data)

    def facts(self, form: Any) -> dict[str, Any]:
        """What the template shows, beside the form."""
        raise NotImplementedError

    def do(self, form: Any) -> str:
        """Do it with one verb, and say in a sentence what was done."""
        raise NotImplementedError

    def back(self) -> str:
        """The address that it goes on with."""
        raise NotImplementedError

    def act(self, form: Any, *, approver: Any = None) -> Act:
        """Who acts here, when, under which key and from which terminal; the reason is that of the form, if it asks."""
        entry = form.cleaned_data
        reason = entry.get("reason")
        reason = reason if isinstance(reason, str) else ""
        return act_of(
            self.request, self.room, key=entry["key"], reason=reason, approver=approver, now=self.now
        )

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        return self.shown(self.form())

    def post(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        form = self.form(request.POST)
        if not form.is_valid():
            return self.refused(form)
        try:
            said = self.do(form)
        except Refusal as refusal:
            form.refuse(refusal)
            return self.refused(form)
        return self.done(said, form)

    def shown(self, form: Any) -> HttpResponse:
        facts = {"form": form} | self.facts(form)
        return render(self.request, self.template, facts, status=form.status)

    def refused(self, form: Any) -> HttpResponse:
        """The form again with what was typed and what is wrong; nothing has changed."""
        return self.shown(form)

    def done(self, said: str, form: Any) -> HttpResponse:
        """Say it on the page that it goes on with."""
        if said:
            messages.success(self.request, said)
        return redirect(self.back())
