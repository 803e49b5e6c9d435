"""One module per `manage.py` command of the books: arguments and the clock. It never does the work itself."""
