"""Pages for signing in by badge and PIN, second steps, one's own factors and sessions, and the terminals.
They never check a PIN, code or passkey and never count attempts: `casino/sign_in` does."""
