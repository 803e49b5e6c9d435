"""ML-DSA-44 without packages: known answers, and OpenSSL's verdict on every change."""

from hashlib import sha256

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey, MLDSA44PublicKey
from hypothesis import given, settings, strategies as st

from ledger.proof.audit.tree.mldsa import (
    PUBLIC_KEY_BYTES,
    SIGNATURE_BYTES,
    SigningKey,
    is_public_key,
    verify,
)

SEED, MESSAGE = bytes(range(32)), b"a message"
PRIVATE = MLDSA44PrivateKey.from_seed_bytes(SEED)
PUBLIC = PRIVATE.public_key().public_bytes_raw()
SIGNATURE = SigningKey(SEED).sign(MESSAGE, bytes(32))
HINTS = SIGNATURE_BYTES - 84


def openssl(public, message, signature, context=b""):
    try:
        MLDSA44PublicKey.from_public_bytes(public).verify(signature, message, context)
    except InvalidSignature:
        return False
    return True


# The first two answers of kat_MLDSA_44_det_pure.rsp in the vectors of `cryptography`: seed, message and
# context, and the SHA-256 of the public key and of the signature without randomness.
KNOWN = [
    (
        "f696484048ec21f96cf50a56d0759c448f3779752f0383d37449690694cf7a68",
        "6dbbc4375136df3b07f7c70e639e223e",
        "480c658c0cb3e040bde084345cef0df7",
        "18288249b90bcbd48d473d2a507cc3c1e95e040f639ac3333a8ed1891de14552",
        "e8a1941380e7cadb3c8dfb31dd3f3986568d26e4bf2d975610e81df300267c37",
    ),
    (
        "6de62e3465a55c9c78a07d265be8540b3e58b0801a124d07ff12b438d5202ea0",
        "d69cfc64f84d4f33e4c54e166b7ff9283a394986a539b23987a10f39d2d9689b",
        "0121cb32acd1871135cb34e29c1a0e26",
        "8d91b9927e331d039df029d6960679e87f4f8411231ef874ec4ba85ec780d18e",
        "bde31139420e9aa6d8b6482a7483e24a4045314bc2d7ca3ced3dc0a8563e0c4d",
    ),
]


@pytest.mark.parametrize(("seed", "message", "context", "public", "signature"), KNOWN)
def test_the_known_answers_are_made_to_the_byte_and_hold(seed, message, context, public, signature):
    message, context, key = bytes.fromhex(message), bytes.fromhex(context), SigningKey(bytes.fromhex(seed))
    made = key.sign(message, bytes(32), context)
    assert (sha256(key.public).hexdigest(), sha256(made).hexdigest()) == (public, signature)
    assert verify(key.public, message, made, context)
    assert openssl(key.public, message, made, context)
    assert not verify(key.public, message, made)


@settings(max_examples=10)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200), st.binary(max_size=40))
def test_every_honest_signature_holds_whoever_made_it(seed, message, context):
    private, own = MLDSA44PrivateKey.from_seed_bytes(seed), SigningKey(seed)
    public = private.public_key().public_bytes_raw()
    assert own.public == public
    assert verify(public, message, private.sign(message, context), context)
    made = own.sign(message, sha256(message).digest(), context)
    assert verify(public, message, made, context)
    assert openssl(public, message, made, context)


@given(st.sampled_from(["public", "message", "signature"]), st.data())
def test_with_any_bit_changed_it_holds_no_more(which, data):
    parts = {"public": PUBLIC, "message": MESSAGE, "signature": SIGNATURE}
    changed = bytearray(parts[which])
    place, bit = divmod(data.draw(st.integers(0, len(changed) * 8 - 1)), 8)
    changed[place] ^= 1 << bit
    parts[which] = bytes(changed)
    assert not verify(**parts)
    assert not openssl(**parts)


@given(st.lists(st.tuples(st.integers(0, 83), st.integers(0, 255)), min_size=1, max_size=4))
def test_hints_are_written_in_one_way(changes):
    hints = bytearray(SIGNATURE[HINTS:])
    for place, byte in changes:
        hints[place] = byte
    signature = SIGNATURE[:HINTS] + hints
    assert verify(PUBLIC, MESSAGE, signature) == openssl(PUBLIC, MESSAGE, signature)
    assert verify(PUBLIC, MESSAGE, signature) == (signature == SIGNATURE)


def test_hints_out_of_order_or_twice_are_no_second_signature():
    ends = SIGNATURE[-4:]
    assert ends[0] > 1, "a signature with two hints in its first row"
    first, second = SIGNATURE[HINTS : HINTS + 2]
    for pair in ((second, first), (first, first)):
        signature = SIGNATURE[:HINTS] + bytes(pair) + SIGNATURE[HINTS + 2 :]
        assert not verify(PUBLIC, MESSAGE, signature)
        assert not openssl(PUBLIC, MESSAGE, signature)


def test_bytes_of_another_length_are_no_key_or_signature():
    assert is_public_key(bytes(PUBLIC_KEY_BYTES))
    assert not is_public_key(PUBLIC[:-1])
    assert not verify(PUBLIC[:-1], MESSAGE, SIGNATURE)
    assert not verify(PUBLIC, MESSAGE, SIGNATURE[:-1])
    assert not verify(PUBLIC, MESSAGE, SIGNATURE + b"\x00")
    assert not verify(PUBLIC, MESSAGE, bytes(SIGNATURE_BYTES))
    with pytest.raises(ValueError, match="32 bytes"):
        SigningKey(bytes(31))
