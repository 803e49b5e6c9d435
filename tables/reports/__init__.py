"""What is read from the floor: rounds, statements, sessions, days, open fees. It writes nothing and locks nothing."""
