#!/usr/bin/env python3
"""Keys of RSA of every size, compared with Python's integers and with `cryptography`: texts and signatures in both
directions, numbers at the edges, and keys that are wrong in each number.

    python3 rsa_peers.py LIBRARY [KEYS [PAIRS]]

LIBRARY is libcustomkeyboard.so, KEYS the number of random keys, 6 unless it is given. PAIRS: so many keys more, each of
another pair of some hundred primes, with one text and one signature each: 100,000 take ten minutes.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import hashlib
import math
import os
import random
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

OK, ERR, UNDECRYPTABLE = 0, 1, 6
SEALED, SIGNED = 7, 2  # CUSTOM_ENCWAY_RSA, CUSTOM_SIGNWAY_RSA
OAEP = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
PSS = padding.PSS(padding.MGF1(hashes.SHA256()), 32)
BLOCK, TEXT = 144, b"what is signed"
# Bits of a modulus: with and without bits to spare in the first byte, word and four words, odd and even.
SIZES = (2048, 2049, 2050, 2055, 2056, 2057, 2303, 2304, 2305, 2559, 2560, 2561, 3072)
EXPONENTS = (3, 5, 17, 257, 65537, 65537, 2**32 + 15, 2**64 - 59)
SMALL = [number for number in range(3, 2000, 2) if all(number % other for other in range(3, 45, 2) if other < number)]
checks = 0
now = ""
seed = int(os.environ.get("SEED") or random.SystemRandom().getrandbits(62))
numbers = random.Random(seed)


def check(is_right, what):
    global checks
    checks += 1
    if not is_right:
        sys.exit(f"rsa_peers.py: {now}: {what}; run again with SEED={seed}")


# ---- Keys -----------------------------------------------------------------------------------------------------------

def prime(bits, exponent, highest=1):
    """`highest`: what the highest bits are at least; 3 makes each product of two primes twice as long."""
    while True:
        number = numbers.getrandbits(bits) | 1 | highest << bits - highest.bit_length()
        if all(number % small for small in SMALL) and pow(2, number - 1, number) == 1:
            if math.gcd(number - 1, exponent) == 1:
                return number


def draw_key(bits, exponent):
    """The eight numbers of PKCS#1. The primes have half of the bits each, or one of them one more; p < q or q < p."""
    while True:
        p, q = prime((bits + 1) // 2, exponent), prime(bits // 2, exponent)
        if (p * q).bit_length() == bits and p != q:
            return key_of(p, q, exponent)


def key_of(p, q, exponent):
    if numbers.random() < 0.5:
        p, q = q, p
    order = math.lcm(p - 1, q - 1) if numbers.random() < 0.5 else (p - 1) * (q - 1)
    d = pow(exponent, -1, order)
    return [p * q, exponent, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p)]


def element(tag, contents):
    count = len(contents)
    length = [count] if count < 128 else [0x81, count] if count < 256 else [0x82, count >> 8, count & 255]
    return bytes([tag, *length]) + contents


