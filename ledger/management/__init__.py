"""The `manage.py` commands of the books. They never hold a rule."""
