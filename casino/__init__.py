"""The project: settings, addresses, sign-in, roles, serving, and the demo. It never states a rule of the game or of the books."""
