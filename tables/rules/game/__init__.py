"""The game: cards, ranking, setting, comparing, scoring, payments. It never knows a table or a fee."""
