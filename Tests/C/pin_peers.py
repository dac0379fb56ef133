#!/usr/bin/env python3
"""PIN blocks and keys of DUKPT beside an implementation in Python (Tests/Python/payment.py), in both directions, and
the published examples of X9.24: keys, blocks, the bytes of a terminal's device, and every transaction of a stretch.

    pin_peers.py libcustomkeyboard.so VECTORS [N [walk]]    N transactions of a device with 3DES, one with AES and each
                                                            other kind; walk: all that 3DES has, and 100,000 with AES

SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import os
import random
import sys

try:
    import cryptography  # noqa: F401
except ImportError as error:
    sys.exit(f"pin_peers.py: Python's cryptography is needed (Debian: python3-cryptography): {error}")

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Python"))
from payment import (  # noqa: E402
    AES128, AES192, AES256, AES_2TDEA, AES_3TDEA, PIN0, PIN1, PIN3, PIN4, TDES, Scheme, decrypt_pin, draw_fill,
    draw_pan, draw_pin, draw_tdes_key, encrypt_field, encrypt_pin, pin_field)

OK, ERR, UNDECRYPTABLE, REFUSED = 0, 1, 6, 10
DEVICE = 1152
checks = 0
seed = int(os.environ.get("SEED") or random.SystemRandom().getrandbits(62))
numbers = random.Random(seed)


def check(is_right, what):
    global checks
    checks += 1
    if not is_right:
        sys.exit(f"pin_peers.py: {what}; run again with SEED={seed}")


def same(got, expected, what):
    if got != expected:
        check(False, f"{what}: expected {show(expected)}, got {show(got)}")
    check(True, what)


def show(value):
    return value.hex() if isinstance(value, (bytes, bytearray)) else repr(value)


# ---- The library -------------------------------------------------------------------------------------------------

library = ctypes.CDLL(sys.argv[1])
vectors = sys.argv[2]
size, handle = ctypes.c_size_t, ctypes.c_uint64
library.CustomKeyboard_receive.argtypes = [handle, ctypes.c_int, *[ctypes.c_char_p, size] * 3]
library.CustomKeyboard_setEncKey.argtypes = [handle, ctypes.c_char_p, size, ctypes.c_int]
library.CustomKeyboard_setContext.argtypes = [handle, ctypes.c_char_p, size]
library.CustomKeyboard_input.argtypes = [handle, ctypes.c_char_p, size]
for name in ("open", "close", "destroy"):
    getattr(library, "CustomKeyboard_" + name).argtypes = [handle]
library.CustomKeyboard_getText.argtypes = [handle, ctypes.c_char_p, size, ctypes.POINTER(size), ctypes.POINTER(size)]
library.CustomKeyboard_dukptNext.argtypes = [
    ctypes.c_char_p, handle, ctypes.c_int, ctypes.c_char_p, size, ctypes.POINTER(size)]
library.CustomKeyboard_dukptLoad.argtypes = [ctypes.c_char_p, ctypes.c_int, *[ctypes.c_char_p, size] * 2]
for name in ("dukptKey", "dukptInitialKey"):
    getattr(library, "CustomKeyboard_" + name).argtypes = [
        ctypes.c_int, *[ctypes.c_char_p, size] * 3, ctypes.POINTER(size)]
offset, length, ksn_length = size(), size(), size()
space = ctypes.create_string_buffer(64)
ksn_space = ctypes.create_string_buffer(12)


def call(name, *arguments):
    code = getattr(library, "CustomKeyboard_" + name)(*arguments)
    check(code == OK, f"{name} answers {code}")


def derive(name, scheme, key, ksn):
    output = ctypes.create_string_buffer(32)
    call(name, scheme, key, len(key), ksn, len(ksn), output, 32, ctypes.byref(length))
    return output.raw[:length.value]


def create():
    keyboard = handle()
    check(library.CustomKeyboard_create(ctypes.byref(keyboard)) == OK, "create")
    return keyboard.value


terminal, server = create(), create()


def type_text(pin, pan):
    """What the terminal's keyboard makes of a PIN, with the key that it has. Its space is as long as a block."""
    call("setContext", terminal, pan.encode(), len(pan))
    call("open", terminal)
    call("input", terminal, pin.encode(), len(pin))
    code = library.CustomKeyboard_getText(terminal, space, 16, ctypes.byref(offset), ctypes.byref(length))
    block = space.raw[offset.value:offset.value + length.value] if code == OK else code
    call("close", terminal)
    return block


