"""The rules of the game and of the table. Pure: no Django, no database, no clock, no player's name.

Each rule is stated once. Verbs, the live check and the offline check all call it.
"""
