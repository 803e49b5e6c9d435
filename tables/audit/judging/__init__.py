"""The rules for each record, given the replayed tables. It never opens a database or repairs a record."""
