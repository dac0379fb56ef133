#!/usr/bin/env python3
"""The library through Python's ctypes, which knows no header: the whole life of a keyboard, and the wrong calls that an
untyped language makes easy. Usage: client.py libcustomkeyboard.so

SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import sys

OK, ERR, OP_DISABLE, MAXLEN, SPACE, ARGUMENT, UNDECRYPTABLE = range(7)
DES, TRIPLE_DES, SM4 = range(3)

LAYOUT_PIN, SHUFFLE_EACH_OPENING, ROLE_CHARACTER = 4, 1, 0


class Key(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ("row", "column", "rowSpan", "columnSpan")] + [
        (name, ctypes.c_double) for name in ("x", "y", "width", "height")] + [
        ("role", ctypes.c_int), ("label", ctypes.c_char * 16)]


class Job(ctypes.Structure):
    _fields_ = [("key", ctypes.c_char_p), ("keyLength", ctypes.c_size_t), ("text", ctypes.c_char_p),
                ("textLength", ctypes.c_size_t), ("clear", ctypes.c_void_p), ("clearCapacity", ctypes.c_size_t),
                ("clearLength", ctypes.c_size_t), ("rv", ctypes.c_int)]


library = ctypes.CDLL(sys.argv[1])
handle, size, pointer = ctypes.c_uint64, ctypes.c_size_t, ctypes.c_char_p
real, context = ctypes.c_double, ctypes.c_void_p
Field = ctypes.CFUNCTYPE(None, context, handle, size)
Action = ctypes.CFUNCTYPE(None, context, handle)


class Keyboard:
    """The library's functions, by their names without the prefix."""


for name, arguments in {
    "create": [ctypes.POINTER(handle)], "destroy": [handle], "open": [handle], "close": [handle],
    "setEncKey": [handle, pointer, size, ctypes.c_int], "input": [handle, pointer, size], "clear": [handle],
    "deleteBackward": [handle], "count": [handle, ctypes.POINTER(size)],
    "getText": [handle, pointer, size, ctypes.POINTER(size), ctypes.POINTER(size)],
    "decrypt": [ctypes.c_int, pointer, size, pointer, size, pointer, size, ctypes.POINTER(size), ctypes.POINTER(size)],
    "decryptBatch": [ctypes.c_int, ctypes.POINTER(Job), size],
    "setLayout": [handle, ctypes.c_int, ctypes.c_int, size], "setSize": [handle, real, real, real, real],
    "keys": [handle, ctypes.POINTER(Key), size, ctypes.POINTER(size)], "pressKey": [handle, size],
    "touch": [handle, real, real], "setTextField": [handle, Field, context], "setOKAction": [handle, Action, context],
    "message": [ctypes.c_int], "version": [],
}.items():
    function = getattr(library, "CustomKeyboard_" + name)
    function.argtypes = arguments
    function.restype = ctypes.c_char_p if name in ("message", "version") else ctypes.c_int
    setattr(Keyboard, name, function)

checks = 0


def check(got, expected, what):
    global checks
    checks += 1
    if got != expected:
        sys.exit(f"client.py: {what}: expected {expected!r}, got {got!r}")


def get_text(keyboard, space_size=1024):
    space, offset, length = ctypes.create_string_buffer(space_size), size(), size()
    rv = Keyboard.getText(keyboard, space, space_size, offset, length)
    return rv, space.raw[offset.value:offset.value + length.value]


def decrypt(way, key, text, space_size=1024):
    space, offset, length = ctypes.create_string_buffer(space_size), size(), size()
    rv = Keyboard.decrypt(way, key, len(key), text, len(text), space, space_size, offset, length)
    return rv, space.raw[offset.value:offset.value + length.value]


