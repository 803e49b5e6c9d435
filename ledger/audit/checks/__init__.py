"""The checks: what the books must satisfy, recomputed from the records. They never read a row or repair a record."""
