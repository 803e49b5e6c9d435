"""The project's own `manage.py` commands. They never hold a rule: each calls what the screens call."""
