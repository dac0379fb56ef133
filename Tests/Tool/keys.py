"""Checks `keyboard key`: python3 keys.py KEYBOARD. OpenSSL makes the keys, and reads what is written.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import hashlib
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

from files import file, folder

TOOL = sys.argv[1]
ALGORITHM = {
    "x25519": ("-algorithm", "X25519"),
    "p256": ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"),
    "sm2": ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:SM2"),
    "rsa": ("-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"),
}
checks = 0


def check(condition, what):
    global checks
    checks += 1
    assert condition, what


def run(*arguments, input=b""):
    ended = subprocess.run([TOOL, "key", *arguments], input=input, capture_output=True, start_new_session=True)
    return ended.returncode, ended.stdout, ended.stderr.decode()


def output(*arguments, input=b""):
    code, text, message = run(*arguments, input=input)
    check((code, message) == (0, ""), "%s: %d %s" % (arguments, code, message))
    return text


def refused(code, words, *arguments, input=b""):
    ended, text, message = run(*arguments, input=input)
    check(ended == code and not text, "%s: exit code %d, not %d: %s" % (arguments, ended, code, message))
    check(words in message, "%s: %r" % (arguments, message))


def openssl(*arguments, input=None):
    return subprocess.run(["openssl", *arguments], input=input, capture_output=True, check=True).stdout


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def key_id(public):
    return base64url(hashlib.sha256(public).digest()[:8])


class Pair:
    """A pair of OpenSSL's: DER of both, and the bare bytes as the library takes them."""

    def __init__(self, way):
        self.way = way
        pem = openssl("genpkey", *ALGORITHM[way])
        self.pem = pem
        self.private_der = openssl("pkey", "-outform", "DER", input=pem)
        self.public_der = openssl("pkey", "-pubout", "-outform", "DER", input=pem)
        self.public_pem = openssl("pkey", "-pubout", input=pem)
        if way == "rsa":
            self.public, self.private = self.public_der, None
        else:
            self.public = self.public_der[-(32 if way == "x25519" else 65):]
            text = openssl("pkey", "-noout", "-text", input=pem).decode()
            digits = re.search(r"priv:\s*((?:[0-9a-f]{2}:?\s*)+)", text)[1]
            self.private = bytes.fromhex(re.sub(r"[:\s]", "", digits)).rjust(32, b"\0")[-32:]


def shows(pair):
    """Each form is known; a private key is never shown."""
    way = pair.way
    forms = [(pair.public_pem, "public key", "PEM", ()), (pair.public_der, "public key", "DER", ())]
    forms += [(pair.pem, "private key", "PEM", ()), (pair.private_der, "private key", "DER", ())]
    if way != "rsa":
        known = ("--way", way, "--kind", "public") if way == "x25519" else ()
        secret = ("--way", way, "--kind", "private")
        for data, kind, options in (pair.public, "public key", known), (pair.private, "private key", secret):
            for text, form in (data.hex().encode(), "hexadecimal digits"), (base64url(data), "base64url"):
                forms.append((text + b"\n", kind, form, options))
            forms.append((data, kind, "bare bytes", options))
    for data, kind, form, options in forms:
        for arguments, given in ((file("key", data),), b""), ((), data):
            text = output(*arguments, *options, input=given).decode()
            check(re.search("^way     %s$" % way, text, re.M), text)
            check(re.search("^kind    %s$" % kind, text, re.M) and re.search("^form    %s$" % form, text, re.M), text)
            has_id = way != "rsa" or kind == "public key"
            check(("id      %s" % key_id(pair.public).decode() in text) == has_id, text)
            check((base64url(pair.public).decode() in text) == (way != "rsa"), "the public key: " + text)
            if pair.private:
                check(pair.private.hex() not in text and base64url(pair.private).decode() not in text, "it is shown")


def converts(pair):
    way, sources = pair.way, [pair.public_pem, pair.public_der]
    if way != "rsa":
        sources += [pair.pem, pair.private_der]
    for source in sources:
        where = file("key", source)
        check(output(where, "--to", "raw") == pair.public, "raw")
        check(output(where, "--to", "hex") == pair.public.hex().encode() + b"\n", "hex")
        check(output(where, "--to", "base64url") == base64url(pair.public) + b"\n", "base64url")
        check(output(where, "--to", "der") == pair.public_der, "DER")
        check(output(where, "--to", "pem") == pair.public_pem, "PEM")
        check(output(where, "--to", "id") == key_id(pair.public) + b"\n", "id")
    private = file("private", pair.pem)
    for form, read in ("der", "DER"), ("pem", "PEM"):
        written = output(private, "--private", "--to", form)
        again = openssl("pkey", "-inform", read, "-pubout", "-outform", "DER", input=written)
        check(again == pair.public_der, "OpenSSL reads another key in %s" % form)
    if way != "rsa":
        check(output(private, "--private", "--to", "raw") == pair.private, "the bare private key")
        check(output(private, "--private", "--to", "hex") == pair.private.hex().encode() + b"\n", "its digits")
        options = ("--way", way, "--kind", "private")
        check(output(*options, "--to", "pem", input=pair.private) == pair.public_pem, "of a bare private key")
    else:
        refused(65, "openssl pkey -in", private, "--to", "raw")


