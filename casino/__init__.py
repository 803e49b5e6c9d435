"""The project: settings, URLs, sign-in, roles, serving, demo. It never states a rule of the game or the
books."""
