"""A witness: what somebody outside the house runs. It cosigns a log's checkpoints as long as the log only grows, with the
standard library alone. It never sees a record or the house's database, and never cosigns two trees of one log that do not
continue each other."""
