"""Signed notes, as C2SP signed-note has them: a text, a blank line, and a line for each signature. Pure.

    casino.example/main
    3
    rrGySsKsDJDSAZHU3Jh8cQ1nHvaMt8aZ4AWO3jcNGeA=

    — casino.example/main Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zy...

A key has a name and an id, the first four bytes of a hash over name, type and key. The id only finds the key:
whoever checks a note brings the whole key. Signatures of unknown keys and types are kept and not judged. Of
the types in `KINDS` only the first signs the text alone and is judged here; the two others are cosignatures
(`cosignatures.py`). A private key never comes here: signing takes a callable."""

import base64
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256

from ledger.proof.audit.errors import BadNote, BadSignature, BadVerifierKey
from ledger.proof.audit.tree import ed25519, mldsa

ED25519, COSIGNED_BY_ED25519, COSIGNED_BY_MLDSA = b"\x01", b"\x04", b"\x06"
KINDS = {
    ED25519: ed25519.is_public_key,
    COSIGNED_BY_ED25519: ed25519.is_public_key,
    COSIGNED_BY_MLDSA: mldsa.is_public_key,
}
"""The known types of signature by their C2SP byte, and what validates their public keys."""
KEY_ID_BYTES = 4
MOST_BYTES = 1_000_000
MOST_SIGNATURES = 100

_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
_LINE = re.compile(r"— (?P<name>[^ ]+) (?P<base64>[A-Za-z0-9+/]+={0,2})")


@dataclass(frozen=True)
class VerifierKey:
    """A public key under its name, for one type of signature. Raises BadVerifierKey for a name that no note
    can carry, an unknown type, and invalid or weak keys."""

    name: str
    public: bytes
    kind: bytes = ED25519

    def __post_init__(self) -> None:
        if not _is_name(self.name):
            raise BadVerifierKey(
                "A key's name is not empty and has no spaces, plus signs or control characters."
            )
        if self.kind not in KINDS or not KINDS[self.kind](self.public):
            raise BadVerifierKey("These bytes are no Ed25519 or ML-DSA-44 public key.")

    @cached_property
    def key_id(self) -> bytes:
        """The four bytes by which a signature names its key."""
        return sha256(self.name.encode() + b"\n" + self.kind + self.public).digest()[:KEY_ID_BYTES]

    @property
    def short(self) -> str:
        """Name and id, by which a signature names its key: `casino.example/main+c74f20a3`."""
        return f"{self.name}+{self.key_id.hex()}"

    @property
    def text(self) -> str:
        """The key as people pass it on: `casino.example/main+c74f20a3+ARpc2QcUPDhM...`."""
        return f"{self.short}+{_base64(self.kind + self.public)}"

    @classmethod
    def parse(cls, text: str) -> "VerifierKey":
        """Parse such a text. Raises BadVerifierKey for any other form, or if the id does not match."""
        name, _, rest = text.partition("+")
        _, _, encoded = rest.partition("+")
        data = _from_base64(encoded)
        if data is None:
            raise BadVerifierKey("This is no verifier key: it is written NAME+ID+KEY.")
        key = cls(name, data[1:], data[:1])
        if key.text != text:
            raise BadVerifierKey("The id in this verifier key is not that of its name and key.")
        return key


@dataclass(frozen=True)
class Signature:
    """One line below a note: the claimed signer, by name and key id (4 bytes), and the signature's bytes."""

    name: str
    key_id: bytes
    signature: bytes

    @property
    def line(self) -> str:
        return f"— {self.name} {_base64(self.key_id + self.signature)}"


@dataclass(frozen=True)
class Note:
    """A text with its final newline, and the signatures below it. Nothing is checked before `signers`."""

    text: str
    signatures: tuple[Signature, ...]

    def encode(self) -> bytes:
        """Return the note's exact bytes. Raises BadNote for what `parse` would not read back."""
        lines = "".join(f"{signature.line}\n" for signature in self.signatures)
        data = _checked_text(f"{self.text}\n{lines}").encode()
        if parse(data) != self:
            raise BadNote("A note has a text that ends with its line, and signatures of whole names.")
        return data


@lru_cache(maxsize=4)
def parse(data: bytes) -> Note:
    """Parse a note without checking signatures. Raises BadNote for every deviation in form."""
    if len(data) > MOST_BYTES:
        raise BadNote(f"A note has at most {MOST_BYTES:,} bytes.")
    try:
        whole = _checked_text(data.decode())
    except UnicodeDecodeError as error:
        raise BadNote("A note is UTF-8 text.") from error
    text, blank, below = whole.rpartition("\n\n")
    if not blank or not below.endswith("\n"):
        raise BadNote("A note has its text, a blank line, and signatures.")
    lines = below[:-1].split("\n")
    if len(lines) > MOST_SIGNATURES:
        raise BadNote(f"A note has at most {MOST_SIGNATURES} signatures.")
    return Note(text + "\n", tuple(_signature(line) for line in lines))


def signed(text: str, key: VerifierKey, sign: Callable[[bytes], bytes]) -> Signature:
    """Return the signature line of this text by this Ed25519 key; `sign` makes 64 bytes over the text's
    bytes. A note is `Note(text, (signed(text, key, sign), ...)).encode()`."""
    return Signature(key.name, key.key_id, sign(text.encode()))


Check = Callable[[VerifierKey, bytes], bool]
"""Returns whether a signature by a key holds."""


def signers(note: Note, known: Iterable[VerifierKey], check: Check) -> tuple[VerifierKey, ...]:
    """Return the known keys that signed this note, in the order of `known`; others are ignored. Raises
    BadSignature if a signature by a known key does not hold, or if there is none, and BadVerifierKey if two
    known keys cannot be told apart."""
    keys: dict[tuple[str, bytes], VerifierKey] = {}
    for key in known:
        if keys.setdefault((key.name, key.key_id), key) != key:
            raise BadVerifierKey(f"Two keys of {key.name} have the id {key.key_id.hex()}.")
    found = set()
    for signature in note.signatures:
        its_key = keys.get((signature.name, signature.key_id))
        if its_key is None:
            continue
        if not check(its_key, signature.signature):
            raise BadSignature(f"The signature by {its_key.name} ({its_key.key_id.hex()}) does not hold.")
        found.add(its_key)
    if not found:
        raise BadSignature("No known key has signed this.")
    return tuple(key for key in keys.values() if key in found)


def _signature(line: str) -> Signature:
    match = _LINE.fullmatch(line)
    data = _from_base64(match["base64"]) if match else None
    if match is None or data is None or len(data) <= KEY_ID_BYTES or not _is_name(match["name"]):
        raise BadNote("A signature's line has a dash, a name, and base64.")
    return Signature(match["name"], data[:KEY_ID_BYTES], data[KEY_ID_BYTES:])


def _checked_text(text: str) -> str:
    if _CONTROL.search(text):
        raise BadNote("A note has no control characters but newlines.")
    return text


@lru_cache(maxsize=64)
def _is_name(name: str) -> bool:
    return bool(name) and not any(char == "+" or char.isspace() or char < " " for char in name)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _from_base64(text: str) -> bytes | None:
    """Return the bytes of standard base64 text, or None if the spelling is not canonical."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if _base64(data) == text else None
