"""Sales and redemptions posted past the window's verbs, with their receipts."""

from dataclasses import replace

from django.db import transaction

from ledger.cage import receipts
from ledger.journal import posting


def post_with_receipt(site, draft):
    with transaction.atomic():
        number = receipts.next_number(site)
        draft = replace(draft, evidence={**draft.evidence, "receipt": number})
        entry = posting.post(site=site, draft=draft)
        receipts.write(site, [entry], number)
    return entry
