"""The table's rules: buy-ins, dealing, downs, fees, corrections. They never know a card or move a chip."""
