"""The log read back, offline: one room is replayed, and every record is held against it. No Django, no database."""
