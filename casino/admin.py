"""Staff under /manage/, for emergencies; managers have /house/staff/. People are never deleted, for the records name them."""

from typing import Any

from allauth.account import admin as account_admin
from allauth.mfa import admin as mfa_admin
from allauth.usersessions import admin as usersessions_admin
from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from casino.models import Staff
from casino.roles import RolesConflict, verify_together
from casino.sign_in import noting
from casino.sign_in.own import NewPinField
from casino.sign_in.pins import PIN_HELP, keep_pin
from ledger.journal.acts import Act
from ledger.views.fields import StatusForm
from ledger.views.terminal import terminal_of

# Roles are made from casino/roles.py after every migration. Second steps and sessions are their owner's, and change by verbs
# that the log notes. Nobody edits them here.
for model in (
    Group,
    mfa_admin.Authenticator,
    usersessions_admin.UserSession,
    account_admin.EmailAddress,
):
    if admin.site.is_registered(model):
        admin.site.unregister(model)


class StaffForm(StatusForm, UserChangeForm):  # type: ignore[type-arg]
    """A person's entry, with roles that one person may hold together, and a new PIN where one is typed."""

    new_pin = NewPinField(
        required=False, label="New PIN", help_text=f"{PIN_HELP} Empty leaves the PIN as it is."
    )

    def unmeant_key(self) -> str:
        """Django's console sends its own buttons, and those of the rows beside the form."""
        return ""

    def clean_groups(self) -> QuerySet[Group]:
        """Refuse a conflict (`roles_conflict`) beside the field."""
        groups: QuerySet[Group] = self.cleaned_data["groups"]
        try:
            verify_together({group.name for group in groups})
        except RolesConflict as conflict:
            self.refused_with = conflict.status
            raise forms.ValidationError(conflict.message, code=conflict.code) from conflict
        return groups


class NewStaffForm(AdminUserCreationForm):  # type: ignore[type-arg]
    """Somebody new. `hashed` is the hash of the password that was typed."""

    hashed: str

    def set_password_and_save(self, user: Staff, *args: Any, **options: Any) -> Staff:
        """Set the password by its hash, unless the person gets none."""
        if not self.cleaned_data["set_usable_password"]:
            return super().set_password_and_save(user, *args, **options)
        user.password = self.hashed
        return user


def hash_before(request: HttpRequest, typed: str) -> None:
    """Hash what was typed, if anything, for `request.hashed`. It takes long, and in a transaction on SQLite all wait."""
    request.hashed = make_password(typed) if typed else ""  # type: ignore[attr-defined]


@admin.register(Staff)
class StaffAdmin(UserAdmin):  # type: ignore[type-arg]
    """Names, passwords and roles. Superusers are the machine's owner's affair: nobody here sees or makes one."""

    form = StaffForm
    add_form = NewStaffForm
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("full_name", "is_active")}),
        ("PIN", {"fields": ("new_pin",)}),
        ("Roles", {"fields": ("groups",)}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("last_login", "date_joined")
    list_display = ("username", "full_name", "is_active", "last_login")
    search_fields = ("username", "full_name")
    list_filter = ("is_active", "groups")
    filter_horizontal = ()

    def add_view(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
        """The page of somebody new."""
        hash_before(request, request.POST.get("password1", "") if self.has_add_permission(request) else "")
        return super().add_view(request, *args, **options)

    def change_view(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
        """The page of somebody who works here."""
        typed = request.POST.get("new_pin", "").strip()  # as the field reads it
        hash_before(request, typed if self.has_change_permission(request) else "")
        return super().change_view(request, *args, **options)

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        """Make of the form the person, with what was hashed before."""
        form.hashed = request.hashed  # type: ignore[attr-defined]
        return super().save_form(request, form, change)

    def changeform_view(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
        """The page of a person; what it changes is noted as done by whoever is signed in."""
        act = Act(actor=request.user, now=timezone.now(), terminal=terminal_of(request, "office"))
        with transaction.atomic(), noting.acting(act):
            return super().changeform_view(request, *args, **options)

    def save_model(self, request: HttpRequest, obj: Staff, form: Any, change: bool) -> None:
        """Save the person, and set the PIN that was typed."""
        super().save_model(request, obj, form, change)
        if form.cleaned_data.get("new_pin"):
            obj.pin = form.hashed
            keep_pin(obj, actor=request.user, request=request)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        """The page of a person; where the entry was refused, with the status of that refusal."""
        answer: HttpResponse = super().render_change_form(request, context, *args, **options)
        form = context["adminform"].form
        answer.status_code = form.status if isinstance(form, StatusForm) else 400 if form.errors else 200
        return answer

    def get_queryset(self, request: HttpRequest) -> QuerySet[Staff]:
        """Everybody but superusers: whoever could set such a person's password could become them."""
        return super().get_queryset(request).filter(is_superuser=False)

    def get_readonly_fields(self, request: HttpRequest, obj: Staff | None = None) -> tuple[str, ...]:
        """Nobody changes their own roles, nor locks themselves out."""
        own = ("groups", "is_active") if obj is not None and obj.pk == request.user.pk else ()
        return (*self.readonly_fields, *own)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never; a person who leaves is made inactive."""
        return False
