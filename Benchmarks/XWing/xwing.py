#!/usr/bin/env python3
"""X-Wing beside Python's `cryptography`, whose OpenSSL has ML-KEM: Debian's has not. So this peer is called from
Python, as the library is here. One password of 8 characters in a context of 32 bytes. The private key is the seed of 32
bytes, which both expand each time; the public key is loaded before.

    xwing.py libcustomkeyboard.so [--check] [SECONDS]

Each round measures both, one after the other; the figures are medians over the rounds. What a call from Python costs is
measured and said, and is left in on both sides. With --check the exit status is 1 if a limit of the design is missed,
and 77 if there is no peer.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import hashlib
import os
import statistics
import sys
import time

try:
    from cryptography.hazmat.backends.openssl import backend
    from cryptography.hazmat.primitives import hpke
    from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey, MLKEM768PublicKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    SUITE = hpke.Suite(hpke.KEM.MLKEM768_X25519, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_256_GCM)
except (ImportError, AttributeError):
    print("X-Wing: not compared, because this Python's cryptography has none (48 and later have)")
    sys.exit(77 if "--check" in sys.argv else 0)

XWING, PASSWORD = 8, b"kgcx879@"
LIMITS = {"unseal": 0.75, "sealing": 1.0}
PER_ROUND = 20

arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
library = ctypes.CDLL(arguments[0])
seconds = float(arguments[1]) if len(arguments) > 1 else 4
size = ctypes.c_size_t
offset, length = size(), size()
places = ctypes.byref(offset), ctypes.byref(length)


def ours(name, *values):
    code = getattr(library, "CustomKeyboard_" + name)(*values)
    if code:
        sys.exit("xwing.py: %s answered %d" % (name, code))


def peer_key(seed):
    expanded = hashlib.shake_256(seed).digest(96)
    first = MLKEM768PrivateKey.from_seed_bytes(expanded[:64])
    return hpke.MLKEM768X25519PrivateKey(first, X25519PrivateKey.from_private_bytes(expanded[64:]))


seed, context = ctypes.create_string_buffer(32), os.urandom(32)
public = ctypes.create_string_buffer(1216)
ours("generateKey", XWING, seed, size(32), places[0], public, size(1216), places[1])
keyboard = ctypes.c_uint64()
ours("create", ctypes.byref(keyboard))
ours("setEncKey", keyboard, public, size(1216), XWING)
ours("setContext", keyboard, context, size(32))
ours("open", keyboard)
ours("input", keyboard, PASSWORD, size(8))
text, clear = ctypes.create_string_buffer(1280), ctypes.create_string_buffer(8)
peer_public = hpke.MLKEM768X25519PublicKey(
    MLKEM768PublicKey.from_public_bytes(public.raw[:1184]), X25519PublicKey.from_public_bytes(public.raw[1184:]))
block = PASSWORD + bytes([136]) * 136
get_text, unseal = library.CustomKeyboard_getText, library.CustomKeyboard_unseal
sealing_values = (keyboard, text, size(1280), *places)
opening_values = (XWING, seed, size(32), context, size(32), text, size(1280), clear, size(8), *places)
raw_seed = seed.raw


def our_sealing():
    return get_text(*sealing_values)


def our_unseal():
    return unseal(*opening_values)


def their_sealing():
    return SUITE.encrypt(block, peer_public, context)


def their_unseal():
    return SUITE.decrypt(sealed, peer_key(raw_seed), context)


def nothing():
    return library.CustomKeyboard_message(0)


def timed(function):
    """Microseconds of one call: the median of some, by the thread's own clock, which other programs do not move on."""
    times = []
    for _ in range(PER_ROUND):
        began = time.thread_time_ns()
        function()
        times.append(time.thread_time_ns() - began)
    return statistics.median(times) / 1000


if our_sealing() or our_unseal() or clear.raw != PASSWORD:
    sys.exit("xwing.py: the library does not open what it has sealed")
sealed = text.raw
if their_unseal() != block:
    sys.exit("xwing.py: the peer does not open the library's text")
text.raw = their_sealing()
if our_unseal() or clear.raw != PASSWORD:
    sys.exit("xwing.py: the library does not open the peer's text")

print("X-Wing, µs a call from Python (a call that does nothing: %.1f); the peer is %s"
      % (statistics.median(timed(nothing) for _ in range(20)), backend.openssl_version_text()))
missed = 0
for name, mine, theirs in (("unseal", our_unseal, their_unseal), ("sealing", our_sealing, their_sealing)):
    rounds, end = [], time.monotonic() + seconds / 2
    while time.monotonic() < end or len(rounds) < 10:
        one, other = timed(mine), timed(theirs)
        rounds.append((one / other, one, other))
    ratio, one, other = (statistics.median(column) for column in zip(*rounds))
    verdict = ""
    if "--check" in sys.argv:
        verdict = "PASS" if ratio <= LIMITS[name] else "FALLS SHORT"
        missed += ratio > LIMITS[name]
    print("  %-8s %7.1f   peer %7.1f   %.2f × (at most %.2f)  %s" % (name, one, other, ratio, LIMITS[name], verdict))
sys.exit(1 if missed else 0)
