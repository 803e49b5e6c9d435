"""What is read from the floor: rounds, statements, sessions, days, fees. It never writes or locks a row."""
