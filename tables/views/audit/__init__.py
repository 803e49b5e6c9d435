"""The auditor's desk: days, rounds, players, sessions and books to read. It never changes anything."""
