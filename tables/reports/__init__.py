"""What is read from the floor: rounds, statements, sessions, days, open fees. It never writes a row or locks one."""
