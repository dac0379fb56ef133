#!/usr/bin/env python3
"""X-Wing and ML-KEM-768, compared with those that Python's cryptography has: random keys, both directions, altered
texts, and whole texts of its HPKE.

    lattice.py PROGRAM ROUNDS      PROGRAM: KeyboardLatticePeer of this package

X-Wing is made here of cryptography's ML-KEM and X25519 and of Python's hashes, as draft-connolly-cfrg-xwing-kem has it.

SPDX-License-Identifier: Apache-2.0
"""
import hashlib
import os
import random
import subprocess
import sys

from cryptography.hazmat.primitives import hpke as their_hpke
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey, MLKEM768PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Python"))
from hpke import expand, extract  # noqa: E402

KEM_TEXT, X25519_SIZE = 1088, 32
process = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
checks = 0


def ours(command, *fields, answer):
    process.stdin.write(command + b"".join(fields))
    process.stdin.flush()
    data = process.stdout.read(answer)
    if len(data) != answer:
        sys.exit("%s: the program ended" % command)
    return data


def our_open(text, private):
    answer = ours(b"o", text, private, answer=33)
    check(answer[32] == 0, "zero", text, private)
    return answer[:32]


def check(is_right, what, *fields):
    global checks
    checks += 1
    if not is_right:
        sys.exit("\n".join([what] + [field.hex() for field in fields]))


class XWing:
    """A key pair of the peer's."""

    def __init__(self, private):
        expanded = hashlib.shake_256(private).digest(96)
        self.seed = expanded[:64]
        self.mlkem = MLKEM768PrivateKey.from_seed_bytes(self.seed)
        self.x25519 = X25519PrivateKey.from_private_bytes(expanded[64:])
        self.public = self.mlkem.public_key().public_bytes_raw() + self.x25519.public_key().public_bytes_raw()

    def open(self, text):
        first, point = text[:KEM_TEXT], text[KEM_TEXT:]
        shared = self.x25519.exchange(X25519PublicKey.from_public_bytes(point))
        return combine(self.mlkem.decapsulate(first), shared, point, self.public[-X25519_SIZE:])


def combine(first, second, point, public):
    return hashlib.sha3_256(first + second + point + public + rb"\.//^" + b"\\").digest()


def seal(public):
    ephemeral, point = X25519PrivateKey.generate(), public[-X25519_SIZE:]
    first, text = MLKEM768PublicKey.from_public_bytes(public[:-X25519_SIZE]).encapsulate()
    text += ephemeral.public_key().public_bytes_raw()
    second = ephemeral.exchange(X25519PublicKey.from_public_bytes(point))
    return text, combine(first, second, text[KEM_TEXT:], point)


def altered(text, generator):
    bit = generator.randrange(8 * len(text))
    data = bytearray(text)
    data[bit // 8] ^= 1 << bit % 8
    return bytes(data)


def whole_text(private, peer):
    """A text of the peer's HPKE, opened with our secret."""
    suite = their_hpke.Suite(their_hpke.KEM.MLKEM768_X25519, their_hpke.KDF.HKDF_SHA256, their_hpke.AEAD.AES_256_GCM)
    public = their_hpke.MLKEM768X25519PrivateKey(peer.mlkem, peer.x25519).public_key()
    block, info = os.urandom(144), os.urandom(random.randrange(257))
    text = suite.encrypt(block, public, info)
    ours = b"HPKE\x64\x7a\x00\x01\x00\x02"
    secret = extract(our_open(text[:1120], private), ours, b"secret", b"")
    context = b"\x00" + extract(b"", ours, b"psk_id_hash", b"") + extract(b"", ours, b"info_hash", info)
    key, nonce = expand(secret, ours, b"key", context, 32), expand(secret, ours, b"base_nonce", context, 12)
    check(AESGCM(key).decrypt(nonce, text[1120:], b"") == block, "HPKE", private, text)


def main(rounds):
    seed = random.getrandbits(64)
    generator = random.Random(seed)
    print("seed", seed)
    for number in range(rounds):
        private = os.urandom(32)
        peer = XWing(private)
        public = ours(b"p", private, answer=1216)
        check(public == peer.public, "public key", private)

        text, secret = seal(public)
        check(our_open(text, private) == secret, "theirs, opened by us", private, text)
        sealed = ours(b"s", public, os.urandom(64), answer=1153)
        text, secret = sealed[:1120], sealed[1120:1152]
        check(sealed[1152] == 0 and peer.open(text) == secret, "ours, opened by them", private, text)

        other = altered(text, generator)
        # Bit 255 of X25519's part is ignored by X25519, but it is hashed.
        check(our_open(other, private) == peer.open(other) != secret, "altered", private, other)
        if number % 10 == 0:
            for text in (text, other, os.urandom(1120)):
                found = ours(b"d", text[:KEM_TEXT], peer.seed, answer=32)
                check(found == peer.mlkem.decapsulate(text[:KEM_TEXT]), "ML-KEM", peer.seed, text)
            whole_text(private, peer)
    # A pipe that compares nothing would be noticed: another key's secret is another one.
    check(our_open(text[:1120], os.urandom(32)) != peer.open(text[:1120]), "control", text)
    print("lattice.py: %d checks" % checks)


main(int(sys.argv[2]))
