"""Work that the scheduler does for the books: sealing the audit log. It decides nothing, and can be late."""

import logging

from celery import shared_task
from django.core.cache import cache
from django.utils import timezone

from ledger import sealing
from ledger.errors import LedgerError
from ledger.models import Site

log = logging.getLogger(__name__)

REFUSED_KEY = "sealing-refused"


@shared_task
def seal_logs() -> int:
    """Seal what has been recorded in every house; return how many records. A refusal is kept for /healthz to tell."""
    sealed, refused = 0, ""
    for site in Site.objects.order_by("pk"):
        try:
            sealed += sealing.seal(site, now=timezone.now())
        except LedgerError as error:
            refused = error.message
            log.error("%s: %s (%s)", site, error.message, error.code)
    cache.set(REFUSED_KEY, refused, timeout=None)
    return sealed
