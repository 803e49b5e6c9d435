"""Django's backend for SQLite with a queue of writers in this process. It never changes a statement."""