def pkcs1(key):
    return element(0x30, b"".join(element(2, n.to_bytes(n.bit_length() // 8 + 1, "big")) for n in [0, *key]))


# ---- Our library ----------------------------------------------------------------------------------------------------

library = ctypes.CDLL(sys.argv[1])
size = ctypes.c_size_t


def unseal(key, context, text):
    space, offset, length = ctypes.create_string_buffer(BLOCK), size(), size()
    code = library.CustomKeyboard_unseal(
        SEALED, key, size(len(key)), context, size(len(context)), text, size(len(text)), space, size(BLOCK),
        ctypes.byref(offset), ctypes.byref(length))
    return code, space.raw[offset.value:offset.value + length.value] if code == OK else b""


class Job(ctypes.Structure):
    _fields_ = [("context", ctypes.c_char_p), ("context_length", size), ("text", ctypes.c_char_p),
                ("text_length", size), ("clear", ctypes.c_char_p), ("capacity", size), ("length", size),
                ("rv", ctypes.c_int32)]


def unseal_batch(key, texts):
    spaces = [ctypes.create_string_buffer(BLOCK) for _ in texts]
    jobs = (Job * len(texts))(*(Job(b"", 0, text, len(text), ctypes.cast(space, ctypes.c_char_p), BLOCK)
                                for text, space in zip(texts, spaces)))
    code = library.CustomKeyboard_unsealBatch(SEALED, key, size(len(key)), jobs, size(len(texts)))
    check(code == OK, f"unsealBatch answers {code}")
    return [(job.rv, space.raw[:job.length] if job.rv == OK else b"") for job, space in zip(jobs, spaces)]


def sign(key, capacity=512):
    signature, length = ctypes.create_string_buffer(512), size()
    code = library.CustomKeyboard_signText(
        SIGNED, key, size(len(key)), b"", size(0), TEXT, size(len(TEXT)), signature, size(capacity),
        ctypes.byref(length))
    return code, signature.raw[:length.value]


def verify(public, signature):
    return library.CustomKeyboard_verifyText(
        SIGNED, public, size(len(public)), b"", size(0), TEXT, size(len(TEXT)), signature, size(len(signature)))


# ---- Checks ---------------------------------------------------------------------------------------------------------

def check_texts(key, public):
    private = pkcs1(key)
    for _ in range(3):
        context, password = numbers.randbytes(numbers.randrange(50)), b"%x" % numbers.getrandbits(4 * 64)
        spare = BLOCK - len(password)
        message = password + bytes([spare]) * spare + hashlib.sha256(context).digest()
        text = public.encrypt(message, OAEP)
        check(unseal(private, context, text) == (OK, password), "another password")
        place = numbers.randrange(1, len(text))
        altered = text[:place] + bytes([text[place] ^ 1 << numbers.randrange(8)]) + text[place + 1:]
        check(unseal(private, context, altered)[0] == UNDECRYPTABLE, "an altered text opens")
    length = (key[0].bit_length() + 7) // 8
    for number in (0, 1, key[0] - 1, key[0], key[0] + 1, 256**length - 1, key[3], key[4], key[0] - key[3]):
        if number < 256**length:
            check(unseal(private, b"", number.to_bytes(length, "big"))[0] == UNDECRYPTABLE, f"{number:#x} opens")


def check_signatures(key, public):
    code, signature = sign(pkcs1(key))
    check(code == OK, f"signText answers {code}")
    signed = bytes(8) + TEXT
    try:
        public.verify(signature, signed, PSS, hashes.SHA256())
    except InvalidSignature:
        check(False, "cryptography finds our signature wrong")
    der = public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    check(verify(der, signature) == OK, "our own signature is wrong")
    number = int.from_bytes(signature, "big") + key[0]
    if number < 256**len(signature):
        check(verify(der, number.to_bytes(len(signature), "big")) != OK, "a signature and the modulus is right")
    numbers_of_peer = rsa.RSAPrivateNumbers(*key[3:5], key[2], *key[5:], rsa.RSAPublicNumbers(key[1], key[0]))
    theirs = numbers_of_peer.private_key(unsafe_skip_rsa_key_validation=True).sign(signed, PSS, hashes.SHA256())
    check(verify(der, theirs) == OK, "cryptography's signature is wrong")


def check_wrong_keys(key):
    """There is no room for a signature, so that only the check of the key can refuse it. The look at the result, which
    comes later, would hide what the check lets pass."""
    p, q = key[3:5]
    order = math.lcm(p - 1, q - 1)
    for place in range(8):
        number = key[place]
        for other in (number + 1, number + 2, number - 2, number ^ 1 << numbers.randrange(number.bit_length()), 1,
                      key[place - 1]):
            wrong = key[:place] + [max(other, 0)] + key[place + 1:]
            if wrong != key and not (place == 2 and (other - number) % order == 0):
                check(sign(pkcs1(wrong), 0)[0] == ERR, f"number {place} may be {other:#x}")
    # Right modulo what they are used modulo, but not in their range.
    for place, other in ((2, key[2] + order * (key[0] // order + 1)), (5, key[5] + p - 1), (6, key[6] + q - 1),
                         (7, key[7] + p)):
        check(sign(pkcs1(key[:place] + [other] + key[place + 1:]), 0)[0] == ERR, f"number {place} may be too large")
    # Right modulo half of what they are used modulo, and so modulo its odd part.
    for place, whole in ((2, order), (5, p - 1), (6, q - 1)):
        other = (key[place] + whole // 2) % whole
        check(sign(pkcs1(key[:place] + [other] + key[place + 1:]), 0)[0] == ERR, f"number {place} may be right by half")
    exchanged = [key[i] for i in (0, 1, 2, 4, 3, 6, 5, 7)]
    check(sign(pkcs1(exchanged), 0)[0] == ERR, "the primes may be exchanged alone")
    check(sign(pkcs1(exchanged[:7] + [pow(p, -1, q)]))[0] == OK, "the primes may not be exchanged")
    if key[2] + order < key[0]:
        check(sign(pkcs1(key[:2] + [key[2] + order] + key[3:]))[0] == OK, "d may not be larger than it must")


def check_no_primes():
    """q is a prime, and p the product of two: the numbers belong together, but a power comes out wrong."""
    exponent = 65537
    while True:
        p, q = prime(512, exponent) * prime(512, exponent), prime(1024, exponent)
        if (p * q).bit_length() == 2048 and p.bit_length() == 1024 and math.gcd(p - 1, exponent) == 1:
            break
    d = pow(exponent, -1, math.lcm(p - 1, q - 1))
    key = pkcs1([p * q, exponent, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p)])
    check(sign(key)[0] == ERR, "a signature with a number that is not a prime")
    check(unseal(key, b"", (5).to_bytes(256, "big"))[0] == ERR, "a text is judged with a number that is not a prime")


def check_half_a_prime():
    """p is r·(2r - 1), both primes: the powers of half of all texts come out right, where e·dP - 1 is an odd multiple
    of p - 1. So of many texts each is judged by itself."""
    r = int("c1c8bf9e857e934c6e9811b16b6bc80d699654a3252cfcb3fb95c4be42a6f9b6"
            "ab6b21f9b146fa6929a99feaf118f4ad324338bbe05ffd68d1e7c161cb6dbef7", 16)
    p, exponent = r * (2 * r - 1), numbers.choice((257, 65537, 65539, 4294967311))
    message = b"pin" + bytes([BLOCK - 3]) * (BLOCK - 3) + hashlib.sha256(b"").digest()
    q = prime(p.bit_length(), exponent, 3)
    d = pow(exponent, -1, math.lcm(p - 1, q - 1))
    key = pkcs1([p * q, exponent, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p)])
    public = rsa.RSAPublicNumbers(exponent, p * q).public_key()
    for count in (2, 4, 5, 8, 11, 19):
        texts = [public.encrypt(message, OAEP) for _ in range(count)]
        alone = [unseal(key, b"", text) for text in texts]
        check(all(answer in ((OK, b"pin"), (ERR, b"")) for answer in alone), "another answer")
        check(unseal_batch(key, texts) == alone, f"{count} texts are not answered as each alone: {alone}")


def check_unequal_primes():
    """Also where the words for a prime have room for a longer one: they are a multiple of 256 bits."""
    for bits, larger in ((2048, 1025), (2048, 1100), (2048, 1536), (2200, 1101), (2200, 1280)):
        while True:
            p, q = prime(larger, 3), prime(bits - larger, 3)
            if (p * q).bit_length() == bits:
                break
        d = pow(3, -1, math.lcm(p - 1, q - 1))
        key = [p * q, 3, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p)]
        check(sign(pkcs1(key), 0)[0] == ERR, f"a prime of {larger} bits of {bits}")


def check_pairs(count):
    """Keys as different as `count` random ones, for the price of a few: each is of another pair of primes."""
    global now
    for bits, share in ((2048, 0.97), (3072, 0.02), (4096, 0.01)):
        pool, done, wanted, exponent = [], 0, math.ceil(count * share), 65537
        now = f"{bits} bits, a pair of primes"
        while done < wanted:
            pool.append(prime(bits // 2, exponent, 3))
            for other in pool[:min(len(pool) - 1, wanted - done)]:
                key = key_of(other, pool[-1], exponent)
                check_once(key, rsa.RSAPublicNumbers(key[1], key[0]).public_key())
                done += 1


def check_once(key, public):
    private, context, password = pkcs1(key), numbers.randbytes(16), b"%x" % numbers.getrandbits(4 * 32)
    spare = BLOCK - len(password)
    message = password + bytes([spare]) * spare + hashlib.sha256(context).digest()
    check(unseal(private, context, public.encrypt(message, OAEP)) == (OK, password), "another password")
    code, signature = sign(private)
    check(code == OK, f"signText answers {code}")
    try:
        public.verify(signature, bytes(8) + TEXT, PSS, hashes.SHA256())
    except InvalidSignature:
        check(False, "cryptography finds our signature wrong")


def main():
    global now
    for index in range(int(sys.argv[2]) if len(sys.argv) > 2 else 6):
        bits, exponent = SIZES[index % len(SIZES)], numbers.choice(EXPONENTS)
        now = f"{bits} bits, e = {exponent}"
        key = draw_key(bits, exponent)
        public = rsa.RSAPublicNumbers(key[1], key[0]).public_key()
        check_texts(key, public)
        check_signatures(key, public)
        check_wrong_keys(key)
    now = "2048 bits"
    check_no_primes()
    check_half_a_prime()
    check_unequal_primes()
    if len(sys.argv) > 3:
        check_pairs(int(sys.argv[3]))
    print(f"rsa_peers.py: {checks} checks")


main()
