"""Backups of the open house, restored into an empty place. They never contain the signing key."""
