"""The floor: tables, seats, rounds, and the collection. Chips move only through the ledger, which knows no cards."""
