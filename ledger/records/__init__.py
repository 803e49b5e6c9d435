"""Every kind of record, declared once: its fields with types, units and meaning. It never judges a record.

`declaring` makes forms from declarations and knows no kind by name; `books` and `house` declare the kinds of
the books, other apps theirs in the same way (`tables/audit/records/`). The form check and
docs/audit-records.md follow from them."""

from ledger.records import books, declaring, house

__all__ = ["books", "declaring", "house"]
