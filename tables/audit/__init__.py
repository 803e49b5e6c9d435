"""The log read back offline: the tables are replayed, and every record compared with them. It never opens a
database."""
