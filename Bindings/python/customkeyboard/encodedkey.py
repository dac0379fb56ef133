# Keys in DER, as OpenSSL and others write them: where a key is, and what it is.
#
# Sources: RFC 5958 (PKCS#8), RFC 5915 (SEC 1), RFC 8017 (PKCS#1), RFC 5280 and RFC 5480 (SubjectPublicKeyInfo),
# RFC 8410 (X25519).
#
# SPDX-License-Identifier: Apache-2.0
"""Keys in DER."""

from __future__ import annotations

import ctypes
import mmap
from typing import NamedTuple, Optional, Union

from ._library import library
from .secret import Given, Secret

Buffer = Union[mmap.mmap, bytearray]

_WAYS = {"X25519": 4, "P256": 5, "SM2": 6}  # CUSTOM_ENCWAY


_ALGORITHMS = {"1.3.101.110": "X25519", "1.2.840.113549.1.1.1": "RSA"}
_CURVES = {"1.2.840.10045.3.1.7": "P256", "1.2.156.10197.1.301": "SM2"}
_CURVE_KEY, _PSS = "1.2.840.10045.2.1", "1.2.840.113549.1.1.10"
_UNDER_PASSWORD = ("1.2.840.113549.1.5.", "1.2.840.113549.1.12.1.")
_OTHERS = {
    "1.3.101.111": "X448", "1.3.101.112": "Ed25519", "1.3.101.113": "Ed448", "1.3.132.0.34": "P-384",
    "1.3.132.0.35": "P-521", "1.3.132.0.10": "secp256k1", "1.2.840.10040.4.1": "DSA",
}  # fmt: skip

FORM = "it is not a whole key in hexadecimal digits, base64url, PEM, DER or bytes"
REQUEST = "it is a certificate request; its public key: openssl req -in {file} -pubkey -noout -out public.pem"
PKCS7 = "it is PKCS#7; its certificates: openssl pkcs7 -in {file} -print_certs -out certificates.pem"
_PKCS12 = "it is PKCS#12; its key: (umask 077; openssl pkcs12 -in {file} -nodes -out private.pem)"
PASSWORD = "its key is under a password: (umask 077; openssl pkey -in {file} -out plain.pem) takes it off"
RSA_PUBLIC = "it is PKCS#1; as others are: openssl rsa -RSAPublicKey_in -in {file} -pubout -out public.pem"
_EXPLICIT = (
    "its curve is given by numbers; by its name: "
    "(umask 077; openssl pkey -in {file} -ec_param_enc named_curve -out named.pem)"
)
_PSS_ONLY = (
    "its key of RSA is only for signatures of RSASSA-PSS; another: "
    "(umask 077; openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072 -out private.pem)"
)
_COMPRESSED = (
    "its point has one coordinate; both: openssl pkey -pubin -in {file} -ec_conv_form uncompressed -out key.pem"
)
OTHER_PAIR = "it holds a private key, and with it the public key of another one"


# In the first bytes of a key's DER, which may be cut: identifiers of algorithms; SEC 1; PKCS#1.
BEGINNINGS = (b"\x06\x03\x2b\x65", b"\x06\x07\x2a\x86", b"\x06\x09\x2a\x86", b"\x02\x01\x01\x04\x20",
              b"\x02\x01\x00\x02\x82")  # fmt: skip


class NoKey(Exception):
    """What a file is instead of a key, with a command that makes one."""


class EncodedKey(NamedTuple):
    """A key of PEM or DER. The ranges are of the buffer."""

    way: str
    is_public: bool
    key: range
    public: Optional[range] = None  # beside a private key


_INTEGER, _BITS, _OCTETS, _OBJECT, _SEQUENCE = 0x02, 0x03, 0x04, 0x06, 0x30
_ZEROTH, _FIRST, _FIRST_BITS = 0xA0, 0xA1, 0x81  # [0] and [1] with elements; [1] with the bytes of a bit string


