"""The pages of signing in beside the password's: badge and PIN, the second step, one's own factors and sessions, the terminals.

They never decide whether a PIN, a code or a passkey is right, and never count attempts; `casino/sign_in` does.
"""
