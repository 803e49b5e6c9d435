"""The pages of the staff: the list, hiring, one person, and the one-time code that is shown once."""

from collections.abc import Collection
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

from casino.models import LONGEST_BADGE, LONGEST_NAME, Staff
from casino.roles import MANAGER, ROLES
from casino.sign_in import coming_in, factors
from casino.sign_in.attempts import held_up
from casino.sign_in.own import AskedNow
from casino.staff import hiring
from casino.staff.hiring import APPROVERS, KIND, REVIEWERS, everybody, review_access, second_people
from casino.staff.people import StaffRow, by_name, expired_badges, staff, staff_row
from ledger.cage.names import isolated
from ledger.journal.acts import Act
from ledger.rights import READ_BOOKS
from ledger.rules.access import quarter_of
from ledger.views.fields import DJANGO_CODES, FIRST_DAY, LAST_DAY, BooksForm, CalendarField, PlainField
from ledger.views.listing import LongList, SortColumn, list_page
from ledger.views.pages import FormPage, found_or_404
from ledger.views.terminal import act_of
from tables.rights import MANAGE_HOUSE
from tables.views.fields import SecondPersonForm

LONGEST_USERNAME = 30
# Shown beside each role's box.
WORK = {
    "floor": "runs the tables and approves",
    "dealer": "deals and takes the fees",
    "cashier": "works the cage and signs boxes off",
    "counter": "counts drop boxes",
    "compliance": "keeps the exclusion list",
    "regulator": "reads everything, changes nothing",
    "manager": "keeps the staff, rates and sheets",
}


