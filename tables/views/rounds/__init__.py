"""Pages about rounds: starting, voiding, corrections, pushes, the dealer's tablet. They never compute points; the rules do."""
