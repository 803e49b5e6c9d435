"""Verbs of a round: starting, entering, settling, voiding, correcting, pushes. It never computes points."""
