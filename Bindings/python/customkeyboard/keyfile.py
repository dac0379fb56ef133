# Files of keys, in the forms that people have: hexadecimal digits, base64url, PEM, DER, bytes. All is decoded where it
# is, in locked memory: a secret is never in an object of Python's. The form of PEM is that of RFC 7468.
#
# SPDX-License-Identifier: Apache-2.0
"""Keys in files."""

from __future__ import annotations

import os
import shlex
from enum import IntEnum
from typing import Optional

from .encodedkey import (
    BEGINNINGS, FORM, OTHER_PAIR, PASSWORD, PKCS7, REQUEST, RSA_PUBLIC, Buffer, EncodedKey, NoKey, in_der, is_pair,
)  # fmt: skip
from .secret import Path, Secret

__all__ = ["read_public_key"]

_SECRET_LENGTHS = {
    "DES": (8,), "TRIPLE_DES": (16, 24), "SM4": (16,), "SM4_GCM": (16,), "X25519": (32,), "P256": (32,), "SM2": (32,),
    "RSA": (), "XWING": (32,), "PIN0": (16, 24), "PIN1": (16, 24), "PIN3": (16, 24), "PIN4": (16, 24, 32),
}  # fmt: skip
_PUBLIC_LENGTHS = {"X25519": (32,), "P256": (65,), "SM2": (65,), "RSA": (), "XWING": (1216,)}
_KEYS = (16, 24, 32, 65, 1216)  # lengths of keys where the way is not told

OPENSSH = (
    "it is in OpenSSH's form; a copy in another: cp {file} private.pem && ssh-keygen -p -m PKCS8 -f private.pem"
)
OPENSSH_PUBLIC = "it is in OpenSSH's form; in PEM: ssh-keygen -e -m PKCS8 -f {file} > public.pem"
_DECORATED = "give its hexadecimal digits without 0x, and with nothing between them"
_LABELS = {
    b"CERTIFICATE REQUEST": REQUEST, b"NEW CERTIFICATE REQUEST": REQUEST, b"ENCRYPTED PRIVATE KEY": PASSWORD,
    b"RSA PUBLIC KEY": RSA_PUBLIC, b"OPENSSH PRIVATE KEY": OPENSSH, b"PKCS7": PKCS7, b"CMS": PKCS7,
}  # fmt: skip


def read_key(path: Path, way: Optional[IntEnum], group: bool) -> Secret:
    """What Secret.read_key does."""
    with Secret.read(path, group=group) as whole:
        try:
            memory = whole._map
            place, found = _find(memory, whole._places(), way.name if way is not None else None, is_public=False)
            with memoryview(memory) as view:
                key = Secret(view[place.start : place.stop])
            if found and found.public and not is_pair(memory, found, key):
                raise NoKey(OTHER_PAIR)
            return key
        except NoKey as error:
            reason = str(error)
    raise _error(path, reason)


def read_digits(path: Path, group: bool) -> Secret:
    """What migration.read_hexadecimal does."""
    with Secret.read(path, group=group) as whole:
        try:
            place = _decode(whole._map, whole._places(), _DIGITS, 4)
        except NoKey:
            place = range(0)
        if place:
            with memoryview(whole._map) as view:
                return Secret(view[place.start : place.stop])
    raise ValueError(f"{os.fspath(path)}: pairs of hexadecimal digits are wanted")


def read_public_key(path: Path, way: Optional[IntEnum] = None) -> bytes:
    """A public key from a file, of a certificate too, as `Keyboard.set_enc_key` and `verify_text` take it: hexadecimal
    digits, base64url, PEM, DER or bytes. `way` is a Way or a SignWay. Nothing of a certificate is checked. Raises
    ValueError for another file; the text says what it is, and which command makes a key of it."""
    with open(path, "rb") as file:
        data = bytearray(file.read(1 << 16))
    try:
        place, _ = _find(data, range(len(data)), way.name if way is not None else None, is_public=True)
        return bytes(data[place.start : place.stop])
    except NoKey as error:
        reason = str(error)
    raise _error(path, reason)


def _error(path: Path, reason: str) -> ValueError:
    # Not inside `except`: what is shown of this has no other error in it.
    return ValueError(f"{os.fspath(path)}: {reason}".replace("{file}", shlex.quote(os.fspath(path))))


def _find(memory: Buffer, place: range, way: Optional[str], is_public: bool) -> tuple[range, Optional[EncodedKey]]:
    """Where the key is, after it was decoded; and what PEM or DER says of it."""
    lengths = (_PUBLIC_LENGTHS if is_public else _SECRET_LENGTHS).get(way or "")
    found: Optional[EncodedKey]
    if memory.find(b"-----BEGIN ", place.start, place.stop) >= 0:
        found = _in_pem(memory, place, way, is_public)
    else:
        place, is_text = _decode_text(memory, place, lengths)
        try:
            found = in_der(memory, place)
        except NoKey as error:
            _insist_bare(memory, place, way, lengths, str(error) if not is_text else FORM)
            return place, None
    if way is not None and found.way != way:
        raise NoKey(f"its key is one of {found.way}, not of {way}")
    if found.is_public and not is_public:
        raise NoKey("it holds a public key, and the private one is wanted")
    if is_public and not found.is_public:
        raise NoKey("it holds a private key; its public key: openssl pkey -in {file} -pubout -out public.pem")
    return found.key, found


