"""The project's own `manage.py` commands. They hold no rules: each calls what the screens call."""
