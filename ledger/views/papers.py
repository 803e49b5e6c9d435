"""The papers of any gaming days, for readers of the books: each as CSV, as a workbook, and printed. Taking
one is noted in the log."""

import tempfile
from collections.abc import Callable
from typing import IO, Any
from zoneinfo import ZoneInfo

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from ledger.errors import Refusal
from ledger.journal import house_events
from ledger.models import HouseEvent
from ledger.papers.paper import Paper, declared
from ledger.printing.page import printed
from ledger.printing.reading import About, Names, names_in
from ledger.printing.reading import rows as rows_of
from ledger.printing.workbook import write_workbook
from ledger.proof.log.papers import PapersOfPeriod, papers_taken
from ledger.rights import READ_BOOKS, TAKE_NAMES, require
from ledger.views.day import the_site
from ledger.views.forms import PapersForm
from ledger.views.journal import MOST_OF_AN_ADDRESS
from ledger.views.pages import read_by, require_own_page
from ledger.views.terminal import act_of

IN_MEMORY = 8 * 2**20
ALL = "all"
"""Every paper, in one workbook."""
Form = Callable[[IO[bytes], list[type[Paper]], PapersOfPeriod, Names, About], int]
"""Writes papers to a file; returns how many lines they have."""


def _csv(out: IO[bytes], papers: list[type[Paper]], taken: PapersOfPeriod, names: Names, about: About) -> int:
    (paper,) = papers
    file = taken.files[paper.name]
    count = sum(1 for _ in rows_of(file))
    file.seek(0)
    while block := file.read(1 << 16):
        out.write(block)
    return count


def _xlsx(
    out: IO[bytes], papers: list[type[Paper]], taken: PapersOfPeriod, names: Names, about: About
) -> int:
    return write_workbook(out, papers, taken.files, names=names, about=about)


def _pdf(out: IO[bytes], papers: list[type[Paper]], taken: PapersOfPeriod, names: Names, about: About) -> int:
    (paper,) = papers
    pdf, count = printed(paper, taken.files[paper.name], names=names, about=about)
    out.write(pdf)
    return count


FORMS: dict[str, tuple[str, Form]] = {
    "csv": ("text/csv; charset=utf-8", _csv),
    "xlsx": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", _xlsx),
    "pdf": ("application/pdf", _pdf),
}


@read_by(READ_BOOKS)
def listed(request: HttpRequest) -> HttpResponse:
    """List all papers, to be taken for the gaming days in the address, or for today."""
    return _page(request, PapersForm.of(request.GET, the_site()))


@read_by(READ_BOOKS)
def take(request: HttpRequest, name: str, form: str) -> HttpResponseBase:
    """Send a paper of some gaming days in one of its forms, and note who took it."""
    require_own_page(request)
    asked = PapersForm.of(request.GET, the_site())
    if not asked.is_valid():
        return _page(request, asked)
    players = asked.cleaned_data["players"]
    if players:
        require(request.user, TAKE_NAMES)
    papers = [paper for paper in declared(players=players) if name in (ALL, _slug(paper))]
    if not papers or form not in FORMS or (name == ALL and form != "xlsx"):
        raise Http404
    try:
        return _sent(request, papers, name, form, asked)
    except Refusal as refusal:
        asked.show_refusal(refusal, None)
        return _page(request, asked)


def _sent(
    request: HttpRequest, papers: list[type[Paper]], name: str, form: str, asked: PapersForm
) -> FileResponse:
    site, act = the_site(), act_of(request, "books")
    kind, write = FORMS[form]
    out = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (the response closes it)
    try:
        with papers_taken(site, asked.days, players=asked.cleaned_data["players"], now=act.now) as taken:
            about = About(
                house=site.name,
                licence=site.licence,
                zone=ZoneInfo(site.time_zone),
                period=asked.period,
                made_by=act.actor.get_full_name() or str(act.actor),
                made_at=act.now,
                log=taken.manifest.origin,
                leaves=taken.signed.size,
                root=taken.signed.note.splitlines()[2],  # origin, size, root
            )
            count = write(out, papers, taken, names_in(taken.files), about)
    except BaseException:
        out.close()
        raise
    file = f"{name}-{asked.period.replace(' to ', '-')}.{form}"
    house_events.note(
        site,
        HouseEvent.Kind.DOWNLOADED,
        file=file,
        address=request.get_full_path()[:MOST_OF_AN_ADDRESS],
        rows=count,
        whole=True,
        act=act,
    )
    out.seek(0)
    return FileResponse(out, as_attachment=True, filename=file, content_type=kind)


def _slug(paper: type[Paper]) -> str:
    return paper.name.removesuffix(".csv")


def _page(request: HttpRequest, form: PapersForm) -> HttpResponse:
    players = form.is_valid() and form.cleaned_data["players"]
    rows: list[dict[str, Any]] = [
        {"name": _slug(paper), "title": paper.title, "law": paper.law, "purpose": paper.purpose}
        for paper in declared(players=players)
    ]
    facts = {"site": the_site(), "form": form, "papers": rows, "query": request.GET.urlencode()}
    return render(request, "audit/papers.html", facts, status=form.status)
