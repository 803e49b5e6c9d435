"""Running the house: server, scheduler, settings, faults, health. It never serves a page of the house."""
