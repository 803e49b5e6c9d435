"""The floor's desk: the board, a table's page, opening and closing, banks, must-move. It never holds a rule of the table."""
