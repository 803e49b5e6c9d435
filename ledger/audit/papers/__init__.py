"""The papers of an export: CSV files worked out from its records alone, line by line. Pure.

Writer and verifier produce the same bytes. `paper` knows no paper by name; `books` declares those of the books, and whoever
records more declares its papers in the same way (`tables/audit/papers.py`). It never opens a file.
"""