ROWS = [
    (DES, b"89076543", "ef145f1aed986f0be696b7d7d09dcd79"),
    (TRIPLE_DES, b"890765432980765423451673", "5e6a10496ab1955b0d7e1d774a0c6818"),
    (SM4, b"8907654329807654", "0f413569eb66b50be0c1db9c518fb909"),
]
for way, key, text in ROWS:
    k = handle()
    check(Keyboard.create(k), OK, "create")
    check(Keyboard.input(k, b"x", 1), OP_DISABLE, "input while idle")
    check(Keyboard.setEncKey(k, key[:-1], len(key) - 1, way), ERR, "a short key")
    check(Keyboard.setEncKey(k, key, len(key), 99), ARGUMENT, "an unknown algorithm")
    check(Keyboard.open(k), OK, "open")
    check(get_text(k)[0], ERR, "getText without a key")
    check(Keyboard.close(k), OK, "close")
    check(Keyboard.setEncKey(k, key, len(key), way), OK, "setEncKey")
    check(Keyboard.open(k), OK, "open")
    check(Keyboard.setEncKey(k, key, len(key), way), OP_DISABLE, "setEncKey while up")
    check(Keyboard.input(k, b"kgcx879@", 8), OK, "input")
    check(Keyboard.input(k, "é한".encode(), 5), OK, "input of two characters")
    count = size()
    check(Keyboard.count(k, count), OK, "count")
    check(count.value, 10, "characters")
    check(Keyboard.deleteBackward(k), OK, "deleteBackward")
    check(Keyboard.deleteBackward(k), OK, "deleteBackward")
    check(Keyboard.input(k, b"\xff", 1), ARGUMENT, "what is not UTF-8")
    check(Keyboard.input(k, None, 3), ARGUMENT, "NULL")
    check(Keyboard.input(k, b"x" * 121, 121), MAXLEN, "129 bytes")
    check(get_text(k, 15)[0], SPACE, "a small space")
    check(get_text(k), (OK, bytes.fromhex(text)), "getText")
    check(get_text(k, 16), (OK, bytes.fromhex(text)), "getText, exact")
    check(Keyboard.close(k), OK, "close")
    check(Keyboard.destroy(k), OK, "destroy")
    check(Keyboard.destroy(k), ARGUMENT, "destroy again")
    check(decrypt(way, key, bytes.fromhex(text)), (OK, b"kgcx879@"), "decrypt")
    check(decrypt(way, key, bytes.fromhex(text)[:-1])[0], UNDECRYPTABLE, "half a block")
    check(decrypt(way, key, bytes(152))[0], MAXLEN, "a long ciphertext")
    check(decrypt(way, key + b"0", bytes.fromhex(text))[0], ERR, "a long key")

# A PIN entered by touching its digits, wherever they are; the OK action takes the ciphertext.
WAY, KEY, PIN = SM4, b"8907654329807654", b"2580"
counts, texts = [], []
field = Field(lambda _, keyboard, count: counts.append(count))
action = Action(lambda _, keyboard: texts.append(get_text(keyboard)))
check(Keyboard.create(k), OK, "create")
check(Keyboard.setEncKey(k, KEY, len(KEY), WAY), OK, "setEncKey")
check(Keyboard.setLayout(k, LAYOUT_PIN, 3, 4), ARGUMENT, "an unknown shuffle")
check(Keyboard.setLayout(k, LAYOUT_PIN, SHUFFLE_EACH_OPENING, len(PIN)), OK, "setLayout")
check(Keyboard.setSize(k, 240, 320, float("nan"), 0), ARGUMENT, "a gap that is not a number")
check(Keyboard.setSize(k, 240, 320, 0, 0), OK, "setSize")
check(Keyboard.setTextField(k, field, None), OK, "setTextField")
check(Keyboard.setOKAction(k, action, None), OK, "setOKAction")
check(Keyboard.open(k), OK, "open")
keys = (Key * 12)()
check(Keyboard.keys(k, keys, 11, count), SPACE, "no room for 12 keys")
check(count.value, 12, "keys needed")
check(Keyboard.keys(k, keys, 12, count), OK, "keys")
digits = {key.label: (number, key) for number, key in enumerate(keys) if key.role == ROLE_CHARACTER}
check(sorted(digits), [b"%d" % digit for digit in range(10)], "digits")
for place, digit in enumerate(PIN):
    number, key = digits[b"%c" % digit]
    if place % 2:
        check(Keyboard.pressKey(k, number), OK, "pressKey")
    else:
        check(Keyboard.touch(k, key.x + key.width / 2, key.y + key.height / 2), OK, "touch")
check(Keyboard.touch(k, 241, 1), ARGUMENT, "a touch outside")
check(counts, [1, 2, 3, 4], "the field was told")
check([rv for rv, _ in texts], [OK], "the action was called")
check(Keyboard.destroy(k), OK, "destroy")

# The server's side: one bad job among good ones.
clears = [ctypes.create_string_buffer(16) for _ in range(3)]
jobs = (Job * 3)(*[Job(KEY[:length], length, texts[0][1], 16, ctypes.addressof(clear), 16)
                   for length, clear in zip((16, 15, 16), clears)])
check(Keyboard.decryptBatch(99, jobs, 3), ARGUMENT, "an unknown algorithm")
check(Keyboard.decryptBatch(WAY, jobs, 3), OK, "decryptBatch")
check([job.rv for job in jobs], [OK, ERR, OK], "the jobs' codes")
check([clear.raw[:job.clearLength] for job, clear in zip(jobs, clears)], [PIN, b"", PIN], "the jobs' passwords")

check(len({Keyboard.message(code) for code in range(17)}), 17, "different messages")
check(Keyboard.version().decode().count("."), 2, "version")
print(f"client.py: {checks} checks")