class SignedForm(SecondPersonForm):
    """A form that a second person signs, not the one it is `about`; nobody while the actor is `alone`."""

    codes = DJANGO_CODES
    signers: Collection[str] = APPROVERS
    halves = frozenset({"second", "second_pin"})
    also_sent = halves

    def __init__(self, *args: Any, alone: bool = False, about: Staff | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.offered = [name for name in self.offered if about is None or name != about.username]
        choices = self.fields["second"].widget.choices
        self.fields["second"].widget.choices = [
            (name, label) for name, label in choices if not name or name in self.offered
        ]
        if alone:
            del self.fields["second"], self.fields["second_pin"]


class AccessForm(SignedForm):
    """A review of access; `alone` is who gives no rights."""

    signers = REVIEWERS


class CodeForm(AskedNow, SignedForm):
    also_sent = SignedForm.also_sent | AskedNow.also_sent

    def clean_password(self) -> str:
        password = super().clean_password()
        coming_in.proved_again(self.request)
        return password


class PersonForm(SignedForm):
    """A person's data. Nobody changes their own roles, so `own` omits them."""

    second_needed = False

    full_name = forms.CharField(max_length=LONGEST_NAME, label="Full name")
    badge = PlainField(required=False, max_length=LONGEST_BADGE, label="Licence or badge number")
    badge_expires = CalendarField(
        required=False, label="Valid until", help_text="The last day on which it is valid."
    )
    roles = forms.MultipleChoiceField(
        required=False,
        choices=[(role, f"{role.capitalize()}: {WORK[role]}") for role in ROLES],
        widget=forms.CheckboxSelectMultiple,
    )

    field_order = (
        *("username", "full_name", "badge", "badge_expires", "roles"),
        *("second", "second_pin", "password"),
    )

    def __init__(self, *args: Any, own: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["full_name"].widget.attrs.update({"autocomplete": "off", "dir": "auto"})
        for field in self.fields.values():
            field.error_messages["required"] = f"{field.label}: this is missing."
        if own:
            del self.fields["roles"]

    def clean_badge_expires(self) -> Any:
        day = self.cleaned_data["badge_expires"]
        if day is not None and not FIRST_DAY <= day <= LAST_DAY:
            raise forms.ValidationError("This is no day on which a badge could expire.", code="invalid")
        return day

    def entry(self) -> dict[str, Any]:
        """Return the verb's arguments; `roles` only if the form had them."""
        of_the_act = {"key", "password", *self.halves}
        entry = {name: value for name, value in self.cleaned_data.items() if name not in of_the_act}
        if "roles" in entry:
            entry["roles"] = frozenset(entry["roles"])
        return entry


class HireForm(CodeForm, PersonForm):
    second_needed = True

    username = forms.CharField(
        max_length=LONGEST_USERNAME,
        help_text="They sign in by it, and every record names them so. It never changes.",
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )


class ActForm(BooksForm): ...


SHOWN = 20
"""How many reviews of access the page shows, the newest first."""


@method_decorator(never_cache, name="dispatch")
class StaffPage(FormPage):
    """A page for managers. No browser may cache it, for some answers show a code."""

    home = "staff"
    rights: ClassVar[tuple[str, ...]] = (MANAGE_HOUSE,)
    room = "office"
    form_class: ClassVar[type[BooksForm]] = ActForm

    def find(self, **found_by: Any) -> None:
        self.today = self.now.astimezone(ZoneInfo(self.site.time_zone)).date()

    @cached_property
    def alone(self) -> bool:
        """True while nobody could sign beside the current user: a new house's first manager."""
        return not second_people().is_needed(self.request.user.pk)

    def act(self, form: Any, *, approver: Any = None) -> Act:
        approver = getattr(form, "second_person", None)
        return act_of(self.request, self.room, approver=approver, now=self.now)

    def row(self) -> StaffRow:
        people = Staff.objects.filter(pk=self.kwargs["person_id"], is_superuser=False)
        person = found_or_404(people.prefetch_related("groups").first())
        return staff_row(person, today=self.today, now=self.now)

    def facts(self, form: Any) -> dict[str, Any]:
        return {"view": self}

    def show_code(self, code: str, person_id: int) -> HttpResponse:
        """Show the code in the answer to the act that made it, and nowhere else."""
        facts = {"person": Staff.objects.get(pk=person_id), "code": code}
        return render(self.request, "staff/code.html", facts)


PEOPLE = LongList(
    "name",
    name=SortColumn("Name", "from A", "from Z", ("called", "pk")),
    badge=SortColumn("Badge ends", "soonest first", "latest first", ("badge_expires", "called", "pk")),
    last=SortColumn("Last sign-in", "longest ago first", "latest first", ("last_login", "called", "pk")),
)


def _words(person: Staff) -> str:
    roles = " ".join(group.name for group in person.groups.all())
    return f"{person.full_name} {person.username} {person.badge} {roles}"


class Everybody(StaffPage):
    http_method_names = ("get", "head", "options")
    template = "staff/list.html"

    def facts(self, form: Any) -> dict[str, Any]:
        rows = staff(today=self.today, now=self.now)
        found = {row.person.pk: row for row in rows}
        here, gone = (
            list_page(self.request, PEOPLE, by_name(is_active=active), _words) for active in (True, False)
        )
        return {
            "here_list": here,
            "gone_list": gone,
            "here": [found[one.pk] for one in here.rows],
            "gone": [found[one.pk] for one in gone.rows],
            "expired": expired_badges(rows),
            "locks": held_up(self.now),
        }


class AccessPage(StaffPage):
    """Everybody's rights, and their quarterly review."""

    home = "staff-access"
    rights = REVIEWERS
    readers = (READ_BOOKS,)
    template = "staff/access.html"

    def form(self, data: Any = None) -> AccessForm:
        gives_rights = self.request.user.has_perm(MANAGE_HOUSE)
        return AccessForm(data, request=self.request, alone=not gives_rights)

    def facts(self, form: Any) -> dict[str, Any]:
        reviews = list(self.site.events.filter(kind=KIND).select_related("actor").order_by("-pk")[:SHOWN])
        quarter = quarter_of(self.today)
        return {
            "people": everybody(),
            "reviews": reviews,
            "quarter": quarter,
            "reviewed": any(one.data["quarter"] == quarter for one in reviews),
            "may_review": any(map(self.request.user.has_perm, REVIEWERS)),
        }

    def act(self, form: Any, *, approver: Any = None) -> Act:
        return replace(super().act(form, approver=approver), key=form.cleaned_data["key"])

    def do(self, form: AccessForm) -> str:
        kept = review_access(site=self.site, act=self.act(form))
        return f"Review {kept.data['number']} of everybody's rights is kept."


class Hire(StaffPage):
    template = "staff/hire.html"

    def form(self, data: Any = None) -> HireForm:
        return HireForm(data, request=self.request, alone=self.alone)

    def do(self, form: HireForm) -> str:
        self.person, code = hiring.hire(act=self.act(form), **form.entry())
        return code

    def done(self, sentence: str, form: Any) -> HttpResponse:
        return self.show_code(sentence, self.person.pk)


class PersonPage(StaffPage):
    template = "staff/person.html"

    def find(self, **found_by: Any) -> None:
        super().find()
        self.person_row = self.row()
        self.own = bool(self.person_row.person.pk == self.request.user.pk)

    def form(self, data: Any = None) -> PersonForm:
        row = self.person_row
        known = {name: getattr(row.person, name) for name in ("full_name", "badge", "badge_expires")}
        initial = {**known, "roles": list(row.roles)}
        who = {"request": self.request, "alone": self.alone, "about": row.person}
        return PersonForm(data, initial=initial, own=self.own, **who).without_cursor()

    def facts(self, form: Any) -> dict[str, Any]:
        has_step = factors.has_step(self.person_row.person)
        return {"row": self.person_row, "own": self.own, "has_step": has_step, "view": self}

    def do(self, form: PersonForm) -> str:
        row = self.person_row
        entry = {"roles": frozenset(row.roles), **form.entry()}
        person = hiring.change_person(person_id=row.person.pk, act=self.act(form), **entry)
        return f"{isolated(person.get_full_name())} is changed."

    def back(self) -> str:
        return reverse("staff-person", args=[self.person_row.person.pk])


class LiftLock(StaffPage):
    template = "staff/lift.html"

    def facts(self, form: Any) -> dict[str, Any]:
        locks = {lock.pk: lock for lock in held_up(self.now)}
        return {"lock": locks.get(self.kwargs["lock_id"])}

    def do(self, form: ActForm) -> str:
        hiring.lift_lock(lock_id=self.kwargs["lock_id"], act=self.act(form))
        return "The lock is lifted."


class ActOnPerson(StaffPage):
    template = "staff/act.html"
    heading: ClassVar[str]
    button: ClassVar[str]
    what: ClassVar[str]
    danger: ClassVar[bool] = False

    def facts(self, form: Any) -> dict[str, Any]:
        return {"row": self.row(), "act": self}


class SignedAct(ActOnPerson):
    def form(self, data: Any = None) -> CodeForm:
        return CodeForm(data, request=self.request, alone=self.alone, about=self.row().person)


class MakeCode(SignedAct):
    heading = "A one-time code"
    button = "Make the code"
    what = (
        "Their password and PIN stop working now, and they are signed out everywhere. With the code they "
        "sign in once, within a day, and set a password and a PIN of their own. A code from before stops "
        "working. Their second step stays, and is asked for after the code."
    )

    def do(self, form: CodeForm) -> str:
        return hiring.make_code(person_id=self.row().person.pk, act=self.act(form))

    def done(self, sentence: str, form: Any) -> HttpResponse:
        return self.show_code(sentence, self.kwargs["person_id"])


class ResetFactors(SignedAct):
    heading = "Lost second step"
    button = "Remove their second steps"
    what = (
        "Their app, passkeys and recovery codes stop working now. Their password stays, and with it they set "
        "up a new second step. Make sure that it is them who asks."
    )
    danger = True

    def do(self, form: CodeForm) -> str:
        person = hiring.reset_factors(person_id=self.row().person.pk, act=self.act(form))
        return f"The second steps of {isolated(person.get_full_name())} are removed."


class TakeBack(MakeCode):
    heading = "Take back"
    button = "Take back"
    what = "They work here again, in the roles they had. They come in by a one-time code, as at first."

    def do(self, form: CodeForm) -> str:
        return hiring.take_back(person_id=self.row().person.pk, act=self.act(form))


class LetGo(ActOnPerson):
    heading = "Let go"
    button = "Let go"
    what = (
        "They are signed out everywhere now, and their password, PIN and code stop working. Everything they "
        "did stays on record under their name."
    )
    danger = True

    def form(self, data: Any = None) -> ActForm | SignedForm:
        row = self.row()
        if MANAGER not in row.roles:
            return ActForm(data)
        return SignedForm(data, request=self.request, alone=self.alone, about=row.person)

    def do(self, form: ActForm | SignedForm) -> str:
        person = self.row().person
        hiring.let_go(person_id=person.pk, act=self.act(form))
        return f"{isolated(person.get_full_name())} no longer works here."
