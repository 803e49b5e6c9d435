"""One module per `manage.py` command of the floor. Each reads its arguments and the clock, and never does the work itself."""
