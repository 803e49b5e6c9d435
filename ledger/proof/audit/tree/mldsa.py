"""ML-DSA-44 signatures (FIPS 204), with the standard library alone. Pure.

The offline verifier checks with this, and a witness, which has only Python, signs with it. Names are those of
FIPS 204 (`rho`, `t1`, `mu`). A polynomial is a list of 256 integers, a vector four polynomials.

Checking takes a few milliseconds, more for a new key, since what follows from the key is cached. Signing
takes some tens. Python's arithmetic is not constant-time: exact timing of many signatures may reveal the key.
The house signs with a library that guards against that (`ledger/proof/log/keys.py`)."""

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import shake_128, shake_256

PUBLIC_KEY_BYTES = 1312
SIGNATURE_BYTES = 2420
SEED_BYTES = 32

_Q = 8380417
_N = 256
_SIZE = 4  # rows and columns of the matrix A
_DROPPED = 13  # low bits of t that are not in the public key
_ONES = 39  # coefficients of a challenge that are not zero
_GAMMA_1 = 1 << 17
_GAMMA_2 = (_Q - 1) // 88
_ETA = 2
_BETA = _ONES * _ETA
_MOST_HINTS = 80
_CHALLENGE_BYTES = 32
_Z_BITS, _T1_BITS, _W1_BITS = 18, 10, 6
_Z_BYTES = _N * _Z_BITS // 8
_HINTS_AT = _CHALLENGE_BYTES + _SIZE * _Z_BYTES

Polynomial = list[int]
Vector = list[Polynomial]


_ZETAS = [pow(1753, int(f"{index:08b}"[::-1], 2), _Q) for index in range(_N)]
_ONE_OVER_N = pow(_N, -1, _Q)


def is_public_key(public: bytes) -> bool:
    return len(public) == PUBLIC_KEY_BYTES


def verify(public: bytes, message: bytes, signature: bytes, context: bytes = b"") -> bool:
    """Return whether this public key (1,312 bytes) made this signature (2,420 bytes) over this message. False
    for other lengths. `context` has at most 255 bytes."""
    if not is_public_key(public) or len(signature) != SIGNATURE_BYTES:
        return False
    challenge = signature[:_CHALLENGE_BYTES]
    z = [
        [_GAMMA_1 - number for number in _unpacked(signature[at : at + _Z_BYTES], _Z_BITS)]
        for at in range(_CHALLENGE_BYTES, _HINTS_AT, _Z_BYTES)
    ]
    hints = _read_hints(signature[_HINTS_AT:])
    if hints is None or _largest(z) >= _GAMMA_1 - _BETA:
        return False
    matrix, t1, digest = _expanded(public)
    mu = _mu(digest, message, context)
    c = _transformed(_ball(challenge))
    z_hat = [_transformed(polynomial) for polynomial in z]
    w1 = b""
    for row, t, hinted in zip(matrix, t1, hints, strict=True):
        approximate = _restored(_less(_product(row, z_hat), _times(c, t)))
        w1 += _packed(_used_hint(hinted, approximate), _W1_BITS)
    return shake_256(mu + w1).digest(_CHALLENGE_BYTES) == challenge


@dataclass(frozen=True)
class SigningKey:
    """A private key, made of a seed of 32 bytes."""

    seed: bytes

    def __post_init__(self) -> None:
        if len(self.seed) != SEED_BYTES:
            raise ValueError(f"the seed of a key has {SEED_BYTES} bytes")

    @property
    def public(self) -> bytes:
        return _made(self.seed).public

    def sign(self, message: bytes, random: bytes, context: bytes = b"") -> bytes:
        """Sign a message. `random` is 32 fresh random bytes; with 32 zeros the signature is deterministic."""
        key = _made(self.seed)
        mu = _mu(_digest(key.public), message, context)
        masks = shake_256(key.secret + random + mu).digest(64)
        count = 0
        while (signature := _attempt(key, mu, masks, count)) is None:
            count += _SIZE
        return signature


@dataclass(frozen=True)
class _Made:
    """The values derived from a seed: public key, secret of the masks; s1, s2 and t0 transformed."""

    public: bytes
    secret: bytes
    s1: Vector
    s2: Vector
    t0: Vector


@lru_cache(maxsize=4)
def _made(seed: bytes) -> _Made:
    expanded = shake_256(seed + bytes([_SIZE, _SIZE])).digest(128)
    rho, of_secrets, secret = expanded[:32], expanded[32:96], expanded[96:]
    short = [_short(of_secrets, number) for number in range(2 * _SIZE)]
    s1 = [_transformed(polynomial) for polynomial in short[:_SIZE]]
    high, low = [], []
    for row, error in zip(_matrix(rho), short[_SIZE:], strict=True):
        t = [(one + other) % _Q for one, other in zip(_restored(_product(row, s1)), error, strict=True)]
        half = 1 << _DROPPED - 1
        high.append([number + half - 1 >> _DROPPED for number in t])
        low.append([number - (top << _DROPPED) for number, top in zip(t, high[-1], strict=True)])
    public = rho + b"".join(_packed(polynomial, _T1_BITS) for polynomial in high)
    s2 = [_transformed(polynomial) for polynomial in short[_SIZE:]]
    return _Made(public, secret, s1, s2, [_transformed(polynomial) for polynomial in low])


