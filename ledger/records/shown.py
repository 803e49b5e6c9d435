"""Text from a log or a file made safe to show on a terminal or a page: one line of limited length. Pure."""

import re

MOST = 500
"""Characters of one text."""

# Characters that print nothing, though Unicode counts them as printable.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_SPACES = re.compile(" {2,}")


def shown(text: str, most: int = MOST) -> str:
    """Return a text cut to `most`, with control characters, line ends, bidirectional marks and repeated
    spaces escaped. Applying it twice changes nothing."""
    cut = text[: most + 1]
    if not cut.isprintable() or not _BLANK.isdisjoint(cut):
        cut = "".join(char if char.isprintable() and char not in _BLANK else _escaped(char) for char in cut)
    if "  " in cut:
        cut = _SPACES.sub(lambda spaces: " " + r"\x20" * (len(spaces[0]) - 1), cut)
    return cut if len(cut) <= most else f"{cut[: most - 1]}…"


def _escaped(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
