"""The export as a zip: write it, read one that may have been tampered with, judge it. It never opens a database."""
