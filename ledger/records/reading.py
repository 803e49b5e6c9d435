"""Evidence and records as rows for people. Pure."""

from typing import Any

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
