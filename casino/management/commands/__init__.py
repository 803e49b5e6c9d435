"""One module per `manage.py` command. Each reads arguments and clock, and never does the work itself."""
