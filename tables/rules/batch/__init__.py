"""Score rounds by the hundred thousand with NumPy. The answers are those of `tables/rules/game`; no verb uses it."""
