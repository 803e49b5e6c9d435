"""The ledger's scheduled work: sealing the audit log, and having it witnessed. It may run late."""

import logging

from celery import shared_task
from django.utils import timezone

from ledger.errors import BadAuditKey, LedgerError, UnknownAuditKey
from ledger.models import Site
from ledger.proof.log import making_papers, sealing, witnessing
from ledger.proof.log.state import note_refusal, record_refusal

log = logging.getLogger(__name__)


@shared_task
def seal_logs() -> int:
    """Seal the new records of every site; return how many. A refusal is stored for /healthz to report."""
    sealed = 0
    for site in Site.objects.order_by("pk"):
        try:
            sealed += sealing.seal(site, now=timezone.now(), rest=sealing.SIGN_EVERY)
        except LedgerError as error:
            of_key = isinstance(error, BadAuditKey | UnknownAuditKey)
            if note_refusal(site, error.message, of_key=of_key):
                log.error("%s: %s (%s)", site, error.message, error.code)
                record_refusal(site, error, now=timezone.now())
        else:
            note_refusal(site, "")
            note_refusal(site, "", of_key=True)
    return sealed


@shared_task
def ask_witnesses() -> None:
    for site in Site.objects.order_by("pk"):
        try:
            witnessing.ask(site, now=timezone.now())
        except LedgerError as error:
            log.error("%s: %s (%s)", site, error.message, error.code)


@shared_task
def make_papers() -> int:
    """Make the papers that wait, one of each house at a time; return how many."""
    return sum(making_papers.make_next(site) for site in Site.objects.order_by("pk"))
