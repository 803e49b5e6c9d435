"""Score rounds by the hundred thousand with NumPy. The answers are those of `tables/rules/game`; a verb never uses it."""
