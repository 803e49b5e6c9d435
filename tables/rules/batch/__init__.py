"""Score rounds by the hundred thousand with NumPy, as `tables/rules/game` does. A verb never uses it."""
