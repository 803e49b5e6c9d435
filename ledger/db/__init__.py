"""Database tools: triggers, roles, snapshots, compiled queries. They never know an event of the house."""
