"""The form of every kind of record, version by version: which fields it has, and of which type. Pure.

Checks may rely on these fields and types. They look inside `data`, `evidence` and transfers themselves.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any

from ledger.audit.findings import Body

VERSION = 1
"""The version of every kind of record so far."""

Types = frozenset[type]
INT, TEXT, OBJECT, LIST, BOOL = (Types({kind}) for kind in (int, str, dict, list, bool))
INT_OR_NONE, TEXT_OR_NONE, OBJECT_OR_NONE = (kind | {type(None)} for kind in (INT, TEXT, OBJECT))

Fields = Mapping[str, Types]

_EVERY = {"id": INT, "site": INT, "recorded_at": TEXT}


def _fields(*of_types: tuple[Types, str]) -> Fields:
    """Return the fields of a kind of record, given by type as a list of names, in the order in which they are looked at."""
    return _EVERY | {name: types for types, names in of_types for name in names.split()}


_FIELDS: dict[str, Fields] = {
    "entry": _fields(
        (TEXT, "key content_hash kind occurred_at gaming_day terminal reason"),
        (INT, "actor"),
        (INT_OR_NONE, "approver reverses"),
        (OBJECT, "evidence"),
        (LIST, "transfers"),
    ),
    "charge": _fields(
        (INT, "session down down_id sitting player fee_cents cents charged_by"),
        (TEXT, "down_started_at entered_at rule charged_at gaming_day"),
        (TEXT_OR_NONE, "minute_seconds"),
        (OBJECT, "rate"),
        (INT_OR_NONE, "round_id"),
    ),
    "down": _fields((INT, "session number rate"), (TEXT, "started_at"), (TEXT_OR_NONE, "waited_from")),
    "table_event": _fields((INT, "session"), (TEXT, "kind at"), (INT, "actor"), (OBJECT, "data")),
    "claim": _fields((INT, "number settlement round_id debtor creditor cents")),
    "rate": _fields(
        (TEXT, "approval_reference effective_from"),
        (INT, "option version limit_cents fee_cents"),
        (INT_OR_NONE, "published_by"),
    ),
    "player_change": _fields((INT, "player actor"), (TEXT, "before after terminal key")),
    "player_merge": _fields((INT, "number merged into actor approver"), (TEXT, "terminal reason key")),
    "count": _fields((INT, "box counter attempt chips_cents cash_cents"), (TEXT, "counted_at")),
    "sign_off": _fields(
        (INT, "box entry signed_by expected_chips expected_cash counted_chips counted_cash"),
        (TEXT, "cause signed_at"),
    ),
    "house_event": _fields((TEXT, "kind at"), (INT_OR_NONE, "actor"), (TEXT, "terminal"), (OBJECT, "data")),
    "cage_slip": _fields(
        (INT, "number chips_cents cash_cents counted_by"),
        (TEXT, "way gaming_day counted_at terminal key"),
        (OBJECT, "pieces"),
    ),
    "cage_slip_result": _fields(
        (INT, "slip chips_cents cash_cents person"),
        (TEXT, "outcome at reason key"),
        (OBJECT, "pieces"),
        (INT_OR_NONE, "entry"),
    ),
    "withheld": _fields((TEXT, "commitment")),
    "closed_day": _fields(
        (TEXT, "gaming_day closed_at"), (INT, "closed_by entries"), (OBJECT, "totals"), (LIST, "balances")
    ),
}
_VALUES_OF = {kind: itemgetter(*fields) for kind, fields in _FIELDS.items()}
_RIGHT_TYPES: dict[str, set[tuple[type, ...]]] = {kind: set() for kind in _FIELDS}
_TIMES = frozenset(
    "occurred_at recorded_at at down_started_at entered_at charged_at started_at waited_from counted_at signed_at"
    " closed_at".split()
)
_TIMES_OF = {kind: tuple(name for name in fields if name in _TIMES) for kind, fields in _FIELDS.items()}
_TRANSFER = frozenset(("asset", "cents", "from", "from_kind", "to", "to_kind"))

_TIME = re.compile(r"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z", re.ASCII)
_DAY = re.compile(r"[0-9]{4}-[01][0-9]-[0-3][0-9]", re.ASCII)


def is_known(kind: Any) -> bool:
    """Return whether this kind of record exists."""
    return isinstance(kind, str) and kind in _FIELDS


def wrong_field(body: Body) -> str:
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


def wrong_data(form: Fields, body: Body) -> str:
    """Return what is wrong with the data of an event that says just this; empty if nothing is."""
    data = body["data"]
    if data.keys() != form.keys() or any(type(data[name]) not in types for name, types in form.items()):
        return f"It does not say what {body['kind']} says: {', '.join(form) or 'nothing'}."
    return ""


def _wrong_type(kind: str, body: Body) -> str:
    """Return the first field that is missing or of another type. Types that were right once are remembered."""
    known = _RIGHT_TYPES[kind]
    try:
        types = tuple(map(type, _VALUES_OF[kind](body)))
        if types in known:
            return ""
    except KeyError:
        types = ()
    missing = object
    for name, allowed in _FIELDS[kind].items():
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
