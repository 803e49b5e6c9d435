"""Verbs of the cage: the window, drop boxes, tokes, the exclusion list. It never knows a table."""
