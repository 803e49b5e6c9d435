"""Streamed downloads of the books. Each is recorded in the audit log when it ends, with the number of rows
sent; one that was broken off is recorded as not whole."""

from collections.abc import Generator, Iterator
from itertools import islice

from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone

from ledger.journal import house_events
from ledger.models import HouseEvent
from ledger.views.day import the_site
from ledger.views.pages import require_own_page
from ledger.views.terminal import act_of

LINES_AT_A_TIME = 500
MOST_OF_AN_ADDRESS = 300
CSV, JSONL = "text/csv; charset=utf-8", "application/jsonl; charset=utf-8"


def csv_download(request: HttpRequest, lines: Iterator[str], name: str) -> StreamingHttpResponse:
    return download(request, blocks_of(lines), CSV, name)


def blocks_of(lines: Iterator[str]) -> Generator[bytes, None, None]:
    while block := "".join(islice(lines, LINES_AT_A_TIME)):
        yield block.encode()


def download(
    request: HttpRequest, blocks: Generator[bytes, None, None], kind: str, name: str, room: str = "books"
) -> StreamingHttpResponse:
    require_own_page(request)
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    noted = _noted(request, blocks, kind, name, room)
    return StreamingHttpResponse(noted, content_type=kind, headers=headers)


def _noted(
    request: HttpRequest, blocks: Generator[bytes, None, None], kind: str, name: str, room: str
) -> Generator[bytes, None, None]:
    """Yield the blocks; in the end, or when the reader stops, record the download as of when it began."""
    ends, whole, began = 0, False, timezone.now()
    token = getattr(request, "api_token", None)
    try:
        for block in blocks:
            # A quoted cell of CSV may contain line ends; JSON lines do not.
            ends += sum(part.count(b"\n") for part in (block.split(b'"')[::2] if kind == CSV else (block,)))
            yield block
        whole = True
    finally:
        blocks.close()
        house_events.note(
            the_site(),
            HouseEvent.Kind.DOWNLOADED,
            at=began,
            file=name,
            address=request.get_full_path()[:MOST_OF_AN_ADDRESS],
            rows=max(0, ends - (kind == CSV)),  # the first line of CSV has the names of the columns
            whole=whole,
            **({"token": token.pk} if token is not None else {}),
            act=act_of(request, room),
        )
