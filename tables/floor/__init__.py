"""Verbs of the floor: tables, banks and boxes, waiting lists, must-move. It never scores a round."""
