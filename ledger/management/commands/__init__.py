"""One module per `manage.py` command of the books. Each reads its arguments and the clock, and never does the work itself."""
