"""What the portal shows of papers and of the log, for programs: a list of papers, the lines of each as JSON
lines or CSV, and the sealed records, read on by cursors. Read-only, by the forms and declarations of the
pages; whatever is fetched is noted."""

import json
import tempfile
from base64 import b64encode
from collections.abc import Generator
from typing import IO, Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import Http404
from django.http.response import HttpResponseBase
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.views import APIView

from ledger.errors import BadPaper, BadText, LedgerError, NotSealed
from ledger.journal.days import open_among
from ledger.papers.cells import KINDS_OF_CELLS
from ledger.papers.pages import PageOfPaper, in_csv, in_json, is_cursor, page_of, type_of
from ledger.papers.paper import Paper, declared
from ledger.proof.log.forms import ALL, CSV as CSV_FORM, PARTS, AskedPaper, papers_of, slug, write
from ledger.proof.log.proofs import sealed_lines
from ledger.proof.log.sealing import latest, log_of
from ledger.reports.traces import is_blind
from ledger.rights import READ_BOOKS, TAKE_NAMES, require
from ledger.views.day import the_site
from ledger.views.downloads import CSV, JSONL, download
from ledger.views.fields import DJANGO_CODES, CodedForm, unmeant
from ledger.views.forms import PapersForm
from ledger.views.terminal import act_of

ROOM = "api"
IN_MEMORY = 8 * 2**20
MOST = 100_000
"""The most lines of a page that may be asked for; without `most`, all come."""
FORMS = {"csv": CSV, "jsonl": JSONL}
MOST_LEAVES = 2**63 - 1


class StaleCursor(LedgerError, status=409):
    """The lines before this cursor are no longer what they were, or it belongs to another question. Begin
    again without it."""


class LinesForm(PapersForm):
    """What of a paper a program asks for: days and part as on the page, and which lines."""

    after = forms.CharField(required=False, max_length=40, label="The cursor to go on from")
    most = forms.IntegerField(required=False, min_value=1, max_value=MOST, label="How many lines at most")

    def clean_after(self) -> str:
        after: str = self.cleaned_data["after"]
        if after and not is_cursor(after):
            raise ValidationError("A cursor is what the header Cursor said.", code=BadText.code)
        return after


class BooksView(APIView):
    """GET alone, for whoever reads the books, signed in or with a token."""

    http_method_names = ("get",)

    def initial(self, request: Request, *args: Any, **found_by: Any) -> None:
        super().initial(request, *args, **found_by)
        require(request.user, READ_BOOKS)


def checked(request: Request, form: CodedForm | None = None) -> dict[str, Any]:
    """Return what the form found in the address, of which it knows every key. Raises BadText."""
    fields = form.fields if form is not None else ()
    if wrong := unmeant(request._request.GET, [*fields]):
        raise BadText(wrong)
    for field, errors in form.errors.as_data().items() if form is not None else ():
        raise BadText(errors[0].messages[0], field=None if field == "__all__" else field)
    return form.cleaned_data if form is not None else {}


def answer(request: Request, said: dict[str, Any], name: str) -> HttpResponseBase:
    """Return what was found as JSON, noted like every file that leaves the house."""
    text = (json.dumps(said, ensure_ascii=False) + "\n").encode()
    return download(request._request, (one for one in (text,)), "application/json", name, ROOM)


class PapersView(BooksView):
    """Every paper: what it is for, its columns with their kinds, and where its lines are."""

    def get(self, request: Request) -> HttpResponseBase:
        checked(request)
        names = request.user.has_perm(TAKE_NAMES)
        said = {"papers": [about(paper) for paper in declared(players=names)]}
        return answer(request, said, "papers.json")


