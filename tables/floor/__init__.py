"""Verbs of the floor: opening, closing and breaking tables, banks and boxes, lists, must-move. It never scores a round."""
