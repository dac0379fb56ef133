"""Checks `keyboard key`: python3 keys.py KEYBOARD. OpenSSL makes the keys, and reads what is written.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import hashlib
import os
import re
import stat
import subprocess
from functools import partial
from pathlib import Path

import groups
import tool
from files import file, folder
from groups import check
from openssl import ALGORITHM, openssl
from tool import TOOL, fails



run, output = (partial(function, "key") for function in (tool.run, tool.works))


def refused(code, words, *arguments, **options):
    fails(code, words, "key", *arguments, **options)


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
    refused(65, "holds one of Ed25519", input=openssl("genpkey", "-algorithm", "ED25519"))
    refused(65, "at most", input=b"1" * 40000)
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


def blocks():
    """Of several keys in PEM, the one that serves is taken, wherever it is: pkcs12 -nodes writes certificates first."""
    pair, other = Pair("p256"), Pair("rsa")
    made = [openssl("req", "-x509", "-key", file("private", each.pem), "-subj", "/CN=x") for each in (pair, other)]
    bundle = file("bundle", b"Bag Attributes\n" + made[1] + made[0] + other.pem + pair.pem)
    for options, wanted in ((), pair.public), (("--private",), pair.private):
        check(output(bundle, "--way", "p256", *options, "--to", "raw") == wanted, "another block")
    check(output(bundle, "--private", "--to", "der") == openssl("rsa", "-outform", "DER", "-traditional",
                                                                input=other.pem), "the first private key")
    check(output(file("pair", made[0] + pair.pem), "--private", "--to", "raw") == pair.private, "behind a certificate")
    refused(65, "holds a public key", file("only", made[0]), "--private", "--to", "hex")
    encrypted = openssl("pkey", "-aes256", "-passout", "pass:x", input=pair.pem)
    refused(65, "Take the password off", file("locked", made[0] + encrypted), "--private", "--to", "hex")
    # What a reader of --key-file finds in it.
    for name, key in ("bundle", bundle), ("hex", file("hex", pair.private.hex().encode())), (
            "raw", file("raw", pair.private)), ("base64url", file("base64url", base64url(pair.private) + b"\n")), (
            "lines", file("lines", pair.private.hex("\n").encode())):
        sign = [TOOL, "sign", "--way", "p256", "--key-file", key, "--context", "c"]
        ended = subprocess.run(sign, input=b"text", capture_output=True)
        check(ended.returncode == 0, "sign with %s: %s" % (name, ended.stderr))


def named():
    """Another file is named, and the command that is told for it makes a key."""
    pair, other, rsa = Pair("p256"), Pair("p256"), Pair("rsa")
    private = file("private", pair.pem)
    curve = ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-pkeyopt", "ec_param_enc:explicit")
    explicit = openssl("genpkey", *curve)
    request = openssl("req", "-new", "-key", private, "-subj", "/CN=x")
    certificate = openssl("req", "-x509", "-key", private, "-subj", "/CN=x")
    pkcs7 = openssl("crl2pkcs7", "-nocrl", "-certfile", file("certificate", certificate))
    pss = openssl("genpkey", "-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048")
    signed = file("certificate", certificate)
    pkcs12 = openssl("pkcs12", "-export", "-inkey", private, "-in", signed, "-passout", "pass:")
    public = openssl("rsa", "-RSAPublicKey_out", input=rsa.pem)
    encrypted = openssl("pkcs8", "-topk8", "-outform", "DER", "-passout", "pass:x", input=pair.pem)

    ssh = b"OPENSSH PRIVATE KEY"

    def der(pem):
        return base64.b64decode(b"".join(pem.split(b"-----")[2].split()))

    for words, made, data in (
        ("request", "public.pem", (request, der(request))),
        ("PKCS#7", "certificates.pem", (pkcs7, der(pkcs7))),
        ("PKCS#12", None, (pkcs12,)),
        ("not by its numbers", "named.pem", (explicit,)),
        ("RSASSA-PSS", "private.pem", (pss, der(pss), openssl("pkey", "-pubout", input=pss))),
        ("PKCS#1", "public.pem", (public, der(public))),
        ("password", None, (encrypted,)),
        ("OpenSSH", None, (b"ssh-ed25519 AAAAC3Nz", b"-----BEGIN %s-----\nAA==\n-----END %s-----" % (2 * (ssh,)))),
        ("one of P-384", None, (openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"),)),
        ("JSON", None, (b'{"kty":"EC"}',)),
        ("UTF-16", None, (pair.private.hex().encode("utf-16"),)),
        ("without 0x", None, (b"0x" + pair.private.hex().encode(), pair.private.hex(":").encode())),
    ):
        for each in data:
            where = file("given", each)
            refused(65, words, where, *(("--private", "--to", "hex") if made != "public.pem" else ()))
            sign = [TOOL, "sign", "--way", "p256", "--key-file", where, "--context", "c"]
            ended = subprocess.run(sign, input=b"text", capture_output=True)
            check(ended.returncode == 65 and words in ended.stderr.decode(), "sign: %s" % ended.stderr)
            if made and each[:1] == b"-":
                command = re.search(r"\(?(?:umask 077; )?(openssl [^)]*)", run(where)[2])[1]
                subprocess.run(command, shell=True, check=True, cwd=folder.name, capture_output=True)
                check(run(os.path.join(folder.name, made))[0] == 0, "%s makes another thing than a key" % command)
    # A private key, and beside it the public key of another one: SEC 1's, PKCS#8's, X25519's and RSA's.
    at = pair.private_der.index(pair.public)
    mixed = pair.private_der[:at] + other.public + pair.private_der[at + 65 :]
    x = [Pair("x25519") for _ in range(2)]
    v2 = [b"\x30\x51\x02\x01\x01" + x[0].private_der[5:] + b"\x81\x21\x00" + each.public for each in x]
    check(output("--private", "--to", "raw", input=v2[0]) == x[0].private, "a key of version 2")
    compressed = openssl("pkey", "-ec_conv_form", "compressed", "-outform", "DER", input=pair.pem)
    check(output("--private", "--to", "raw", input=compressed) == pair.private, "a pair with half a point")
    own = openssl("rsa", "-RSAPublicKey_out", "-outform", "DER", input=rsa.pem)
    numbers = openssl("pkcs8", "-topk8", "-nocrypt", "-outform", "DER", input=rsa.pem)
    bits = b"\x81\x82" + (len(own) + 1).to_bytes(2, "big") + b"\0" + own
    whole = b"\x30\x82" + (len(numbers) - 4 + len(bits)).to_bytes(2, "big") + b"\x02\x01\x01" + numbers[7:] + bits
    check(b"way     rsa" in output(input=whole), "a pair of RSA")
    changed = bytearray(whole)
    changed[-20] ^= 1
    for data in mixed, v2[1], bytes(changed):
        refused(65, "public key of another one", input=data)


def generated():
    """What generate-key writes; and a bare key that begins like DER, or has digits only."""
    for way in "x25519", "p256", "sm2":
        private, public = (os.path.join(folder.name, name) for name in ("made", "made.public"))
        make = ("generate-key", "--way", way, "--out", private, "--public-out", public, "--force")
        subprocess.run([TOOL, *make], check=True)
        options = ("--way", way, "--kind", "private")
        check(output(private, *options, "--to", "hex") == Path(public).read_bytes(), "the public key of " + way)
        options = ("--way", way, "--private", "--to", "hex")
        kept = output(private, *options)
        check(kept == Path(private).read_bytes(), "--private is no --kind")
        for form in "raw", "base64url", "der", "pem":
            subprocess.run([TOOL, *make, "--to", form], check=True)
            key, there = output(private, *options), Path(public).read_bytes()
            known = ("--way", way, "--kind", "public") if form in ("raw", "base64url") else ()
            own = output("--way", way, "--kind", "private", "--to", form, input=key)
            check(there == own, "another pair in " + form)
            check(output(public, *known, "--to", form) == there, "what generate-key writes in " + form)
    for way, form, code in ("xwing", "pem", 64), ("sm4-gcm", "der", 64), ("p256", "id", 64), ("x25519", "raw", 64):
        ended = subprocess.run([TOOL, "generate-key", "--way", way, "--to", form], capture_output=True)
        check(ended.returncode == code and not ended.stdout, "generate-key --to %s" % form)
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
blocks()
named()
generated()
print("keys: %d checks" % groups.checks)
