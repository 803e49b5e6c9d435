"""Django's backend for SQLite with a queue of writers within this process. It never changes a statement or a
guarantee."""
