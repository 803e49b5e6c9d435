"""Signed notes: parsed strictly, trusted only with a known key. The first is from Go's note package."""

import base64

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given, strategies as st

from ledger.errors import LedgerError
from ledger.proof.audit.errors import BadNote, BadSignature, BadVerifierKey
from ledger.proof.audit.tree import ed25519
from ledger.proof.audit.tree.note import (
    MOST_SIGNATURES,
    Note,
    Signature,
    VerifierKey,
    parse,
    signed,
    signers as note_signers,
)

PETER = VerifierKey.parse("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
PETERS_SEED = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
PETERS_LINE = (
    "— PeterNeumann"
    " x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
ENOCHS_LINE = (
    "— EnochRoot"
    " rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n"
)
SIGNED = f"{TEXT}\n{PETERS_LINE}".encode()
SIGNED_TWICE = SIGNED + ENOCHS_LINE.encode()


def private(number: int) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)


def key_of(name: str, number: int) -> VerifierKey:
    return VerifierKey(name, private(number).public_key().public_bytes_raw())


def signers(note, known, check=ed25519.verify):
    return note_signers(note, known, lambda key, signature: check(key.public, note.text.encode(), signature))


def names(data: bytes, *known: VerifierKey) -> list[str]:
    return [key.name for key in signers(parse(data), known)]


# The example of the Go package


def test_the_known_note_is_read_and_its_signer_found():
    note = parse(SIGNED)
    assert note.text == TEXT
    assert [(each.name, each.key_id.hex()) for each in note.signatures] == [("PeterNeumann", "c74f20a3")]
    assert signers(note, [PETER]) == (PETER,)


def test_the_known_note_is_made_again_to_the_byte():
    sign = Ed25519PrivateKey.from_private_bytes(PETERS_SEED).sign
    assert Note(TEXT, (signed(TEXT, PETER, sign),)).encode() == SIGNED


def test_the_signature_of_an_unknown_key_is_kept_and_not_judged():
    assert names(SIGNED_TWICE, PETER) == ["PeterNeumann"]
    assert parse(SIGNED_TWICE).encode() == SIGNED_TWICE
    assert parse(SIGNED_TWICE).signatures[1].line + "\n" == ENOCHS_LINE


def test_the_poem_of_the_specification_is_split_at_its_last_blank_line():
    poem = "Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n"
    line = (
        "— quasimodo.example/salvatore"
        " NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc="
    )
    assert parse(f"{poem}\n{line}\n".encode()).text == poem


# Who signed


def test_a_note_that_no_known_key_signed_is_not_believed():
    for known in ([], [key_of("EnochRoot", 1)], [VerifierKey("Peter", PETER.public)]):
        with pytest.raises(BadSignature):
            signers(parse(SIGNED), known)


def test_every_signer_that_is_known_is_named_once():
    house, witness = key_of("casino.example/main", 1), key_of("witness.example", 2)
    lines = (signed(TEXT, witness, private(2).sign), signed(TEXT, house, private(1).sign))
    data = Note(TEXT, (*lines, lines[0])).encode()
    assert names(data, house, witness, PETER) == ["casino.example/main", "witness.example"]
    assert names(data, witness) == ["witness.example"]


def test_one_false_signature_of_a_known_key_spoils_the_note():
    house, witness = key_of("casino.example/main", 1), key_of("witness.example", 2)
    good = signed(TEXT, house, private(1).sign)
    for false in (signed(TEXT, witness, private(3).sign), signed("other\n", witness, private(2).sign)):
        data = Note(TEXT, (good, false)).encode()
        assert names(data, house) == ["casino.example/main"]
        with pytest.raises(BadSignature):
            names(data, house, witness)


def test_two_keys_of_one_name_and_id_are_not_told_apart(monkeypatch):
    monkeypatch.setattr(VerifierKey, "key_id", b"same")
    with pytest.raises(BadVerifierKey):
        signers(parse(SIGNED), [key_of("house", 1), key_of("house", 2)])


def test_a_note_is_checked_by_whatever_checks_faster():
    def check(public, text, signature):
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(signature, text)
        except InvalidSignature:
            return False
        return True

    assert signers(parse(SIGNED), [PETER], check) == (PETER,)
    with pytest.raises(BadSignature):
        signers(parse(SIGNED.replace(b"answer", b"Answer")), [PETER], check)


@given(st.integers(0, len(SIGNED) * 8 - 1))
def test_a_note_with_any_bit_changed_is_refused(bit):
    place, bit = divmod(bit, 8)
    changed = SIGNED[:place] + bytes([SIGNED[place] ^ 1 << bit]) + SIGNED[place + 1 :]
    with pytest.raises((BadNote, BadSignature)):
        signers(parse(changed), [PETER])


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_whatever_comes_is_read_to_the_byte_or_refused(data):
    for each in (data, b"text\n\n" + data, SIGNED + data, SIGNED[: -len(data) or None]):
        try:
            note = parse(each)
        except BadNote:
            continue
        assert note.encode() == each


# The form


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"\n", b"\n\n", TEXT.encode(), f"{TEXT}\n".encode(), f"{TEXT}{PETERS_LINE}".encode()),
        *(SIGNED[:-1], SIGNED + b"\n", SIGNED + b"more\n", b"\xff" + SIGNED, b"\x00" + SIGNED),
        *(SIGNED.replace(b"\n", b"\r\n"), b"tab\t" + SIGNED, SIGNED.replace("—".encode(), b"-")),
        *(SIGNED.replace(b"PeterNeumann ", b""), SIGNED.replace(b"PeterNeumann ", b" ")),
        *(SIGNED.replace(b"PeterNeumann", b"Peter Neumann"), SIGNED.replace(b"PeterNeumann", b"Peter+N")),
        SIGNED.replace(b"PeterNeumann", "Peter\u00a0Neumann".encode()),
        *(SIGNED.replace(b"PeterNeumann ", b"PeterNeumann  "), SIGNED.replace(b"AM=", b"AM= ")),
        *(SIGNED.replace(b"AM=", b"AM"), SIGNED.replace(b"AM=", b"AN="), SIGNED.replace(b"AM=", b"AM==")),
        *(SIGNED.replace(b"x08go/", b"x08go_"), SIGNED.replace(b"x08go", b"x08g=")),
        f"{TEXT}\n— PeterNeumann x08gow==\n".encode(),
        f"{TEXT}\n".encode() + PETERS_LINE.encode() * (MOST_SIGNATURES + 1),
        b"x" * 1_000_000 + SIGNED,
    ],
)
def test_what_is_not_of_the_form_is_no_note(data):
    with pytest.raises(BadNote):
        parse(data)


