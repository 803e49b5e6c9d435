"""The doors beside the one of a password: badge and PIN, the second step, one's own factors and sessions, the terminals."""
