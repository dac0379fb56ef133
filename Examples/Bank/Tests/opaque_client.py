"""Registers and logs in at the bank by OPAQUE, with keyboards of the C library: what is typed never leaves them.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import hashlib
import hmac
import os
import sys

from bank import bearer
from sealing import decode, encode

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
PATH = os.environ.get("KEYBOARD_LIBRARY") or os.path.join(ROOT, "build", "libcustomkeyboard.so")
if not os.path.exists(PATH):
    sys.exit("opaque: %s is missing: make library" % PATH)
LIBRARY = ctypes.CDLL(PATH)
CONTEXT = b"CustomKeyboard bank 1"
REQUEST, RECORD, KE1, KE3, KEY = 32, 192, 96, 64, 64


class Terms(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("context", ctypes.c_char_p), ("contextLength", ctypes.c_size_t),
                ("client", ctypes.c_char_p), ("clientLength", ctypes.c_size_t), ("server", ctypes.c_char_p),
                ("serverLength", ctypes.c_size_t), ("memoryKiB", ctypes.c_uint32), ("passes", ctypes.c_uint32),
                ("lanes", ctypes.c_uint32)]


def terms(*costs):
    return Terms(ctypes.sizeof(Terms), CONTEXT, len(CONTEXT), None, 0, None, 0, *costs)


# A server does not know what a guess costs its clients: here the least.
CHEAP, USUAL = terms(8, 1, 1), terms()


class Typed:
    """A keyboard with a PIN."""

    def __init__(self, pin, terms=CHEAP):
        self.handle, self.terms = ctypes.c_uint64(), terms
        self.call("create", ctypes.byref(self.handle))
        self.call("open", self.handle)
        self.call("input", self.handle, pin.encode(), ctypes.c_size_t(len(pin)))

    def __del__(self):
        LIBRARY.CustomKeyboard_destroy(self.handle)

    def call(self, name, *arguments, may=()):
        code = getattr(LIBRARY, "CustomKeyboard_" + name)(*arguments)
        if code not in (0, *may):
            raise AssertionError("%s: %d" % (name, code))
        return code == 0

    def request(self):
        return self.message("opaqueRegister", REQUEST)

    def ke1(self):
        return self.message("opaqueLogin", KE1)

    def message(self, name, size):
        space = ctypes.create_string_buffer(size)
        self.call(name, self.handle, space, ctypes.c_size_t(size), ctypes.byref(ctypes.c_size_t()))
        return space.raw

    def record(self, response):
        space = ctypes.create_string_buffer(RECORD)
        self.call("opaqueRecord", self.handle, response, ctypes.c_size_t(len(response)), ctypes.byref(self.terms),
                  space, ctypes.c_size_t(RECORD), ctypes.byref(ctypes.c_size_t()), None)
        return space.raw

    def finish(self, ke2):
        """KE3 and the session key; None for another PIN, or another server."""
        ke3, key = (ctypes.create_string_buffer(size) for size in (KE3, KEY))
        is_right = self.call("opaqueFinish", self.handle, ke2, ctypes.c_size_t(len(ke2)), ctypes.byref(self.terms),
                             ke3, ctypes.c_size_t(KE3), ctypes.byref(ctypes.c_size_t()), key, None, may=(9,))
        return (ke3.raw, key.raw) if is_right else None


def session_of(key):
    """What the bank makes of the session key, too."""
    return encode(hmac.new(key, b"CustomKeyboard bank session", hashlib.sha256).digest()[:16])


# ---- The protocol ---------------------------------------------------------------------------------------------------


def begin(client, account, ke1):
    return client.ask("POST", "/api/opaque/login", {"account": account, "ke1": encode(ke1)})


def finish(client, step, ke3):
    return client.ask("POST", "/api/opaque/finish", {"step": step, "ke3": encode(ke3)})


def end(client, typed, begun):
    """What comes after KE2: the last status, the answer, and the session. The status is None for another PIN."""
    status, answer = begun
    if status != 200:
        return status, answer, None
    made = typed.finish(decode(answer["ke2"]))
    if made is None:
        return None, answer, None
    return (*finish(client, answer["step"], made[0]), session_of(made[1]))


def login(client, account, pin, terms=CHEAP):
    typed = Typed(pin, terms)
    return end(client, typed, begin(client, account, typed.ke1()))


def ask_to_register(client, account, typed, session=None):
    return client.ask("POST", "/api/opaque/register", {"account": account, "request": encode(typed.request())},
                      headers=bearer(session) if session else "")


def send_record(client, step, record, ke1):
    return client.ask("POST", "/api/opaque/record", {"step": step, "record": encode(record), "ke1": encode(ke1)})


def register(client, account, pin, again=None, session=None, terms=CHEAP):
    """As `login`: a record is stored when a login with it has succeeded."""
    typed, second = Typed(pin, terms), Typed(again or pin, terms)
    status, answer = ask_to_register(client, account, typed, session)
    if status != 200:
        return status, answer, None
    record = typed.record(decode(answer["response"]))
    return end(client, second, send_record(client, answer["step"], record, second.ke1()))
