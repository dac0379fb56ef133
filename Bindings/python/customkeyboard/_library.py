# The C library, its codes and its functions, as ctypes calls them. Every call releases the interpreter's lock.
#
# SPDX-License-Identifier: Apache-2.0
"""The C library beneath the package. Nothing here is for programs."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from enum import IntEnum
from typing import Any

MAX_PASSWORD = 128
MAX_TEXT = 144
MAX_CONTEXT = 256
MAX_SEALED = 1280
MAX_KEYS = 37


class Code(IntEnum):
    """What a call answered: CUSTOM_KEYBOARD_RV of the C header, with the same numbers."""

    OK = 0
    ERR = 1
    OP_DISABLE = 2
    MAXLEN = 3
    SPACE = 4
    ARGUMENT = 5
    UNDECRYPTABLE = 6
    MEMORY = 7
    RANDOM = 8
    MISMATCH = 9
    REFUSED = 10
    EXISTS = 11
    NOT_FOUND = 12
    LOCKED = 13
    DAMAGED = 14
    STORAGE = 15
    BUSY = 16


class KeyboardError(Exception):
    """A call that did not succeed. `code` says why, and the text is the library's sentence about it.

    It never carries a password, a key or a text, and may be logged.
    """

    code: Code

    def __init__(self, code: int) -> None:
        self.code = Code(code)
        super().__init__(f"{self.code.name}: {library.CustomKeyboard_message(code).decode()}")

    def __reduce__(self) -> tuple[Any, ...]:
        return KeyboardError, (int(self.code),)


class InvalidKey(KeyboardError):
    """ERR: a key of a wrong length or value, or none. The server's fault, never the user's."""


class Undecryptable(KeyboardError):
    """UNDECRYPTABLE: a text that is wrong in any way: altered, or for another key, way or context."""


class Refused(KeyboardError):
    """REFUSED: what is typed cannot become this text; see get_text and seal_typed."""


KINDS: dict[int, type[KeyboardError]] = {
    Code.ERR: InvalidKey,
    Code.UNDECRYPTABLE: Undecryptable,
    Code.REFUSED: Refused,
}


def failure(code: int) -> KeyboardError:
    return KINDS.get(code, KeyboardError)(code)


def answered(code: int) -> None:
    """Raises what a call answered, unless it was OK."""
    if code:
        raise failure(code)


class Grid(ctypes.Structure):
    _fields_ = [("row", c_int), ("column", c_int), ("row_span", c_int), ("column_span", c_int)]


class KeyOfC(ctypes.Structure):
    _fields_ = [
        ("grid", Grid),
        ("x", c_double),
        ("y", c_double),
        ("width", c_double),
        ("height", c_double),
        ("role", c_int),
        ("label", ctypes.c_char * 16),
    ]


TextFieldOfC = ctypes.CFUNCTYPE(None, c_void_p, c_uint64, c_size_t)
OKActionOfC = ctypes.CFUNCTYPE(None, c_void_p, c_uint64)

BYTES = [c_void_p, c_size_t]  # const uint8_t *, size_t
PLACE = [c_void_p, c_size_t, POINTER(c_size_t), POINTER(c_size_t)]  # space, its size; offset and length in it
ROOM = [c_void_p, c_size_t, POINTER(c_size_t)]  # buffer, its capacity; the length

# The arguments of each function of custom_keyboard.h that the package uses. All answer a code, but those of ANSWERS.
FUNCTIONS: dict[str, list[Any]] = {
    "version": [],
    "message": [c_int],
    "ruleMessage": [c_int],
    "create": [POINTER(c_uint64)],
    "destroy": [c_uint64],
    "setEncKey": [c_uint64, *BYTES, c_int],
    "open": [c_uint64],
    "close": [c_uint64],
    "input": [c_uint64, *BYTES],
    "deleteBackward": [c_uint64],
    "clear": [c_uint64],
    "count": [c_uint64, POINTER(c_size_t)],
    "getText": [c_uint64, *PLACE],
    "setLayout": [c_uint64, c_int, c_int, c_size_t],
    "setSize": [c_uint64, c_double, c_double, c_double, c_double],
    "keys": [c_uint64, POINTER(KeyOfC), c_size_t, POINTER(c_size_t)],
    "pressKey": [c_uint64, c_size_t],
    "touch": [c_uint64, c_double, c_double],
    "setTextField": [c_uint64, TextFieldOfC, c_void_p],
    "setOKAction": [c_uint64, OKActionOfC, c_void_p],
    "addRule": [c_uint64, c_int, c_size_t, *BYTES],
    "clearRules": [c_uint64],
    "checkPattern": [*BYTES, POINTER(c_size_t)],
    "check": [c_uint64, POINTER(c_size_t)],
    "checkRule": [c_uint64, c_int, c_size_t, *BYTES],
    "compare": [c_uint64, c_uint64],
    "makeVerifier": [c_uint64, *BYTES, *ROOM],
    "checkVerifier": [c_uint64, *BYTES, c_char_p],
    "deriveKey": [c_uint64, *BYTES, *BYTES, c_uint32, c_uint32, *BYTES],
    "decrypt": [c_int, *BYTES, *BYTES, *PLACE],
    "decryptBatch": [c_int, c_void_p, c_size_t],
    "setContext": [c_uint64, *BYTES],
    "sealTyped": [c_uint64, c_int, *BYTES, *BYTES, *PLACE],
    "unseal": [c_int, *BYTES, *BYTES, *BYTES, *PLACE],
    "unsealBatch": [c_int, *BYTES, c_void_p, c_size_t],
    "receive": [c_uint64, c_int, *BYTES, *BYTES, *BYTES],
    "generateKey": [c_int, *ROOM, *ROOM],
    "publicKey": [c_int, *BYTES, *ROOM],
    "signText": [c_int, *BYTES, *BYTES, *BYTES, *ROOM],
    "verifyText": [c_int, *BYTES, *BYTES, *BYTES, *BYTES],
    "dukptInitialKey": [c_int, *BYTES, *BYTES, *ROOM],
    "dukptKey": [c_int, *BYTES, *BYTES, *ROOM],
}
# Not for Python: a terminal's registers are kept by the terminal's own program, and bare block ciphers have no padding.
LEFT_OUT = {"dukptLoad", "dukptNext", "setupCipher", "cryptECB", "wipeCipher"}
ANSWERS = {"version": c_char_p, "message": c_char_p, "ruleMessage": c_char_p}


def load() -> ctypes.CDLL:
    """The library beside this file, or the one that CUSTOM_KEYBOARD_LIBRARY names (for tests)."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libcustomkeyboard.so")
    loaded = ctypes.CDLL(os.environ.get("CUSTOM_KEYBOARD_LIBRARY") or beside)
    for name, arguments in FUNCTIONS.items():
        function = getattr(loaded, "CustomKeyboard_" + name)
        function.argtypes = arguments
        function.restype = ANSWERS.get(name, c_int)
    return loaded


library = load()
