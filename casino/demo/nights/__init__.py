"""Simulated nights: guests and staff who play through the same verbs as the screens, on a clock of their own.

They never write a row or decide a rule themselves, and the same seed always plays the same night.
"""
