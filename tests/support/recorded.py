"""The texts of audit records, for tests that look for words in them."""

from ledger.models import AuditRecord


def recorded_with(words: str, **which):
    return [record for record in AuditRecord.objects.filter(**which).order_by("pk") if words in record.text]