class _DER:
    """Elements, one after another. Lengths that are longer than needed, or past the end, are faults."""

    def __init__(self, memory: Buffer, place: range) -> None:
        self.memory, self.at, self.end = memory, place.start, place.stop

    def follows(self, tag: int) -> bool:
        return self.at < self.end and self.memory[self.at] == tag

    def take(self, tag: int) -> range:
        """The contents of the next element."""
        if not self.follows(tag) or self.at + 2 > self.end:
            raise NoKey(FORM)
        length, start = self.memory[self.at + 1], self.at + 2
        if length >= 0x80:
            count = length - 0x80
            if not 1 <= count <= 2 or start + count > self.end:
                raise NoKey(FORM)
            length = int.from_bytes(self.memory[start : start + count], "big")
            start += count
            if length < (0x80 if count == 1 else 0x100):
                raise NoKey(FORM)
        if start + length > self.end:
            raise NoKey(FORM)
        self.at = start + length
        return range(start, self.at)

    def inside(self, tag: int) -> "_DER":
        return _DER(self.memory, self.take(tag))

    def version(self) -> int:
        number = self.take(_INTEGER)
        if len(number) != 1:
            raise NoKey(FORM)
        return self.memory[number.start]

    def bits(self, tag: int = _BITS) -> range:
        """The bytes of a bit string that has whole bytes."""
        place = self.take(tag)
        if not place or self.memory[place.start] != 0:
            raise NoKey(FORM)
        return place[1:]

    def name(self) -> str:
        """An object identifier, as people write it."""
        numbers: list[int] = []
        value = 0
        for at in self.take(_OBJECT):
            byte = self.memory[at]
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                numbers += [value] if numbers else [min(value // 40, 2), value - 40 * min(value // 40, 2)]
                value = 0
        return ".".join(map(str, numbers))

    def finish(self) -> None:
        if self.at != self.end:
            raise NoKey(FORM)


def in_der(memory: Buffer, place: range) -> EncodedKey:
    try:
        return _key(memory, place)
    except NoKey as error:
        if str(error) != FORM:
            raise
    try:
        inside = _DER(memory, place).inside(_SEQUENCE).inside(_SEQUENCE)
        if inside.follows(_ZEROTH):
            inside.take(_ZEROTH)
        inside.take(_INTEGER)
        for _ in range(4):  # the signature's algorithm, the issuer, the dates, the subject
            inside.take(_SEQUENCE)
        start = inside.at
    except NoKey:
        raise NoKey(_name_der(memory, place))
    return _key(memory, range(start, inside.take(_SEQUENCE).stop))


def _name_der(memory: Buffer, place: range) -> str:
    """What DER is that holds another thing than a key."""
    try:
        whole = _DER(memory, place)
        outer = whole.inside(_SEQUENCE)
        whole.finish()
        if outer.follows(_OBJECT):
            return PKCS7
        if not outer.follows(_INTEGER):
            contents = outer.inside(_SEQUENCE)
            return REQUEST if contents.version() == 0 and contents.follows(_SEQUENCE) else FORM
        outer.take(_INTEGER)
        if outer.follows(_SEQUENCE):
            return _PKCS12
        outer.take(_INTEGER)
        outer.finish()
        return RSA_PUBLIC
    except NoKey:
        return FORM


def _key(memory: Buffer, place: range) -> EncodedKey:
    whole = _DER(memory, place)
    key = whole.inside(_SEQUENCE)
    whole.finish()
    if key.follows(_SEQUENCE):
        found = _public(key, place)
    else:
        # PKCS#8 has version 0, or 1 if a public key is in it, and then a sequence. SEC 1 has version 1, and then the
        # key. PKCS#1 has version 0, and then numbers.
        version = key.version()
        if version > 1:
            raise NoKey(FORM)
        if key.follows(_SEQUENCE):
            found = _pkcs8(key)
        elif version == 0:
            found = _pkcs1(key, place)
        else:
            found = _sec1(key, None)
    key.finish()
    return found


def _public(key: _DER, place: range) -> EncodedKey:
    way, point = _algorithm(key), key.bits()
    if way == "RSA":
        return EncodedKey(way, True, place)
    if way != "X25519" and len(point) == 33:
        raise NoKey(_COMPRESSED)
    if len(point) != (32 if way == "X25519" else 65):
        raise NoKey(FORM)
    return EncodedKey(way, True, point)


def _pkcs8(key: _DER) -> EncodedKey:
    way, contents = _algorithm(key), key.take(_OCTETS)
    inner = _DER(key.memory, contents)
    if key.follows(_ZEROTH):  # attributes
        key.take(_ZEROTH)
    public = key.bits(_FIRST_BITS) if key.follows(_FIRST_BITS) else None
    if way == "X25519":
        found = EncodedKey(way, False, inner.take(_OCTETS))
        if len(found.key) != 32:
            raise NoKey(FORM)
    else:
        elements = inner.inside(_SEQUENCE)
        if elements.version() != (0 if way == "RSA" else 1):
            raise NoKey(FORM)
        found = _pkcs1(elements, contents) if way == "RSA" else _sec1(elements, way)
        elements.finish()
    inner.finish()
    if public and found.public and not _same(key.memory, public, found.public):
        raise NoKey(OTHER_PAIR)
    return found._replace(public=public or found.public)


def _pkcs1(key: _DER, place: range) -> EncodedKey:
    for _ in range(8):
        key.take(_INTEGER)
    return EncodedKey("RSA", False, place)


def _sec1(key: _DER, way: Optional[str]) -> EncodedKey:
    """What follows the version. `way` is the curve that PKCS#8 names."""
    scalar, public = key.take(_OCTETS), None
    if key.follows(_ZEROTH):
        parameters = key.inside(_ZEROTH)
        named = _curve(parameters)
        parameters.finish()
        if way not in (None, named):
            raise NoKey(FORM)
        way = named
    if key.follows(_FIRST):
        second = key.inside(_FIRST)
        public = second.bits()
        second.finish()
    if way is None or len(scalar) != 32:
        raise NoKey(FORM)
    return EncodedKey(way, False, scalar, public)


def _algorithm(key: _DER) -> str:
    algorithm = key.inside(_SEQUENCE)
    name = algorithm.name()
    way = _ALGORITHMS.get(name)
    if way == "RSA" and algorithm.take(0x05):  # NULL
        raise NoKey(FORM)
    if way is None:
        if name != _CURVE_KEY:
            raise NoKey(_fault(name))
        way = _curve(algorithm)
    algorithm.finish()
    return way


def _curve(elements: _DER) -> str:
    if elements.follows(_SEQUENCE):
        raise NoKey(_EXPLICIT)
    name = elements.name()
    if name not in _CURVES:
        raise NoKey(_fault(name))
    return _CURVES[name]


def _fault(name: str) -> str:
    """What an algorithm or a curve is that the library does not have."""
    if name == _PSS:
        return _PSS_ONLY
    if name.startswith(_UNDER_PASSWORD):
        return PASSWORD
    return f"its key is one of {_OTHERS.get(name, name)}, not of X25519, P-256, SM2 or RSA"


def is_pair(memory: Buffer, found: EncodedKey, key: Secret) -> bool:
    """Whether the public key beside a private one is its own."""
    assert found.public is not None
    if found.way == "RSA":
        try:
            own, beside = _DER(memory, found.key).inside(_SEQUENCE), _DER(memory, found.public).inside(_SEQUENCE)
            own.version()
            return all(_same(memory, own.take(_INTEGER), beside.take(_INTEGER)) for _ in range(2))
        except NoKey:
            return False
    point, length = ctypes.create_string_buffer(65), ctypes.c_size_t()
    # The call that uses it tells that a private key is wrong.
    if library.CustomKeyboard_publicKey(_WAYS[found.way], *Given(key), point, 65, ctypes.byref(length)):
        return True
    own_key, written = point.raw[: length.value], bytes(memory[found.public.start : found.public.stop])
    half = bytes([2 + (own_key[-1] & 1)]) + own_key[1:33]  # one coordinate, and the other's sign
    return written == own_key or (len(written) == 33 and written == half)


def _same(memory: Buffer, one: range, other: range) -> bool:
    return len(one) == len(other) and all(memory[a] == memory[b] for a, b in zip(one, other))
