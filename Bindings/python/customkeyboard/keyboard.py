# The keyboard: what is typed or received, and what may be done with it.
#
# SPDX-License-Identifier: Apache-2.0
"""A keyboard that holds a password and hands out only texts."""

from __future__ import annotations

import ctypes
import sys
import traceback
import weakref
from ctypes import byref, c_size_t, c_uint64, create_string_buffer
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Callable, Optional, Union

from ._library import MAX_KEYS, Code, KeyOfC, OKActionOfC, TextFieldOfC, answered, failure, library
from .secret import BytesLike, Given, Secret

Input = Union[BytesLike, Secret]


class Way(IntEnum):
    """How a password is encrypted: CUSTOM_ENCWAY of the C header. Take X25519 or XWING if nothing speaks against it."""

    DES = 0
    TRIPLE_DES = 1
    SM4 = 2
    SM4_GCM = 3
    X25519 = 4
    P256 = 5
    SM2 = 6
    RSA = 7
    XWING = 8
    PIN0 = 9
    PIN1 = 10
    PIN3 = 11
    PIN4 = 12


class Layout(IntEnum):
    """Which keys there are: CUSTOM_KEYBOARD_LAYOUT of the C header."""

    LETTERS = 0
    DIGITS = 1
    SYMBOLS = 2
    MIXED = 3
    PIN = 4
    PIN_DECOYS = 5
    PATTERN = 6


class Shuffle(IntEnum):
    """When keys change places: CUSTOM_KEYBOARD_SHUFFLE of the C header."""

    NONE = 0
    EACH_OPENING = 1
    EACH_KEY = 2


class Role(IntEnum):
    """What a key does: CUSTOM_KEYBOARD_ROLE of the C header."""

    CHARACTER = 0
    SPACE = 1
    DELETE = 2
    CLEAR = 3
    SHIFT = 4
    TO_LETTERS = 5
    TO_DIGITS = 6
    TO_SYMBOLS = 7
    RETURN = 8
    BLANK = 9
    NODE = 10


class Rule(IntEnum):
    """What a passcode must not be: CUSTOM_KEYBOARD_RULE of the C header."""

    MIN_LENGTH = 0
    MAX_LENGTH = 1
    DIGITS = 2
    ALPHANUMERIC = 3
    SAME = 4
    RUN = 5
    PAIRS = 6
    DOUBLES = 7
    TEXT = 8
    DATE = 9
    PHONE = 10
    COMMON = 11
    MATCH = 12
    NOT_MATCH = 13

    @property
    def message(self) -> str:
        """One sentence in English for the person whose passcode the rule refuses."""
        message: bytes = library.CustomKeyboard_ruleMessage(self)
        return message.decode()


@dataclass(frozen=True)
class Key:
    """A key of the page that is up. Rows and columns count from 1; the frame is in points."""

    row: int
    column: int
    row_span: int
    column_span: int
    x: float
    y: float
    width: float
    height: float
    role: Role
    label: str = field(repr=False)  # a log of labels and touches is the password


