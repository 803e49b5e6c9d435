"""The project: settings, URLs, sign-in, roles, serving, demo. It never states a rule of game or books."""
