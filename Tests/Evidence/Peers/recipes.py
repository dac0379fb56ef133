#!/usr/bin/env python3
"""Takes the recipes of Docs/SealedTexts.md out of the page, and writes them as functions for the peers' programs:
Recipes.swift, Recipes.java, recipes.mjs and sm2_der.h. What is said there about P-256 is done by replacing words.

    recipes.py DIRECTORY

SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "..", "..", "Docs", "SealedTexts.md")


def block(page, heading, language, number, word):
    """The code block of that number under a heading. It must have the word, or the page has changed."""
    section = re.search(r"^### %s\n(.*?)(?=^##)" % heading, page, re.M | re.S)
    blocks = re.findall(r"^```%s\n(.*?)^```$" % language, section.group(1) if section else "", re.M | re.S)
    if len(blocks) < number or word not in blocks[number - 1]:
        sys.exit("recipes.py: no block %d of %s with %s under %s" % (number, language, word, heading))
    return blocks[number - 1]


def replaced(text, words):
    for old, new in words.items():
        if not re.search(old, text):
            sys.exit("recipes.py: nothing to replace: " + old)
        text = re.sub(old, new, text)
    return text


def swift(page):
    recipe = block(page, "Swift", "swift", 1, "HPKE.Recipient").replace("import Crypto\n", "")
    p256 = replaced(recipe, {r"Curve25519\.KeyAgreement": "P256.KeyAgreement", r"\b32\b": "65",
                             r"\.Curve25519_SHA256_ChachaPoly": ".P256_SHA256_AES_GCM_256"})
    function = "func %s(_ key: Data, _ context: Data, _ text: Data) throws -> Data {\n%s  return password\n}\n"
    return ("import Crypto\nimport Foundation\n\n"
            "func unpad(_ block: Data) -> Data { block } // the whole block is compared\n"
            + function % ("openX25519", recipe) + function % ("openP256", p256))


def java(page):
    packages = ("asn1.gm", "asn1.nist", "crypto", "crypto.digests", "crypto.engines", "crypto.macs", "crypto.modes",
                "crypto.params", "math.ec")
    imports = "".join("import org.bouncycastle.%s.*;\n" % name for name in packages)
    sm2 = block(page, "Java", "java", 3, "SM2Engine")
    return (imports + "import java.math.BigInteger;\nimport java.nio.charset.StandardCharsets;\n"
            "import org.bouncycastle.util.Arrays;\n\nclass Recipes {\n"
            "static byte[] unpad(byte[] block) { return block; } // the whole block is compared\n"
            + block(page, "Java", "java", 2, "X25519PrivateKeyParameters")
            + "static byte[] openSM2(byte[] key, byte[] context, byte[] text) throws Exception {\n"
            + sm2 + "return block;\n}\n}\n")


def main():
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    files = {
        "Recipes.swift": swift(page),
        "Recipes.java": java(page),
        "recipes.mjs": block(page, "Node", "js", 1, "createHmac"),
        "sm2_der.h": block(page, "OpenSSL", "c", 2, "sm2_der"),
    }
    for name, text in files.items():
        with open(os.path.join(sys.argv[1], name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
