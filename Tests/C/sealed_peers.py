#!/usr/bin/env python3
"""Sealed texts between this library and others, in both directions: HPKE as written down in RFC 9180, on Python's
`cryptography`, and X-Wing as in FIPS 203, in Python; SM4-GCM of libgcrypt; SM2 of OpenSSL; RSA of `cryptography`. A
peer that is missing is a failure.

    sealed_peers.py libcustomkeyboard.so hpke.txt

SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import ctypes.util
import functools
import hashlib
import os
import random
import sys

try:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import padding, rsa
except ImportError as error:
    sys.exit(f"sealed_peers.py: Python's cryptography is needed (Debian: python3-cryptography): {error}")

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Python"))
import xwing  # noqa: E402
from hpke import BLOCK, HPKE, pad  # noqa: E402

OK, SPACE, UNDECRYPTABLE = 0, 4, 6
SM4_GCM, X25519, P256, SM2, RSA, XWING = 3, 4, 5, 6, 7, 8
TEXT_LENGTHS = {SM4_GCM: 172, X25519: 192, P256: 225, SM2: 285, XWING: 1280}
LONGEST_PASSWORD, LONGEST_CONTEXT, LONGEST_SPACE = 128, 256, 2048
checks = 0
now = ""  # what is being tested, for the message
seed = int(os.environ.get("SEED") or random.SystemRandom().getrandbits(62))
numbers = random.Random(seed)


def check(is_right, what):
    global checks
    checks += 1
    if not is_right:
        sys.exit(f"sealed_peers.py: {now}: {what}; run again with SEED={seed}")


def load(name, *others):
    for candidate in (name, *others):
        try:
            return ctypes.CDLL(candidate)
        except OSError:
            pass
    sys.exit(f"sealed_peers.py: {name} is needed and was not found")


# ---- HPKE, by the RFC's steps -------------------------------------------------------------------------------------

class RFCKeys(HPKE):
    """Draws its keys from the test's seed, and a wrong tag is a failure."""

    def new_private(self):
        return numbers.randrange(1, 1 << 255).to_bytes(32, "big")

    def encapsulate(self, public):
        return xwing.seal(public, numbers.randbytes(64)) if self.is_xwing else super().encapsulate(public)

    def open(self, private, context, text):
        try:
            return super().open(private, context, text)
        except InvalidTag:
            return check(False, "the peer finds another tag")


def check_hpke(file):
    """The peer itself, against the RFC's vectors."""
    global now
    now = "HPKE vectors"
    count = 0
    for line in open(file, encoding="ascii"):
        if line.startswith("#"):
            continue
        name, *fields = line.split()
        info, ephemeral, enc, private, public, secret, context, key, nonce, clear, aad, with_aad, without = (
            bytes.fromhex(field.strip("-")) for field in fields)
        hpke = RFCKeys(name)
        check(hpke.public(private) == public, "public keys")
        if hpke.is_xwing:
            found, sealed = xwing.seal(public, ephemeral)
        else:
            found, sealed = hpke.public(ephemeral), hpke.exchange(ephemeral, public)
        check(found == enc, "the encapsulated key")
        for dh in sealed, hpke.decapsulate(private, enc):
            check(hpke.schedule(dh, enc, public, info) == (secret, context, key, nonce), "the schedule")
        check(hpke.aead(key).encrypt(nonce, clear, aad) == with_aad, "the ciphertext")
        check(hpke.open(private, info, enc + without) == clear, "the text")
        count += 1
    check(count == 24, f"expected 24, got {count}")


# ---- SM4-GCM of libgcrypt -------------------------------------------------------------------------------------------