def test_a_note_may_carry_many_signatures():
    data = f"{TEXT}\n".encode() + PETERS_LINE.encode() * MOST_SIGNATURES
    assert len(parse(data).signatures) == MOST_SIGNATURES


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("no newline", "house"),
        ("tab\t\n", "house"),
        ("text\n", "the house"),
        ("text\n", "a+b"),
        ("text\n", ""),
    ],
)
def test_what_would_not_be_read_back_is_not_written(text, name):
    with pytest.raises(BadNote):
        Note(text, (Signature(name, b"\x00" * 4, b"\x00" * 64),)).encode()
    with pytest.raises(BadNote):
        Note(text, ()).encode()


# Verifier keys


def test_a_key_has_a_text_and_an_id():
    assert PETER.text == "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    assert PETER.key_id.hex() == "c74f20a3"


@given(st.integers(0, 255))
def test_the_text_of_a_key_leads_back_to_it(number):
    key = key_of("casino.example/main", number)
    assert VerifierKey.parse(key.text) == key


@pytest.mark.parametrize(
    "text",
    [
        *("", "PeterNeumann", "PeterNeumann+c74f20a3", "PeterNeumann+c74f20a3+", "++"),
        PETER.text.replace("c74f20a3", "c74f20a4"),
        PETER.text.replace("c74f20a3", "C74F20A3"),
        PETER.text.replace("PeterNeumann", "PeterNewmann"),
        PETER.text.replace("ARpc", "Ahpc"),
        PETER.text + "\n",
        PETER.text + "AA",
        PETER.text[:-4],
        PETER.text[:-1] + "=",
        " " + PETER.text,
    ],
)
def test_no_other_text_is_a_key(text):
    with pytest.raises(BadVerifierKey):
        VerifierKey.parse(text)


@pytest.mark.parametrize("name", ["", "two words", "a+b", "line\n", "bell\x07", "wide\u3000space"])
def test_a_key_needs_a_name_that_a_note_can_carry(name):
    with pytest.raises(BadVerifierKey):
        VerifierKey(name, PETER.public)


@pytest.mark.parametrize("public", [b"", PETER.public[:31], bytes(32), b"\x02" + bytes(31)])
def test_a_key_needs_bytes_that_are_one(public):
    with pytest.raises(BadVerifierKey):
        VerifierKey("house", public)


def test_every_refusal_is_one_of_the_books():
    assert all(issubclass(error, LedgerError) for error in (BadNote, BadSignature, BadVerifierKey))