class Keyboard:
    """A keyboard: idle at first; `open` shows it, or `receive` opens it with the password of a text.

    Any thread may call anything, and the interpreter's lock is released meanwhile. All methods raise KeyboardError with
    the code that the C function of the same name answers. In the child of a fork a keyboard is idle, empty and without
    a key.

    >>> with Keyboard() as keyboard:
    ...     keyboard.receive(Way.X25519, private_key, challenge, text)
    ...     right = keyboard.check_verifier(stored, pepper)
    """

    def __init__(self) -> None:
        """Raises KeyboardError: MEMORY."""
        if hasattr(self, "_handle"):
            raise TypeError("a Keyboard is made once")  # The one that it has could not be destroyed any more.
        handle = c_uint64()
        self._handle = 0
        self._changed: Optional[Callable[[int], None]] = None
        self._action: Optional[Callable[[], None]] = None
        answered(library.CustomKeyboard_create(byref(handle)))
        self._handle = handle.value
        _keyboards[self._handle] = self

    def destroy(self) -> None:
        """Wipes everything and ends the keyboard; doing it twice is allowed. `with` and the object's end do it too."""
        handle, self._handle = self._handle, 0
        if handle:
            library.CustomKeyboard_destroy(handle)

    def __enter__(self) -> "Keyboard":
        return self

    def __exit__(self, *_: object) -> None:
        self.destroy()

    def __del__(self) -> None:
        try:
            self.destroy()
        except (AttributeError, TypeError):
            pass  # It was never made, or the interpreter ends.

    def __repr__(self) -> str:
        return "<Keyboard>"

    def __reduce__(self) -> str:
        raise TypeError("a Keyboard cannot be pickled or copied")

    # ---- Typing ------------------------------------------------------------------------------------------------------

    def set_enc_key(self, key: Input, way: Way) -> None:
        """Sets the key that passwords are encrypted with; for a way that seals, the recipient's public key.

        Raises ARGUMENT (no such way), OP_DISABLE (the keyboard is up), InvalidKey (length or value), MEMORY, RANDOM.
        """
        given = Given(key)
        answered(library.CustomKeyboard_setEncKey(self._handle, *given, way))

    def set_context(self, context: Input) -> None:
        """Sets what the next texts are sealed for, 0 to 256 bytes: the server's challenge and the purpose; for a PIN
        block the card's number. `close` removes it. Raises MAXLEN."""
        given = Given(context)
        answered(library.CustomKeyboard_setContext(self._handle, *given))

    def open(self) -> None:
        """Shows the keyboard: nothing is typed, the keys are shuffled. Raises OP_DISABLE, MEMORY, RANDOM."""
        answered(library.CustomKeyboard_open(self._handle))

    def close(self) -> None:
        """Wipes what was typed, the keys' order and the context. Raises OP_DISABLE."""
        answered(library.CustomKeyboard_close(self._handle))

    def input(self, utf8: Input) -> None:
        """Appends whole characters in UTF-8. Raises ARGUMENT (not UTF-8), OP_DISABLE, MAXLEN (over 128 bytes)."""
        given = Given(utf8)
        answered(library.CustomKeyboard_input(self._handle, *given))

    def delete_backward(self) -> None:
        """Removes the last character. Raises OP_DISABLE."""
        answered(library.CustomKeyboard_deleteBackward(self._handle))

    def clear(self) -> None:
        """Wipes what was typed; the keyboard stays up. Raises OP_DISABLE."""
        answered(library.CustomKeyboard_clear(self._handle))

    @property
    def count(self) -> int:
        """The number of characters typed, as people count them; 0 while idle."""
        count = c_size_t()
        answered(library.CustomKeyboard_count(self._handle, byref(count)))
        return count.value

    def get_text(self) -> bytes:
        """Encrypts what was typed: the text alone, as long as it is.

        Raises OP_DISABLE, InvalidKey (none), InvalidContext (none, or one that the way does not take), Refused,
        MEMORY, RANDOM.
        """
        return _exactly(lambda *place: library.CustomKeyboard_getText(self._handle, *place))

    def get_text_into(self, space: Union[bytearray, memoryview]) -> slice:
        """Fills the space with random bytes and puts the text at a random place in it. Returns where it is.

        Raises what get_text raises, and SPACE.
        """
        return _placed(space, lambda *place: library.CustomKeyboard_getText(self._handle, *place))

    def seal_typed(self, way: Way, key: Input, context: Input) -> bytes:
        """get_text for another recipient: a way that seals, its public key and a context. Those that were set stay.

        Raises ARGUMENT (no way that seals), OP_DISABLE, MAXLEN (context), InvalidKey, Refused, MEMORY, RANDOM.
        """
        given_key, given_context = Given(key), Given(context)
        return _exactly(
            lambda *place: library.CustomKeyboard_sealTyped(self._handle, way, *given_key, *given_context, *place)
        )

    # ---- Keys and touches --------------------------------------------------------------------------------------------

    def set_layout(self, layout: Layout, shuffle: Shuffle = Shuffle.EACH_OPENING, maximum_count: int = 0) -> None:
        """Which keys there are, and when they change places; `maximum_count` characters complete the input (0: no
        limit). Raises ARGUMENT, OP_DISABLE."""
        answered(library.CustomKeyboard_setLayout(self._handle, layout, shuffle, maximum_count))

    def set_size(self, width: float, height: float, column_gap: float = 6, row_gap: float = 8) -> None:
        """The view's size and the gaps between keys, in points. Raises ARGUMENT."""
        answered(library.CustomKeyboard_setSize(self._handle, width, height, column_gap, row_gap))

    def keys(self) -> list[Key]:
        """The keys of the page that is up, from the upper left to the lower right. Raises OP_DISABLE."""
        keys, count = (KeyOfC * MAX_KEYS)(), c_size_t()
        answered(library.CustomKeyboard_keys(self._handle, keys, MAX_KEYS, byref(count)))
        listed = []
        for key in keys[: count.value]:
            grid = key.grid
            listed.append(
                Key(grid.row, grid.column, grid.row_span, grid.column_span, key.x, key.y, key.width, key.height,
                    Role(key.role), key.label.decode())
            )  # fmt: skip
        ctypes.memset(keys, 0, ctypes.sizeof(keys))
        return listed

    def press_key(self, index: int) -> None:
        """Presses a key of the list. Look at `keys` again. Raises ARGUMENT, OP_DISABLE, MAXLEN, MEMORY, RANDOM."""
        answered(library.CustomKeyboard_pressKey(self._handle, index))

    def touch(self, x: float, y: float) -> None:
        """Presses the key at a point. Raises ARGUMENT (outside the view), and what press_key raises."""
        answered(library.CustomKeyboard_touch(self._handle, x, y))

    def set_text_field(self, changed: Optional[Callable[[int], None]]) -> None:
        """Sets what is called with the count of characters after every call that changed it. An exception inside is
        printed, and changes nothing. Raises MEMORY."""
        self._changed = changed
        answered(library.CustomKeyboard_setTextField(self._handle, _changed_of_c, None))

    def set_ok_action(self, action: Optional[Callable[[], None]]) -> None:
        """Sets what is called when the input is complete: the place for get_text. Raises MEMORY."""
        self._action = action
        answered(library.CustomKeyboard_setOKAction(self._handle, _action_of_c, None))

    # ---- Passcodes ---------------------------------------------------------------------------------------------------

    def receive(self, way: Way, key: Input, context: Input, text: Input) -> None:
        """Opens an idle keyboard with the password of a text, as if it had been typed: it is never in Python's memory.
        `key` is the private key (of ECB the secret one), and `context` what the text was sealed for.

        Raises OP_DISABLE (it is up), MAXLEN, InvalidKey, InvalidContext (one that the way does not take),
        Undecryptable, MEMORY, RANDOM. Load keys first, and let only Undecryptable mean that a person typed wrongly.
        """
        given_key, given_context, given_text = Given(key), Given(context), Given(text)
        answered(library.CustomKeyboard_receive(self._handle, way, *given_key, *given_context, *given_text))

    def add_rule(self, rule: Rule, number: int = 0, text: str = "") -> None:
        """Adds a rule that `check` looks at. Raises ARGUMENT, MAXLEN (a long text, a 17th rule), MEMORY."""
        given = Given(text.encode())
        answered(library.CustomKeyboard_addRule(self._handle, rule, number, *given))

    def clear_rules(self) -> None:
        """Wipes all rules."""
        answered(library.CustomKeyboard_clearRules(self._handle))

    def check(self) -> Optional[int]:
        """The index of the first rule that refuses what is typed, in the order of adding; None if all accept it.

        Raises OP_DISABLE, MEMORY.
        """
        broken = c_size_t()
        code = library.CustomKeyboard_check(self._handle, byref(broken))
        if code == Code.REFUSED:
            return broken.value
        answered(code)
        return None

    def is_refused(self, rule: Rule, number: int = 0, text: str = "") -> bool:
        """Whether one rule, which is kept nowhere, refuses what is typed; `checkRule` of C. Raises ARGUMENT,
        OP_DISABLE, MAXLEN, MEMORY."""
        given = Given(text.encode())
        code = library.CustomKeyboard_checkRule(self._handle, rule, number, *given)
        return _verdict(code, Code.REFUSED)

    def has_same_password(self, other: "Keyboard") -> bool:
        """Whether the same is typed in two keyboards, in constant time; `compare` of C. Raises OP_DISABLE."""
        return not _verdict(library.CustomKeyboard_compare(self._handle, other._handle), Code.MISMATCH)

    def make_verifier(self, pepper: Input = b"") -> str:
        """Argon2id of what is typed, 19 MiB and two passes, as a PHC string to store. Raises OP_DISABLE, MAXLEN (a
        pepper over 64 bytes), MEMORY, RANDOM."""
        given, verifier, length = Given(pepper), create_string_buffer(128), c_size_t()
        answered(
            library.CustomKeyboard_makeVerifier(self._handle, *given, verifier, len(verifier), byref(length))
        )
        return verifier.value.decode()

    def check_verifier(self, verifier: str, pepper: Input = b"") -> bool:
        """Whether a verifier belongs to what is typed or received. Count attempts, and bound how many run at once.

        Raises ARGUMENT (no verifier), OP_DISABLE, MAXLEN (pepper), MEMORY.
        """
        if "\0" in verifier:
            raise failure(Code.ARGUMENT, "The verifier has a NUL inside, where it would end in C.")
        given = Given(pepper)
        code = library.CustomKeyboard_checkVerifier(self._handle, *given, verifier.encode())
        return not _verdict(code, Code.MISMATCH)

    def derive_key(self, salt: BytesLike, pepper: Input = b"", *, memory_kib: int = 0, passes: int = 0,
                   length: int = 32) -> Secret:  # fmt: skip
        """A raw key of what is typed, for what must be unreadable without the person: Argon2id; 19456 KiB and two
        passes if neither is given. The salt has 8 to 64 bytes and is drawn once for each key; length 16 to 64.

        Raises ARGUMENT, OP_DISABLE, MAXLEN, MEMORY.
        """
        given_salt, given_pepper, key = Given(salt), Given(pepper), Secret(length=length)
        room = Given(key)
        answered(
            library.CustomKeyboard_deriveKey(self._handle, *given_salt, *given_pepper, memory_kib, passes, *room)
        )
        return key


