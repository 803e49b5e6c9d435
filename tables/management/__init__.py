"""The `manage.py` commands of the floor. They hold no rules."""
