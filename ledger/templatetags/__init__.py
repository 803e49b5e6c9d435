"""Amounts, entries and accounts in words, for templates. It never computes anything but their text."""
