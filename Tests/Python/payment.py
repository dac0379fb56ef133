"""PIN blocks of ISO 9564-1 and the keys of DUKPT (ANSI X9.24-1 and X9.24-3), as the standards describe them: slowly,
with strings of hexadecimal digits, on the block ciphers of Python's `cryptography`.

SPDX-License-Identifier: Apache-2.0
"""
import hashlib

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

try:
    from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
except ImportError:  # before version 43
    TripleDES = algorithms.TripleDES

PIN0, PIN1, PIN3, PIN4 = 9, 10, 11, 12
TDES, AES128, AES192, AES256, AES_2TDEA, AES_3TDEA = range(6)
CONTROL = {PIN0: "0", PIN1: "1", PIN3: "3", PIN4: "4"}


def xor(one, other):
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


class Block:
    """A block cipher: 3DES with 8 (DES), 16 or 24 bytes, or AES."""

    def __init__(self, algorithm):
        self.cipher = Cipher(algorithm, modes.ECB())

    @staticmethod
    def tdes(key):
        return Block(TripleDES({8: key * 3, 16: key + key[:8], 24: key}[len(key)]))

    @staticmethod
    def aes(key):
        return Block(algorithms.AES(key))

    def encrypt(self, text):
        return self.cipher.encryptor().update(text)

    def decrypt(self, text):
        return self.cipher.decryptor().update(text)


# ---- PIN blocks --------------------------------------------------------------------------------------------------

def pan_field(way, pan):
    if way == PIN1:
        return bytes(8)
    if way == PIN4:
        digits = pan.rjust(12, "0")
        return bytes.fromhex((f"{len(digits) - 12:x}" + digits).ljust(32, "0"))
    return bytes.fromhex("0000" + pan[:-1].rjust(12, "0")[-12:])


def pin_field(way, pin, fill):
    """`fill` gives a digit for each place behind the PIN, and for PIN4 the 8 random bytes behind the field."""
    field = CONTROL[way] + f"{len(pin):x}" + pin
    return bytes.fromhex(field + fill[len(field):16]) + (bytes.fromhex(fill[16:]) if way == PIN4 else b"")


def draw_fill(way, numbers):
    tail = "".join(numbers.choice("0123456789abcdef") for _ in range(16))
    if way == PIN4:
        return "a" * 16 + tail
    return {PIN0: "f" * 16, PIN1: tail, PIN3: "".join(numbers.choice("abcdef") for _ in range(16))}[way]


def encrypt_field(way, key, field, pan):
    if way != PIN4:
        return Block.tdes(key).encrypt(xor(field, pan_field(way, pan)))
    aes = Block.aes(key)
    return aes.encrypt(xor(aes.encrypt(field), pan_field(way, pan)))


def encrypt_pin(way, key, pin, pan, numbers):
    return encrypt_field(way, key, pin_field(way, pin, draw_fill(way, numbers)), pan)


def decrypt_field(way, key, block, pan):
    if way != PIN4:
        return xor(Block.tdes(key).decrypt(block), pan_field(way, pan))
    aes = Block.aes(key)
    return aes.decrypt(xor(aes.decrypt(block), pan_field(way, pan)))


def read_field(way, field):
    """The PIN of a field; None if anything in it is wrong."""
    nibbles = field.hex()[:16]
    count = int(nibbles[1], 16)
    pin, fill = nibbles[2:2 + count], nibbles[2 + count:]
    allowed = {PIN0: "f", PIN1: "0123456789abcdef", PIN3: "abcdef", PIN4: "a"}[way]
    is_right = nibbles[0] == CONTROL[way] and 4 <= count <= 12 and pin.isdecimal() and not set(fill) - set(allowed)
    return pin if is_right else None


def decrypt_pin(way, key, block, pan):
    if len(block) != (16 if way == PIN4 else 8):
        return None
    return read_field(way, decrypt_field(way, key, block, pan))


# ---- DUKPT -------------------------------------------------------------------------------------------------------

MASK = bytes.fromhex("c0c0c0c000000000c0c0c0c000000000")
PIN_VARIANT = bytes.fromhex("00000000000000ff00000000000000ff")


