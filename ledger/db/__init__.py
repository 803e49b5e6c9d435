"""Database tools: append-only triggers, roles, snapshots, compiled queries. They never know an event of the
house."""
