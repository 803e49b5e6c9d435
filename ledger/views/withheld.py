"""The records that withhold something, and opening one of them, which is recorded itself."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from ledger.journal import withholding
from ledger.models import WithheldBatch
from ledger.proof.log import proofs
from ledger.rights import OPEN_WITHHELD
from ledger.views.day import the_site
from ledger.views.exclusions import with_names
from ledger.views.forms import BooksReasonForm
from ledger.views.pages import FormPage, read_by

ROWS = 50


@read_by(OPEN_WITHHELD)
def withheld(request: HttpRequest) -> HttpResponse:
    site = the_site()
    found = WithheldBatch.objects.filter(site=site).order_by("-pk")
    page = Paginator(found, ROWS).get_page(request.GET.get("page"))
    return render(request, "audit/withheld.html", {"site": site, "page_obj": page})


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
        return {"site": self.site, "batch": self.batch, "leaf": proofs.leaf_of("withheld", self.batch.pk)}

    def do(self, form: BooksReasonForm) -> str:
        self.rows = withholding.open_batch(batch=self.batch, act=self.act(form))
        return ""

    def done(self, sentence: str, form: BooksReasonForm) -> HttpResponse:
        looks = [row for row in self.rows if row.what != withholding.HANDED_OVER]
        shown = {"rows": self.rows, "looks": with_names(looks), "opened": True}
        return render(self.request, self.template, self.facts(form) | shown)
