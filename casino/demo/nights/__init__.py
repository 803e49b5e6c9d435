"""Simulated nights: guests and staff who play through the same verbs as the screens, on a clock of their own.

Nothing here writes a row or decides a rule by itself, and the same seed always plays the same night.
"""
