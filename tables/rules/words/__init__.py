"""The rules in words: names, rules pages, and the reason for every point. It never decides anything; no verb depends on it."""
