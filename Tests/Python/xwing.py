"""X-Wing (draft-connolly-cfrg-xwing-kem) with ML-KEM-768, written from FIPS 203 in plain Python: a second
implementation, slow, and not in constant time. Only X25519 is Python's `cryptography`.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import secrets

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

Q, K = 3329, 3
PUBLIC, TEXT = 1184, 1088  # bytes of ML-KEM-768's part of a public key, and of a text
LABEL = b"\\.//^\\"


def bits_reversed(number):
    return int(format(number, "07b")[::-1], 2)


ZETAS = [pow(17, bits_reversed(i), Q) for i in range(128)]
GAMMAS = [pow(17, 2 * bits_reversed(i) + 1, Q) for i in range(128)]


# ---- Polynomials of 256 numbers below q ------------------------------------------------------------------------------

def transform(f):
    """Algorithm 9, NTT."""
    f, i, length = list(f), 1, 128
    while length >= 2:
        for start in range(0, 256, 2 * length):
            zeta = ZETAS[i]
            i += 1
            for j in range(start, start + length):
                t = zeta * f[j + length]
                f[j], f[j + length] = (f[j] + t) % Q, (f[j] - t) % Q
        length //= 2
    return f


def transform_back(f):
    """Algorithm 10."""
    f, i, length = list(f), 127, 2
    while length <= 128:
        for start in range(0, 256, 2 * length):
            zeta = ZETAS[i]
            i -= 1
            for j in range(start, start + length):
                f[j], f[j + length] = (f[j] + f[j + length]) % Q, zeta * (f[j + length] - f[j]) % Q
        length *= 2
    return [x * 3303 % Q for x in f]


def product(f, g):
    """Algorithms 11 and 12, of two that are transformed."""
    h = []
    for i in range(128):
        a, b, c, d = f[2 * i], f[2 * i + 1], g[2 * i], g[2 * i + 1]
        h += [(a * c + b * d % Q * GAMMAS[i]) % Q, (a * d + b * c) % Q]
    return h


def plus(*all):
    return [sum(each) % Q for each in zip(*all)]


def minus(f, g):
    return [(a - b) % Q for a, b in zip(f, g)]


def sum_of_products(row, column):
    return plus(*(product(a, b) for a, b in zip(row, column)))


# ---- Bytes -----------------------------------------------------------------------------------------------------------

def encode(f, width):
    """Algorithm 5, ByteEncode."""
    return sum(x << width * i for i, x in enumerate(f)).to_bytes(32 * width, "little")


def decode(data, width):
    """Algorithm 6, ByteDecode; of 12 bits without the reduction, so that the key check sees it."""
    number, mask = int.from_bytes(data, "little"), (1 << width) - 1
    return [number >> width * i & mask for i in range(256)]


def compress(f, width):
    return [((x << width + 1) + Q) // (2 * Q) % (1 << width) for x in f]


def decompress(f, width):
    return [(x * Q + (1 << width - 1)) >> width for x in f]


def sample_uniform(seed, i, j):
    """Algorithm 7, SampleNTT, with more bytes until there are enough."""
    size = 840
    while True:
        data, f = hashlib.shake_128(seed + bytes([j, i])).digest(size), []
        for at in range(0, size, 3):
            low = data[at] | (data[at + 1] & 15) << 8
            high = data[at + 1] >> 4 | data[at + 2] << 4
            f += [x for x in (low, high) if x < Q]
        if len(f) >= 256:
            return f[:256]
        size += 168


def sample_noise(seed, nonce):
    """Algorithm 8, SamplePolyCBD, for η = 2."""
    number = int.from_bytes(hashlib.shake_256(seed + bytes([nonce])).digest(128), "little")
    return [((number >> 4 * i & 1) + (number >> 4 * i + 1 & 1)
             - (number >> 4 * i + 2 & 1) - (number >> 4 * i + 3 & 1)) % Q for i in range(256)]


def matrix(seed):
    return [[sample_uniform(seed, i, j) for j in range(K)] for i in range(K)]


def sha3_512(data):
    digest = hashlib.sha3_512(data).digest()
    return digest[:32], digest[32:]


# ---- ML-KEM-768 ------------------------------------------------------------------------------------------------------

class Pair:
    """Algorithm 16: a pair of keys from d ‖ z."""

    def __init__(self, seed):
        public_seed, secret_seed = sha3_512(seed[:32] + bytes([K]))
        self.z = seed[32:]
        self.secret = [transform(sample_noise(secret_seed, i)) for i in range(K)]
        noise = [transform(sample_noise(secret_seed, K + i)) for i in range(K)]
        rows = matrix(public_seed)
        points = [plus(sum_of_products(rows[i], self.secret), noise[i]) for i in range(K)]
        self.public = b"".join(encode(f, 12) for f in points) + public_seed

    def open(self, text):
        """Algorithm 18, with its implicit rejection."""
        u = [decompress(decode(text[320 * i:320 * (i + 1)], 10), 10) for i in range(K)]
        v = decompress(decode(text[960:], 4), 4)
        masked = minus(v, transform_back(sum_of_products(self.secret, [transform(f) for f in u])))
        message = encode(compress(masked, 1), 1)
        key, noise_seed = sha3_512(message + hashlib.sha3_256(self.public).digest())
        if encrypt(self.public, message, noise_seed) == text:
            return key
        return hashlib.shake_256(self.z + text).digest(32)


def encrypt(public, message, noise_seed):
    """Algorithm 14."""
    points = [decode(public[384 * i:384 * (i + 1)], 12) for i in range(K)]
    rows = matrix(public[384 * K:])
    y = [transform(sample_noise(noise_seed, i)) for i in range(K)]
    columns = [[rows[j][i] for j in range(K)] for i in range(K)]
    u = [plus(transform_back(sum_of_products(columns[i], y)), sample_noise(noise_seed, K + i)) for i in range(K)]
    v = plus(transform_back(sum_of_products(points, y)), sample_noise(noise_seed, 2 * K),
             decompress(decode(message, 1), 1))
    return b"".join(encode(compress(f, 10), 10) for f in u) + encode(compress(v, 4), 4)


def is_key(public):
    """FIPS 203 §7.2: every number is below q."""
    return all(x < Q for i in range(K) for x in decode(public[384 * i:384 * (i + 1)], 12))


def encapsulate(public, message):
    """Algorithm 17: the text, and the shared secret."""
    key, noise_seed = sha3_512(message + hashlib.sha3_256(public).digest())
    return encrypt(public, message, noise_seed), key


# ---- X-Wing ----------------------------------------------------------------------------------------------------------

class XWing:
    """What a seed of 32 bytes means."""

    def __init__(self, seed):
        expanded = hashlib.shake_256(seed).digest(96)
        self.mlkem = Pair(expanded[:64])
        self.x25519 = X25519PrivateKey.from_private_bytes(expanded[64:])
        self.public = self.mlkem.public + raw(self.x25519)

    def open(self, text):
        point = text[TEXT:]
        shared = self.x25519.exchange(X25519PublicKey.from_public_bytes(point))
        return combine(self.mlkem.open(text[:TEXT]), shared, point, self.public[PUBLIC:])


def raw(private):
    return private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def combine(first, second, point, public):
    return hashlib.sha3_256(first + second + point + public + LABEL).digest()


def seal(public, randomness=None):
    """A text and the shared secret. Of the 64 random bytes, the first 32 are ML-KEM's message."""
    randomness = randomness or secrets.token_bytes(64)
    ephemeral, point = X25519PrivateKey.from_private_bytes(randomness[32:]), public[PUBLIC:]
    text, first = encapsulate(public[:PUBLIC], randomness[:32])
    text += raw(ephemeral)
    second = ephemeral.exchange(X25519PublicKey.from_public_bytes(point))
    return text, combine(first, second, text[TEXT:], point)
