"""Seals passcodes for the bank with a second implementation: HPKE of RFC 9180, X25519, in Python.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import hashlib
import hmac

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

KEM = b"KEM\0\x20"
SUITE = b"HPKE\0\x20\0\1\0\3"


def mac(key, *parts):
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def extract(salt, suite, label, material):
    return mac(salt, b"HPKE-v1", suite, label, material)


def expand(key, suite, label, info, length):
    return mac(key, length.to_bytes(2, "big"), b"HPKE-v1", suite, label, info, b"\1")[:length]


def pad(password):
    """To 144 bytes, as PKCS#7 does with a block of that size."""
    count = 144 - len(password)
    return password + bytes([count]) * count


def seal(public_key, context, password):
    """A sealed text: 192 bytes, different each time."""
    ephemeral = X25519PrivateKey.generate()
    enc = ephemeral.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    point = ephemeral.exchange(X25519PublicKey.from_public_bytes(public_key))
    shared = expand(extract(b"", KEM, b"eae_prk", point), KEM, b"shared_secret", enc + public_key, 32)
    schedule = b"\0" + extract(b"", SUITE, b"psk_id_hash", b"") + extract(b"", SUITE, b"info_hash", context)
    secret = extract(shared, SUITE, b"secret", b"")
    key, nonce = (expand(secret, SUITE, name, schedule, count) for name, count in ((b"key", 32), (b"base_nonce", 12)))
    return enc + ChaCha20Poly1305(key).encrypt(nonce, pad(password), None)


def encode(data):
    """base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def context_of(purpose, account, challenge):
    """What the bank must build from its own record."""
    fields = [b"CustomKeyboard bank 1", purpose.encode(), account.encode(), challenge]
    return b"".join(len(field).to_bytes(2, "big") + field for field in fields)
