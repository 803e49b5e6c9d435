"""The rules in words: names, rules pages, and the reason for every point. It decides nothing; no verb depends on it."""
