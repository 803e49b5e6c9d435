"""The papers of an export: CSV files worked out from its records, line by line. It never opens a file.
Writer and verifier produce the same bytes. Its modules declare those of the books; other apps declare theirs
in the same way (`tables/audit/papers.py`)."""

from ledger.papers import (
    accountability,
    books,
    controls_of_books as _controls_of_books,  # noqa: F401 (declares its controls)
    counting,
    custody,
    exceptions,
    slips,
)

__all__ = ["accountability", "books", "counting", "custody", "exceptions", "slips"]
