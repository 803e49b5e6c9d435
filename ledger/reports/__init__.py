"""What is read from the books: trial balance, statements, box log, the journal as CSV and JSON lines. It never writes a row."""
