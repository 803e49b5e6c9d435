"""Copies of the house: made while it is open, and put back into an empty place. They never contain the key that signs."""
