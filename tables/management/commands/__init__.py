"""One module per `manage.py` command of the floor: reads arguments and the clock, never does the work."""
