"""Run the house: the scheduler inside the web process, the signing key of sessions, stopping with make. It serves no page."""
