#!/usr/bin/env python3
"""Runs the recipes of Docs/SealedTexts.md for Python and for the command line, as they are printed there, against what
the C library made.

    recipe.py LIBRARY           libcustomkeyboard.so; needs the Python package `cryptography`, and openssl

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import functools
import os
import re
import subprocess
import sys
import tempfile

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding, NoEncryption, PrivateFormat, PublicFormat, load_der_private_key)

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Docs", "SealedTexts.md")
library = ctypes.CDLL(os.path.abspath(sys.argv[1]))
checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        sys.exit("recipe: " + what)


def call(name, *arguments):
    check(getattr(library, "CustomKeyboard_" + name)(*arguments) == 0, name + " failed")


def size(number):
    return ctypes.c_size_t(number)


def new_key(way):
    if way == 7:
        key = rsa.generate_private_key(65537, 2048)
        private = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
        return private, key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    private, public = ctypes.create_string_buffer(32), ctypes.create_string_buffer(65)
    lengths = ctypes.c_size_t(), ctypes.c_size_t()
    call("generateKey", way, private, size(32), ctypes.byref(lengths[0]), public, size(65), ctypes.byref(lengths[1]))
    return private.raw, public.raw[: lengths[1].value]


def seal(way, public, context, password):
    keyboard = ctypes.c_uint64()
    call("create", ctypes.byref(keyboard))
    call("setEncKey", keyboard, public, size(len(public)), way)
    call("setContext", keyboard, context, size(len(context)))
    call("open", keyboard)
    call("input", keyboard, password, size(len(password)))
    space, offset, length = ctypes.create_string_buffer(1024), ctypes.c_size_t(), ctypes.c_size_t()
    call("getText", keyboard, space, size(1024), ctypes.byref(offset), ctypes.byref(length))
    call("destroy", keyboard)
    return space.raw[offset.value :][: length.value]


with open(PAGE, encoding="utf-8") as page:
    contents = page.read()
blocks = re.findall(r"^```python\n(.*?)^```$", contents, re.M | re.S)
commands = re.findall(r"^```sh\n(.*?)^```$", contents, re.M | re.S)
check(len(blocks) == 3 and len(commands) == 1, "%d Python recipes, %d of commands" % (len(blocks), len(commands)))
recipe = {}
for block in blocks:
    exec(compile(block, PAGE, "exec"), recipe)
# OpenSSL checks the primes of a key that it loads, which takes a tenth of a second.
recipe["load_der_private_key"] = functools.cache(recipe["load_der_private_key"])


def load(name, key):
    return recipe["load_sm2_key"](key) if name == "sm2" else recipe["load_key"](name, key)


def opened(name, key, context, text):
    return recipe["unseal_sm2"](key, context, text) if name == "sm2" else recipe["unseal"](key, context, text)


def refused(*arguments):
    try:
        opened(*arguments)
    except recipe["Undecryptable"]:
        return True
    return False


def is_no_key(name, key):
    """A fault of the server is told as one, and never as a fault of a text."""
    try:
        load(name, key)
    except recipe["Undecryptable"]:
        return False
    except (ValueError, TypeError):
        return True
    return False


for name, way, length in (("x25519", 4, 192), ("p256", 5, 225), ("sm2", 6, 285), ("rsa", 7, 256)):
    raw, public = new_key(way)
    key, other = load(name, raw), load(name, new_key(way)[0])
    pem = b"-----BEGIN PRIVATE KEY-----\n" + raw
    for fault in (b"", raw[:-1], raw[:16] + raw, raw.hex().encode(), pem, bytes(32), b"\xff" * 32):
        # Every 32 bytes are a key of X25519.
        check(is_no_key(name, fault) != (name == "x25519" and len(fault) == 32), "%s: a key of %r" % (name, fault[:40]))
    for password in (b"", b"1", b"kgcx879@", "한글é".encode(), b"x" * 15, b"x" * 16, b"x" * 17, b"x" * 128):
        for context in (b"", b"challenge 17", bytes(256)):
            text = seal(way, public, context, password)
            what = "%s, %d bytes, context of %d" % (name, len(password), len(context))
            check(len(text) == length, what)
            check(opened(name, key, context, text) == password, what)
            check(refused(name, key, context + b"\0", text), what + ": another context")
            check(refused(name, other, context, text), what + ": another key")
    for place in range(length):
        changed = bytearray(text)
        changed[place] ^= 1
        check(refused(name, key, context, bytes(changed)), "%s: changed at %d" % (name, place))
        check(refused(name, key, context, text[:place]), "%s: cut at %d" % (name, place))


def command_line(key, context, text, status=1):
    """What the commands leave in the file `block`; None if they fail, with this exit status."""
    with tempfile.TemporaryDirectory() as folder:
        files = {"context": context, "text": text, "private.pem": key}
        for name in files:
            with open(os.path.join(folder, name), "wb") as file:
                file.write(files[name])
        ended = subprocess.run(["sh", "-c", commands[0]], cwd=folder, capture_output=True)
        block = os.path.join(folder, "block")
        check((ended.returncode == 0) == os.path.exists(block), "the commands: %r" % ended)
        check(ended.returncode in (0, status), "the commands: %r" % ended)
        if ended.returncode != 0:
            return None
        with open(block, "rb") as file:
            return file.read()


key, public = new_key(7)
pem = load_der_private_key(key, None).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
for password in (b"", b"kgcx879@", b"x" * 128):
    for context in (b"", b"challenge 17", bytes(256)):
        text = seal(7, public, context, password)
        block = command_line(pem, context, text)
        check(block is not None and recipe["unpad"](block) == password, "the commands, %d bytes" % len(password))
        check(command_line(pem, context + b"\0", text) is None, "the commands take another context")
        check(command_line(pem, context, text[:-1] + bytes([text[-1] ^ 1])) is None, "the commands take another text")
        check(command_line(b"no key", context, text, status=2) is None, "the commands take something else for a key")


def sign(private, context, text):
    signature, length = ctypes.create_string_buffer(64), ctypes.c_size_t()
    call("signText", 0, private, size(32), context, size(len(context)), text, size(len(text)), signature, size(64),
         ctypes.byref(length))
    return signature.raw[: length.value]


key, public = new_key(5)
_, other = new_key(5)
for context in (b"", b"challenge 17", bytes(256)):
    for text in (b"", b"a sealed text", bytes(1000)):
        signature = sign(key, context, text)
        what = "signature, %d and %d bytes" % (len(context), len(text))
        check(recipe["verify"](public, context, text, signature), what)
        check(not recipe["verify"](other, context, text, signature), what + ": another key")
        check(not recipe["verify"](public, context + b"\0", text, signature), what + ": another context")
        check(not recipe["verify"](public, context, text + b"\0", signature), what + ": another text")
        check(not recipe["verify"](public, context, text, signature[:-1]), what + ": cut")
for place in range(64):
    changed = bytearray(signature)
    changed[place] ^= 1
    check(not recipe["verify"](public, context, text, bytes(changed)), "signature changed at %d" % place)
print("recipe: %d checks" % checks)
