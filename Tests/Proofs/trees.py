"""The computations whose time is shown not to depend on secrets (constant_time.py): what is called, with which
arguments, on which processors, and what of it is public.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import random

# `symbol`: a pattern of the function's name. `arguments`: see below, in the order that the function takes them.
# `processors`: names from PROCESSORS. `verdicts`, `published`: names from the tables of those names. `context`: what
# `self` is, of a function of a struct.
Tree = collections.namedtuple("Tree", "title symbol arguments processors verdicts published context")

# What CPUID says of processors that take each path: leaf 1's ECX, leaf 7's EBX and ECX.
AVX, AVX2 = 1 << 1 | 1 << 9 | 1 << 19 | 1 << 25 | 1 << 27 | 1 << 28, 1 << 5 | 1 << 29
PROCESSORS = {
    "portable": (0, 0, 0),
    "aesni": (AVX, AVX2, 0),
    "gfni256": (AVX, AVX2, 1 << 8),
    "gfni512": (AVX, AVX2 | 1 << 16 | 1 << 21 | 1 << 30 | 1 << 31, 1 << 8),
}
ALL = tuple(PROCESSORS)

# Branches that depend on what is unknown here and may: the function, how many of its branches, and why. Both ways of
# each are gone.
VERDICTS = {
    "point": (r"5CurveO8multiply__4into4size7scratch", 1,
              "whether the other's public key is a point: the caller is told, and the key is public"),
    "points": (r"5CurveO12multiplyEach__4into4size6stride", 1, "the same of several keys"),
    "below modulus": (r"3RSAO7decrypt_|0B0O7decrypt_10privateKey", 1,
                      "whether a text is below the modulus: both are public"),
    "block": (r"11KeyboardRSA0B0O4sign_", 1, "whether what is signed is below the modulus, as it always is"),
    "fault": (r"12PrivatePowerV3run", 1,
              "whether the machine has erred or the primes are not primes: the caller is told"),
    "faults": (r"11KeyboardRSA0B0O6powers_10privateKey", 1, "the same of several texts"),
    "zero scalar": (r"4OPRFV9deriveKey_", 1, "whether a key comes out as 0, once in 2^252 seeds"),
    "tag": (r"6SM4GCMO4open_", 1, "whether a sealed text is right: the caller is told"),
}

# Functions that get what is public, made of secrets: the register with its address, the bytes, and why. They get one
# value, which is drawn.
PUBLISHED = {
    "matrix": (r"8MLKEM768V12sampleMatrix", "rdi", 32,
               "a part of the public key, from which both ends sample the same matrix"),
}


def secret(size, example=None, mask=None):
    """The address of so many bytes. `example`: what is there when nothing is secret. `mask`: the bits that are."""
    return lambda memory: [memory.secret(size, example, mask)]


def text(size, example=None, mask=None):
    """Where so many bytes begin and end."""
    def place(memory):
        address = memory.secret(size, example, mask)
        return [address, address + size]
    return place


def number(value):
    return lambda memory: [value]


def scratch(size):
    """The address of memory that means nothing afterwards."""
    return lambda memory: [memory.scratch(size)]


def pieces(size):
    """Two addresses in memory: where free memory begins, and ends."""
    def place(memory):
        address = memory.scratch(size)
        return [memory.words(address, address + size)]
    return place


def string(contents):
    """A StaticString."""
    return lambda memory: [memory.constant(contents), len(contents), 2]


SCRATCH = 1 << 14
P256_POINT = bytes.fromhex("046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
                           "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
SM2_POINT = bytes.fromhex("0432c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7"
                          "bc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0")
# Below both orders.
SCALAR = bytes(range(1, 33))
OPRF = [scratch(1 << 11)] * 3


def workspace(memory):
    """What a Workspace of 16 KB holds, and its memory, with a generator that has a key from the system."""
    base = memory.scratch(1 << 14)
    memory.set_words(base, 0, 1 << 20, 2)  # how much may be drawn, and that there is a key
    return [base + 64, base, 1, 0, 1]


def key_exchange(memory, hmac):
    """What an OPRF and a KeyExchange hold."""
    oprf = [memory.scratch(1 << 10) for _ in range(3)]
    return oprf + oprf + [hmac] + [memory.secret(size) for size in (96, 64, 64, 64, 64, 128)]


def terms(memory):
    """LentTerms: a context, and the identities of both ends, of which one is its key."""
    context, client, server = memory.secret(7), memory.secret(9), memory.scratch(255)
    return [context, context + 7, client, client + 9, server, server, 0, 0, 0]


def client(memory):
    """What an OPAQUEClient holds: password, step, message, and so on."""
    hmac = memory.scratch(1 << 11)
    return [memory.words(*workspace(memory), memory.secret(128), memory.secret(160), memory.secret(320), *terms(memory),
                         *(memory.secret(size) for size in (128, 128, 192, 64, 64, 64, 32, 128)), hmac,
                         memory.scratch(1 << 13), *key_exchange(memory, hmac))]


def server(memory):
    """What an OPAQUEServer holds: setup, account, message, record, and so on."""
    hmac = memory.scratch(1 << 11)
    return [memory.words(*workspace(memory), *(memory.secret(size) for size in (96, 255, 96, 192, 192)), *terms(memory),
                         *(memory.secret(size) for size in (320, 96, 32, 64, 128)), hmac,
                         *key_exchange(memory, hmac))]


SMALL_PRIMES = [n for n in range(3, 2000, 2) if all(n % k for k in range(3, 45, 2) if k < n)]


def rsa_key(bits, seed=1):
    """Where a private key begins and ends, in PKCS#1's DER. Secret are the bits of all its numbers but the exponent,
    without the first one of each, which tells its length, and that the modulus is odd."""
    draw = random.Random(seed)

    def prime():
        while True:
            p = draw.getrandbits(bits // 2) | 3 << bits // 2 - 2 | 1
            if p % 65537 != 1 and all(p % small for small in SMALL_PRIMES) and all(
                    pow(draw.randrange(2, p), p - 1, p) == 1 for _ in range(3)):
                return p

    def element(tag, contents):
        size = len(contents)
        return bytes([tag] + ([size] if size < 128 else [0x81, size] if size < 256 else [0x82, size >> 8, size & 255])
                     ) + contents

    p, q = prime(), prime()
    d = pow(65537, -1, (p - 1) * (q - 1))
    numbers = [0, p * q, 65537, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p)]
    key = mask = b""
    for place, value in enumerate(numbers):
        part = element(2, value.to_bytes(value.bit_length() // 8 + 1, "big"))
        hidden = (1 << max(value.bit_length() - 1, 0)) - 1 if place not in (0, 2) else 0
        hidden ^= 1 if place == 1 else 0
        key, mask = key + part, mask + hidden.to_bytes(len(part), "big")
    whole = element(0x30, key)
    return text(len(whole), whole, bytes(len(whole) - len(key)) + mask)


def trees():
    def tree(title, symbol, *arguments, on=("portable",), verdicts=(), published=(), context=None):
        return Tree(title, symbol, arguments, on, verdicts, published, context)

    yield tree("X25519: agree", r"6X25519O5agree__4into9publicKeys6UInt64", *[secret(32)] * 4,
               on=("portable", "gfni512"))
    yield tree("X25519: three at a time", r"6X25519O12multiplyEach__4into6stride5counts6UInt64",
               secret(32), secret(96), secret(96), number(32), number(3), on=("gfni512",))
    yield tree("X25519: eight at a time", r"6X25519O12multiplyEach__4into6stride5counts6UInt64", secret(32),
               secret(256), secret(256), number(32), number(8), on=("gfni512",))
    for name, symbol, point in (("P-256", "4P256O", P256_POINT), ("SM2", "3SM2O", SM2_POINT)):
        yield tree(name + ": public key", symbol + "9publicKey2of", secret(32, SCALAR), secret(65))
        yield tree(name + ": multiply", symbol + "8multiply_", secret(32, SCALAR), secret(65, point), secret(65),
                   scratch(SCRATCH), verdicts=["point"])
    yield tree("P-256: sign", r"4P256O4sign4hash", secret(32), secret(32, SCALAR), secret(32, SCALAR), secret(64))
    yield tree("SM2: sign", r"3SM2O4sign6digest", secret(32), secret(32, SCALAR), secret(32, SCALAR), secret(64))
    yield tree("P-256: three at a time", r"4P256O11sharedXEach", secret(32), secret(3 * 65, 3 * P256_POINT),
               secret(3 * 65), number(65), number(3), scratch(1 << 16), on=("gfni512",), verdicts=["points"])
    yield tree("SM2 decryption: take the mask off", r"13SM2EncryptionV7addMask", secret(16), secret(16),
               scratch(SCRATCH), secret(64), secret(32))
    yield tree("nonces: begin", r"12HedgedNoncesV3key6digest5added2in", secret(32), secret(32), text(32),
               pieces(SCRATCH), on=("portable", "aesni"))
    yield tree("nonces: next", r"12HedgedNoncesV4next", secret(32), secret(32), secret(32), scratch(SCRATCH),
               on=("portable", "aesni"))
    yield tree("ML-KEM-768: decapsulate", r"8MLKEM768V11decapsulate_4seed4into", secret(1088), secret(64), secret(32),
               scratch(SCRATCH), number(0), published=["matrix"])
    yield tree("ML-KEM-768: decapsulate, AVX2", r"8MLKEM768V11decapsulate_4seed4into", secret(1088), secret(64),
               secret(32), scratch(SCRATCH), number(1), on=("aesni",), published=["matrix"])
    yield tree("OPRF: blind", r"4OPRFV5blind_2by4intoySW_SVSvtF$", text(12), secret(32, SCALAR), secret(32), *OPRF)
    yield tree("OPRF: finalize", r"4OPRFV8finalize_", text(12), secret(32, SCALAR), secret(32), secret(64), *OPRF)
    yield tree("OPRF: make a key", r"4OPRFV9deriveKey_4info4intoySV_s12StaticStringVSvtF$", secret(32),
               string(b"OPAQUE-DeriveDiffieHellmanKeyPair"), secret(32), *OPRF, verdicts=["zero scalar"])
    for step, symbol, *arguments in (
            ("begin", "5begin14passwordLength", number(12)), ("make a keyshare", "11setKeyshare4seed", secret(32)),
            ("take an answer", "10takeAnswer14passwordLength", number(12)),
            ("make a record", "10makeRecord5nonce", secret(32)),
            ("open KE2, make KE3", "7makeKE39isElement", number(-1 % (1 << 64)))):
        yield tree("OPAQUE's client: " + step, "12OPAQUEClientV" + symbol, *arguments, context=client,
                   verdicts=["zero scalar"] if "make" in step else [])
    yield tree("OPAQUE's server: respond", "12OPAQUEServerV7respond13accountLength", number(10), context=server,
               verdicts=["zero scalar"])
    for has_record in (1, 0):
        yield tree("OPAQUE's server: answer, %s record" % ("with" if has_record else "no"),
                   "12OPAQUEServerV6answer13accountLength9hasRecord", number(10), number(has_record), context=server,
                   verdicts=["zero scalar"])
    yield tree("ristretto255: multiply", r"12Ristretto255O8multiply__4into", *[secret(32)] * 3)
    for blocks in (1, 9, 40):
        for name in ("encrypt", "decrypt"):
            yield tree("SM4: %s %d blocks" % (name, blocks), r"11KeyboardSM40B0O7%s3key" % name, secret(16),
                       secret(16 * blocks), secret(16 * blocks), number(blocks), scratch(SCRATCH), on=ALL)
    yield tree("SM4-GCM: open", r"6SM4GCMO4open_", text(48), secret(16), secret(16), secret(12), text(20), secret(48),
               scratch(SCRATCH), on=ALL, verdicts=["tag"])
    yield tree("PKCS#7: pad", r"5PKCS7O3pad", secret(64), number(30), number(16))
    for count in (8, 16, 144):
        yield tree("PKCS#7: unpad %d bytes" % count, r"5PKCS7O14unpaddedLength", secret(count), number(count),
                   number(min(count, 16)))
    yield tree("RSA-2048: decrypt", r"11KeyboardRSA0B0O7decrypt_10privateKey", secret(256), rsa_key(2048),
               secret(32), number(32), text(1 << 16),
               verdicts=["below modulus", "fault"])
    yield tree("RSA-2048: decrypt, AVX-512", r"11KeyboardRSA0B0O7decrypt_10privateKey", secret(256), rsa_key(2048),
               secret(32), number(32), text(1 << 16), on=("gfni512",), verdicts=["below modulus", "fault"])
    for name, on in (("RSA-2048: sign", "portable"), ("RSA-2048: sign, AVX-512", "gfni512")):
        yield tree(name, r"11KeyboardRSA0B0O4sign_10privateKey", secret(32), rsa_key(2048),
                   lambda memory: [memory.words(*workspace(memory))], secret(256), text(1 << 16), on=(on,),
                   verdicts=["block", "fault"])
    yield tree("RSA-2048: powers of eight, AVX-512", r"11KeyboardRSA0B0O6powers_10privateKey", secret(8 * 256),
               rsa_key(2048), secret(8 * 256), number(256), number(8), scratch(1 << 17), text(1 << 16),
               on=("gfni512",), verdicts=["faults", "fault"])
