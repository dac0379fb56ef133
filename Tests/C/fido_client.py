"""libcustomfido.so, called from Python as a C program calls it: a client, and what was answered and checked so far.
sys.argv[1] is the folder of the libraries.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import ctypes
import json
import os
import sys

BUILD = sys.argv[1]
KEYBOARD = ctypes.CDLL(os.path.join(BUILD, "libcustomkeyboard.so"), mode=ctypes.RTLD_GLOBAL)
VAULT = ctypes.CDLL(os.path.join(BUILD, "libcustomvault.so"), mode=ctypes.RTLD_GLOBAL)
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
answered = set()  # all numbers that a function has answered


class Recorded:
    """A library whose functions' answers are remembered."""

    def __init__(self, library):
        self.library = library

    def __getattr__(self, name):
        function = getattr(self.library, name)

        def call(*arguments):
            result = function(*arguments)
            answered.add(result)
            return result
        return call


FIDO = Recorded(ctypes.CDLL(os.path.join(BUILD, "libcustomfido.so")))
FACET = "ios:bundle-id:com.example.bank"
APP = "https://bank.example/facets"
FACETS = json.dumps({"trustedFacets": [{"version": {"major": 1, "minor": 0}, "ids": ["ios:bundle-id:x", FACET]}]})
PASSCODE, PATTERN = 1, 2
AAIDS = {PASSCODE: "C0DE#0001", PATTERN: "C0DE#0002"}
ARGUMENT, MISMATCH, REFUSED = 5, 9, 10
EACH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)

counted = {"checks": 0, "assertions": 0}


def check(got, expected, what=""):
    counted["checks"] += 1
    if got != expected:
        raise AssertionError(f"fido_server: {what or 'a check'}: expected {expected!r}, got {got!r}")


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    check(set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), True, text)
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class State(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("tries", ctypes.c_uint32), ("seconds", ctypes.c_uint32),
                ("locks", ctypes.c_uint32)]


def typed(text, layout=None):
    """An open keyboard with something typed."""
    keyboard = ctypes.c_uint64()
    check(KEYBOARD.CustomKeyboard_create(ctypes.byref(keyboard)), 0)
    if layout is not None:
        check(layout(keyboard), 0)
    check(KEYBOARD.CustomKeyboard_open(keyboard), 0)
    check(KEYBOARD.CustomKeyboard_input(keyboard, text.encode(), ctypes.c_size_t(len(text.encode()))), 0)
    return keyboard


class Client:
    def __init__(self, folder, facet=FACET, aaids=AAIDS):
        self.vault, self.fido = ctypes.c_uint64(), ctypes.c_uint64()
        check(VAULT.CustomVault_open(ctypes.byref(self.vault), os.path.join(folder, "vault").encode(), b"k" * 32,
                                     ctypes.c_size_t(32)), 0)
        check(FIDO.CustomFido_create(ctypes.byref(self.fido), self.vault, facet.encode()), 0)
        for authenticator, aaid in aaids.items():
            check(FIDO.CustomFido_setAAID(self.fido, authenticator, aaid.encode()), 0)

    def close(self):
        check(FIDO.CustomFido_destroy(self.fido), 0)
        check(VAULT.CustomVault_close(self.vault), 0)

    def begin(self, message, facets=FACETS, binding=None):
        text = message if isinstance(message, bytes) else json.dumps(message).encode()
        return FIDO.CustomFido_begin(self.fido, text, ctypes.c_size_t(len(text)), facets and facets.encode(),
                                     binding and binding.encode())

    def finish(self, authenticator, passcode, user=None, again=None):
        first = typed(passcode)
        second = typed(again) if again is not None else ctypes.c_uint64(0)
        result = FIDO.CustomFido_finish(self.fido, authenticator, user and user.encode(), first, second)
        for keyboard in (first, second):
            if keyboard.value:
                check(KEYBOARD.CustomKeyboard_destroy(keyboard), 0)
        return result

    def text(self, function, *arguments):
        space, length = ctypes.create_string_buffer(200_000), ctypes.c_size_t()
        result = function(self.fido, *arguments, space, ctypes.c_size_t(len(space)), ctypes.byref(length))
        if result != 0:
            return result
        check(space.raw[length.value], 0)
        return space.raw[:length.value].decode()

    def response(self):
        return json.loads(self.text(FIDO.CustomFido_response))

    def choices(self):
        each, count = (ctypes.c_int * 2)(), ctypes.c_size_t()
        check(FIDO.CustomFido_choices(self.fido, each, ctypes.c_size_t(2), ctypes.byref(count)), 0)
        return list(each[:count.value])

    def accounts(self, authenticator):
        names = []
        each = EACH(lambda _, name: names.append(name.decode()) or 0)
        check(FIDO.CustomFido_accounts(self.fido, authenticator, each, None), 0)
        return sorted(names)

    def state(self, authenticator):
        state = ctypes.c_int()
        check(FIDO.CustomFido_state(self.fido, authenticator, ctypes.byref(state)), 0)
        answered.add(state.value)
        return state.value

    def option(self, authenticator, option, value):
        return FIDO.CustomFido_setOption(self.fido, authenticator, option, ctypes.c_int64(value))

    def change(self, authenticator, current, new):
        keyboards = typed(current), typed(new)
        result = FIDO.CustomFido_change(self.fido, authenticator, *keyboards)
        for keyboard in keyboards:
            check(KEYBOARD.CustomKeyboard_destroy(keyboard), 0)
        return result
