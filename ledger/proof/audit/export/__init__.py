"""The export as a zip: write it, read one that may be tampered with, judge it. It never opens a database."""
