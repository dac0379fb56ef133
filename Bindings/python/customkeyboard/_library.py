# The C library, its codes and its functions, as ctypes calls them. Every call releases the interpreter's lock.
#
# SPDX-License-Identifier: Apache-2.0
"""The C library beneath the package. Nothing here is for programs."""

from __future__ import annotations

import ctypes
import operator
import os
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from enum import IntEnum
from typing import Any

MAX_PASSWORD = 128
MAX_TEXT = 144
MAX_CONTEXT = 256
MAX_SEALED = 1280
MAX_KEYS = 37
OPAQUE_KE2, OPAQUE_STATE = 320, 128


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
    """A call that did not succeed. `code` says why, and the text is the library's sentence about what was wrong.

    It never carries a password, a key or a text, and may be logged.
    """

    code: Code

    def __init__(self, code: int, cause: str = "") -> None:
        self.code = Code(code)
        self._cause = cause or library.CustomKeyboard_message(code).decode()
        super().__init__(f"{self.code.name}: {self._cause}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (int(self.code), self._cause)


class InvalidKey(KeyboardError):
    """ERR: a key of a wrong length or value, or none. The server's fault, never the user's."""


class InvalidContext(KeyboardError):
    """ERR: no context, or one that the way does not take: set_context was forgotten, or a card's number is wrong."""


class Undecryptable(KeyboardError):
    """UNDECRYPTABLE: a text that is wrong in any way: altered, or for another key, way or context."""


class Mismatch(KeyboardError):
    """MISMATCH of `OPAQUEState.check`: the client did not know the password, or has other terms."""


class Refused(KeyboardError):
    """REFUSED: what is typed cannot become this text; see get_text and seal_typed."""


KINDS: dict[int, type[KeyboardError]] = {
    Code.ERR: InvalidKey,
    Code.UNDECRYPTABLE: Undecryptable,
    Code.MISMATCH: Mismatch,
    Code.REFUSED: Refused,
}


def failure(code: int, cause: str = "") -> KeyboardError:
    """The error of a code: with the sentence of the code, if there is no cause."""
    if code == Code.ERR and "context" in cause:  # no sentence about a key has this word
        return InvalidContext(code, cause)
    return KINDS.get(code, KeyboardError)(code, cause)


def answered(code: int) -> None:
    """Raises what a call has just answered in this thread, unless it was OK."""
    if code:
        raise failure(code, library.CustomKeyboard_cause().decode())


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


class TermsOfC(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("context", c_char_p),
        ("context_length", c_size_t),
        ("client", c_char_p),
        ("client_length", c_size_t),
        ("server", c_char_p),
        ("server_length", c_size_t),
        ("memory_kib", c_uint32),
        ("passes", c_uint32),
        ("lanes", c_uint32),
    ]


TextFieldOfC = ctypes.CFUNCTYPE(None, c_void_p, c_uint64, c_size_t)
OKActionOfC = ctypes.CFUNCTYPE(None, c_void_p, c_uint64)


def _whole(kind: Any, least: int, most: int, refused: int) -> Any:
    """A type of arguments. ctypes would cut off the upper half of a number that is too large for C. Such a number
    becomes `refused`, which every function answers with ARGUMENT."""

    class Whole:
        @staticmethod
        def from_param(value: Any) -> Any:
            number = operator.index(value)
            return kind(number if least <= number <= most else refused)

    return Whole


Size = _whole(c_size_t, 0, ctypes.c_size_t(-1).value, ctypes.c_size_t(-1).value)
Word = _whole(c_uint32, 0, 2**32 - 1, 2**32 - 1)
Number = _whole(c_int, -(2**31), 2**31 - 1, -1)  # of an enumeration


BYTES = [c_void_p, Size]  # const uint8_t *, size_t
PLACE = [c_void_p, Size, POINTER(c_size_t), POINTER(c_size_t)]  # space, its size; offset and length in it
ROOM = [c_void_p, Size, POINTER(c_size_t)]  # buffer, its capacity; the length

# The arguments of each function of custom_keyboard.h that the package uses. All answer a code, but those of ANSWERS.
FUNCTIONS: dict[str, list[Any]] = {
    "version": [],
    "message": [Number],
    "cause": [],
    "ruleMessage": [Number],
    "create": [POINTER(c_uint64)],
    "destroy": [c_uint64],
    "setEncKey": [c_uint64, *BYTES, Number],
    "open": [c_uint64],
    "close": [c_uint64],
    "input": [c_uint64, *BYTES],
    "deleteBackward": [c_uint64],
    "clear": [c_uint64],
    "count": [c_uint64, POINTER(c_size_t)],
    "getText": [c_uint64, *PLACE],
    "setLayout": [c_uint64, Number, Number, Size],
    "setSize": [c_uint64, c_double, c_double, c_double, c_double],
    "keys": [c_uint64, POINTER(KeyOfC), Size, POINTER(c_size_t)],
    "pressKey": [c_uint64, Size],
    "touch": [c_uint64, c_double, c_double],
    "setTextField": [c_uint64, TextFieldOfC, c_void_p],
    "setOKAction": [c_uint64, OKActionOfC, c_void_p],
    "addRule": [c_uint64, Number, Size, *BYTES],
    "clearRules": [c_uint64],
    "checkPattern": [*BYTES, POINTER(c_size_t)],
    "check": [c_uint64, POINTER(c_size_t)],
    "checkRule": [c_uint64, Number, Size, *BYTES],
    "compare": [c_uint64, c_uint64],
    "makeVerifier": [c_uint64, *BYTES, *ROOM],
    "checkVerifier": [c_uint64, *BYTES, c_char_p],
    "deriveKey": [c_uint64, *BYTES, *BYTES, Word, Word, *BYTES],
    "decrypt": [Number, *BYTES, *BYTES, *PLACE],
    "decryptBatch": [Number, c_void_p, Size],
    "setContext": [c_uint64, *BYTES],
    "sealTyped": [c_uint64, Number, *BYTES, *BYTES, *PLACE],
    "unseal": [Number, *BYTES, *BYTES, *BYTES, *PLACE],
    "unsealBatch": [Number, *BYTES, c_void_p, Size],
    "receive": [c_uint64, Number, *BYTES, *BYTES, *BYTES],
    "generateKey": [Number, *ROOM, *ROOM],
    "publicKey": [Number, *BYTES, *ROOM],
    "signText": [Number, *BYTES, *BYTES, *BYTES, *ROOM],
    "verifyText": [Number, *BYTES, *BYTES, *BYTES, *BYTES],
    "dukptInitialKey": [Number, *BYTES, *BYTES, *ROOM],
    "dukptKey": [Number, *BYTES, *BYTES, *ROOM],
    "opaqueSetup": [*ROOM, *ROOM],
    "opaqueRespond": [*BYTES, *BYTES, *BYTES, *ROOM],
    "opaqueAnswer": [*BYTES, *BYTES, *BYTES, POINTER(TermsOfC), *BYTES, *ROOM, *ROOM],
    "opaqueCheck": [*BYTES, *BYTES, *ROOM],
}
# Not for Python: a terminal's registers are kept by the terminal's own program, and bare block ciphers have no padding.
# OPAQUE has its server here; its client is the keyboard of a person's device.
LEFT_OUT = {
    "dukptLoad", "dukptNext", "setupCipher", "cryptECB", "wipeCipher", "opaqueRegister", "opaqueRecord", "opaqueLogin",
    "opaqueFinish",
}  # fmt: skip
ANSWERS = {"version": c_char_p, "message": c_char_p, "cause": c_char_p, "ruleMessage": c_char_p}


def load() -> ctypes.CDLL:
    """The library beside this file, or the one that CUSTOM_KEYBOARD_LIBRARY names (for tests)."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libcustomkeyboard.so")
    loaded = ctypes.CDLL(os.environ.get("CUSTOM_KEYBOARD_LIBRARY") or beside)
    for name, arguments in FUNCTIONS.items():
        function = getattr(loaded, "CustomKeyboard_" + name)
        function.argtypes = arguments
        function.restype = ANSWERS.get(name, c_int)
        function.errcheck = _insist_open
    return loaded


def _insist_open(answer: Any, _: Any, arguments: tuple[Any, ...]) -> Any:
    """A secret that another thread closes during a call is zeros there: a wrong key, whose answer may look like a
    person's wrong PIN, or like success. Raises ValueError instead."""
    for argument in arguments:
        secret = getattr(argument, "secret", None)
        if secret is not None:
            secret._check()
    return answer


library = load()
