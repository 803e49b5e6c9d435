"""Verbs of a round: starting, entering, settling, voiding, correcting, and pushing dealers. It never computes points."""
