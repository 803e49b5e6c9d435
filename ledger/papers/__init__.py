"""The papers of an export: CSV files worked out from its records, line by line. It never opens a file.
Writer and verifier produce the same bytes. The modules below declare those of the books;
other apps declare theirs in the same way (`tables/audit/papers.py`)."""

from ledger.papers import accountability, books, boxes, counting, custody, slips

__all__ = ["accountability", "books", "boxes", "counting", "custody", "slips"]
