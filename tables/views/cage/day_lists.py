"""Lists of a gaming day that are sorted and looked through by the address of its page."""

from typing import Any

from django.http import HttpRequest

from ledger.money import dollars
from ledger.reports.custody import DocumentRow
from ledger.views.listing import ListPage, LongList, SortColumn, list_page

MOST = 200
"""Lines of such a list on one page, so that hardly any day needs two when it is printed."""
RECEIPTS = LongList(
    "number",
    number=SortColumn("Receipt", "first to last", "last to first", ("entry__receipt__number",)),
    player=SortColumn("Player", "from A", "from Z", ("charge__player__name", "entry_id")),
    amount=SortColumn("Amount", "least first", "most first", ("charge__cents", "entry_id")),
)
DOCUMENTS, ENDED = (
    LongList(
        order,
        begun=SortColumn("Document", "first to last", "last to first", ("trail__document__pk",)),
        place=SortColumn("Place", "from A", "from Z", ("trail__document__place", "trail__document__pk")),
        since=SortColumn(
            "Since", "longest ago first", "latest first", ("trail__last__at", "trail__document__pk")
        ),
    )
    for order in ("begun", "-begun")
)
"""Documents of a gaming day, and those of a table that have ended."""


def receipts(request: HttpRequest, facts: dict[str, Any]) -> ListPage:
    """Return the receipts of a day as its address asks for them. `facts` are those of the day."""
    rows = list(facts["receipts"])
    return list_page(request, RECEIPTS, rows, _of_receipt, name="receipts", most=MOST)


def documents(request: HttpRequest, facts: dict[str, Any]) -> ListPage:
    """The same of its documents."""
    rows = facts["day_documents"]
    return list_page(request, DOCUMENTS, rows, of_document, name="documents", most=MOST)


def _of_receipt(paid: Any) -> str:
    charge = paid.charge
    amount, number = dollars(charge.cents), paid.entry.receipt.number
    return f"{number} {charge.player} {charge.session.table} {paid.entry.actor} {amount}"


def of_document(row: DocumentRow) -> str:
    document = row.trail.document
    return f"{document} {document.place} {row.state} {row.trail.last.person}"
