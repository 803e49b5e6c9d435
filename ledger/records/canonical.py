"""The canonical form of JSON: equal values have equal bytes, and hashed bytes can be made again. Pure.

Canonical text is JSON (RFC 8259) in UTF-8 without any choice:

- no spaces; keys are texts, each once, sorted by code point (which is the order of their UTF-8 bytes);
- numbers are integers in decimal, from -MOST to MOST, which every JSON reader holds exactly. Floats are
  refused: money is cents, and a share is two integers or a text;
- texts keep their code points; only `"`, the backslash and characters below U+0020 are escaped, so canonical
  text is one line. There is no normal form: it would change what was recorded, by tables that differ between
  Unicode versions. Lone surrogates are refused, since UTF-8 has no bytes for them;
- arrays and objects are nested at most DEEPEST deep.

A record is the array of its version, a positive integer, and its body: `[1,{"actor":7,...}]`. The version
comes first, so that a reader knows how to take the rest, and every record is a line of JSON."""

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from json.encoder import JSONEncoder
from typing import Any

from ledger.errors import BadText, NotCanonical

MOST = 2**53 - 1
DEEPEST = 64
"""Nesting of objects and arrays: records need about eight, and no reader may run out of stack."""

_ENCODER = JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_READ_ENCODER = JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
)
_UNCHECKED = JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, check_circular=False)
_ZEROS = bytes(ord("0") if chr(byte).isdigit() and byte < 128 else byte for byte in range(256))
_LONGEST = b"0" * len(str(MOST))
_LONG = [mark + _LONGEST for mark in (b":", b",", b"[", b"-")]
_PLAIN = frozenset({str, bool, type(None)})
_ARRAYS = (list, tuple)
_NESTED = (dict, list, tuple)
_READ_NESTED = frozenset({dict, list})
_VERSION = re.compile(rb"\[([1-9][0-9]{0,8}),")


def _refuse(number: str) -> Any:
    raise ValueError(f"a record holds no {number}")


_DECODER = json.JSONDecoder(parse_float=_refuse, parse_constant=_refuse)


def text(value: Any) -> str:
    """Return the canonical text of dicts, lists, tuples, texts, integers, booleans and None. Raises BadText
    for a lone surrogate, TypeError for anything else (a float, a key that is not text) and ValueError for an
    integer out of range."""
    if type(value) is not str:
        _check(value)
    written = _ENCODER.encode(value)
    try:
        written.encode()
    except UnicodeEncodeError as error:
        raise BadText("The text holds a character that cannot be kept.") from error
    return written


def unchecked(value: Any) -> str:
    """Like `text`, of a value from a JSON column. What a record cannot contain gives a text that none has."""
    return escaped(_UNCHECKED.encode(value))


def escaped(written: str) -> str:
    """Return the JSON with lone surrogates, which UTF-8 cannot encode, as escapes."""
    return written if written.isascii() else written.encode(errors="backslashreplace").decode()


def decode(data: bytes) -> Any:
    """Parse canonical bytes. Raises NotCanonical for all others: a space, a double key, 1.0, -0."""
    try:
        written = data.decode()
        value, end = _DECODER.raw_decode(written)
        if end != len(written):
            raise NotCanonical("Bytes follow the value.")
        # Floats are refused while reading, so only an integer can still be wrong, with at least as many
        # digits as MOST. It follows one of a few marks, as do some texts, which are then checked in vain.
        digits = data.translate(_ZEROS)
        if _LONGEST in digits and any(long in b"," + digits for long in _LONG):
            _check(value)
        if data.count(b"[") + data.count(b"{") > DEEPEST and _is_deep(value):
            raise NotCanonical("A record is not nested as deep as this.")
        if _READ_ENCODER.encode(value) == written:
            return value
    except (ValueError, TypeError, BadText, RecursionError) as error:
        raise NotCanonical("These bytes hold a value that a record cannot hold.") from error
    raise NotCanonical("These bytes are not the canonical form of their value.")


def read_record(data: bytes) -> tuple[int, Any]:
    """Return version and body of a record. Raises NotCanonical unless the bytes are a canonical record."""
    value = decode(data)
    if not (_VERSION.match(data) and len(value) == 2):
        raise NotCanonical("A record is its version and its body.")
    return value[0], value[1]


def body_again(data: bytes) -> Any:
    """Return the body of a record that `read_record` has accepted before."""
    return _DECODER.decode(data.decode())[1]


def commitment(salt: str, text: str) -> str:
    """Return what the log records for a withheld text: sha256 over salt, line feed and text, in hex."""
    return sha256(f"{salt}\n{text}".encode()).hexdigest()


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        held = (one.values() if type(one) is dict else one for one in level)
        level = [inner for one in held for inner in one if type(inner) in _READ_NESTED]
    return bool(level)


def _check(value: Any) -> None:
    """Raise unless JSON represents this exactly. Common types first: this runs for every entry posted."""
    members = value
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise TypeError("a key in a record is a text")
        members = value.values()
    elif not isinstance(value, _ARRAYS):
        members = (value,)
    for member in members:
        kind = type(member)
        if kind in _PLAIN:
            continue
        if isinstance(member, int):
            if not -MOST <= member <= MOST:
                raise ValueError("an integer in a record has at most 53 bits")
        elif isinstance(member, _NESTED):
            _check(member)
        elif not isinstance(member, str):
            raise TypeError(f"a record holds no {kind.__name__}")


def body_of(record: bytes | str) -> Mapping[str, Any]:
    """Return a record's body; an empty one if it is malformed, which the verifier reports."""
    try:
        value = json.loads(record)
    except (ValueError, RecursionError):
        return {}
    body = value[1] if isinstance(value, list) and len(value) == 2 else None
    return body if isinstance(body, dict) else {}
