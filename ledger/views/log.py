"""The audit log for readers of the books: its newest checkpoint, and the export."""

import tempfile

from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import render

from ledger.errors import NotSealed, Refusal
from ledger.journal.house_events import last_verified
from ledger.proof.log import exporting, keys, sealing
from ledger.rights import READ_BOOKS, SIGN_OFF_DROPS, TAKE_NAMES, TAKE_WITHHELD, require
from ledger.views.day import the_site
from ledger.views.forms import ExportForm
from ledger.views.pages import read_by, require_own_page
from ledger.views.terminal import act_of

IN_MEMORY = 8 * 2**20


@read_by(READ_BOOKS, SIGN_OFF_DROPS)
def log_page(request: HttpRequest) -> HttpResponse:
    return _page(request, ExportForm())


@read_by(READ_BOOKS)
def checkpoint(request: HttpRequest) -> HttpResponse:
    """Send the newest checkpoint as it was signed, to be kept outside the house, and record that."""
    require_own_page(request)
    latest = exporting.take_checkpoint(the_site(), act=act_of(request, "books"))
    if latest is None:
        raise NotSealed("Nothing has been sealed yet: ask again in a moment.")
    answer = HttpResponse(latest.note, content_type="text/plain; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="checkpoint-{latest.size}.txt"'
    return answer


@read_by(READ_BOOKS)
def export(request: HttpRequest) -> HttpResponse | FileResponse:
    """Send the zip of a period, with names and withheld texts for who may take them, and record that."""
    require_own_page(request)
    form = ExportForm(request.GET)
    if not form.is_valid():
        return _page(request, form)
    if form.wanted.players:
        require(request.user, TAKE_NAMES)
    if form.wanted.opened:
        require(request.user, TAKE_WITHHELD)
    out = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (the response closes it)
    try:
        manifest = exporting.export(
            out,
            site=the_site(),
            wanted=form.wanted,
            act=act_of(request, "books"),
        )
    except Refusal as refusal:
        out.close()
        form.show_refusal(refusal, "since" if refusal.field == "since" else None)
        return _page(request, form)
    except BaseException:
        out.close()
        raise
    out.seek(0)
    name = f"audit-{manifest.first_leaf}-{manifest.first_leaf + manifest.count}.zip"
    return FileResponse(out, as_attachment=True, filename=name, content_type="application/zip")


def _page(request: HttpRequest, form: ExportForm) -> HttpResponse:
    log = sealing.log_of(the_site())
    known = [(key, keys.grouped_fingerprint(key)) for key in keys.known_keys(log)]
    facts = {"log": log, "form": form, "keys": known, "site": log.site}
    facts["verified"] = last_verified(log.site)
    return render(request, "audit/log.html", facts, status=form.status)
