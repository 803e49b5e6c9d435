"""Running the house: server, embedded scheduler, settings, faults, health. It never serves a page of the
house."""
