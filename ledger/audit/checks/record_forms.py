"""The form of every kind of record, version by version: which fields it has, and of which type. Pure.

Checks may rely on these fields and types. They look inside `data`, `evidence` and transfers themselves.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any

VERSION = 1
"""The version of every kind of record so far."""

_INT, _TEXT, _OBJECT, _LIST = frozenset({int}), frozenset({str}), frozenset({dict}), frozenset({list})
_INT_OR_NONE, _TEXT_OR_NONE = _INT | {type(None)}, _TEXT | {type(None)}

Fields = dict[str, frozenset[type]]

_EVERY: Fields = {"id": _INT, "site": _INT, "recorded_at": _TEXT}

_FORMS: dict[str, Fields] = {
    "entry": {
        **dict.fromkeys(
            ("key", "content_hash", "kind", "occurred_at", "gaming_day", "terminal", "reason"), _TEXT
        ),
        "actor": _INT,
        "approver": _INT_OR_NONE,
        "reverses": _INT_OR_NONE,
        "evidence": _OBJECT,
        "transfers": _LIST,
    },
    "charge": {
        **dict.fromkeys(
            ("session", "down", "down_id", "sitting", "player", "fee_cents", "cents", "charged_by"), _INT
        ),
        **dict.fromkeys(("down_started_at", "entered_at", "rule", "charged_at", "gaming_day"), _TEXT),
        "minute_seconds": _TEXT_OR_NONE,
        "rate": _OBJECT,
        "round_id": _INT_OR_NONE,
    },
    "down": {
        "session": _INT,
        "number": _INT,
        "rate": _INT,
        "started_at": _TEXT,
        "waited_from": _TEXT_OR_NONE,
    },
    "table_event": {"session": _INT, "kind": _TEXT, "at": _TEXT, "actor": _INT, "data": _OBJECT},
    "claim": dict.fromkeys(("number", "settlement", "round_id", "debtor", "creditor", "cents"), _INT),
    "rate": {
        **dict.fromkeys(("approval_reference", "effective_from"), _TEXT),
        **dict.fromkeys(("option", "version", "limit_cents", "fee_cents"), _INT),
        "published_by": _INT_OR_NONE,
    },
    "player_change": {
        **dict.fromkeys(("player", "actor"), _INT),
        **dict.fromkeys(("before", "after", "terminal", "key"), _TEXT),
    },
    "player_merge": {
        **dict.fromkeys(("number", "merged", "into", "actor", "approver"), _INT),
        **dict.fromkeys(("terminal", "reason", "key"), _TEXT),
    },
    "count": {
        **dict.fromkeys(("box", "counter", "attempt", "chips_cents", "cash_cents"), _INT),
        "counted_at": _TEXT,
    },
    "sign_off": {
        **dict.fromkeys(("box", "entry", "signed_by"), _INT),
        **dict.fromkeys(("expected_chips", "expected_cash", "counted_chips", "counted_cash"), _INT),
        "cause": _TEXT,
        "signed_at": _TEXT,
    },
    "house_event": {"kind": _TEXT, "at": _TEXT, "actor": _INT_OR_NONE, "terminal": _TEXT, "data": _OBJECT},
    "cage_slip": {
        **dict.fromkeys(("number", "chips_cents", "cash_cents", "counted_by"), _INT),
        **dict.fromkeys(("way", "gaming_day", "counted_at", "terminal", "key"), _TEXT),
        "pieces": _OBJECT,
    },
    "cage_slip_result": {
        **dict.fromkeys(("slip", "chips_cents", "cash_cents", "person"), _INT),
        **dict.fromkeys(("outcome", "at", "reason", "key"), _TEXT),
        "pieces": _OBJECT,
        "entry": _INT_OR_NONE,
    },
    "withheld": dict.fromkeys(("what", "commitment"), _TEXT),
    "closed_day": {
        **dict.fromkeys(("gaming_day", "closed_at"), _TEXT),
        "closed_by": _INT,
        "entries": _INT,
        "totals": _OBJECT,
    },
}
_FIELDS = {kind: tuple((_EVERY | fields).items()) for kind, fields in _FORMS.items()}
_VALUES_OF = {kind: itemgetter(*(name for name, _ in fields)) for kind, fields in _FIELDS.items()}
_RIGHT_TYPES: dict[str, set[tuple[type, ...]]] = {kind: set() for kind in _FIELDS}
_TIMES = frozenset(
    (
        *("occurred_at", "recorded_at", "at", "down_started_at", "entered_at", "charged_at", "started_at"),
        *("waited_from", "counted_at", "signed_at", "closed_at"),
    )
)
_TIMES_OF = {kind: tuple(name for name, _ in fields if name in _TIMES) for kind, fields in _FIELDS.items()}
_TRANSFER = frozenset(("asset", "cents", "from", "from_kind", "to", "to_kind"))

_TIME = re.compile(r"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z", re.ASCII)
_DAY = re.compile(r"[0-9]{4}-[01][0-9]-[0-3][0-9]", re.ASCII)


def is_known(kind: Any) -> bool:
    """Return whether this kind of record exists."""
    return isinstance(kind, str) and kind in _FIELDS


def wrong_field(body: Mapping[str, Any]) -> str:
    """Return the first field that is missing or malformed in a record of a known kind; empty if all are right."""
    kind = body["record"]
    if wrong := _wrong_type(kind, body):
        return wrong
    for name in _TIMES_OF[kind]:
        at = body[name]
        if at is not None and not _is_time(at):
            return name
    if "gaming_day" in body and not _is_day(body["gaming_day"]):
        return "gaming_day"
    return "transfers" if kind == "entry" and not all(map(_is_transfer, body["transfers"])) else ""


def _wrong_type(kind: str, body: Mapping[str, Any]) -> str:
    """Return the first field that is missing or of another type. Types that were right once are remembered."""
    known = _RIGHT_TYPES[kind]
    try:
        types = tuple(map(type, _VALUES_OF[kind](body)))
        if types in known:
            return ""
    except KeyError:
        types = ()
    missing = object
    for name, allowed in _FIELDS[kind]:
        if type(body.get(name, missing)) not in allowed:
            return name
    known.add(types)
    return ""


@lru_cache(maxsize=1024)
def _is_time(text: str) -> bool:
    return _TIME.fullmatch(text) is not None


@lru_cache(maxsize=64)
def _is_day(text: str) -> bool:
    return _DAY.fullmatch(text) is not None


def _is_transfer(line: Any) -> bool:
    """Check a transfer's field names and types; its accounts and amount are judged by the books."""
    return (
        type(line) is dict
        and line.keys() == _TRANSFER
        and type(line["asset"]) is str
        and type(line["from_kind"]) is str
        and type(line["to_kind"]) is str
        and type(line["from"]) is int
        and type(line["to"]) is int
        and line["from"] >= 0
        and line["to"] >= 0
    )
