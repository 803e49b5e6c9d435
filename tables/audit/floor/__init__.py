"""The replayed room: house, tables, sittings, rounds, fees and clocks as the log has told them so far. It never judges."""
