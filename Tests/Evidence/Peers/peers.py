#!/usr/bin/env python3
"""Sealed texts and signatures between this library and libraries that have HPKE, SM2 or SM4-GCM of their own, in both
directions: random keys, contexts and passwords. Every text is also refused when it was altered, or comes with another
context. A peer that is missing is a failure.

    peers.py libcustomkeyboard.so WORK      WORK has what peers.sh has built there

SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import hashlib
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "C"))
import sealed_peers as ours  # noqa: E402  (opens the library that is our first argument)
from sealed_peers import (  # noqa: E402
    P256, SM2, SM4_GCM, TEXT_LENGTHS, UNDECRYPTABLE, X25519, XWING, check, numbers)

from cryptography.exceptions import InvalidTag  # noqa: E402
from cryptography.hazmat.primitives import hpke  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ec, mlkem, x25519  # noqa: E402
from gmssl import sm2 as gmssl_sm2  # noqa: E402
import pyhpke  # noqa: E402

WORK = sys.argv[2]
NAMES = {SM4_GCM: "SM4_GCM", X25519: "X25519", P256: "P256", SM2: "SM2", XWING: "XWING"}
SIGNWAYS = {P256: 0, SM2: 1}
MISMATCH = 9
refused = object()


class PyHPKE:
    """pyhpke 0.6, from PyPI."""
    SUITES = {
        X25519: (pyhpke.KEMId.DHKEM_X25519_HKDF_SHA256, pyhpke.AEADId.CHACHA20_POLY1305),
        P256: (pyhpke.KEMId.DHKEM_P256_HKDF_SHA256, pyhpke.AEADId.AES256_GCM),
    }

    def suite(self, way):
        kem, aead = self.SUITES[way]
        return pyhpke.CipherSuite.new(kem, pyhpke.KDFId.HKDF_SHA256, aead)

    def open(self, way, secret, context, text):
        suite, size = self.suite(way), 32 if way == X25519 else 65
        try:
            key = suite.kem.deserialize_private_key(secret)
            return suite.create_recipient_context(text[:size], key, info=context).open(text[size:])
        except (pyhpke.exceptions.PyHPKEError, ValueError):
            return refused

    def seal(self, way, public, context, block):
        suite = self.suite(way)
        enc, sender = suite.create_sender_context(suite.kem.deserialize_public_key(public), info=context)
        return enc + sender.seal(block)


class CryptographyHPKE:
    """HPKE of `cryptography` itself, one call."""
    SUITES = {
        X25519: hpke.Suite(hpke.KEM.X25519, hpke.KDF.HKDF_SHA256, hpke.AEAD.CHACHA20_POLY1305),
        P256: hpke.Suite(hpke.KEM.P256, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_256_GCM),
        XWING: hpke.Suite(hpke.KEM.MLKEM768_X25519, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_256_GCM),
    }

    def open(self, way, secret, context, text):
        if way == X25519:
            key = x25519.X25519PrivateKey.from_private_bytes(secret)
        elif way == XWING:
            expanded = hashlib.shake_256(secret).digest(96)
            first = mlkem.MLKEM768PrivateKey.from_seed_bytes(expanded[:64])
            key = hpke.MLKEM768X25519PrivateKey(first, x25519.X25519PrivateKey.from_private_bytes(expanded[64:]))
        else:
            key = ec.derive_private_key(int.from_bytes(secret, "big"), ec.SECP256R1())
        try:
            return self.SUITES[way].decrypt(text, key, info=context)
        except (InvalidTag, ValueError):
            return refused

    def seal(self, way, public, context, block):
        if way == X25519:
            key = x25519.X25519PublicKey.from_public_bytes(public)
        elif way == XWING:
            key = hpke.MLKEM768X25519PublicKey(
                mlkem.MLKEM768PublicKey.from_public_bytes(public[:1184]),
                x25519.X25519PublicKey.from_public_bytes(public[1184:]))
        else:
            key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public)
        return self.SUITES[way].encrypt(block, key, info=context)


class GMSSL:
    """SM2 of gmssl 3.2, from PyPI; SM4-GCM of libgcrypt. gmssl does not compare C3, and takes points without 04."""
    UNSEEN = (0, *range(65, 97))

    def __init__(self):
        self.gcm = ours.SM4GCM()

    @staticmethod
    def keys(secret, public):
        keys = gmssl_sm2.CryptSM2(private_key=secret.hex(), public_key="", mode=1)
        keys.public_key = public[1:].hex()  # its constructor takes more zeros and fours away than the prefix 04
        return keys

    def open(self, way, secret, context, text):
        key = self.keys(secret, b"").decrypt(text[1:113])
        try:
            return self.gcm.open(key, context, text[113:])
        except SystemExit:
            return refused

    def seal(self, way, public, context, block):
        key = numbers.randbytes(16)
        return b"\x04" + self.keys(b"", public).encrypt(key) + self.gcm.seal(key, context, block)

    def sign(self, way, secret, public, message):
        return bytes.fromhex(self.keys(secret, public).sign_with_sm3(message))

    def verify(self, way, public, message, signature):
        return self.keys(b"", public).verify_with_sm3(signature.hex(), message)


class OpenSSLSM2(ours.SM2Keys):
    """OpenSSL's SM2, with the recipe of Docs/SealedTexts.md for its DER."""

    def __init__(self):
        super().__init__(ours.SM4GCM())
        self.recipe = ctypes.CDLL(os.path.join(WORK, "sm2_der.so"))

    def open(self, way, secret, context, text):
        cipher = ctypes.create_string_buffer(125)
        length = self.recipe.der_of(cipher, text)
        if length == 0:
            return refused
        inner = ours.der(0x30, ours.der_integer(1), ours.der(4, secret))
        info = ours.der(0x30, ours.der_integer(0), self.CURVE, ours.der(4, inner))
        try:
            key = self.run("decrypt", self.library.d2i_AutoPrivateKey, info, cipher.raw[:length])
            return self.gcm.open(key, context, text[113:])
        except SystemExit:
            return refused

    def seal(self, way, public, context, block):
        return super().seal(public, context, block)


