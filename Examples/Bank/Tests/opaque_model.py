"""What a PIN becomes on its way into a record of OPAQUE, computed from the RFCs with the server's setup: what nobody
may find in a recorded login. Not constant in time, and for tests only.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import ctypes.util
import hashlib
import hmac

# Edwards25519 and ristretto255: RFC 9496 §4.1.
P = 2 ** 255 - 19
ORDER = 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)
ROOT_OF_AD_MINUS_ONE = 25063068953384623474111414158702152701244531502492656460079210482610430750235
INVERSE_ROOT_OF_A_MINUS_D = 54469307008909316920995813868745141605393597292927456921205312896311721017578
SUITE = b"OPRFV1-\x00-ristretto255-SHA512"


def positive(x):
    return x if x % 2 == 0 else P - x


def root_of_ratio(u, v):
    """SQRT_RATIO_M1 of §4.2."""
    root = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    check = v * root * root % P
    if check in (-u % P, -u * ROOT_OF_MINUS_ONE % P):
        root = root * ROOT_OF_MINUS_ONE % P
    return check in (u % P, -u % P), positive(root)


def mapped(data):
    """MAP of §4.3.4, as x, y, z, t."""
    t = int.from_bytes(data, "little") % 2 ** 255 % P
    r = ROOT_OF_MINUS_ONE * t * t % P
    u, v = (r + 1) * (1 - D * D) % P, (-1 - r * D) * (r + D) % P
    is_square, s = root_of_ratio(u, v)
    s, c = (s, -1) if is_square else (-positive(s * t % P) % P, r)
    n = (c * (r - 1) * (D - 1) ** 2 - v) % P
    w0, w1, w2, w3 = 2 * s * v, n * ROOT_OF_AD_MINUS_ONE, 1 - s * s, 1 + s * s
    return tuple(w % P for w in (w0 * w3, w2 * w1, w1 * w3, w0 * w2))


def added(one, other):
    (x1, y1, z1, t1), (x2, y2, z2, t2) = one, other
    a, b = (y1 - x1) * (y2 - x2), (y1 + x1) * (y2 + x2)
    c, d = 2 * D * t1 * t2, 2 * z1 * z2
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiplied(point, scalar):
    result = (0, 1, 1, 0)
    for bit in bin(scalar)[2:]:
        result = added(result, result)
        if bit == "1":
            result = added(result, point)
    return result


def encoded(point):
    """§4.3.2."""
    x, y, z, t = point
    u1, u2 = (z + y) * (z - y) % P, x * y % P
    _, inverse = root_of_ratio(1, u1 * u2 * u2 % P)
    den1, den2 = inverse * u1 % P, inverse * u2 % P
    z_inverse = den1 * den2 * t % P
    if t * z_inverse % P % 2:
        x, y, den2 = y * ROOT_OF_MINUS_ONE % P, x * ROOT_OF_MINUS_ONE % P, den1 * INVERSE_ROOT_OF_A_MINUS_D % P
    if x * z_inverse % P % 2:
        y = -y % P
    return positive(den2 * (z - y) % P).to_bytes(32, "little")


def expanded(message, tag):
    """64 bytes: expand_message_xmd of RFC 9380 §5.3.1."""
    tag += bytes([len(tag)])
    first = hashlib.sha512(bytes(128) + message + b"\x00\x40\x00" + tag).digest()
    return hashlib.sha512(first + b"\x01" + tag).digest()


def expand(key, info, length):
    """HKDF-Expand with SHA-512, of one block."""
    return hmac.new(key, info + b"\x01", hashlib.sha512).digest()[:length]


def argon2id(password):
    library = ctypes.CDLL(ctypes.util.find_library("argon2"))
    out = ctypes.create_string_buffer(64)
    code = library.argon2id_hash_raw(2, 19456, 1, password, ctypes.c_size_t(len(password)), bytes(16),
                                     ctypes.c_size_t(16), out, ctypes.c_size_t(64))
    assert code == 0, code
    return out.raw


def stages(setup, account, password):
    """By name, what is computed of the password: RFC 9497 §3.3.1 and RFC 9807 §4, §5."""
    seed = expand(setup[:64], account + b"OprfKey", 32)
    info = b"OPAQUE-DeriveKeyPair"
    given = seed + len(info).to_bytes(2, "big") + info + b"\x00"
    key = int.from_bytes(expanded(given, b"DeriveKeyPair" + SUITE), "little") % ORDER
    data = expanded(password, b"HashToGroup-" + SUITE)
    point = added(mapped(data[:32]), mapped(data[32:]))
    evaluated = encoded(multiplied(point, key))
    given = len(password).to_bytes(2, "big") + password + b"\x00\x20" + evaluated + b"Finalize"
    output = hashlib.sha512(given).digest()
    stretched = argon2id(output)
    randomized = hmac.new(bytes(64), output + stretched, hashlib.sha512).digest()
    return {"point": encoded(point), "evaluated point": evaluated, "output of the OPRF": output,
            "stretched output": stretched, "randomized password": randomized,
            "masking key": expand(randomized, b"MaskingKey", 64)}
