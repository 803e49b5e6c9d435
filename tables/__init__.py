"""The floor: tables, seats, rounds, and the collection. It never moves a chip but through the ledger, which knows no cards."""
