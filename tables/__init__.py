"""The floor: tables, seats, rounds, the collection. It never moves a chip but through the ledger."""