def _verdict(code: int, no: Code) -> bool:
    """Whether a call answered the code of its verdict; another but OK is raised."""
    if code == no:
        return True
    answered(code)
    return False


def _exactly(call: Callable[..., int]) -> bytes:
    """The text of a call that fills a space, in a space as long as the text."""
    offset, length = c_size_t(), c_size_t()
    code = call(None, 0, byref(offset), byref(length))
    if code != Code.SPACE:
        answered(code)
    space = create_string_buffer(length.value)
    answered(call(space, len(space), byref(offset), byref(length)))
    return space.raw


def _placed(space: Union[bytearray, memoryview], call: Callable[..., int]) -> slice:
    """Where a call put its text in a space of the caller's."""
    view = memoryview(space).cast("B")
    if view.readonly:
        raise TypeError("the space must be writable: a bytearray, for example")
    room = (ctypes.c_char * len(view)).from_buffer(view) if len(view) else None
    offset, length = c_size_t(), c_size_t()
    answered(call(room, len(view), byref(offset), byref(length)))
    return slice(offset.value, offset.value + length.value)


_keyboards: weakref.WeakValueDictionary[int, Keyboard] = weakref.WeakValueDictionary()


def _changed(_: object, handle: int, count: int) -> None:
    keyboard = _keyboards.get(handle)
    _guarded(keyboard._changed if keyboard else None, count)


def _completed(_: object, handle: int) -> None:
    keyboard = _keyboards.get(handle)
    _guarded(keyboard._action if keyboard else None)


def _guarded(call: Optional[Callable[..., None]], *arguments: object) -> None:
    """No exception may cross C."""
    try:
        if call:
            call(*arguments)
    except Exception:
        traceback.print_exc(file=sys.stderr)


# C gets the same two functions for all keyboards, and they are never freed: whatever another thread sets meanwhile, C
# calls a function that exists.
_changed_of_c, _action_of_c = TextFieldOfC(_changed), OKActionOfC(_completed)
