# What needs no keyboard: keys, opening texts, signatures, the host's keys of DUKPT.
#
# SPDX-License-Identifier: Apache-2.0
"""Keys, texts and signatures, with no keyboard."""

from __future__ import annotations

from ctypes import byref, c_size_t, create_string_buffer
from enum import IntEnum
from typing import Callable, Optional

from ._library import MAX_PASSWORD, Code, answered, library
from .keyboard import Input, Way, _verdict
from .secret import BytesLike, Given, Secret

__all__ = ["SignWay", "DUKPT", "check_pattern", "decrypt", "dukpt_initial_key", "dukpt_key", "generate_key",
           "public_key", "sign_text", "unseal", "verify_text"]  # fmt: skip


class SignWay(IntEnum):
    """How a text is signed: CUSTOM_SIGNWAY of the C header."""

    P256 = 0
    SM2 = 1
    RSA = 2


class DUKPT(IntEnum):
    """How a terminal gets its keys: CUSTOM_DUKPT of the C header."""

    TDES = 0
    AES128 = 1
    AES192 = 2
    AES256 = 3
    AES_2TDEA = 4
    AES_3TDEA = 5


def decrypt(way: Way, key: Input, text: Input) -> Secret:
    """The password of an ECB text. `Keyboard.receive` opens it without showing it to Python.

    Raises ARGUMENT (no way of ECB's), InvalidKey, MAXLEN (a text over 144 bytes), Undecryptable, MEMORY, RANDOM.
    """
    given_key, given_text = Given(key), Given(text)
    return _opened(lambda *place: library.CustomKeyboard_decrypt(way, *given_key, *given_text, *place))


def unseal(way: Way, key: Input, context: Input, text: Input) -> Secret:
    """The password of a sealed text. `Keyboard.receive` does it without showing the password to Python.

    Raises ARGUMENT (an ECB way), MAXLEN (context), InvalidKey, Undecryptable, MEMORY, RANDOM.
    """
    given_key, given_context, given_text = Given(key), Given(context), Given(text)
    return _opened(
        lambda *place: library.CustomKeyboard_unseal(way, *given_key, *given_context, *given_text, *place)
    )


def generate_key(way: Way) -> tuple[Secret, bytes]:
    """A new private key and its public key, of a way that seals but RSA. SM4_GCM has no public key: b"".

    Raises ARGUMENT, MEMORY, RANDOM.
    """
    return _pair(lambda *rooms: library.CustomKeyboard_generateKey(way, *rooms))


def public_key(way: Way, private_key: Input) -> bytes:
    """The public key of a private key of X25519, P256, SM2 or XWING. Raises ARGUMENT, InvalidKey, MEMORY."""
    given = Given(private_key)
    return _fitting(lambda *room: library.CustomKeyboard_publicKey(way, *given, *room))


def sign_text(way: SignWay, key: Input, context: BytesLike, text: BytesLike) -> bytes:
    """A signature of a text of any length in a context of 0 to 256 bytes. Raises ARGUMENT, MAXLEN, InvalidKey, MEMORY,
    RANDOM."""
    given_key, given_context, given_text = Given(key), Given(context), Given(text)
    return _fitting(
        lambda *room: library.CustomKeyboard_signText(way, *given_key, *given_context, *given_text, *room)
    )


def verify_text(way: SignWay, public_key: BytesLike, context: BytesLike, text: BytesLike, signature: BytesLike) -> bool:
    """Whether a signature is right. Take key, way and context from your own record. Raises ARGUMENT, MAXLEN,
    InvalidKey, MEMORY."""
    given_key, given_context = Given(public_key), Given(context)
    given_text, given_signature = Given(text), Given(signature)
    code = library.CustomKeyboard_verifyText(way, *given_key, *given_context, *given_text, *given_signature)
    return not _verdict(code, Code.MISMATCH)


def check_pattern(pattern: str) -> Optional[int]:
    """None if a pattern for a rule is well-formed; else the place of its fault, in bytes of UTF-8. Raises MAXLEN,
    MEMORY."""
    given, position = Given(pattern.encode()), c_size_t()
    code = library.CustomKeyboard_checkPattern(*given, byref(position))
    return position.value if _verdict(code, Code.ARGUMENT) else None


def dukpt_initial_key(scheme: DUKPT, base_key: Input, ksn: BytesLike) -> Secret:
    """The initial key of a terminal, from the base key and its key serial number. Raises ARGUMENT, InvalidKey (a
    length), MEMORY."""
    given_key, given_ksn = Given(base_key), Given(ksn)
    return _secret(lambda *room: library.CustomKeyboard_dukptInitialKey(scheme, *given_key, *given_ksn, *room))


def dukpt_key(scheme: DUKPT, base_key: Input, ksn: BytesLike) -> Secret:
    """The host's PIN encryption key of one transaction, for `Keyboard.receive`. Raises ARGUMENT, InvalidKey (a length,
    or a counter that cannot be), MEMORY."""
    given_key, given_ksn = Given(base_key), Given(ksn)
    return _secret(lambda *room: library.CustomKeyboard_dukptKey(scheme, *given_key, *given_ksn, *room))


def _opened(call: Callable[..., int]) -> Secret:
    """A password, moved to the beginning of a secret as long as it."""
    offset, length = c_size_t(), c_size_t()
    with Secret(length=MAX_PASSWORD) as space:
        room = Given(space)
        answered(call(*room, byref(offset), byref(length)))
        with space.view() as view, view[offset.value : offset.value + length.value] as password:
            return Secret(password)


def _fitting(call: Callable[..., int]) -> bytes:
    """What a call writes into a buffer, after it told the length."""
    length = c_size_t()
    code = call(None, 0, byref(length))
    if code != Code.SPACE:
        answered(code)
    buffer = create_string_buffer(length.value)
    answered(call(buffer, len(buffer), byref(length)))
    return buffer.raw[: length.value]


def _pair(call: Callable[..., int]) -> tuple[Secret, bytes]:
    """A secret and what is public of it, after the call told both lengths."""
    private_length, public_length = c_size_t(), c_size_t()
    code = call(None, 0, byref(private_length), None, 0, byref(public_length))
    if code != Code.SPACE:
        answered(code)
    private, public = Secret(length=private_length.value), create_string_buffer(public_length.value or 1)
    room = Given(private)
    answered(call(*room, byref(private_length), public, public_length.value, byref(public_length)))
    return private, public.raw[: public_length.value]


def _secret(call: Callable[..., int]) -> Secret:
    """The same for what is secret."""
    length = c_size_t()
    code = call(None, 0, byref(length))
    if code != Code.SPACE:
        answered(code)
    key = Secret(length=length.value)
    room = Given(key)
    answered(call(*room, byref(length)))
    return key
