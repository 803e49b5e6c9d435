"""A witness: what somebody outside the house runs. It cosigns a log's checkpoints as long as the log only grows. Standard library."""
