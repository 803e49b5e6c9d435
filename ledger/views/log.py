"""The audit log for readers of the books: its newest checkpoint, the export, one record with its proof, and
what the log withholds. Opening that is recorded itself."""

import json
import tempfile
from typing import Any

from django.core.paginator import Paginator
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from ledger.errors import NotSealed, Refusal
from ledger.journal import withholding
from ledger.journal.house_events import last_verified
from ledger.models import AuditRecord, WithheldBatch
from ledger.proof.audit.tree.merkle import leaf_hash
from ledger.proof.log import exporting, keys, proofs, sealing
from ledger.records.shown import readable
from ledger.reports.traces import is_blind, record_of
from ledger.rights import OPEN_WITHHELD, READ_BOOKS, SIGN_OFF_DROPS, TAKE_NAMES, TAKE_WITHHELD, require
from ledger.views.day import the_site
from ledger.views.exclusions import with_names
from ledger.views.forms import BooksReasonForm, ExportForm
from ledger.views.pages import FormPage, found_or_404, read_by, require_own_page
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
        manifest = exporting.export(out, site=the_site(), wanted=form.wanted, act=act_of(request, "books"))
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
    facts = {"log": log, "form": form, "keys": known}
    facts["verified"] = last_verified(log.site)
    return render(request, "audit/log.html", facts, status=form.status)


MOST_SUBJECT = 2**63 - 1
PAGES = {
    "entry": "entry",
    "down": "down",
    "document": "document",
    "count_sheet": "count-sheet",
    "cage_slip": "cage-slip",
    "drawer": "drawer",
}
"""The page of what a record is about, by its kind; of the others their own pages lead here."""


@read_by(READ_BOOKS)
def record_page(request: HttpRequest, record_kind: str, subject: int) -> HttpResponse:
    """Show a record with its proof; without its text while that has a count which is not over."""
    site = the_site()
    record = found_or_404(record_of(site, record_kind, subject) if subject <= MOST_SUBJECT else None)
    blind = is_blind(record, request.user)
    page = PAGES.get(record_kind)
    facts: dict[str, Any] = {
        "record": record,
        "leaf": proofs.leaf_of(record_kind, subject),
        "hash": leaf_hash(record.text.encode()).hex(),
        "blind": blind,
        "page": reverse(page, args=[subject]) if page else "",
    }
    if not blind:
        body = json.loads(record.text)[1]
        facts |= {"body": readable(body)["pairs"], "proof": _proof(record)}
    return render(request, "audit/record.html", facts)


def _proof(record: AuditRecord) -> str:
    try:
        return proofs.proof_of(sealing.log_of(record.site), f"{record.kind}:{record.subject}")
    except NotSealed:
        return ""


ROWS = 50


@read_by(OPEN_WITHHELD)
def withheld(request: HttpRequest) -> HttpResponse:
    site = the_site()
    found = WithheldBatch.objects.filter(site=site).order_by("-pk")
    page = Paginator(found, ROWS).get_page(request.GET.get("page"))
    return render(request, "audit/withheld.html", {"page_obj": page})


class OpenWithheld(FormPage):
    """Open one record: its texts and salts are only in the answer to the form."""

    home = "withheld"
    rights = (OPEN_WITHHELD,)
    room = "books"
    form_class = BooksReasonForm
    template = "audit/withheld_record.html"

    def find(self, *, batch_id: int) -> None:
        self.batch = get_object_or_404(WithheldBatch, pk=batch_id, site=self.site)

    def facts(self, form: BooksReasonForm) -> dict[str, Any]:
        return {"batch": self.batch, "leaf": proofs.leaf_of("withheld", self.batch.pk)}

    def do(self, form: BooksReasonForm) -> str:
        self.rows = withholding.open_batch(batch=self.batch, act=self.act(form))
        return ""

    def done(self, sentence: str, form: BooksReasonForm) -> HttpResponse:
        looks = [row for row in self.rows if row.what != withholding.HANDED_OVER]
        shown = {"rows": self.rows, "looks": with_names(looks), "opened": True}
        return render(self.request, self.template, self.facts(form) | shown)
