"""The floor's desk: the board, a table's page, opening and closing, banks, must-move. It holds no rule of the table."""
