"""A lookup for the beginning of a word, `word__begins`, which both databases answer from an index."""

from typing import Any

from django.db.models import CharField, Lookup

LAST_CHARACTER = "\U0010ffff"


@CharField.register_lookup
class Begins(Lookup):
    lookup_name = "begins"

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        """Compare with a range, which SQLite can answer since it compares texts by code point."""
        column, before = self.process_lhs(compiler, connection)
        return f"({column} >= %s AND {column} < %s)", [
            *before,
            self.rhs,
            *before,
            f"{self.rhs}{LAST_CHARACTER}",
        ]

    def as_postgresql(self, compiler: Any, connection: Any) -> Any:
        """Use LIKE, since the order of texts depends on the locale here."""
        column, before = self.process_lhs(compiler, connection)
        escaped = str(self.rhs).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        return f"{column} LIKE %s", [*before, f"{escaped}%"]
