"""The texts of audit records, for tests that look for words in them."""

from ledger.models import AuditRecord


def recorded_with(words: str, **which):
    """Return the records that have these words in their text."""
    return [record for record in AuditRecord.objects.filter(**which) if words in record.text]
