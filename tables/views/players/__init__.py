"""The register of players: searching, entries and their history. It never shows who is excluded."""
