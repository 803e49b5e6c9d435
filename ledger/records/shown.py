"""What people are shown of a log: texts made safe for a terminal or a page, evidence and records as rows.
Pure."""

import re
from typing import Any

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


MONEY = "_cents"


def readable(evidence: Any, name: str = "") -> Any:
    """Return evidence as rows: dicts as (words, value) pairs, cents as dollars, plain lists as a text."""
    if isinstance(evidence, dict) and evidence:
        return {"pairs": [(_words(key), readable(value, key)) for key, value in evidence.items()]}
    if isinstance(evidence, dict):
        return {"text": "none"}
    if isinstance(evidence, list):
        if any(isinstance(one, dict | list) for one in evidence):
            return {"parts": [readable(one) for one in evidence]}
        return {"text": ", ".join(map(str, evidence)) or "none"}
    if f"_{name}".endswith(MONEY) and type(evidence) is int:
        return {"cents": evidence}
    if isinstance(evidence, bool) or evidence is None:
        return {"text": {True: "yes", False: "no", None: "none"}[evidence]}
    return {"text": str(evidence) or "none"}


def _words(name: str) -> str:
    """Return a fact's name as words: `closer_cents` is the closer, `cents` alone the amount."""
    return (f"_{name}".removesuffix(MONEY).replace("_", " ").strip()) or "amount"
