"""Backups, made while the house is open and restored into an empty place. They never contain the signing
key."""
