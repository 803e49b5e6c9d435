"""Texts of audit records, packed in SQLite: a record is mostly field names, which all records of its kind
share.

A packed text is a byte for the dictionary, and raw DEFLATE (RFC 1951) with that preset dictionary. Programs
and exports use plain texts, and so does PostgreSQL, which writes a record in the statement that creates its
number. Hashes and seals are always over the plain text."""

import zlib
from importlib import resources
from typing import Any

from django.db import models

# Never change these: they are needed to unpack. Other words get another number.
WORDS = resources.files("ledger.db").joinpath("record_words.txt").read_bytes()
NUMBER = b"\x01"
_WINDOW = -12  # 4 kB, without a header
_PACKING = zlib.compressobj(4, zlib.DEFLATED, _WINDOW, 5, zlib.Z_DEFAULT_STRATEGY, WORDS)


def packed(text: str) -> bytes:
    packing = _PACKING.copy()
    return NUMBER + packing.compress(text.encode()) + packing.flush()


def unpacked(stored: str | bytes) -> str:
    """Return the plain text. Bytes that were tampered with give a text that no record has."""
    if isinstance(stored, str):
        return stored
    try:
        if stored[:1] == NUMBER:
            unpacking = zlib.decompressobj(_WINDOW, WORDS)
            text = unpacking.decompress(stored[1:]).decode()
            if unpacking.eof:
                return text
    except (zlib.error, UnicodeDecodeError):
        pass
    return f"packed otherwise: {stored.hex()}"


def stored(text: str, vendor: str) -> str | bytes:
    """Return a text in this database's form, for handwritten statements."""
    return packed(text) if vendor == "sqlite" else text


class PackedTextField(models.TextField):  # type: ignore[type-arg]
    """A text that SQLite stores packed. It cannot be searched."""

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.TextField", args, kwargs

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> str | None:
        return None if value is None else unpacked(value)

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        value = super().get_db_prep_value(value, connection, prepared)
        return stored(value, connection.vendor) if isinstance(value, str) else value

    def get_lookup(self, lookup_name: str) -> Any:
        return super().get_lookup(lookup_name) if lookup_name == "isnull" else None
