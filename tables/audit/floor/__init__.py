"""The replayed room: house, tables, sittings, rounds, fees and clocks by the log so far. It never judges."""
