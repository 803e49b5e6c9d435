"""The log read back, offline: one room is replayed, and every record is held against it. It never imports Django or opens a
database."""
