"""Every kind of record of the floor, declared once: its fields with types and units. It never judges one."""

from tables.audit.records import entries, events, house_events, rows

__all__ = ["entries", "events", "house_events", "rows"]
