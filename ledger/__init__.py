"""The books: who holds which chips and how much cash, and the proof that nobody changed the record. The
ledger never imports the floor and knows no cards. Money is in whole cents and moves only through
`ledger/journal/posting.py`."""
