"""Every kind of record that the floor writes, declared once: its fields with their types and units. Pure.

It never judges one: `judging/` does.
"""

from tables.audit.records import entries, events, house_events, rows

__all__ = ["entries", "events", "house_events", "rows"]
