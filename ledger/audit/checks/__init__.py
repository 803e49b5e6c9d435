"""The checks: what the books must satisfy, recomputed from the records. They read no row and repair no record."""
