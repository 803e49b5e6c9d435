"""The game: cards, ranking, setting, comparing, scoring, payments. It knows no table, fee or clock."""
