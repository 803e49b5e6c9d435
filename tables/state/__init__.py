"""What a table is right now: rows, plan, clock, lock. Every verb starts here; it never moves a chip."""
