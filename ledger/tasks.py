"""Work that the scheduler does for the books: sealing the audit log. It decides nothing, and can be late."""

import logging

from celery import shared_task
from django.utils import timezone

from ledger.errors import LedgerError
from ledger.log import sealing
from ledger.log.state import tell_refusal
from ledger.models import Site

log = logging.getLogger(__name__)


@shared_task
def seal_logs() -> int:
    """Seal what has been recorded in every house; return how many records. Why one stopped is kept for /healthz to tell."""
    sealed = 0
    for site in Site.objects.order_by("pk"):
        try:
            sealed += sealing.seal(site, now=timezone.now())
        except LedgerError as error:
            log.error("%s: %s (%s)", site, error.message, error.code)
            tell_refusal(site, error.message)
        else:
            tell_refusal(site, "")
    return sealed