class SM4GCM:
    GCRY_CIPHER_SM4, GCRY_CIPHER_MODE_GCM = 318, 9

    def __init__(self):
        self.library = load("libgcrypt.so.20")
        self.library.gcry_check_version.restype = ctypes.c_char_p
        self.library.gcry_check_version.argtypes = [ctypes.c_char_p]
        check(self.library.gcry_check_version(b"1.9.0") is not None, "libgcrypt 1.9 or later is needed, for SM4")
        for name in ("close", "setkey", "setiv", "authenticate", "encrypt", "decrypt", "gettag", "checktag"):
            getattr(self.library, "gcry_cipher_" + name).argtypes = None

    def run(self, direction, key, nonce, data, text):
        """The other text, and its tag."""
        def call(name, *arguments):
            code = getattr(self.library, "gcry_cipher_" + name)(*arguments)
            check(code == 0, f"gcry_cipher_{name} answered {code}")
        handle, size = ctypes.c_void_p(), ctypes.c_size_t
        call("open", ctypes.byref(handle), self.GCRY_CIPHER_SM4, self.GCRY_CIPHER_MODE_GCM, 0)
        call("setkey", handle, key, size(len(key)))
        call("setiv", handle, nonce, size(len(nonce)))
        if data:
            call("authenticate", handle, data, size(len(data)))
        output, tag = ctypes.create_string_buffer(len(text)), ctypes.create_string_buffer(16)
        call(direction, handle, output, size(len(text)), text, size(len(text)))
        call("gettag", handle, tag, size(16))
        self.library.gcry_cipher_close(handle)
        return output.raw, tag.raw

    def seal(self, key, context, block):
        nonce = numbers.randbytes(12)
        ciphertext, tag = self.run("encrypt", key, nonce, context, block)
        return nonce + ciphertext + tag

    def open(self, key, context, text):
        block, tag = self.run("decrypt", key, text[:12], context, text[12:-16])
        check(tag == text[-16:], "libgcrypt finds another tag")
        return block


# ---- SM2 of OpenSSL -------------------------------------------------------------------------------------------------

def der(tag, *parts):
    content = b"".join(parts)
    length = bytes([len(content)]) if len(content) < 128 else bytes([0x81, len(content)])
    return bytes([tag]) + length + content