def receive(way, key, block, pan):
    """The PIN of a block, by way of format 0 with a key and number of its own; or a code."""
    code = library.CustomKeyboard_receive(server, way, key, len(key), pan.encode(), len(pan), block, len(block))
    if code == OK:
        call("close", server)
    return code


def make_block(way, key, pin, pan):
    call("setEncKey", terminal, key, len(key), way)
    return type_text(pin, pan)


def draw_key(way):
    return numbers.randbytes(numbers.choice((16, 24, 32))) if way == PIN4 else draw_tdes_key(numbers)


# ---- PIN blocks --------------------------------------------------------------------------------------------------

def blocks(count):
    for _ in range(count):
        way = numbers.choice((PIN0, PIN1, PIN3, PIN4))
        key, pin = draw_key(way), draw_pin(numbers)
        pan = "" if way == PIN1 else draw_pan(numbers)
        what = f"way {way}, key {key.hex()}, PIN {pin}, account {pan}"
        block = make_block(way, key, pin, pan)
        same(decrypt_pin(way, key, block, pan), pin, f"{what}: ours, opened by Python")
        if way == PIN0:
            same(block, encrypt_pin(way, key, pin, pan, numbers), f"{what}: there is one block only")
        # Python's, opened by us, must have this PIN: it becomes a block of format 0 for the same account.
        block = encrypt_pin(way, key, pin, pan, numbers)
        other = draw_tdes_key(numbers)
        code = library.CustomKeyboard_receive(server, way, key, len(key), pan.encode(), len(pan), block, len(block))
        check(code == OK, f"{what}: Python's, opened by us, answers {code}")
        call("close", server)
        call("setEncKey", server, other, len(other), PIN0)
        call("receive", server, way, key, len(key), pan.encode(), len(pan), block, len(block))
        account = pan or draw_pan(numbers)
        call("setContext", server, account.encode(), len(account))
        call("getText", server, space, 8, ctypes.byref(offset), ctypes.byref(length))
        call("close", server)
        same(space.raw[:8], encrypt_pin(PIN0, other, pin, account, numbers), f"{what}: translated")


