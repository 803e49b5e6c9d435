"""Reports of the books: trial balance, statements, box log, the journal as files. It never writes a row."""
