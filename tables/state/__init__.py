"""What a table is right now: its rows, plan, clock and lock. Every verb starts here; it never moves a chip."""
