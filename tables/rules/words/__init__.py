"""What the rules are called, and why a round came out as it did, in words. It decides nothing; no verb depends on it."""
