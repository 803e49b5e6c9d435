"""Verify Ed25519 signatures (RFC 8032) with the standard library alone. Pure; it never sees a private key.

The offline verifier runs on plain Python, so the curve is here: points in extended homogeneous coordinates
(X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z, added by the complete formulas of RFC 8032, section 5.1.4.
Checking handles public values only, so nothing needs constant time. One check takes a few milliseconds.

Of the checks that RFC 8032 allows this is the strict one:

- S is smaller than the group order L, so that nobody makes a second signature out of a first.
- Both points are encoded canonically. R is never decoded: the sum it must equal is encoded and compared.
- The equation is the one without the cofactor, S·B = R + k·A, as OpenSSL and most others check it.
- A public key of small order is refused: it would fit signatures to messages that nobody signed. Honest keys
  have order L.

So whatever holds here holds for OpenSSL (and `cryptography`) too, and every signature that they make holds
here. They alone accept two kinds of key that no honest signer has: of small order, or with a coordinate
written as y + p."""

from hashlib import sha512

PUBLIC_KEY_BYTES = 32
SIGNATURE_BYTES = 64

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_2D = 2 * _D % _P
_ROOT_OF_MINUS_ONE = pow(2, (_P - 1) // 4, _P)

Point = tuple[int, int, int, int]

_NEUTRAL: Point = (0, 1, 1, 0)
_BASE_X = 15112221349535400772501151409588531511454012693041857206046113283949847762202
_BASE_Y = 4 * pow(5, -1, _P) % _P


def verify(public: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether this key (32 bytes) made this signature (64 bytes); False for other lengths."""
    key = _key(public)
    s = int.from_bytes(signature[32:], "little")
    if key is None or len(signature) != SIGNATURE_BYTES or s >= _L:
        return False
    k = int.from_bytes(sha512(signature[:32] + public + message).digest(), "little") % _L
    return _encoded(_sum_of_multiples(s, k, _negative(key))) == signature[:32]


def is_public_key(public: bytes) -> bool:
    """Return whether these 32 bytes are a canonical point that is not of small order."""
    return _key(public) is not None


def _key(public: bytes) -> Point | None:
    point = _decoded(public) if len(public) == PUBLIC_KEY_BYTES else None
    return None if point is None or _is_neutral(_doubled(_doubled(_doubled(point)))) else point


def _decoded(encoded: bytes) -> Point | None:
    """Return the point of 32 bytes (RFC 8032, section 5.1.3), or None if invalid or y is not canonical. The
    sign of x = 0 is ignored: both such points are of small order, so no keys."""
    number = int.from_bytes(encoded, "little")
    sign, y = number >> 255, number & (1 << 255) - 1
    if y >= _P:
        return None
    # x is the square root of u/v, in one exponentiation.
    u, v = (y * y - 1) % _P, (_D * y * y + 1) % _P
    x = u * v**3 * pow(u * v**7, (_P - 5) // 8, _P) % _P
    square = v * x * x % _P
    if square == _P - u:
        x = x * _ROOT_OF_MINUS_ONE % _P
    elif square != u:
        return None
    if x % 2 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


def _encoded(point: Point) -> bytes:
    x, y, z, _ = point
    inverse = pow(z, -1, _P)
    return (y * inverse % _P | (x * inverse % _P & 1) << 255).to_bytes(32, "little")


def _added(one: Point, other: Point) -> Point:
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = other
    a = (y1 - x1) * (y2 - x2) % _P
    b = (y1 + x1) * (y2 + x2) % _P
    c = t1 * t2 % _P * _2D % _P
    d = 2 * z1 * z2 % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _doubled(point: Point) -> Point:
    x, y, z, _ = point
    a, b = x * x % _P, y * y % _P
    h = a + b
    e = h - (x + y) ** 2 % _P
    g = a - b
    f = 2 * z * z % _P + g
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _negative(point: Point) -> Point:
    x, y, z, t = point
    return _P - x, y, z, _P - t


def _is_neutral(point: Point) -> bool:
    x, y, z, _ = point
    return x % _P == 0 and (y - z) % _P == 0


def _sum_of_multiples(s: int, k: int, other: Point) -> Point:
    """Return s·B + k·other, two bits at a time: one addition out of sixteen sums made beforehand."""
    multiples = _multiples(other)
    sums = [_added(of_base, of_other) for of_base in _BASE_MULTIPLES for of_other in multiples]
    total = _NEUTRAL
    for shift in range((max(s, k).bit_length() + 1) // 2 * 2 - 2, -1, -2):
        total = _doubled(_doubled(total))
        pick = (s >> shift & 3) << 2 | k >> shift & 3
        if pick:
            total = _added(total, sums[pick])
    return total


def _multiples(point: Point) -> tuple[Point, Point, Point, Point]:
    double = _doubled(point)
    return _NEUTRAL, point, double, _added(double, point)


_BASE_MULTIPLES = _multiples((_BASE_X, _BASE_Y, 1, _BASE_X * _BASE_Y % _P))
