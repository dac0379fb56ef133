#!/usr/bin/env python3
"""PIN blocks beside psec, from PyPI: formats 0, 3 and 4, in both directions, with random keys, PINs and card numbers.
psec has no format 1 and no DUKPT; for these, Tests/C/pin_peers.py has an implementation of its own.

    payments.py libcustomkeyboard.so ROUNDS

SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import os
import random
import sys

import psec

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Python"))
from payment import PIN0, PIN3, PIN4, draw_pan, draw_pin, draw_tdes_key  # noqa: E402

OK, UNDECRYPTABLE, MISMATCH = 0, 6, 9
library = ctypes.CDLL(sys.argv[1])
size = ctypes.c_size_t
seed = int(os.environ.get("SEED") or random.SystemRandom().getrandbits(62))
numbers = random.Random(seed)
checks = 0


def check(is_right, what):
    global checks
    checks += 1
    if not is_right:
        sys.exit("payments.py: %s; run again with SEED=%d" % (what, seed))


def ours(name, *values, code=OK):
    got = getattr(library, "CustomKeyboard_" + name)(*values)
    check(got == code, "%s answered %d, not %d" % (name, got, code))


def new_keyboard():
    keyboard = ctypes.c_uint64()
    ours("create", ctypes.byref(keyboard))
    return keyboard


terminal, host = new_keyboard(), new_keyboard()
space, offset, length = ctypes.create_string_buffer(16), size(), size()


def typed(pin):
    ours("open", terminal)
    ours("input", terminal, pin.encode(), size(len(pin)))


def our_block(way, key, pin, pan):
    ours("setEncKey", terminal, key, size(len(key)), way)
    ours("setContext", terminal, pan.encode(), size(len(pan)))
    typed(pin)
    ours("getText", terminal, space, size(16), ctypes.byref(offset), ctypes.byref(length))
    ours("close", terminal)
    return space.raw[offset.value:offset.value + length.value]


def holds(way, key, block, pin, pan):
    """Whether we find this PIN in a block, and no other."""
    ours("receive", host, way, key, size(len(key)), pan.encode(), size(len(pan)), block, size(len(block)))
    typed(pin)
    ours("compare", host, terminal)
    ours("close", terminal)
    typed(str((int(pin) + 1) % 10 ** len(pin)).zfill(len(pin)))
    ours("compare", host, terminal, code=MISMATCH)
    ours("close", terminal)
    ours("close", host)


def psec_block(way, key, pin, pan):
    if way == PIN4:
        return psec.pinblock.encipher_pinblock_iso_4(key, pin, pan)
    encode = psec.pinblock.encode_pinblock_iso_0 if way == PIN0 else psec.pinblock.encode_pinblock_iso_3
    return psec.des.encrypt_tdes_ecb(key, encode(pin, pan))


def psec_pin(way, key, block, pan):
    if way == PIN4:
        return psec.pinblock.decipher_pinblock_iso_4(key, block, pan)
    decode = psec.pinblock.decode_pinblock_iso_0 if way == PIN0 else psec.pinblock.decode_pinblock_iso_3
    return decode(psec.des.decrypt_tdes_ecb(key, block), pan)


def main(rounds):
    for number in range(rounds):
        way = (PIN0, PIN3, PIN4)[number % 3]
        key = numbers.randbytes(numbers.choice((16, 24, 32))) if way == PIN4 else draw_tdes_key(numbers)
        pin = draw_pin(numbers)
        # psec takes 13 digits and more for the formats 0 and 3.
        pan = draw_pan(numbers) if way == PIN4 else draw_pan(numbers).rjust(13, "7")
        what = "format %d, key %s, PIN %s, card %s" % (way - 9, key.hex(), pin, pan)
        block = our_block(way, key, pin, pan)
        check(psec_pin(way, key, block, pan) == pin, what + ": ours, opened by psec")
        theirs = psec_block(way, key, pin, pan)
        holds(way, key, theirs, pin, pan)
        if way == PIN0:
            check(block == theirs, what + ": there is one block only")
        if way == PIN4:
            bit = numbers.randrange(128)
            altered = bytearray(theirs)
            altered[bit // 8] ^= 1 << bit % 8
            altered = bytes(altered)
            try:
                other = psec_pin(way, key, altered, pan)
            except ValueError:
                other = None
            code = library.CustomKeyboard_receive(
                host, way, key, size(len(key)), pan.encode(), size(len(pan)), altered, size(len(altered)))
            check((code == OK) == (other is not None), what + ": altered")
            if code == OK:
                ours("close", host)
    print("payments.py: %d checks" % checks)


main(int(sys.argv[2]))
