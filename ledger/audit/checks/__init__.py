"""What the books must satisfy, worked out again from the records. Nothing here reads a row or repairs a record."""
