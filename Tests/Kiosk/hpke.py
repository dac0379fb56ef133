"""Opens sealed texts (X25519): HPKE of RFC 9180, base mode, single shot. Written from the RFC and from the formats in
Docs/SealedTexts.md, for a bank that has none of the library's code.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import hmac

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

KEM = b"KEM" + (0x0020).to_bytes(2, "big")
SUITE = b"HPKE" + b"".join(number.to_bytes(2, "big") for number in (0x0020, 0x0001, 0x0003))


def public_bytes(private):
    return private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def labeled_extract(suite, salt, label, material):
    return hmac.new(salt, b"HPKE-v1" + suite + label + material, hashlib.sha256).digest()


def labeled_expand(suite, key, label, info, length):
    labeled = length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info
    return HKDFExpand(hashes.SHA256(), length, labeled).derive(key)


def opened(private: X25519PrivateKey, context, text):
    """The passcode in a text of 192 bytes: enc, and a block of 144 bytes with its tag."""
    assert len(text) == 192, "a text of %d bytes" % len(text)
    enc, ciphertext = text[:32], text[32:]
    dh = private.exchange(X25519PublicKey.from_public_bytes(enc))
    prk = labeled_extract(KEM, b"", b"eae_prk", dh)
    shared = labeled_expand(KEM, prk, b"shared_secret", enc + public_bytes(private), 32)
    hashed = [labeled_extract(SUITE, b"", label, of) for label, of in ((b"psk_id_hash", b""), (b"info_hash", context))]
    schedule = b"\0" + b"".join(hashed)
    secret = labeled_extract(SUITE, shared, b"secret", b"")
    key = labeled_expand(SUITE, secret, b"key", schedule, 32)
    nonce = labeled_expand(SUITE, secret, b"base_nonce", schedule, 12)
    block = ChaCha20Poly1305(key).decrypt(nonce, ciphertext, None)
    assert len(block) == 144 and 16 <= block[-1] <= 144, "padding"
    assert block.endswith(bytes([block[-1]]) * block[-1]), "padding"
    return block[: -block[-1]]
