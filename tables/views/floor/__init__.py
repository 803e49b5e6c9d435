"""The floor's desk: the board, tables, opening and closing, banks, must-move. It never holds a rule."""