def der_integer(number):
    return der(2, number.to_bytes(number.bit_length() // 8 + 1, "big"))


def der_parts(sequence):
    """The contents of a sequence of short elements."""
    start = 2 if sequence[1] < 128 else 3
    parts = []
    while start < len(sequence):
        parts.append(sequence[start + 2:start + 2 + sequence[start + 1]])
        start += 2 + sequence[start + 1]
    return parts


class SM2Keys:
    """GM/T 0003.4 as OpenSSL has it, which writes and reads GM/T 0009's DER."""
    CURVE = bytes.fromhex("301306072a8648ce3d020106082a811ccf5501822d")

    def __init__(self, gcm):
        self.gcm = gcm
        self.library = load("libcrypto.so.3", ctypes.util.find_library("crypto") or "libcrypto.so")
        for name in ("d2i_PUBKEY", "d2i_AutoPrivateKey", "EVP_PKEY_CTX_new"):
            getattr(self.library, name).restype = ctypes.c_void_p

    def run(self, direction, read, key, text):
        place = ctypes.c_char_p(key)
        pkey = ctypes.c_void_p(read(None, ctypes.byref(place), ctypes.c_long(len(key))))
        check(pkey.value and self.library.EVP_PKEY_is_a(pkey, b"SM2") == 1, "OpenSSL does not take the key")
        context = ctypes.c_void_p(self.library.EVP_PKEY_CTX_new(pkey, None))
        output, length = ctypes.create_string_buffer(1024), ctypes.c_size_t(1024)
        begin, work = (getattr(self.library, name) for name in (f"EVP_PKEY_{direction}_init", f"EVP_PKEY_{direction}"))
        check(begin(context) == 1, "OpenSSL does not begin")
        is_done = work(context, output, ctypes.byref(length), text, ctypes.c_size_t(len(text))) == 1
        self.library.EVP_PKEY_CTX_free(context)
        self.library.EVP_PKEY_free(pkey)
        check(is_done, f"OpenSSL does not {direction}")
        return output.raw[:length.value]

    def seal(self, public, context, block):
        key = numbers.randbytes(16)
        info = der(0x30, self.CURVE, der(3, b"\x00" + public))
        x, y, check_value, masked = der_parts(self.run("encrypt", self.library.d2i_PUBKEY, info, key))
        point = b"\x04" + b"".join(int.from_bytes(part, "big").to_bytes(32, "big") for part in (x, y))
        return point + check_value + masked + self.gcm.seal(key, context, block)

    def open(self, private, context, text):
        x, y = (int.from_bytes(part, "big") for part in (text[1:33], text[33:65]))
        cipher = der(0x30, der_integer(x), der_integer(y), der(4, text[65:97]), der(4, text[97:113]))
        inner = der(0x30, der_integer(1), der(4, private))
        info = der(0x30, der_integer(0), self.CURVE, der(4, inner))
        key = self.run("decrypt", self.library.d2i_AutoPrivateKey, info, cipher)
        return self.gcm.open(key, context, text[113:])


# ---- RSA of OpenSSL -------------------------------------------------------------------------------------------------

class RSAKeys:
    """OAEP with SHA-256 and an empty label, of a block and the digest of a context."""
    OAEP = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
    LONGER = (2304, 65537)  # for blocks that are longer than they should be
    SIZES = ((2048, 65537), (2048, 3), LONGER, (3072, 65537), (4096, 65537))

    def __init__(self):
        self.keys = {size: rsa.generate_private_key(size[1], size[0]) for size in self.SIZES}

    def generate(self, size=None):
        """A private key in one of its two forms, and the public key. Seldom a large one, which takes long."""
        key = self.keys[size or numbers.choice(self.SIZES[:3] * 8 + self.SIZES[3:])]
        encoding, private = serialization.Encoding.DER, serialization.PrivateFormat
        form = numbers.choice((private.PKCS8, private.TraditionalOpenSSL))
        info = key.public_key().public_bytes(encoding, serialization.PublicFormat.SubjectPublicKeyInfo)
        return key.private_bytes(encoding, form, serialization.NoEncryption()), info

    @staticmethod
    @functools.cache  # OpenSSL checks the primes, which takes a tenth of a second.
    def load(private):
        return serialization.load_der_private_key(private, None)

    def seal(self, public, context, block):
        key = serialization.load_der_public_key(public)
        return key.encrypt(block + hashlib.sha256(context).digest(), self.OAEP)

    def open(self, private, context, text):
        message = self.load(private).decrypt(text, self.OAEP)
        check(message[BLOCK:] == hashlib.sha256(context).digest(), "OpenSSL finds another context")
        return message[:BLOCK]


# ---- Our library ----------------------------------------------------------------------------------------------------

THOROUGH = bool(os.environ.get("THOROUGH"))  # each length
library = ctypes.CDLL(sys.argv[1])
handle, size, pointer = ctypes.c_uint64, ctypes.c_size_t, ctypes.c_char_p
place = ctypes.POINTER(size)
for function, arguments in {
    "create": [ctypes.POINTER(handle)], "open": [handle], "close": [handle], "input": [handle, pointer, size],
    "setEncKey": [handle, pointer, size, ctypes.c_int], "setContext": [handle, pointer, size],
    "getText": [handle, pointer, size, place, place],
    "unseal": [ctypes.c_int, pointer, size, pointer, size, pointer, size, pointer, size, place, place],
    "receive": [handle, ctypes.c_int, pointer, size, pointer, size, pointer, size],
    "generateKey": [ctypes.c_int, pointer, size, place, pointer, size, place],
}.items():
    getattr(library, "CustomKeyboard_" + function).argtypes = arguments


def ours(function, *arguments, answers=(OK,)):
    code = getattr(library, "CustomKeyboard_" + function)(*arguments)
    check(code in answers, f"{function} answered {code}")
    return code


keyboard = handle()
ours("create", ctypes.byref(keyboard))


rsa_keys = RSAKeys()


def generate(way, size_of_rsa=None):
    """The secret key, and the key that is set."""
    if way == RSA:
        return rsa_keys.generate(size_of_rsa)
    secret, public = ctypes.create_string_buffer(32), ctypes.create_string_buffer(1216)
    secret_length, public_length = size(), size()
    ours("generateKey", way, secret, 32, ctypes.byref(secret_length), public, 1216, ctypes.byref(public_length))
    key = secret.raw[:secret_length.value]
    return key, public.raw[:public_length.value] or key


def text_length(way, public):
    return TEXT_LENGTHS.get(way) or serialization.load_der_public_key(public).key_size // 8


def take_text(space_size):
    space, offset, length = ctypes.create_string_buffer(space_size), size(), size()
    ours("getText", keyboard, space, space_size, ctypes.byref(offset), ctypes.byref(length))
    return space.raw[offset.value:offset.value + length.value]


def seal(way, public, context, password):
    ours("setEncKey", keyboard, public, len(public), way)
    ours("open", keyboard)
    ours("setContext", keyboard, context, len(context))
    ours("input", keyboard, password, len(password))
    text = take_text(numbers.choice((text_length(way, public), LONGEST_SPACE)))
    ours("close", keyboard)
    return text


def unseal(way, secret, context, text, answers=(OK,)):
    space, offset, length = ctypes.create_string_buffer(1024), size(), size()
    ours("unseal", way, secret, len(secret), context, len(context), text, len(text), space, 1024,
         ctypes.byref(offset), ctypes.byref(length), answers=answers)
    return space.raw[offset.value:offset.value + length.value]


def receive(way, secret, context, text, answers=(OK,)):
    """What the keyboard holds then, as it seals it for a key of its own."""
    key = numbers.randbytes(16)
    ours("setEncKey", keyboard, key, 16, SM4_GCM)
    ours("setContext", keyboard, None, 0)
    code = ours("receive", keyboard, way, secret, len(secret), context, len(context), text, len(text), answers=answers)
    if code != OK:
        return None
    sealed = take_text(1024)
    ours("close", keyboard)
    return unseal(SM4_GCM, key, b"", sealed)


# ---- Both directions ------------------------------------------------------------------------------------------------

def draw_password(length):
    """UTF-8 of so many bytes, with characters of all lengths."""
    text = b""
    while len(text) < length:
        character = numbers.choice("aZ5 ~é中😀").encode()
        text += character if len(text) + len(character) <= length else b"x"
    return text


def exchange_texts(way, peer):
    """Contexts of 0…256 bytes, each with another key; passwords of 0…128 bytes."""
    global now
    step = 8 if way == XWING else 1 if THOROUGH else 16
    for length in (*range(0, LONGEST_CONTEXT, step), LONGEST_CONTEXT):
        secret, public = generate(way)
        context, password = numbers.randbytes(length), draw_password(length % (LONGEST_PASSWORD + 1))
        now = f"way {way}, context of {length} bytes, password of {len(password)}"
        text = seal(way, public, context, password)
        check(len(text) == text_length(way, public), f"a text of {len(text)} bytes")
        check(peer.open(secret, context, text) == pad(password), "the peer opens something else")
        theirs = peer.seal(public, context, pad(password))
        check(len(theirs) == text_length(way, public), f"a peer's text of {len(theirs)} bytes")
        check(unseal(way, secret, context, theirs) == password, "unseal gives something else")
        check(receive(way, secret, context, theirs) == password, "receive gives something else")


def refuse_blocks(way, peer):
    """Authentic texts whose block is not a padded password: only a peer can make them."""
    global now
    secret, public = generate(way, RSAKeys.LONGER)
    context = b"a context"

    def refuse(block, what):
        global now
        now = f"way {way}, {what}"
        text = peer.seal(public, context, block)
        unseal(way, secret, context, text, answers=(UNDECRYPTABLE,))
        receive(way, secret, context, text, answers=(UNDECRYPTABLE,))

    step = 8 if way == XWING else 1 if THOROUGH else 3  # plain Python is slow
    for last in (*range(0, 16, step), *range(BLOCK + 1, 256, step)):
        refuse(bytes([last]) * BLOCK, f"padding {last}")
    for count in range(16, BLOCK + 1, step):
        block = pad(b"a" * (BLOCK - count))
        check(unseal(way, secret, context, peer.seal(public, context, block)) == b"a" * (BLOCK - count),
              f"padding {count}")
        for where in {0, count // 2, numbers.randrange(count - 1), count - 2}:
            at = BLOCK - count + where
            refuse(block[:at] + bytes([block[at] ^ 1 << numbers.randrange(8)]) + block[at + 1:], f"padding {count}")
    for length in (*range(0, BLOCK, step), BLOCK + 1, BLOCK + 16):
        refuse(bytes([16]) * length, f"a block of {length} bytes")
    now = f"way {way}, passwords that are not UTF-8"
    # Bytes that are not characters: unseal gives them, but a keyboard cannot hold them.
    for password in (b"\x80", b"\xff", b"abc\xc3", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"):
        text = peer.seal(public, context, pad(password))
        check(unseal(way, secret, context, text) == password, "unseal takes any bytes")
        receive(way, secret, context, text, answers=(UNDECRYPTABLE,))
    check(receive(way, secret, context, peer.seal(public, context, pad("é".encode()))) == "é".encode(), "é")


def hpke_points(hpke):
    """Encapsulated keys that are written in a second way, or that give a value that everybody knows."""
    global now
    way = X25519 if hpke.is_x25519 else P256
    now = f"way {way}, unusual encapsulated keys"
    secret, public = generate(way)
    block = pad(b"password")
    if way == X25519:
        prime, ephemeral = 2**255 - 19, hpke.new_private()
        enc = hpke.public(ephemeral)
        # RFC 7748: bit 255 is ignored, and numbers from p on are taken modulo p. HPKE hashes what was sent.
        for u, dh in ((enc[:31] + bytes([enc[31] | 0x80]), hpke.exchange(ephemeral, public)),
                      ((prime + 9).to_bytes(32, "little"), public)):
            text = hpke.seal(public, b"", block, u, dh)
            check(unseal(way, secret, b"", text) == b"password", "a second way to write u")
        eight = int("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800", 16).to_bytes(32, "big")
        other = bytes.fromhex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157")
        low = [number.to_bytes(32, "little") for number in (0, 1, prime - 1, prime, prime + 1)] + [eight, other]
        low += [u[:31] + bytes([u[31] | 0x80]) for u in low]
        for u in low:
            text = hpke.seal(public, b"", block, u, bytes(32))
            unseal(way, secret, b"", text, answers=(UNDECRYPTABLE,))
            receive(way, secret, b"", text, answers=(UNDECRYPTABLE,))
    else:
        prime = 2**256 - 2**224 + 2**192 + 2**96 - 1
        y = bytes.fromhex("66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4")
        dh = hpke.exchange(secret, b"\x04" + bytes(32) + y)
        text = hpke.seal(public, b"", block, b"\x04" + bytes(32) + y, dh)
        check(unseal(way, secret, b"", text) == b"password", "the point with x = 0")
        for enc in (b"\x04" + prime.to_bytes(32, "big") + y, b"\x02" + bytes(32) + y, b"\x06" + bytes(32) + y,
                    b"\x04" + bytes(32) + (prime - int.from_bytes(y, "big") - 1).to_bytes(32, "big"), bytes(65)):
            for value in (dh, bytes(32)):
                text = hpke.seal(public, b"", block, enc, value)
                unseal(way, secret, b"", text, answers=(UNDECRYPTABLE,))
                receive(way, secret, b"", text, answers=(UNDECRYPTABLE,))


def xwing_texts(hpke):
    """Encapsulated keys that somebody has altered, with texts that are right for what they give: an altered part of
    ML-KEM gives a secret of its own, which nobody without the private key knows. Both must find the same."""
    global now
    now = "X-Wing, altered encapsulated keys"
    block = pad(b"password")
    for number in range(40):
        secret, public = generate(XWING)
        enc, _ = hpke.encapsulate(public)
        bit = numbers.randrange(8 * xwing.TEXT) if number else 8 * 1120 - 1  # first that which X25519 ignores
        altered = bytearray(enc)
        altered[bit // 8] ^= 1 << bit % 8
        altered = bytes(altered)
        text = hpke.seal(public, b"", block, altered, hpke.decapsulate(secret, altered))
        check(unseal(XWING, secret, b"", text) == b"password", f"bit {bit} altered")
        check(receive(XWING, secret, b"", text) == b"password", f"bit {bit} altered, received")
        text = hpke.seal(public, b"", block, altered, hpke.decapsulate(secret, enc))
        unseal(XWING, secret, b"", text, answers=(UNDECRYPTABLE,))
    now = "X-Wing, points of low order"
    for u in (0, 1, 2**255 - 20, 2**255 - 19, 2**255 - 18):
        point, pair = u.to_bytes(32, "little"), xwing.XWing(secret)
        altered = enc[:xwing.TEXT] + point
        shared = xwing.combine(pair.mlkem.open(enc[:xwing.TEXT]), bytes(32), point, public[xwing.PUBLIC:])
        unseal(XWING, secret, b"", hpke.seal(public, b"", block, altered, shared), answers=(UNDECRYPTABLE,))


def main():
    check_hpke(sys.argv[2])
    gcm = SM4GCM()
    peers = {SM4_GCM: gcm, X25519: RFCKeys("x25519"), P256: RFCKeys("p256"), SM2: SM2Keys(gcm), RSA: rsa_keys,
             XWING: RFCKeys("xwing")}
    for way, peer in peers.items():
        exchange_texts(way, peer)
        refuse_blocks(way, peer)
        if way == XWING:
            xwing_texts(peer)
        elif isinstance(peer, HPKE):
            hpke_points(peer)
    least = 50000 if THOROUGH else 12000
    if checks < least:
        sys.exit(f"sealed_peers.py: expected at least {least} checks, got {checks}")
    print(f"sealed_peers.py: {checks} checks")


if __name__ == "__main__":
    main()
