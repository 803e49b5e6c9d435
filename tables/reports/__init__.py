"""What is read from the floor: rounds, statements, nights, days, open fees. It writes nothing and locks nothing."""
