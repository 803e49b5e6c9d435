"""The table's rules: buy-ins, dealing, downs and fees owed, corrections. It never knows a card or moves a chip."""
