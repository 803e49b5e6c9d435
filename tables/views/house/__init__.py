"""The manager's desk at the floor's end: its tables, the games on offer, and what the house still lacks. It never decides a
rule."""
