"""HPKE of RFC 9180 (base mode, one text, no associated data) on Python's `cryptography`, for the three suites of
sealed texts: a second implementation, written from the RFC. Tests/C/sealed_peers.py runs the RFC's vectors against it.

SPDX-License-Identifier: Apache-2.0
"""

import hmac
import secrets

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, x25519
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

import xwing

BLOCK = 144  # bytes of a padded password


def extract(salt, suite, label, material):
    """§4, LabeledExtract."""
    return hmac.digest(salt, b"HPKE-v1" + suite + label + material, "sha256")


def expand(secret, suite, label, info, length):
    """§4, LabeledExpand, of at most 32 bytes."""
    labeled = length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info
    return hmac.digest(secret, labeled + b"\x01", "sha256")[:length]


class HPKE:
    """Keys are bytes: private ones the number, public ones as in Docs/SealedTexts.md."""

    # The KEM, the cipher, and the length of an encapsulated key.
    SUITES = {"x25519": (0x0020, 3, 32), "p256": (0x0010, 2, 65), "xwing": (0x647a, 2, 1120)}

    def __init__(self, way):
        kem, aead, self.point_length = self.SUITES[way]
        self.is_x25519, self.is_xwing = way == "x25519", way == "xwing"
        self.kem = b"KEM" + kem.to_bytes(2, "big")
        self.suite = b"HPKE" + self.kem[3:] + b"\x00\x01" + aead.to_bytes(2, "big")
        self.aead = ChaCha20Poly1305 if self.is_x25519 else AESGCM
        self.text_length = self.point_length + BLOCK + 16

    def private_key(self, private):
        if self.is_xwing:
            return xwing.XWing(private)
        if self.is_x25519:
            return x25519.X25519PrivateKey.from_private_bytes(private)
        return ec.derive_private_key(int.from_bytes(private, "big"), ec.SECP256R1())

    def new_private(self):
        return (1 + secrets.randbelow((1 << 255) - 1)).to_bytes(32, "big")

    def public(self, private):
        if self.is_xwing:
            return self.private_key(private).public
        key = self.private_key(private).public_key()
        if self.is_x25519:
            return key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)

    def exchange(self, private, public):
        key = self.private_key(private)
        if self.is_x25519:
            return key.exchange(x25519.X25519PublicKey.from_public_bytes(public))
        return key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public))

    def encapsulate(self, public):
        """An encapsulated key, and the point that both ends share; of X-Wing the shared secret."""
        if self.is_xwing:
            return xwing.seal(public)
        ephemeral = self.new_private()
        return self.public(ephemeral), self.exchange(ephemeral, public)

    def decapsulate(self, private, enc):
        return xwing.XWing(private).open(enc) if self.is_xwing else self.exchange(private, enc)

    def shared_secret(self, dh, enc, recipient):
        """§4.1. X-Wing is a KEM of its own, and gives the shared secret."""
        if self.is_xwing:
            return dh
        eae_prk = extract(b"", self.kem, b"eae_prk", dh)
        return expand(eae_prk, self.kem, b"shared_secret", enc + recipient, 32)

    def schedule(self, dh, enc, recipient, info):
        """§5.1: secret, key_schedule_context, key, base_nonce."""
        shared_secret = self.shared_secret(dh, enc, recipient)
        context = b"\x00" + extract(b"", self.suite, b"psk_id_hash", b"")
        context += extract(b"", self.suite, b"info_hash", info)
        secret = extract(shared_secret, self.suite, b"secret", b"")
        key = expand(secret, self.suite, b"key", context, 32)
        return secret, context, key, expand(secret, self.suite, b"base_nonce", context, 12)

    def seal(self, public, context, block, enc=None, dh=None):
        """A text for this public key, different each time. A test may choose the shared point."""
        if enc is None:
            enc, dh = self.encapsulate(public)
        _, _, key, nonce = self.schedule(dh, enc, public, context)
        return enc + self.aead(key).encrypt(nonce, block, b"")

    def open(self, private, context, text):
        """The block of a text. `InvalidTag` if it was altered, or is for another key or context."""
        enc, ciphertext = text[:self.point_length], text[self.point_length:]
        _, _, key, nonce = self.schedule(self.decapsulate(private, enc), enc, self.public(private), context)
        return self.aead(key).decrypt(nonce, ciphertext, b"")


def pad(password):
    """As PKCS#7 does, with a block of 144 bytes."""
    count = BLOCK - len(password)
    return password + bytes([count]) * count


def unpad(block):
    """The password. `ValueError` for every fault."""
    count = block[-1]
    if len(block) != BLOCK or not 16 <= count <= BLOCK or block[-count:] != bytes([count]) * count:
        raise ValueError("padding")
    return block[:-count]
