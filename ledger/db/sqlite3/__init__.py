"""Django's backend for SQLite, with one thing of ours: who writes in this process waits in turn. It never changes a statement, or
what SQLite promises of a commit."""
