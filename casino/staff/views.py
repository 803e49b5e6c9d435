"""The pages of the staff: the list, hiring, a person, and the one-time code that is shown once."""

from collections.abc import Callable
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import never_cache

from casino.models import Staff
from casino.sign_in.attempts import held_up
from casino.staff import hiring
from casino.staff.forms import ActForm, HireForm, PersonForm
from casino.staff.people import StaffRow, expired_badges, staff, staff_row
from ledger.cage.names import isolated
from ledger.errors import Refusal
from ledger.journal.acts import Act
from ledger.rights import require
from ledger.views.day import the_site
from ledger.views.terminal import terminal_of
from tables.rights import MANAGE_HOUSE


@method_decorator(never_cache, name="dispatch")
class StaffPage(View):
    """A page for managers. Nothing of it is kept by a browser, for one of them shows a code."""

    def dispatch(self, request: HttpRequest, *args: Any, **found_by: Any) -> HttpResponseBase:
        require(request.user, MANAGE_HOUSE)
        self.site, self.now = the_site(), timezone.now()
        self.today = self.now.astimezone(ZoneInfo(self.site.time_zone)).date()
        return super().dispatch(request, *args, **found_by)

    def act(self) -> Act:
        return Act(actor=self.request.user, now=self.now, terminal=terminal_of(self.request, "office"))

    def row(self, person_id: int) -> StaffRow:
        """The person that the address names, or 404."""
        person = Staff.objects.filter(pk=person_id, is_superuser=False).prefetch_related("groups").first()
        if person is None:
            raise Http404
        return staff_row(person, today=self.today, now=self.now)

    def page(self, template: str, status: int = 200, **facts: Any) -> HttpResponse:
        return render(self.request, f"staff/{template}.html", {"site": self.site, **facts}, status=status)

    def code_page(self, person: Staff, code: str) -> HttpResponse:
        """The code, in the answer to the act that made it: it is shown nowhere else."""
        return self.page("code", person=Staff.objects.get(pk=person.pk), code=code)


class Everybody(StaffPage):
    """The list, with what needs somebody on top."""

    def get(self, request: HttpRequest) -> HttpResponse:
        rows = staff(today=self.today, now=self.now)
        return self.page(
            "list",
            here=[row for row in rows if row.person.is_active],
            gone=[row for row in rows if not row.person.is_active],
            expired=expired_badges(rows),
            locks=held_up(self.now),
        )


class Hire(StaffPage):
    """Hiring somebody; the answer shows their one-time code."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.page("hire", form=HireForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = HireForm(request.POST)
        if form.is_valid():
            try:
                person, code = hiring.hire(act=self.act(), **form.entry())
            except Refusal as refusal:
                form.refuse(refusal)
            else:
                return self.code_page(person, code)
        return self.page("hire", form=form, status=form.status)


class PersonPage(StaffPage):
    """One person: what the house knows of them, how they sign in, and the acts about that."""

    def get(self, request: HttpRequest, person_id: int) -> HttpResponse:
        row = self.row(person_id)
        known = {name: getattr(row.person, name) for name in ("full_name", "badge", "badge_expires")}
        form = PersonForm(initial={**known, "roles": list(row.roles)}, own=self.own(row))
        return self.page("person", row=row, form=form, own=self.own(row))

    def post(self, request: HttpRequest, person_id: int) -> HttpResponse:
        """Change it."""
        row = self.row(person_id)
        form = PersonForm(request.POST, own=self.own(row))
        if form.is_valid():
            try:
                person = hiring.change_person(
                    person_id=person_id, act=self.act(), **{"roles": frozenset(row.roles), **form.entry()}
                )
            except Refusal as refusal:
                form.refuse(refusal)
            else:
                messages.success(request, f"{isolated(person.get_full_name())} is changed.")
                return redirect("staff-person", person_id)
        return self.page("person", row=row, form=form, own=self.own(row), status=form.status)

    def own(self, row: StaffRow) -> bool:
        return bool(row.person.pk == self.request.user.pk)


class LiftLock(StaffPage):
    """Lifting a lock after too many wrong passwords or PINs."""

    def get(self, request: HttpRequest, lock_id: int) -> HttpResponse:
        return self.asked(lock_id, ActForm())

    def post(self, request: HttpRequest, lock_id: int) -> HttpResponse:
        form = ActForm(request.POST)
        if form.is_valid():
            try:
                hiring.lift_lock(lock_id=lock_id, act=self.act())
            except Refusal as refusal:
                form.refuse(refusal)
            else:
                messages.success(request, "The lock is lifted.")
                return redirect("staff")
        return self.asked(lock_id, form)

    def asked(self, lock_id: int, form: ActForm) -> HttpResponse:
        lock = next((one for one in held_up(self.now) if one.pk == lock_id), None)
        return self.page("lift", lock=lock, form=form, status=form.status)


class ActOnPerson(StaffPage):
    """An act about somebody that says first what it does. Subclasses name it."""

    heading: ClassVar[str]
    button: ClassVar[str]
    what: ClassVar[str]
    danger: ClassVar[bool] = False

    def get(self, request: HttpRequest, person_id: int) -> HttpResponse:
        return self.asked(person_id, ActForm())

    def post(self, request: HttpRequest, person_id: int) -> HttpResponse:
        form = ActForm(request.POST)
        if form.is_valid():
            try:
                return self.do(self.row(person_id).person)
            except Refusal as refusal:
                form.refuse(refusal)
        return self.asked(person_id, form)

    def do(self, person: Staff) -> HttpResponse:
        """Do it with one verb, and give the answer."""
        raise NotImplementedError

    def asked(self, person_id: int, form: ActForm) -> HttpResponse:
        return self.page("act", row=self.row(person_id), form=form, act=self, status=form.status)

    def show_code(self, person: Staff, verb: Callable[..., str]) -> HttpResponse:
        return self.code_page(person, verb(person_id=person.pk, act=self.act()))


class MakeCode(ActOnPerson):
    """A new one-time code."""

    heading = "A one-time code"
    button = "Make the code"
    what = (
        "Their password and PIN stop working now, and they are signed out everywhere. With the code they sign in once, "
        "within a day, and set a password and a PIN of their own. A code from before stops working."
    )

    def do(self, person: Staff) -> HttpResponse:
        return self.show_code(person, hiring.make_code)


class LetGo(ActOnPerson):
    """Letting somebody go."""

    heading = "Let go"
    button = "Let go"
    what = (
        "They are signed out everywhere now, and their password, PIN and code stop working. Everything they did stays on "
        "record under their name."
    )
    danger = True

    def do(self, person: Staff) -> HttpResponse:
        hiring.let_go(person_id=person.pk, act=self.act())
        messages.success(self.request, f"{isolated(person.get_full_name())} no longer works here.")
        return redirect("staff")


class TakeBack(ActOnPerson):
    """Taking somebody back."""

    heading = "Take back"
    button = "Take back"
    what = "They work here again, in the roles they had. They come in by a one-time code, as at first."

    def do(self, person: Staff) -> HttpResponse:
        return self.show_code(person, hiring.take_back)
