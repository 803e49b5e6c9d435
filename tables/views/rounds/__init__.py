"""Pages about rounds: starting, voiding, corrections, pushes, the dealer's tablet. Points come from the rules."""
