"""Sign-in, sign-out, everybody's own start page, the health check, and error pages."""

import sys
from typing import Any, ClassVar

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LoginView, LogoutView
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_htmx.middleware import HtmxDetails

from casino import roles
from casino.demo import people
from casino.models import Staff
from casino.serving import faults
from casino.serving.edge import address_in, networks
from casino.serving.health import told
from casino.sign_in import terminals
from casino.sign_in.coming_in import come_in, require_place, wait_for_step
from casino.sign_in.factors import has_step
from casino.sign_in.own import FirstForm, MailForm, NewPasswordForm, NewPinForm, OwnForm
from casino.sign_in.passwords import SignInForm
from ledger.errors import FormExpired, Refusal
from ledger.journal.acts import Act
from ledger.views.pages import EntryPage
from ledger.views.terminal import terminal_of

TOO_OLD = "This page is too old. Load it again, then repeat."
SENTENCES = {
    400: ("bad_request", "This request can't be understood."),
    403: ("not_allowed", "You may not do this."),
    404: ("not_found", "There is nothing at this address."),
    500: ("server_error", "Something went wrong here. What was confirmed before is safe."),
}
PAGES = {*SENTENCES, 409}
"""Statuses with a page of their own; others use the page of 400."""


@method_decorator(login_not_required, name="dispatch")
class SignIn(LoginView):
    """The sign-in page; sends people who are signed in to their start page."""

    template_name = "casino/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(
            demo_people=people.PEOPLE if settings.DEMO else (),
            demo_pin=people.PIN,
            terminal=self.request.terminal,  # type: ignore[attr-defined]
            **kwargs,
        )

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show the form. In a demo, enrol the device as a terminal."""
        answer: HttpResponse = super().get(request, *args, **kwargs)
        if settings.DEMO and not request.terminal:  # type: ignore[attr-defined]
            terminals.keep_cookie(answer, terminals.enrol_for_demo(timezone.now()))
        return answer

    def form_valid(self, form: SignInForm) -> HttpResponse:  # type: ignore[override]
        person: Staff = form.get_user()
        if has_step(person):
            wait_for_step(self.request, person, self.get_redirect_url())
            return redirect("second-step")
        try:
            require_place(self.request, person)
        except Refusal as refused:
            form.show_refusal(refused)
            return self.form_invalid(form)
        come_in(self.request, person, "code" if person.must_renew else "password")
        return HttpResponseRedirect(self.get_success_url())

    def form_invalid(self, form: SignInForm) -> HttpResponse:  # type: ignore[override]
        return self.render_to_response(self.get_context_data(form=form), status=form.status)


@method_decorator(login_not_required, name="dispatch")
class SignOut(LogoutView): ...


class OwnPin(EntryPage):
    form_class: ClassVar[type[OwnForm]] = NewPinForm
    template = "casino/pin.html"
    sentence = "Your PIN is set. You are signed out everywhere else."

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        """Show the form; send people who only read to their password page, for they have no use for a PIN."""
        if self.form_class is NewPinForm and roles.only_reads(request.user):
            return redirect("password")
        return super().get(request)

    def form(self, data: Any = None) -> OwnForm:
        return self.form_class(data, request=self.request)

    def done(self, made: None, form: OwnForm) -> HttpResponse:
        form.save(Act(self.request.user, timezone.now(), terminal=terminal_of(self.request, "")))
        messages.success(self.request, self.sentence)
        return redirect("home")


class OwnPassword(OwnPin):
    form_class = NewPasswordForm
    template = "casino/password.html"
    sentence = "Your password is set. You are signed out everywhere else."


class OwnMail(OwnPin):
    form_class = MailForm
    template = "casino/mail.html"
    sentence = "Your mail address is set."


class OwnFirst(OwnPin):
    form_class = FirstForm
    template = "casino/first.html"
    sentence = "Your password and PIN are set."

    def dispatch(self, request: HttpRequest, *args: Any, **found_by: Any) -> HttpResponseBase:
        """Redirect those who have set both: they change each on its own page, after the password."""
        if not getattr(request.user, "must_renew", False):
            return redirect("home")
        return super().dispatch(request, *args, **found_by)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Redirect each person to the page where their work starts; refuse (403) people without a role."""
    page = roles.home_of(request.user)
    if page is None:
        raise PermissionDenied("You have no role in this house yet. A manager gives it to you.")
    return redirect(page)


@login_not_required
@require_safe
def icon(request: HttpRequest) -> HttpResponse:
    return HttpResponseRedirect(static("icons/mark.svg"))


@require_safe
def design(request: HttpRequest) -> HttpResponse:
    if not settings.DEMO:
        raise Http404
    return render(request, "design/design.html")


@login_not_required
@never_cache
@require_safe
def healthz(request: HttpRequest, use: str = "") -> JsonResponse:
    """Report the health of the service; details go to this machine and its proxies alone. `alive`: always
    200, without asking the database. `ready`, or no `use`: 503 where nothing works, for a load balancer.
    `well`: 503 unless everything is well, for an alert."""
    if use == "alive":
        return JsonResponse({"status": "alive"})
    found = told.health()
    bad = found["status"] != "ok" if use == "well" else found["status"] == "down"
    shown = found if _is_from_here(request) else {"status": found["status"]}
    return JsonResponse(shown, status=503 if bad else 200)


def _is_from_here(request: HttpRequest) -> bool:
    address = address_in(request.META.get("REMOTE_ADDR") or "")
    ours = networks(("127.0.0.0/8", "::1", *settings.TRUSTED_PROXIES))
    return address is not None and any(address in network for network in ours)


def error_page(request: HttpRequest, status: int, sentence: str = "", code: str = "") -> HttpResponse:
    """Answer with a refusal: JSON, words for a piece of a page, or a page; plain text without templates."""
    usual_code, usual_sentence = SENTENCES.get(status, SENTENCES[400])
    code, sentence = code or usual_code, sentence or usual_sentence
    if request.path.startswith("/api/"):
        return JsonResponse({"code": code, "error": sentence, "field": None}, status=status)
    if HtmxDetails(request):
        # Nothing takes the place of a piece: the page's script shows the sentence, and what was typed stays.
        extra = {"content_type": "text/plain; charset=utf-8", "headers": {"X-Refused": code}}
        return HttpResponse(sentence, status=status, **extra)
    try:
        template = get_template(f"{status if status in PAGES else 400}.html")
    except TemplateDoesNotExist:
        return HttpResponse(f"{sentence}\n", status=status, content_type="text/plain; charset=utf-8")
    return HttpResponse(template.render({"code": code, "sentence": sentence}, request), status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(request, 400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(request, 403, str(exception))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Refuse a form without a valid token: another site's, or a page that outlived its session."""
    return error_page(request, 403, TOO_OLD, FormExpired.code)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer faults of the machine, including those before a view, as such; plain text if the page fails."""
    try:
        if fault := faults.answer(request, sys.exception()):
            return fault
        return error_page(request, 500)
    except Exception:  # what broke the request may break the page too; the first error is in the log
        return HttpResponse(f"{SENTENCES[500][1]}\n", status=500, content_type="text/plain; charset=utf-8")