def _insist_bare(
    memory: Buffer, place: range, way: Optional[str], lengths: Optional[tuple[int, ...]], fault: str
) -> None:
    """Raises what is wrong with a key that is neither PEM nor DER, if something is."""
    is_der = len(place) > 0 and memory[place.start] == 0x30
    if is_der and any(memory.find(begin, place.start, place.start + 24) > 0 for begin in BEGINNINGS):
        raise NoKey(fault)  # It is cut, and no part of it is a key.
    if len(place) in (lengths or ()):
        return
    name = _name_text(memory, place) if fault == FORM else fault
    if len(place) == 0 or name != FORM:
        raise NoKey(name)
    if lengths is not None:
        wanted = " or ".join(map(str, lengths)) + " bytes" if lengths else "PEM or DER"
        raise NoKey(f"it has {len(place)} bytes: a key of {way} has {wanted}")


# ---- Text ------------------------------------------------------------------------------------------------------------

_SPACE = frozenset(b" \t\n\v\f\r")
_DIGITS = {digit: int(chr(digit), 16) for digit in b"0123456789abcdefABCDEF"}
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_BASE64 = {letter: value for value, letter in enumerate(_LETTERS + b"+/")}
_BASE64URL = {letter: value for value, letter in enumerate(_LETTERS + b"-_")}


def _decode_text(memory: Buffer, place: range, lengths: Optional[tuple[int, ...]]) -> tuple[range, bool]:
    """Decodes hexadecimal digits and base64url. Returns where the bytes are, and whether they were text."""
    if all(memory[at] in _DIGITS or memory[at] in _SPACE for at in place):
        return _decode(memory, place, _DIGITS, 4), True
    if not all(memory[at] in _BASE64URL or memory[at] in _SPACE or memory[at] == 0x3D for at in place):
        return place, False
    name = _name_text(memory, place)
    if name != FORM:
        raise NoKey(name)
    count = sum(memory[at] in _BASE64URL for at in place)
    # Bare bytes may all be characters of base64url. Where no way is told, it has the length of a key.
    is_key = len(place) not in _KEYS and count * 3 // 4 in _KEYS if lengths is None else len(place) not in lengths
    return (_decode(memory, place, _BASE64URL, 6), True) if is_key else (place, False)


def _decode(memory: Buffer, place: range, digits: dict[int, int], size: int) -> range:
    """Decodes digits of `size` bits in place. Space between them is skipped, and so is the padding of base64."""
    written, value, bits, padding = place.start, 0, 0, 0
    for at in place:
        byte = memory[at]
        if byte in _SPACE:
            continue
        if byte == 0x3D and size == 6:
            padding += 1
            continue
        digit = digits.get(byte)
        if digit is None or padding:
            raise NoKey(FORM)
        value, bits = value << size | digit, bits + size
        if bits >= 8:
            bits -= 8
            memory[written] = value >> bits
            written += 1
            value &= (1 << bits) - 1
    # What is left of the last digit is zero, and a group of base64 is filled up; base64url's need not be.
    is_filled = padding == {0: 0, 2: 1, 4: 2}.get(bits)
    if value or bits == 6 or (size == 4 and bits) or not (is_filled or digits is _BASE64URL and padding == 0):
        raise NoKey("it has an odd number of hexadecimal digits" if size == 4 else FORM)
    return range(place.start, written)


def _name_text(memory: Buffer, place: range) -> str:
    """What a text is that holds another thing than a key."""
    start = next((at for at in place if memory[at] not in _SPACE), place.stop)
    begin = bytes(memory[start : min(start + 11, place.stop)])
    # Bare bytes are hardly ever such a text.
    if begin[:2] == b"\xff\xfe" and begin[3:6:2] == b"\0\0":
        return "it is UTF-16; in ASCII: iconv -f UTF-16 -t ASCII {file}"
    if begin[:1] == b"{" and begin[1:2] in (b'"', b" ", b"\n") and memory[place.stop - 1] in b"}\n":
        return "it is JSON: give the key in PEM, DER or base64url"
    if begin[:4] == b"ssh-" or begin == b"ecdsa-sha2-":
        return OPENSSH_PUBLIC
    allowed = _SPACE | _DIGITS.keys() | frozenset(b"xX:,-")
    if len(place) > 1 and all(memory[at] in allowed for at in place):
        return _DECORATED
    return FORM


def _in_pem(memory: Buffer, place: range, way: Optional[str], is_public: bool) -> EncodedKey:
    """The key that serves, of several; if none does, the first one. A file may have several objects, with text around
    them."""
    first: Optional[EncodedKey] = None
    fault: Optional[NoKey] = None
    at = place.start
    while (begin := memory.find(b"-----BEGIN ", at, place.stop)) >= 0:
        label_end = memory.find(b"-----", begin + 11, min(begin + 80, place.stop))
        label = bytes(memory[begin + 11 : label_end]) if label_end >= 0 else b""
        end = memory.find(b"-----END " + label + b"-----", begin, place.stop) if label else -1
        if end < 0:
            raise NoKey(FORM)
        at = end + len(label) + 14
        if label.endswith(b"PARAMETERS"):
            continue
        try:
            found = _in_block(memory, label, range(label_end + 5, end))
            if found.is_public == is_public and way in (None, found.way):
                return found
            first = first or found
        except NoKey as error:
            fault = fault or error
    # A key under a password says more than the certificate before it.
    if fault or not first:
        raise fault or NoKey(FORM)
    return first


def _in_block(memory: Buffer, label: bytes, digits: range) -> EncodedKey:
    if label in _LABELS:
        raise NoKey(_LABELS[label])
    # The older way to encrypt a key has lines in front of the digits.
    if memory.find(b"Proc-Type:", digits.start, digits.stop) >= 0:
        raise NoKey(PASSWORD)
    return in_der(memory, _decode(memory, digits, _BASE64, 6))