def about(paper: type[Paper]) -> dict[str, Any]:
    name = slug(paper)
    return {
        "name": name,
        "title": paper.title,
        "group": paper.group,
        "purpose": paper.purpose,
        "law": paper.law,
        "names_players": paper.names_players,
        "columns": [
            {"name": one, "kind": KINDS_OF_CELLS[one], "type": type_of(one)} for one in paper.columns
        ],
        "sums": paper.sums,
        "parts": [column for column in PARTS if column in paper.columns],
        "lines": {form: reverse("api-paper", args=[name, form]) for form in FORMS},
    }


class PaperView(BooksView):
    """The lines of a paper. The header `Cursor` says where to go on, now or tomorrow; `Link` has the address
    of the next page while there is one."""

    def get(self, request: Request, name: str, form: str) -> HttpResponseBase:
        entered = LinesForm.of(request._request.GET, the_site())
        given = checked(request, entered)
        asked = entered.paper_asked(name, CSV_FORM)
        if asked.players:
            require(request.user, TAKE_NAMES)
        if form not in FORMS or name == ALL:
            raise Http404
        try:
            [paper] = papers_of(asked)
        except BadPaper as error:
            raise Http404 from error
        return self._page(request, asked, paper, form, given)

    def _page(
        self, request: Request, asked: AskedPaper, paper: type[Paper], form: str, given: dict[str, Any]
    ) -> HttpResponseBase:
        file: Any = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 (closed with the answer)
        try:
            write(file, asked, site=the_site(), act=act_of(request._request, ROOM))
            page = page_of(file, asked.file, given["after"], given["most"])
            if page is None:
                raise StaleCursor(
                    "These lines are not those before the cursor. Begin without it.", field="after"
                )
        except BaseException:
            file.close()
            raise
        name = asked.file.removesuffix(CSV_FORM) + form
        sent = download(request._request, _lines(file, page, paper, form), FORMS[form], name, ROOM)
        sent["Cursor"] = page.cursor
        if open_days := open_among(the_site(), asked.days):
            sent["Open-Days"] = str(open_days)
        if page.more:
            sent["Link"] = f'<{_next(request, page.cursor)}>; rel="next"'
        return sent


class RecordsForm(CodedForm):
    """Which leaves a program asks for."""

    codes = DJANGO_CODES

    after = forms.IntegerField(
        required=False, min_value=0, max_value=MOST_LEAVES, label="How many leaves it has: the header Cursor"
    )
    most = forms.IntegerField(required=False, min_value=1, max_value=MOST, label="How many records at most")
    proof = forms.BooleanField(required=False, label="With the hashes from each leaf up to the root")


class RecordsView(BooksView):
    """The sealed records of the log, each with its leaf. The header `Checkpoint` has the signed tree that the
    proofs lead to, in base64; `Cursor` says where to go on."""

    def get(self, request: Request) -> HttpResponseBase:
        given = checked(request, RecordsForm(request._request.GET))
        log = log_of(the_site())
        signed = latest(log)
        begin = given["after"] or 0
        if signed is None:
            raise NotSealed("Nothing has been sealed yet. Try again in a moment.")
        if begin > signed.size:
            raise BadText(f"The log has {signed.size} leaves that are signed.", field="after")
        end = min(signed.size, begin + (given["most"] or signed.size))
        lines = sealed_lines(
            log,
            begin,
            end,
            signed.size,
            proof=given["proof"],
            is_blind=lambda record: is_blind(record, request.user),
        )
        name = f"records-{begin}-{end}.jsonl"
        sent = download(request._request, lines, JSONL, name, ROOM)
        sent["Cursor"], sent["Checkpoint"] = str(end), b64encode(signed.note.encode()).decode()
        if end < signed.size:
            sent["Link"] = f'<{_next(request, str(end))}>; rel="next"'
        return sent


def _lines(file: IO[bytes], page: PageOfPaper, paper: type[Paper], form: str) -> Generator[bytes, None, None]:
    with file:
        yield from in_csv(file, page) if form == "csv" else in_json(file, page, paper)


def _next(request: Request, cursor: str) -> str:
    query = request._request.GET.copy()
    query["after"] = cursor
    return f"{request.path}?{query.urlencode()}"
