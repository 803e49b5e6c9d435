"""The `manage.py` commands of the books. They hold no rules."""
