"""One module per `manage.py` command of the project. Each reads its arguments and the clock, and never does
the work itself."""