def faults(count):
    """Fields that are wrong in one nibble, or anything at all: both must say the same."""
    wrong = 0
    for _ in range(count):
        way = numbers.choice((PIN0, PIN1, PIN3, PIN4))
        key, pan = draw_key(way), "" if way == PIN1 else draw_pan(numbers)
        field = bytearray(pin_field(way, draw_pin(numbers), draw_fill(way, numbers)))
        for _ in range(numbers.choice((0, 1, 1, 2))):
            place = numbers.randrange(16)
            field[place // 2] ^= numbers.randrange(1, 16) << (0 if place % 2 else 4)
        block = encrypt_field(way, key, bytes(field), pan)
        expected = OK if decrypt_pin(way, key, block, pan) is not None else UNDECRYPTABLE
        wrong += expected != OK
        same(receive(way, key, block, pan), expected, f"way {way}, key {key.hex()}, field {field.hex()}, account {pan}")
    check(count // 4 < wrong < count, "some fields are wrong, and not all")


def every_nibble():
    """Each value of each nibble of a field, in each format."""
    for way in (PIN0, PIN1, PIN3, PIN4):
        key, pan = draw_key(way), "" if way == PIN1 else draw_pan(numbers)
        for count in (4, 5, 8, 12):
            whole = pin_field(way, "0123456789012"[:count], draw_fill(way, numbers))
            for place in range(16):
                for value in range(16):
                    digits = list(whole.hex())
                    digits[place] = f"{value:x}"
                    field = bytes.fromhex("".join(digits))
                    block = encrypt_field(way, key, field, pan)
                    expected = OK if decrypt_pin(way, key, block, pan) is not None else UNDECRYPTABLE
                    same(receive(way, key, block, pan), expected, f"way {way}, field {field.hex()}")


def wrong_keys(count):
    """A wrong key opens a block of format 1 once in about 640 times. This is why a host must not be an oracle."""
    opened = 0
    for _ in range(count):
        code = receive(PIN1, draw_tdes_key(numbers), numbers.randbytes(8), "")
        check(code in (OK, UNDECRYPTABLE), f"a wrong key answers {code}")
        opened += code == OK
    expected = count / 638.6
    is_likely = abs(opened - expected) < 6 * expected ** 0.5 + 1
    check(is_likely, f"{opened} of {count} blocks opened, and not about {expected:.0f}")


# ---- DUKPT -------------------------------------------------------------------------------------------------------

def read(name, count):
    with open(os.path.join(vectors, name), encoding="ascii") as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    check(len(lines) == count, f"{name} has {len(lines)} lines, expected {count}")
    return lines


def examples():
    for name, count in (("dukpt-tdes.txt", 34), ("dukpt-aes.txt", 24)):
        for scheme, base, initial, ksn, key, block in read(name, count):
            what = f"{name}, {ksn}"
            scheme, base, ksn = int(scheme), bytes.fromhex(base), bytes.fromhex(ksn)
            same(derive("dukptInitialKey", scheme, base, ksn).hex(), initial, f"{what}: initial key")
            same(derive("dukptKey", scheme, base, ksn).hex(), key, f"{what}: PIN key")
            same(Scheme(scheme, base).pin_key(ksn).hex(), key, f"{what}: Python's PIN key")
            if block == "-":
                continue
            way, pan = (PIN0, "4012345678909") if scheme == TDES else (PIN4, "4111111111111111")
            key, block = bytes.fromhex(key), bytes.fromhex(block)
            same(decrypt_pin(way, key, block, pan), "1234", f"{what}: Python reads the block")
            same(receive(way, key, block, pan), OK, f"{what}: we read the block")
            if way == PIN0:
                same(make_block(way, key, "1234", pan), block, f"{what}: the block")
    for base, ksn, key in read("dukpt-aes-registers.txt", 30):
        scheme, ksn = Scheme(AES128, bytes.fromhex(base)), bytes.fromhex(ksn)
        same(scheme.transaction_key(ksn).hex(), key, f"Python's key of {ksn.hex()}")


KINDS = [(TDES, 16)] + [
    (scheme, length) for scheme in (AES128, AES192, AES256, AES_2TDEA, AES_3TDEA) for length in (16, 24, 32)
    if length >= {AES192: 24, AES256: 32}.get(scheme, 16)]


def way_of(scheme):
    return PIN4 if scheme in (AES128, AES192, AES256) else PIN0


def draw_counter(scheme):
    most = numbers.randint(1, scheme.most)
    return sum(1 << bit for bit in numbers.sample(range(scheme.bits), most))


def keys(count):
    for _ in range(count):
        kind, length = numbers.choice(KINDS)
        scheme = Scheme(kind, numbers.randbytes(length))
        ksn = scheme.ksn(numbers.randbytes(scheme.ksn_length), draw_counter(scheme))
        what = f"scheme {kind}, base key {scheme.base_key.hex()}, KSN {ksn.hex()}"
        same(derive("dukptInitialKey", kind, scheme.base_key, ksn), scheme.initial_key(ksn), f"{what}: initial key")
        same(derive("dukptKey", kind, scheme.base_key, ksn), scheme.pin_key(ksn), f"{what}: PIN key")


def load(scheme, ksn):
    device = ctypes.create_string_buffer(DEVICE)
    key = derive("dukptInitialKey", scheme.scheme, scheme.base_key, ksn)
    call("dukptLoad", device, scheme.scheme, key, len(key), ksn, len(ksn))
    same(device.raw, scheme.device(ksn, 1), f"a new device of scheme {scheme.scheme}")
    return device


def step(scheme, device):
    """One transaction; its KSN. The block must be that of the host's key."""
    way = way_of(scheme.scheme)
    call("dukptNext", device, terminal, way, ksn_space, 12, ctypes.byref(ksn_length))
    ksn = ksn_space.raw[:ksn_length.value]
    block = type_text("123456", "4111111111111111")
    same(library.CustomKeyboard_getText(terminal, space, 16, ctypes.byref(offset), ctypes.byref(length)), 2, "closed")
    key = derive("dukptKey", scheme.scheme, scheme.base_key, ksn)
    if way == PIN0:
        same(block, make_block(way, key, "123456", "4111111111111111"), f"the block of {ksn.hex()}")
    else:
        same(receive(way, key, block, "4111111111111111"), OK, f"the block of {ksn.hex()}")
    return ksn


def transactions(kind, length, count, looks):
    """The first transactions of a device; at `looks` of them, all of its bytes."""
    scheme = Scheme(kind, numbers.randbytes(length))
    ksn = scheme.ksn(numbers.randbytes(scheme.ksn_length), 0)
    device = load(scheme, ksn)
    counter = 1
    for number in range(count):
        same(step(scheme, device), scheme.ksn(ksn, counter), f"transaction {number} of scheme {kind}")
        counter = scheme.following(counter)
        if number in looks:
            same(device.raw, scheme.device(ksn, counter), f"the device of scheme {kind} at {counter}")
    return counter


def jumps(kind, length):
    """From a few places, the last one among them, on."""
    scheme = Scheme(kind, numbers.randbytes(length))
    ksn = scheme.ksn(numbers.randbytes(scheme.ksn_length), 0)
    last = (1 << scheme.bits) - (1 << scheme.bits - scheme.most)
    starts = [last, last - (1 << scheme.bits - scheme.most - 1), draw_counter(scheme)]
    starts.append((1 << scheme.most + 1) - 4)  # where many bits are set, and counters jump
    for start in starts:
        while not scheme.is_transaction(start):
            start = scheme.following(start)
        device = ctypes.create_string_buffer(scheme.device(ksn, start), DEVICE)
        counter = start
        for _ in range(6):
            if not counter:
                break
            same(step(scheme, device), scheme.ksn(ksn, counter), f"scheme {kind} at {counter}")
            counter = scheme.following(counter)
            same(device.raw, scheme.device(ksn, counter), f"the device of scheme {kind} at {counter}")
        if not counter:
            before = device.raw
            code = library.CustomKeyboard_dukptNext(
                device, terminal, way_of(kind), ksn_space, 12, ctypes.byref(ksn_length))
            same(code, REFUSED, f"scheme {kind}, used up")
            same(device.raw, before, f"scheme {kind}, used up: the device")
            check(not any(device.raw[24:1120]), "no key is left")


def main():
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 300
    walk = len(sys.argv) > 4 and sys.argv[4] == "walk"
    examples()
    blocks(count)
    faults(2 * count)
    every_nibble()
    wrong_keys(20 * count)
    keys(count)
    transactions(TDES, 16, 2000, {0, 1, 2, 3, 1022, 1023, 1998, 1999})
    for kind, length in KINDS[1:]:
        transactions(kind, length, 40, {0, 1, 31, 39})
    for kind, length in KINDS:
        jumps(kind, length)
    if walk:
        same(transactions(TDES, 16, (1 << 20) - 1, ()), 0, "X9.24-1 has 1,048,575 transactions")
        transactions(AES256, 32, 100_000, {65535, 99_999})
    for keyboard in (terminal, server):
        call("destroy", keyboard)
    print(f"pin_peers.py: {checks} checks")


main()
