"""One record of the log: what it says, its leaf, and the proof that the signed tree has it. Read-only."""

import json
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from ledger.errors import NotSealed
from ledger.models import AuditRecord
from ledger.proof.audit.tree.merkle import leaf_hash
from ledger.proof.log import proofs, sealing
from ledger.records.shown import readable
from ledger.reports.traces import is_blind, record_of
from ledger.rights import READ_BOOKS
from ledger.views.day import the_site
from ledger.views.pages import read_by

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
    record = record_of(site, record_kind, subject) if subject <= MOST_SUBJECT else None
    if record is None:
        raise Http404
    blind = is_blind(record, request.user)
    page = PAGES.get(record_kind)
    facts: dict[str, Any] = {
        "site": site,
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
