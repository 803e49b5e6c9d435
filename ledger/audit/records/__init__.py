"""Every kind of record, declared once: its fields with their types and units, and what they mean. Pure.

`declaring` makes forms from declarations and knows no kind by name; `books` and `house` declare the kinds of the books. Whoever
records more declares it in the same way (`tables/audit/records/`). What is refused and what docs/audit-records.md says follow
from these declarations. It never judges what a record says.
"""

from ledger.audit.records import books, declaring, house

__all__ = ["books", "declaring", "house"]
