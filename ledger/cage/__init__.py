"""Verbs of the cage: the window, drop boxes, tokes, the exclusion list. It posts through the journal and never knows a table."""
