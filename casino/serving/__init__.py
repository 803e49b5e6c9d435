"""Run the house: the scheduler inside the web process, the signing key of sessions, faults and health. It never serves a page of
the house."""
