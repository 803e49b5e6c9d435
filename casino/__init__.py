"""The project: settings, addresses, sign-in, roles, serving, and the demo. It states no rule of the game or of the books."""
