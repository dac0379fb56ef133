"""OpenSSL, and how it is told which key to make.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess

ALGORITHM = {
    "x25519": ("-algorithm", "X25519"),
    "p256": ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"),
    "sm2": ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:SM2"),
    "rsa": ("-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"),
}


def openssl(*arguments, input=None):
    return subprocess.run(["openssl", *arguments], input=input, capture_output=True, check=True).stdout