class Scheme:
    """A scheme with its base key. A counter is an integer; a KSN is bytes."""

    def __init__(self, scheme, base_key):
        self.scheme, self.base_key = scheme, base_key
        self.is_tdes = scheme == TDES
        self.bits, self.most = (21, 10) if self.is_tdes else (32, 16)
        self.ksn_length = 10 if self.is_tdes else 12
        self.working_length = {TDES: 16, AES128: 16, AES192: 24, AES256: 32, AES_2TDEA: 16, AES_3TDEA: 24}[scheme]

    def ksn(self, identifier, counter):
        """`identifier` is a KSN with any counter."""
        number = int.from_bytes(identifier, "big") >> self.bits << self.bits | counter
        return number.to_bytes(self.ksn_length, "big")

    def counter(self, ksn):
        return int.from_bytes(ksn, "big") & ((1 << self.bits) - 1)

    def is_transaction(self, counter):
        return 0 < counter < 1 << self.bits and counter.bit_count() <= self.most

    @staticmethod
    def expand(key, usage, algorithm, length, data):
        """X9.24-3's derivation function."""
        aes = Block.aes(key)
        made = b"".join(
            aes.encrypt(bytes([1, index]) + usage.to_bytes(2, "big") + algorithm.to_bytes(2, "big")
                        + (8 * length).to_bytes(2, "big") + data)
            for index in range(1, (length + 15) // 16 + 1))
        return made[:length]

    @property
    def algorithm(self):
        return {16: 2, 24: 3, 32: 4}[len(self.base_key)]

    def initial_key(self, ksn):
        if self.is_tdes:
            text = self.ksn(ksn, 0)[:8]
            return Block.tdes(self.base_key).encrypt(text) + Block.tdes(xor(self.base_key, MASK)).encrypt(text)
        return self.expand(self.base_key, 0x8001, self.algorithm, len(self.base_key), ksn[:8])

    def next_key(self, key, ksn):
        if self.is_tdes:
            def half(key):
                return xor(Block.tdes(key[:8]).encrypt(xor(ksn[2:], key[8:])), key[8:])
            return half(xor(key, MASK)) + half(key)
        return self.expand(key, 0x8000, self.algorithm, len(self.base_key), ksn[4:])

    def transaction_key(self, ksn):
        key, counter, reached = self.initial_key(ksn), self.counter(ksn), 0
        for bit in reversed(range(self.bits)):
            if counter >> bit & 1:
                reached |= 1 << bit
                key = self.next_key(key, self.ksn(ksn, reached))
        return key

    def pin_key(self, ksn):
        key = self.transaction_key(ksn)
        if self.is_tdes:
            return xor(key, PIN_VARIANT)
        algorithm = {AES128: 2, AES192: 3, AES256: 4, AES_2TDEA: 0, AES_3TDEA: 1}[self.scheme]
        return self.expand(key, 0x1000, algorithm, self.working_length, ksn[4:])

    def following(self, counter):
        """The counter of the next transaction; 0 after the last one."""
        counter += 1
        while counter < 1 << self.bits and counter.bit_count() > self.most:
            counter += counter & -counter
        return counter if counter < 1 << self.bits else 0

    # ---- The terminal's registers, as Docs/PINBlocks.md describes them

    def device(self, ksn, counter):
        """The bytes of a device whose next transaction has this counter."""
        registers = bytearray(1024)
        for bit in range(self.bits):
            # The next counter whose lowest set bit is this one, if its key was made already: the counter from which it
            # was made is past.
            coming = (counter >> bit | 1) << bit
            source = coming & (coming - 1)
            if not counter or coming < counter or source >= counter or not self.is_transaction(coming):
                continue
            key = self.transaction_key(self.ksn(ksn, coming))
            registers[32 * bit:32 * bit + len(key)] = key
        head = b"CKDUKPT\0" + bytes([1, self.scheme, len(self.base_key), 0])
        body = (head + self.ksn(ksn, counter).ljust(12, b"\0") + registers).ljust(1120, b"\0")
        return body + hashlib.sha256(body).digest()


def draw_pan(numbers):
    return "".join(numbers.choice("0123456789") for _ in range(numbers.randint(10, 19)))


def draw_pin(numbers):
    return "".join(numbers.choice("0123456789") for _ in range(numbers.randint(4, 12)))


def draw_tdes_key(numbers, length=None):
    """Neighbours among its parts differ."""
    while True:
        key = numbers.randbytes(length or numbers.choice((16, 24)))
        parts = [bytes(b & 0xfe for b in key[i:i + 8]) for i in range(0, len(key), 8)]
        if all(one != other for one, other in zip(parts, parts[1:])):
            return key


