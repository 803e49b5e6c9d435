"""The `manage.py` commands of the floor. They never hold a rule."""
