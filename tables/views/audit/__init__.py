"""The auditor's desk: days, rounds, players, nights and books to read. It changes nothing."""
