"""Pages for signing in by badge and PIN, second steps, one's own factors and sessions, and the terminals.
They never decide whether a PIN, a code or a passkey is right, and never count attempts: `casino/sign_in`
does."""
