"""The papers of any gaming days, for readers of the books: each as CSV, as a workbook, and printed, sent
at once or made in the background and kept. The log notes each paper that is taken."""

import tempfile
from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from ledger.errors import BadPaper, Refusal
from ledger.journal import house_events
from ledger.journal.days import open_among
from ledger.models import HouseEvent, KeptPaper
from ledger.papers.paper import PaperGroup, declared
from ledger.proof.log import keeping_papers
from ledger.proof.log.forms import CSV, PARTS, PDF, XLSX, AskedPaper, papers_of, slug, write
from ledger.proof.log.keeping_papers import TEST, ZIP
from ledger.rights import READ_BOOKS, TAKE_NAMES, require
from ledger.views.day import the_site
from ledger.views.downloads import MOST_OF_AN_ADDRESS
from ledger.views.fields import BooksForm
from ledger.views.forms import KeepPaperForm, PapersForm
from ledger.views.pages import FormPage, read_by, require_own_page
from ledger.views.terminal import act_of

IN_MEMORY = 8 * 2**20
SHOWN = 20
"""How many kept papers the page shows, the newest first."""
CONTENT_TYPES = {
    CSV: "text/csv; charset=utf-8",
    XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    PDF: "application/pdf",
    ZIP: "application/zip",
}


@read_by(READ_BOOKS)
def listed(request: HttpRequest) -> HttpResponse:
    return _page(request, PapersForm.of(request.GET, the_site()))


@read_by(READ_BOOKS)
def take(request: HttpRequest, name: str, form: str) -> HttpResponseBase:
    """Send a paper of some gaming days in one of its forms, and note who took it."""
    require_own_page(request)
    entered = PapersForm.of(request.GET, the_site())
    if not entered.is_valid():
        return _page(request, entered)
    asked = entered.paper_asked(name, form)
    if asked.players:
        require(request.user, TAKE_NAMES)
    try:
        papers_of(asked)
        return _sent(request, asked)
    except BadPaper as error:
        raise Http404 from error
    except Refusal as refusal:
        entered.show_refusal(refusal, None)
        return _page(request, entered)


def _sent(request: HttpRequest, asked: AskedPaper) -> FileResponse:
    site, act = the_site(), act_of(request, "books")
    out = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (the response closes it)
    try:
        written = write(out, asked, site=site, act=act)
    except BaseException:
        out.close()
        raise
    house_events.note(
        site,
        HouseEvent.Kind.DOWNLOADED,
        file=asked.file,
        address=request.get_full_path()[:MOST_OF_AN_ADDRESS],
        rows=written.lines,
        whole=True,
        act=act,
    )
    out.seek(0)
    return FileResponse(out, as_attachment=True, filename=asked.file, content_type=CONTENT_TYPES[asked.form])


class KeepPaper(FormPage):
    rights = (READ_BOOKS,)
    room = "books"
    form_class = KeepPaperForm

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        return _page(request, PapersForm.of(request.GET, self.site))

    def do(self, form: KeepPaperForm) -> str:
        paper = keeping_papers.ask(site=self.site, asked=form.paper_asked, act=self.act(form))
        return f"{paper} is being made. This page shows when it is ready."

    def shown(self, form: KeepPaperForm) -> HttpResponse:
        return _page(self.request, PapersForm.of(self.request.POST, self.site), form)

    def back(self) -> str:
        sent = self.request.POST
        said = {name: sent[name] for name in ("first", "last", *PARTS) if sent.get(name)}
        return reverse("papers", query=said)


class CancelPaper(FormPage):
    home = "papers"
    rights = (READ_BOOKS,)
    room = "books"
    form_class = BooksForm

    def find(self, *, number: int) -> None:
        self.paper = _found(number)

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        return _page(request, PapersForm.of(request.GET, self.site))

    def do(self, form: BooksForm) -> str:
        keeping_papers.cancel(self.paper, act=self.act(form))
        return f"{self.paper} is cancelled."

    def shown(self, form: BooksForm) -> HttpResponse:
        return _page(self.request, PapersForm.of(self.request.GET, self.site), refused=form)


@read_by(READ_BOOKS)
def take_kept(request: HttpRequest, number: int) -> HttpResponseBase:
    """Send a kept paper, if its file is unchanged since it was made, and note who took it."""
    require_own_page(request)
    paper, act = _found(number), act_of(request, "books")
    file = keeping_papers.take(paper, address=request.get_full_path()[:MOST_OF_AN_ADDRESS], act=act)
    asked = keeping_papers.asked_of(paper)
    return FileResponse(
        file,
        as_attachment=True,
        filename=f"paper-{paper.number}-{asked.file}",
        content_type=CONTENT_TYPES[asked.form],
    )


def _found(number: int) -> KeptPaper:
    rows = KeptPaper.objects.select_related("site", "asked__actor", "ended")
    return get_object_or_404(rows, site=the_site(), number=number)


def _page(
    request: HttpRequest, form: PapersForm, keep: KeepPaperForm | None = None, refused: Any = None
) -> HttpResponse:
    site, asked = the_site(), form.paper_asked() if form.is_valid() else None
    rows: dict[str, list[dict[str, Any]]] = {group: [] for group in PaperGroup}
    for paper in papers_of(asked) if asked is not None else []:
        said = {"title": paper.title, "law": paper.law, "purpose": paper.purpose}
        rows[paper.group].append({"name": slug(paper), **said})
    if keep is None and asked is not None:
        keep = KeepPaperForm.of(asked)
    kept = _kept(site)
    facts = {
        "form": form,
        "asked": asked,
        "open_day": asked and open_among(site, asked.days),
        "keep": keep,
        "refused": refused,
        "groups": [(group, papers) for group, papers in rows.items() if papers],
        "query": request.GET.urlencode(),
        "kept": kept,
        "being_made": any(one["paper"].ended_id is None for one in kept),
        "cancelling": BooksForm(),
    }
    status = max(one.status for one in (form, keep, refused) if one is not None and one.is_bound)
    return render(request, "audit/papers.html", facts, status=status)


def _kept(site: Any) -> list[dict[str, Any]]:
    titles = {slug(paper): paper.title for paper in declared(players=True)} | {TEST: "Test of all controls"}
    titles |= {name: other.title for (name, _), other in keeping_papers.OTHERS.items()}
    rows = site.kept_papers.prefetch_related("asked__actor", "ended").order_by("-number")[:SHOWN]
    return [
        {
            "paper": paper,
            "asked": keeping_papers.asked_of(paper),
            "title": titles.get(paper.asked.data["paper"], "All papers"),
            "progress": keeping_papers.progress_of(paper),
        }
        for paper in rows
    ]
