"""Ed25519 without packages: the vectors of RFC 8032, and OpenSSL's verdict for whatever an honest key may
have signed, corrupted or not. Where the two differ on purpose, both verdicts are shown."""

from hashlib import sha512

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given, strategies as st

from ledger.proof.audit.tree.ed25519 import is_public_key, verify

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
BASE = (
    15112221349535400772501151409588531511454012693041857206046113283949847762202,
    46316835694926478169428394003475163141307993866256225615783033603165251855960,
)
ORDER_EIGHT = bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")
SEEDS = st.binary(min_size=32, max_size=32)


def added(one, other):
    """Add two points in affine coordinates by the curve's definition: a second opinion, and a slow one."""
    (x1, y1), (x2, y2) = one, other
    product = D * x1 * x2 * y1 * y2 % P
    x = (x1 * y2 + x2 * y1) * pow(1 + product, -1, P) % P
    return x, (y1 * y2 + x1 * x2) * pow(1 - product, -1, P) % P


def times(number, point):
    total = (0, 1)
    while number:
        if number & 1:
            total = added(total, point)
        point, number = added(point, point), number >> 1
    return total


def encoded(point):
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def of_order_eight():
    y = int.from_bytes(ORDER_EIGHT, "little") & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * pow(2, (P - 1) // 4, P) % P
    return (x if x & 1 == ORDER_EIGHT[31] >> 7 else P - x), y


SMALL = [times(count, of_order_eight()) for count in range(8)]
SMALL_KEYS = [
    *map(encoded, SMALL),
    # The same points in ways that are not theirs: a sign where x is 0, and y + p.
    *((y | 1 << 255).to_bytes(32, "little") for y in (1, P - 1)),
    *((y | sign << 255).to_bytes(32, "little") for y in (P, P + 1) for sign in (0, 1)),
]


def challenge(r, public, message):
    return int.from_bytes(sha512(r + public + message).digest(), "little") % L


def openssl(public, message, signature):
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def made(seed, message):
    private = Ed25519PrivateKey.from_private_bytes(seed)
    return private.public_key().public_bytes_raw(), private.sign(message)


@pytest.mark.parametrize(
    ("public", "message", "signature"),
    [
        (
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
            "d25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
            "387b2eaeb4302aeeb00d291612bb0c00",
        ),
        (
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
            "4a7c15e9716ed28dc027beceea1ec40a",
        ),
        (
            "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
            sha512(b"abc").hexdigest(),
            "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e030"
            "3dca179c138ac17ad9bef1177331a704",
        ),
    ],
)
def test_the_signatures_of_the_rfc_hold(public, message, signature):
    public, message, signature = map(bytes.fromhex, (public, message, signature))
    assert verify(public, message, signature)
    assert not verify(public, message + b"\x00", signature)


# The same verdict


@given(SEEDS, st.binary(max_size=200))
def test_every_honest_signature_holds(seed, message):
    public, signature = made(seed, message)
    assert verify(public, message, signature)


@given(
    SEEDS, st.binary(min_size=1, max_size=40), st.sampled_from(["public", "message", "signature"]), st.data()
)
def test_with_any_bit_changed_it_holds_no_more(seed, message, which, data):
    public, signature = made(seed, message)
    parts = {"public": public, "message": message, "signature": signature}
    place, bit = divmod(data.draw(st.integers(0, len(parts[which]) * 8 - 1)), 8)
    changed = bytearray(parts[which])
    changed[place] ^= 1 << bit
    parts[which] = bytes(changed)
    assert not verify(**parts)
    assert not openssl(**parts)


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=8), st.binary(min_size=64, max_size=64))
def test_bytes_by_chance_are_no_signature(public, message, signature):
    assert not verify(public, message, signature)


@given(SEEDS, SEEDS, st.binary(max_size=8))
def test_a_signature_holds_for_its_own_key_alone(seed, other, message):
    _, signature = made(seed, message)
    public, _ = made(other, message)
    assert verify(public, message, signature) == (seed == other)


@pytest.mark.parametrize("multiple", [1, 2, 7])
def test_s_is_smaller_than_the_order_so_that_one_signature_does_not_make_another(multiple):
    public, signature = made(bytes(32), b"message")
    s = int.from_bytes(signature[32:], "little") + multiple * L
    again = signature[:32] + s.to_bytes(32, "little")
    assert not verify(public, b"message", again)
    assert not openssl(public, b"message", again)


@pytest.mark.parametrize(("y", "holds"), [(1, True), (1 + P, False), (1 | 1 << 255, False)])
def test_r_is_written_in_the_one_way(y, holds):
    """A signer may choose R; here the neutral point, and two non-canonical encodings of it."""
    secret, r = 12345, y.to_bytes(32, "little")
    public = encoded(times(secret, BASE))
    s = challenge(r, public, b"message") * secret % L
    signature = r + s.to_bytes(32, "little")
    assert verify(public, b"message", signature) is openssl(public, b"message", signature) is holds


def test_a_key_with_a_small_part_gets_the_verdict_of_openssl():
    """The equation is checked without the cofactor: such a signature holds if the challenge cancels the
    part."""
    secret, nonce = 12345, 6789
    public = encoded(added(times(secret, BASE), of_order_eight()))
    r = encoded(times(nonce, BASE))
    verdicts = set()
    for number in range(32):
        message = b"message %d" % number
        k = challenge(r, public, message)
        signature = r + ((nonce + k * secret) % L).to_bytes(32, "little")
        verdict = verify(public, message, signature)
        assert verdict == openssl(public, message, signature) == (k % 8 == 0)
        verdicts.add(verdict)
    assert verdicts == {True, False}


# Where ours is the stricter one


@pytest.mark.parametrize("public", SMALL_KEYS, ids=bytes.hex)
def test_a_key_of_small_order_signs_nothing_though_openssl_takes_it_for_signing_at_random(public):
    nonce = 6789
    signature = encoded(times(nonce, BASE)) + nonce.to_bytes(32, "little")
    messages = [b"message %d" % number for number in range(64)]
    assert any(openssl(public, message, signature) for message in messages)
    assert not any(verify(public, message, signature) for message in messages)


# What is no key or signature at all


def test_other_lengths_are_refused():
    public, signature = made(bytes(32), b"message")
    for key, given_signature in (
        *((public[:31], signature), (public + b"\x00", signature), (b"", signature)),
        *((public, signature[:63]), (public, signature + b"\x00"), (public, b"")),
    ):
        assert not verify(key, b"message", given_signature)


def on_curve(y):
    """Return whether a point has this y: whether the square of its x is a square (Euler)."""
    return pow((y * y - 1) * pow(D * y * y + 1, -1, P), (P - 1) // 2, P) in (0, 1)


def test_a_key_is_a_point_of_the_curve_whichever_sign_its_x_has():
    found = {
        y: [is_public_key((y | sign << 255).to_bytes(32, "little")) for sign in (0, 1)] for y in range(2, 60)
    }
    assert found == {y: [on_curve(y)] * 2 for y in found}
    assert {True, False} <= {keys[0] for keys in found.values()}


def test_a_key_is_written_in_the_one_way():
    for y in range(2, 19):
        assert is_public_key(y.to_bytes(32, "little")) == on_curve(y)
        assert not is_public_key((y + P).to_bytes(32, "little"))
        assert not any(is_public_key(y.to_bytes(length, "little")) for length in (31, 33))


def test_a_key_of_small_order_is_no_key():
    assert not any(map(is_public_key, SMALL_KEYS))
