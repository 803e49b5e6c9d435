"""The rules for each record, given the replayed tables. It never opens a database, and never repairs a
record."""