def _attempt(key: _Made, mu: bytes, masks: bytes, count: int) -> bytes | None:
    """Return a signature, or None if it would reveal the key: about three times of four."""
    matrix, _, _ = _expanded(key.public)
    y = [_mask(masks, count + row) for row in range(_SIZE)]
    y_hat = [_transformed(polynomial) for polynomial in y]
    w = [_restored(_product(row, y_hat)) for row in matrix]
    high = [[_parts(number)[0] for number in polynomial] for polynomial in w]
    packed = b"".join(_packed(polynomial, _W1_BITS) for polynomial in high)
    challenge = shake_256(mu + packed).digest(_CHALLENGE_BYTES)
    c = _transformed(_ball(challenge))
    z = [_sum(one, _restored(_times(c, s))) for one, s in zip(y, key.s1, strict=True)]
    left = [_less(one, _restored(_times(c, s))) for one, s in zip(w, key.s2, strict=True)]
    low = [[_parts(number)[1] for number in polynomial] for polynomial in left]
    if _largest(z) >= _GAMMA_1 - _BETA or _largest(low) >= _GAMMA_2 - _BETA:
        return None
    dropped = [_restored(_times(c, t)) for t in key.t0]
    hints = [
        [at for at, number in enumerate(_sum(one, more)) if _parts(number)[0] != top[at]]
        for one, more, top in zip(left, dropped, high, strict=True)
    ]
    if _largest(dropped) >= _GAMMA_2 or sum(map(len, hints)) > _MOST_HINTS:
        return None
    spelled = [_packed([_GAMMA_1 - _centred(number) for number in polynomial], _Z_BITS) for polynomial in z]
    places = [at for row in hints for at in row]
    ends = [sum(map(len, hints[: row + 1])) for row in range(_SIZE)]
    return challenge + b"".join(spelled) + bytes([*places, *[0] * (_MOST_HINTS - len(places)), *ends])


# -- polynomials ---------------------------------------------------------------------------------------------


def _transformed(polynomial: Sequence[int]) -> Polynomial:
    """Return the number-theoretic transform (FIPS 204, algorithm 41)."""
    values = list(polynomial)
    at, length = 0, _N // 2
    while length:
        for start in range(0, _N, 2 * length):
            at += 1
            zeta = _ZETAS[at]
            left, right = values[start : start + length], values[start + length : start + 2 * length]
            right = [zeta * number % _Q for number in right]
            values[start : start + length] = map(operator.add, left, right)
            values[start + length : start + 2 * length] = map(operator.sub, left, right)
        length //= 2
    return values


def _restored(transformed: Sequence[int]) -> Polynomial:
    """Return the polynomial of a transform (algorithm 42), each number from 0 to q - 1."""
    values = list(transformed)
    at, length = _N, 1
    while length < _N:
        for start in range(0, _N, 2 * length):
            at -= 1
            zeta = -_ZETAS[at]
            left, right = values[start : start + length], values[start + length : start + 2 * length]
            values[start : start + length] = map(operator.add, left, right)
            values[start + length : start + 2 * length] = [
                zeta * (one - other) % _Q for one, other in zip(left, right, strict=True)
            ]
        length *= 2
    return [number * _ONE_OVER_N % _Q for number in values]


def _times(one: Sequence[int], other: Sequence[int]) -> Polynomial:
    return [left * right % _Q for left, right in zip(one, other, strict=True)]


def _product(row: Vector, vector: Vector) -> Polynomial:
    pairs = [map(operator.mul, one, other) for one, other in zip(row, vector, strict=True)]
    return [sum(numbers) % _Q for numbers in zip(*pairs, strict=True)]


def _sum(one: Sequence[int], other: Sequence[int]) -> Polynomial:
    return [(left + right) % _Q for left, right in zip(one, other, strict=True)]


def _less(one: Sequence[int], other: Sequence[int]) -> Polynomial:
    return [(left - right) % _Q for left, right in zip(one, other, strict=True)]


def _centred(number: int) -> int:
    """Return the number modulo q that is nearest to zero."""
    number %= _Q
    return number - _Q if number > _Q // 2 else number


def _largest(vector: Vector) -> int:
    return max(abs(_centred(number)) for polynomial in vector for number in polynomial)


