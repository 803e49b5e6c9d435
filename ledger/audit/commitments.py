"""What the log records instead of a text that stays in the house. Pure."""

from hashlib import sha256


def commitment(salt: str, text: str) -> str:
    """Return sha256 over the salt, a line feed and the text, in hex."""
    return sha256(f"{salt}\n{text}".encode()).hexdigest()
