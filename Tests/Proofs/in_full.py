#!/usr/bin/python3
"""Tries compiled functions on all their inputs, where these are few enough, and linear ones on a basis (in_full.c), on
each path of SM4 that this processor has. And again with another instruction in each function, which must be noticed.

    in_full.py OBJECT          build/customkeyboard.o

SPDX-License-Identifier: Apache-2.0
"""

import os
import random
import re
import subprocess
import sys
import tempfile

from listing import run

HERE = os.path.dirname(os.path.abspath(__file__))
RING, PORTABLE = r"19KeyboardLatticeAVX204RingC0O", r"15KeyboardLattice8Portable33_\w+LLO"
TEXT = r"^\$e12KeyboardText"
FUNCTIONS = {
    "unpadded_length": r"5PKCS7O14unpaddedLength",
    "add_portable": PORTABLE + "3add_", "add_avx2": RING + "3add_",
    "noise_portable": PORTABLE + "11sampleNoise_", "noise_avx2": RING + "11sampleNoise_",
    "transform_portable": PORTABLE + "9transformyy", "transform_avx2": RING + "9transformyy",
    "back_portable": PORTABLE + "13transformBackyy", "back_avx2": RING + "13transformBackyy",
    "ungroup_portable": PORTABLE + "7ungroupyy", "ungroup_avx2": RING + "7ungroupyy",
    "pack": r"6CodingV4pack_", "unpack": r"6CodingV6unpack_",
    "ghash": r"13KeyboardGHASH0B0O6digest3key14additionalData",
    "sm4_encrypt": r"11KeyboardSM40B0O7encrypt3key",
    "base64_encode": TEXT + "6Base64O6encode_4into", "base64_is_text": TEXT + r"6Base64O\w+_9writingTo",
    "base64_contains": TEXT + "6Base64O8contains", "hexadecimal_encode": TEXT + "11HexadecimalO6encode_4into",
    "hexadecimal_decode": TEXT + "11HexadecimalO6decode_4into",
    "hexadecimal_is_digit": TEXT + "11HexadecimalO7isDigit", "utf8_take": TEXT + "11UTF8DecoderV4take",
}
# A path and what /proc/cpuinfo must name for it.
PATHS = {"portable": "", "aesni": "aes", "gfni256": "gfni", "gfni512": "avx512bw"}


# Functions that bugs are planted in, what notices them, and on which path of SM4.
PLANTED = [
    (r"5PKCS7O14unpaddedLength", "padding", "portable"),
    (PORTABLE + "3add_", "products", "portable"),
    (RING + "3add_", "products", "aesni"),
    (PORTABLE + "11sampleNoise_", "noise", "portable"),
    (RING + "11sampleNoise_", "noise", "aesni"),
    (PORTABLE + "9transformyy", "transform", "portable"),
    (RING + "9transformyy", "transform", "aesni"),
    (PORTABLE + "13transformBackyy", "transform", "portable"),
    (RING + "13transformBackyy", "transform", "aesni"),
    (r"6CodingV4pack_", "coding", "portable"),
    (r"SM48PortableO8cryptOne\w+Tf4nnnd_n$", "sm4", "portable"),
    (r"SM46PlanesVAA0aB6Vector5Word4VRszlE5slice\w+yyF$", "sm4", "portable"),
    (r"SM48PortableO7crypt3233_\w+ySwXEfU_$", "sm4", "portable"),
    (r"KeyboardSM4AESNI0C0O5crypt_\w+FZ$", "sm4", "aesni"),
    (TEXT + "6Base64O6encode_4into", "text", "portable"),
    (TEXT + r"6Base64O\w+_9writingTo", "text", "portable"),
    (TEXT + "6Base64O8contains", "text", "portable"),
    (TEXT + "11HexadecimalO6decode_4into", "text", "portable"),
    (TEXT + "11HexadecimalO7isDigit", "text", "portable"),
    (TEXT + "11UTF8DecoderV4take", "text", "portable"),
    (r"13PortableGHASHO6digest_\w+FZ$", "ghash", "portable"),
]
# Opcodes of an instruction, and those of another one with the same operands.
OTHERS = {"paddw": {0xfd: 0xf9}, "psubw": {0xf9: 0xfd}, "pmullw": {0xd5: 0xe5}, "pmulhw": {0xe5: 0xd5},
          "pxor": {0xef: 0xeb}, "pandn": {0xdf: 0xdb}, "pcmpeqb": {0x74: 0x64}, "xor": {0x31: 0x09, 0x33: 0x0b},
          "imul": {0xaf: 0x44}}
