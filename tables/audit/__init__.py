"""The log read back offline: the tables replayed, every record compared. It never opens a database."""
