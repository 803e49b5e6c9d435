"""What a table is right now: its rows, plan, clock and lock. Every verb starts here; nothing here moves a chip."""
