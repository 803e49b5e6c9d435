"""The rules of the game and of the table. Pure: they never know Django, a database, a clock or a name.

Each rule is stated once; verbs, the live check and the offline check all call it."""
