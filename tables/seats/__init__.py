"""Verbs of a seat: buying in, leaving, moving, tokes, chip counts, corrected chips. It never deals a card."""
