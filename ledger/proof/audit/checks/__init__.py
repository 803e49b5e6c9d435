"""The checks: rules for the books, recomputed from the records. They never read a row or repair a record."""