# In texts: ranges of characters, which are compared by differences. A loop's `cmp` compares whole registers.
TEXT_OTHERS = {"psubq": {0xfb: 0xd4}, "and": {0x21: 0x09}, "cmp": {0x3a: 0x38, 0x38: 0x3a}}


def altered(path, symbol, folder, count, others):
    """Copies of an object file, each with another instruction in a function."""
    section = ".text." + symbol
    start = next(int(re.search(r"PROGBITS\s+\w+ (\w+)", line)[1], 16)
                 for line in run("readelf", "-S", "--wide", path).splitlines() if "] %s " % section in line)
    with open(path, "rb") as file:
        whole = file.read()
    places = []
    for line in run("objdump", "-d", "-j", section, path).splitlines():
        match = re.match(r" *([0-9a-f]+):\t([0-9a-f ]+)\t(\w+) *(.*)", line)
        name = match and match[3].removeprefix("v")
        if name in others and len(set(match[4].split(",")[:2])) > 1:
            code = bytes.fromhex(match[2])
            opcode = {0xc5: 2, 0xc4: 3}.get(code[0], code.index(0x0f) + 1 if 0x0f in code[:3] else code[0] // 16 == 4)
            if code[opcode] in others[name]:
                new = others[name][code[opcode]]
                places.append((start + int(match[1], 16) + opcode, new, match[0].strip()))
    assert places, symbol
    random.Random(symbol).shuffle(places)
    for place, new, what in places[:count]:
        changed = os.path.join(folder, "changed.o")
        with open(changed, "wb") as file:
            file.write(whole[:place] + bytes([new]) + whole[place + 1:])
        yield changed, what


def build(path, compiler, folder, name, symbols):
    changed, program = os.path.join(folder, name + ".o"), os.path.join(folder, name)
    changes = [option for own, symbol in symbols.items()
               for option in ("--redefine-sym", "%s=%s" % (symbol, own), "--globalize-symbol=" + own)]
    subprocess.run(["objcopy", *changes, path, changed], check=True)
    subprocess.run([compiler, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-z", "noexecstack",
                    os.path.join(HERE, "in_full.c"), os.path.join(HERE, "in_full_text.c"), changed,
                    "-l:libmbedcrypto.a", "-o", program], check=True)
    return program


def main():
    path, compiler = sys.argv[1], os.environ.get("CC", "cc")
    names = [line.split()[-1] for line in run("nm", "--defined-only", path).splitlines()]
    symbols = {}
    for own, pattern in FUNCTIONS.items():
        symbols[own], = [name for name in names if re.search(pattern, name)]
    with open("/proc/cpuinfo", encoding="ascii") as file:
        features = file.read()
    with tempfile.TemporaryDirectory() as folder:
        program = build(path, compiler, folder, "right", symbols)
        for name, feature in PATHS.items():
            if feature and not re.search(r"\b%s\b" % feature, features):
                print("SM4 and GHASH on %s: not run, this processor has none" % name)
                continue
            command = [program, "all" if name == "portable" else "paths"]
            print("with SM4 on %s:" % name, flush=True)
            subprocess.run(command, env=dict(os.environ, CUSTOM_KEYBOARD_SM4=name), check=True)
        wrong = 0
        for pattern, what, name in PLANTED:
            if PATHS[name] not in features:
                continue
            symbol, = [symbol for symbol in names if re.search(pattern, symbol)]
            for changed, instruction in altered(path, symbol, folder, 4,
                                                TEXT_OTHERS if what == "text" else OTHERS):
                done = subprocess.run([build(changed, compiler, folder, "wrong", symbols), what],
                                      env=dict(os.environ, CUSTOM_KEYBOARD_SM4=name), capture_output=True)
                if done.returncode == 0:
                    sys.exit("another instruction in %s is not noticed: %s" % (symbol, instruction))
                wrong += 1
    print("in full: %d other instructions noticed" % wrong)


if __name__ == "__main__":
    main()
