"""The public board, for a television: an enrolled device shows it with nobody signed in."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from casino.sign_in import terminals
from casino.sign_in.errors import StrangeTerminal
from ledger.views.day import the_site
from tables.views.waiting.public import public_lists

STRANGE = "This device is not enrolled. The floor enrols it on its page Terminals; then it shows the board."


@require_safe
@login_not_required
@never_cache
def tv(request: HttpRequest) -> HttpResponse:
    """Show seats, lists and calls without a name; on a device that is not enrolled, how to enrol it. A demo
    enrols it."""
    site, now = the_site(), timezone.now()
    enrolled = terminals.find(request) is not None
    if not enrolled and not settings.DEMO:
        facts = {"strange": STRANGE, "code": StrangeTerminal.code}
        return render(request, "doors/tv.html", {"site": site, **facts}, status=StrangeTerminal.status)
    lists = public_lists(site, now)
    calls = [(one, place) for one in lists for place in one.called]
    answer = render(request, "doors/tv.html", {"site": site, "lists": lists, "calls": calls, "now": now})
    if not enrolled:
        terminals.keep_cookie(answer, terminals.enrol_for_demo(now))
    return answer
