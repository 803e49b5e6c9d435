"""The table's rules: buy-ins, dealing, downs and fees owed, corrections. It knows no card and moves no chip."""
