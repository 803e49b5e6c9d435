"""Pages about rounds: starting, voiding, corrections, pushes, the tablet. They never compute points."""