class Program:
    """A peer in another language, which answers lines."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        hexadecimal = [word if isinstance(word, str) else word.hex() or "-" for word in words]
        self.process.stdin.write(" ".join(hexadecimal) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        check(answer and answer != "what?", "the program does not answer")
        return answer

    def open(self, way, secret, context, text):
        answer = self.ask("open", NAMES[way], secret, context, text)
        return refused if answer == "refused" else bytes.fromhex(answer)

    def seal(self, way, public, context, block):
        return bytes.fromhex(self.ask("seal", NAMES[way], public, context, block))

    def sign(self, way, secret, public, message):
        return bytes.fromhex(self.ask("sign", NAMES[way], secret, message))

    def verify(self, way, public, message, signature):
        return self.ask("verify", NAMES[way], public, message, signature) == "right"


# ---- Both directions ------------------------------------------------------------------------------------------------

def altered(data, but=()):
    """One bit, anywhere but there."""
    place = numbers.choice([i for i in range(len(data)) if i not in but])
    return data[:place] + bytes([data[place] ^ 1 << numbers.randrange(8)]) + data[place + 1:]


def exchange_texts(name, peer, way, rounds):
    for round in range(rounds):
        secret, public = ours.generate(way)
        context = numbers.randbytes(numbers.randrange(257))
        password = ours.draw_password(numbers.randrange(129))
        ours.now = "%s, %s, round %d" % (name, NAMES[way], round)
        text = ours.seal(way, public, context, password)
        check(peer.open(way, secret, context, text) == ours.pad(password), "the peer opens something else")
        other = altered(context) if context else b"x"
        # Every bit matters: HPKE hashes the bit that X25519 ignores.
        wrong = altered(text, but=peer.UNSEEN if isinstance(peer, GMSSL) else ())
        check(peer.open(way, secret, context, wrong) is refused, "the peer opens an altered text")
        check(peer.open(way, secret, other, text) is refused, "the peer opens a text of another context")

        theirs = peer.seal(way, public, context, ours.pad(password))
        check(len(theirs) == TEXT_LENGTHS[way], "a text of %d bytes" % len(theirs))
        check(ours.unseal(way, secret, context, theirs) == password, "unseal gives something else")
        check(ours.receive(way, secret, context, theirs) == password, "receive gives something else")
        ours.unseal(way, secret, context, altered(theirs), answers=(UNDECRYPTABLE,))
        ours.unseal(way, secret, other, theirs, answers=(UNDECRYPTABLE,))
    return rounds


def exchange_signatures(name, peer, way, rounds):
    size = ctypes.c_size_t
    for round in range(rounds):
        secret, public = ours.generate(way)
        context, text = numbers.randbytes(numbers.randrange(257)), numbers.randbytes(numbers.randrange(400))
        message = len(context).to_bytes(8, "big") + context + text
        ours.now = "%s, signatures of %s, round %d" % (name, NAMES[way], round)

        def verify(signature, answers=(0,)):
            ours.ours("verifyText", SIGNWAYS[way], public, size(65), context, size(len(context)), text,
                      size(len(text)), signature, size(len(signature)), answers=answers)

        place, length = ctypes.create_string_buffer(64), size()
        ours.ours("signText", SIGNWAYS[way], secret, size(32), context, size(len(context)), text, size(len(text)),
                  place, size(64), ctypes.byref(length))
        check(peer.verify(way, public, message, place.raw), "the peer does not find our signature right")
        check(not peer.verify(way, public, altered(message), place.raw), "the peer finds a wrong text right")
        theirs = peer.sign(way, secret, public, message)
        check(len(theirs) == 64, "a signature of %d bytes" % len(theirs))
        verify(theirs)
        verify(altered(theirs), answers=(MISMATCH,))
    return rounds


def main():
    java = ("java", "-cp", "/usr/share/java/bcprov.jar:" + os.path.join(WORK, "java"), "Peer")
    swift = os.path.join(WORK, "swift", ".build", "debug", "peer")
    both = (X25519, P256)
    plan = (
        # name, peer, ways of texts, rounds, ways of signatures, rounds
        ("pyhpke", PyHPKE(), both, 500, (), 0),
        ("cryptography's HPKE", CryptographyHPKE(), (*both, XWING), 500, (), 0),
        ("swift-crypto", Program(swift), both, 500, (P256,), 500),
        ("Bouncy Castle", Program(*java), (X25519, P256, SM2, SM4_GCM), 400, (P256, SM2), 400),
        ("Node", Program("node", os.path.join(WORK, "peer.mjs")), both, 500, (), 0),
        ("OpenSSL", OpenSSLSM2(), (SM2,), 500, (), 0),
        ("gmssl", GMSSL(), (SM2,), 50, (SM2,), 50),
    )
    texts = signatures = 0
    for name, peer, ways, rounds, signing, signed_rounds in plan:
        for way in ways:
            texts += exchange_texts(name, peer, way, rounds)
        for way in signing:
            signatures += exchange_signatures(name, peer, way, signed_rounds)
        if isinstance(peer, Program):
            peer.process.stdin.close()
            check(peer.process.wait() == 0, "the program does not end well")
        print("%s: fine" % name, flush=True)
    if texts != 6650 or signatures != 1350:
        sys.exit("peers.py: %d keys for texts and %d for signatures, not 6650 and 1350" % (texts, signatures))
    print("peers.py: %d peers, %d keys for texts, %d for signatures, %d checks"
          % (len(plan), texts, signatures, ours.checks))


if __name__ == "__main__":
    main()