def _parts(number: int) -> tuple[int, int]:
    """Return the high and the low part of a number from 0 to q - 1 (algorithm 36)."""
    low = number % (2 * _GAMMA_2)
    if low > _GAMMA_2:
        low -= 2 * _GAMMA_2
    return (0, low - 1) if number - low == _Q - 1 else ((number - low) // (2 * _GAMMA_2), low)


def _used_hint(hinted: Sequence[int], polynomial: Polynomial) -> Polynomial:
    """Return the high parts, corrected by the hints (algorithm 40)."""
    high = [_parts(number)[0] for number in polynomial]
    for at in hinted:
        top, low = _parts(polynomial[at])
        high[at] = (top + 1 if low > 0 else top - 1) % 44
    return high


# -- what is drawn from hashes -------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _expanded(public: bytes) -> tuple[list[Vector], Vector, bytes]:
    """Return what follows from a public key: the matrix, t1 shifted and transformed, and the key's digest."""
    width = _N * _T1_BITS // 8
    t1 = [_unpacked(public[at : at + width], _T1_BITS) for at in range(32, PUBLIC_KEY_BYTES, width)]
    raised = [_transformed([number << _DROPPED for number in polynomial]) for polynomial in t1]
    return _matrix(public[:32]), raised, _digest(public)


def _digest(public: bytes) -> bytes:
    return shake_256(public).digest(64)


def _mu(digest: bytes, message: bytes, context: bytes) -> bytes:
    """Return what is signed of a message: algorithm 2 puts a zero byte and the context before it."""
    return shake_256(digest + bytes([0, len(context)]) + context + message).digest(64)


def _matrix(rho: bytes) -> list[Vector]:
    """Return the matrix A, transformed (algorithm 32)."""
    return [[_uniform(rho + bytes([column, row])) for column in range(_SIZE)] for row in range(_SIZE)]


def _uniform(seed: bytes) -> Polynomial:
    """Return 256 numbers below q (algorithm 30)."""
    length = 0
    numbers: Polynomial = []
    while len(numbers) < _N:
        length += 3 * (_N + 16)
        data = shake_128(seed).digest(length)
        drawn = (data[at] | data[at + 1] << 8 | (data[at + 2] & 0x7F) << 16 for at in range(0, length, 3))
        numbers = [number for number in drawn if number < _Q]
    return numbers[:_N]


def _short(seed: bytes, number: int) -> Polynomial:
    """Return 256 numbers from -2 to 2 (algorithm 31)."""
    length = 0
    numbers: Polynomial = []
    while len(numbers) < _N:
        length += 2 * _N
        data = shake_256(seed + number.to_bytes(2, "little")).digest(length)
        halves = (half for byte in data for half in (byte & 15, byte >> 4))
        numbers = [_ETA - half % 5 for half in halves if half < 15]
    return numbers[:_N]


def _mask(seed: bytes, number: int) -> Polynomial:
    """Return 256 numbers of 18 bits around zero (algorithm 34)."""
    data = shake_256(seed + number.to_bytes(2, "little")).digest(_Z_BYTES)
    return [_GAMMA_1 - drawn for drawn in _unpacked(data, _Z_BITS)]


def _ball(challenge: bytes) -> Polynomial:
    """Return 39 numbers of 1 or -1, and zeros (algorithm 29)."""
    data = shake_256(challenge).digest(8 + _N * 4)
    signs = int.from_bytes(data[:8], "little")
    polynomial, drawn = [0] * _N, iter(data[8:])
    for number, last in enumerate(range(_N - _ONES, _N)):
        at = next(byte for byte in drawn if byte <= last)
        polynomial[last] = polynomial[at]
        polynomial[at] = -1 if signs >> number & 1 else 1
    return polynomial


# -- bytes ---------------------------------------------------------------------------------------------------


def _packed(numbers: Iterable[int], bits: int) -> bytes:
    """Return 256 numbers of so many bits, the lowest bits first."""
    total = 0
    for place, number in enumerate(numbers):
        total |= number << place * bits
    return total.to_bytes(_N * bits // 8, "little")


def _unpacked(data: bytes, bits: int) -> Polynomial:
    total, mask = int.from_bytes(data, "little"), (1 << bits) - 1
    return [total >> shift & mask for shift in range(0, len(data) * 8, bits)]


def _read_hints(data: bytes) -> list[Sequence[int]] | None:
    """Return the places of hints by row; None unless their encoding is canonical (algorithm 21)."""
    begin, rows = 0, list[Sequence[int]]()
    for end in data[_MOST_HINTS:]:
        row = data[begin:end]
        if not begin <= end <= _MOST_HINTS or list(row) != sorted(set(row)):
            return None
        rows.append(row)
        begin = end
    return None if any(data[begin:_MOST_HINTS]) else rows