def certificates(pair):
    where = file("private", pair.pem)
    if pair.way in ("p256", "rsa"):
        for form in "PEM", "DER":
            made = openssl("req", "-x509", "-key", where, "-subj", "/CN=bank.example/O=" + "x" * 60, "-days", "2",
                           "-outform", form)
            certificate = file("certificate", made)
            check(output(certificate, "--to", "der") == pair.public_der, "of a certificate in " + form)
            check(b"form    a certificate, " + form.encode() in output(certificate), "a certificate")
            for cut in range(0, len(made) - 1, 37):
                check(run(input=made[:cut])[0] != 0, "a certificate that was cut")


def files(pair):
    """Modes, and files that exist."""
    target = os.path.join(folder.name, "target")
    for key, options, mode in (pair.public_pem, (), 0o644), (pair.pem, ("--private",), 0o600):
        source = file("source", key)
        check(output(source, "--to", "pem", "--out", target, *options) == b"", "the key goes to standard output")
        check(stat.S_IMODE(os.stat(target).st_mode) == mode, "the file's mode")
        refused(65, "--force", source, "--to", "pem", "--out", target, *options)
        output(source, "--to", "pem", "--out", target, "--force", *options)
        os.unlink(target)


def wrong():
    key = bytes(range(1, 33))
    refused(64, "Say --way", input=key)
    refused(64, "Say --kind", "--way", "x25519", input=key)
    refused(64, "Say --to", "--private", input=key)
    refused(64, "--private", "--private", "--to", "id", input=key)
    refused(65, "Leave out --private", "--way", "x25519", "--kind", "public", "--private", "--to", "hex", input=key)
    refused(65, "something else", "--way", "p256", input=b"\xff" * 32)
    refused(65, "something else", "--way", "sm2", input=b"\0" * 32)
    refused(65, "something else", input=b"\x04" + b"\1" * 64)
    refused(65, "something else", "--way", "x25519", "--kind", "public", input=b"\0" * 32)
    refused(65, "", "--way", "x25519", "--kind", "public", input=key[:31])
    refused(65, "base64url", input=b"qJ0" + b"A" * 41 + b"=====")
    refused(66, "standard input", input=b"")
    refused(66, "cannot be opened", os.path.join(folder.name, "none"))
    refused(65, "holds another one", input=openssl("genpkey", "-algorithm", "ED25519"))
    refused(65, "at most", input=b"1" * 9000)
    encrypted = openssl("genpkey", *ALGORITHM["p256"], "-aes256", "-pass", "pass:kgcx879@")
    refused(65, "Take the password off", input=encrypted)
    pair = Pair("p256")
    refused(65, "--way", "--way", "sm2", input=pair.pem)
    refused(65, "--kind", "--kind", "public", input=pair.pem)
    der = pair.private_der
    for altered in pair.pem[:-30], pair.pem[:60] + b"!" + pair.pem[61:], der[:-1], der + b"\0":
        check(run(input=altered)[0] == 65, "an altered key")
    # A shared key has no public one, and no PEM.
    text = output(input=b"00112233445566778899aabbccddeeff\n").decode()
    check("way     sm4-gcm" in text and "00112233" not in text and "id" not in text.split(), text)
    refused(64, "Say --private", "--to", "hex", input=bytes(range(16)))
    check(output("--private", "--to", "hex", input=bytes(range(16))) == bytes(range(16)).hex().encode() + b"\n", "SM4")
    refused(64, "another form", "--private", "--to", "pem", input=bytes(range(16)))


def generated():
    """What generate-key writes; and a bare key that begins like DER, or has digits only."""
    for way in "x25519", "p256", "sm2":
        private, public = (os.path.join(folder.name, name) for name in ("made", "made.public"))
        make = ("generate-key", "--way", way, "--out", private, "--public-out", public, "--force")
        subprocess.run([TOOL, *make], check=True)
        options = ("--way", way, "--kind", "private")
        check(output(private, *options, "--to", "hex") == Path(public).read_bytes(), "the public key of " + way)
    for key in b"\x30\x1e" + b"\1" * 30, b"z" * 32, b"_" * 32:
        made = output("--way", "x25519", "--kind", "private", "--private", "--to", "raw", input=key)
        check(made == key, "bare bytes are taken for another form")


for way in ALGORITHM:
    for _ in range(1 if way == "rsa" else 4):
        pair = Pair(way)
        shows(pair)
        converts(pair)
    certificates(pair)
    files(pair)
wrong()
generated()
print("keys: %d checks" % checks)
