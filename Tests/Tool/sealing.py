"""Checks sealed texts in the tool: python3 sealing.py KEYBOARD. OpenSSL makes the keys.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import os
import re
import stat
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import groups
from files import file, folder, where
from groups import check
from openssl import ALGORITHM, openssl
from processes import found_in_memory, wait_until_it_reads
from terminal import Session, swallow_set_dumpable
from tool import TOOL, fails, run

PASSWORD = b"kgcx879@"
DIGITS = {"x25519": 384, "p256": 450, "sm2": 570, "rsa": 512, "sm4-gcm": 344, "xwing": 2560}
PAIRS = ("x25519", "p256", "sm2", "rsa")
MADE = PAIRS[:3]  # by generate-key


def pem(label, der, newline=b"\n"):
    digits = base64.b64encode(der)
    lines = [digits[start : start + 64] for start in range(0, len(digits), 64)]
    return newline.join([b"-----BEGIN %s-----" % label, *lines, b"-----END %s-----" % label, b""])


def openssl_key(way, name):
    """A key pair of OpenSSL's in every form: {form: file} of private and of public keys."""
    whole = where(name)
    openssl("genpkey", *ALGORITHM[way], "-out", whole)
    pkcs8 = openssl("pkcs8", "-topk8", "-nocrypt", "-in", whole, "-outform", "DER")
    public = openssl("pkey", "-in", whole, "-pubout", "-outform", "DER")
    texts = openssl("pkey", "-in", whole, "-pubout")
    size = {"x25519": 32, "rsa": len(public)}.get(way, 65)
    # The private key is at a place that depends only on the algorithm.
    start = {"x25519": 16, "rsa": 26}.get(way) or pkcs8.index(b"\x02\x01\x01\x04\x20") + 5
    secret = pkcs8[start:] if way == "rsa" else pkcs8[start : start + 32]
    private = {
        "hex": secret.hex().encode() + b"\n",
        "DER": pkcs8,
        "PEM": openssl("pkcs8", "-topk8", "-nocrypt", "-in", whole),
        "PEM with CRLF and text": b"Key: for tests\r\n" + pem(b"PRIVATE KEY", pkcs8, b"\r\n") + b"bye",
    }
    if way == "rsa":
        private["PKCS#1 DER"] = secret
        private["PKCS#1 PEM"] = openssl("rsa", "-in", whole, "-traditional")
    elif way != "x25519":
        sec1 = openssl("ec", "-in", whole, "-outform", "DER")
        private["SEC 1 DER"] = sec1
        private["SEC 1 PEM"] = pem(b"EC PRIVATE KEY", sec1)
        private["SEC 1 PEM, no public key"] = openssl("ec", "-in", whole, "-no_public")
        curve = "prime256v1" if way == "p256" else "SM2"
        private["with parameters"] = openssl("ecparam", "-name", curve) + private["SEC 1 PEM"]
    publics = {"hex": public[-size:].hex().encode(), "DER": public, "PEM": texts}
    files = []
    for kind, forms in (("private", private), ("public", publics)):
        files.append({form: file("%s.%s.%d" % (name, kind, index), forms[form]) for index, form in enumerate(forms)})
    return files


def seal(way, key, *context, password=PASSWORD):
    code, text, message = run("encrypt", "--way", way, "--key-file", key, *context, input=password)
    check((code, message) == (0, ""), "%s %s: %d %s" % (way, key, code, message))
    check(len(text) == DIGITS[way] + 1, "%s: %d digits" % (way, len(text) - 1))
    return text


def opens(way, key, *context, text, password=PASSWORD):
    answer = run("decrypt", "--way", way, "--key-file", key, *context, input=text)
    check(answer == (0, password, ""), "%s %s: %r" % (way, key, answer))


CONTEXT = ("--context", "challenge 17, payment")
EMPTY = ("--context", "")
ENCRYPT, DECRYPT = ("encrypt", *EMPTY), ("decrypt", *EMPTY)
WRONG = "the way, the key and the context"


def round_trips():
    """Each form of a public key seals, and each form of the private key opens what it sealed."""
    for way in PAIRS:
        private, public = openssl_key(way, way)
        texts = [seal(way, key, *CONTEXT) for key in public.values()]
        check(len(set(texts)) == len(texts), "%s: two texts are equal" % way)
        for key in private.values():
            opens(way, key, *CONTEXT, text=texts[0])
        for text in texts:
            opens(way, private["hex"], *CONTEXT, text=text)
            opens(way, private["PEM"], *CONTEXT, text=text.upper())
        for password in (b"", b"x", b"x" * 128, "한글é".encode()):
            text = seal(way, public["PEM"], *EMPTY, password=password + b"\n")
            opens(way, private["PEM"], "--context-hex", "", text=text, password=password)
        context = ("--context-hex", CONTEXT[1].encode().hex())
        opens(way, private["DER"], *context, text=texts[1])
        hexadecimal = Path(public["hex"]).read_text()
        code, text, _ = run("encrypt", "--way", way, "--key", hexadecimal, *CONTEXT, input=PASSWORD)
        opens(way, private["PEM"], *CONTEXT, text=text)


def generated_keys():
    """generate-key's files are used by the other commands; private ones are for their owner only."""
    for way in MADE:
        private, public = where(way + "-private"), where(way + "-public")
        for umask in groups.part((0o777, 0o022, 0o000, 0o077), 2):
            arguments = ("generate-key", "--way", way, "--out", private, "--public-out", public)
            check(run(*arguments, umask=umask) == (0, b"", ""), way)
            check(stat.S_IMODE(os.stat(private).st_mode) == 0o600, "%o" % os.stat(private).st_mode)
            check(stat.S_IMODE(os.stat(public).st_mode) == 0o644, "%o" % os.stat(public).st_mode)
            opens(way, private, *CONTEXT, text=seal(way, public, *CONTEXT))
            before = Path(private).read_bytes(), Path(public).read_bytes()
            fails(65, "--force", *arguments)
            check((Path(private).read_bytes(), Path(public).read_bytes()) == before, "a key was replaced")
            os.chmod(private, 0o644)
            check(run(*arguments, "--force") == (0, b"", ""), "--force")
            check(stat.S_IMODE(os.stat(private).st_mode) == 0o600, "%o after --force" % os.stat(private).st_mode)
            check(Path(private).read_bytes() != before[0], "not replaced")
            os.unlink(private)
            os.unlink(public)
        # If the second file cannot be made, there is no first.
        fails(74, "cannot be made", *arguments[:-1], folder.name + "/none/public")
        check(not os.path.exists(private), "half of a pair")
        file("exists", b"")
        fails(65, "exists", *arguments[:-1], where("exists"))
        fails(65, "not an ordinary file", *arguments[:-1], folder.name, "--force")
        check(not os.path.exists(private), "half of a pair")
        code, output, _ = run("generate-key", "--way", way)
        lines = [file("line", line) for line in output.split()]
        check(code == 0 and len(lines) == 2, output)
        secret, point = output.split()
        text = seal(way, file("point", point), *EMPTY)
        opens(way, file("secret", secret), *EMPTY, text=text)
        code, output, _ = run("generate-key", "--way", way, "--out", private)
        opens(way, private, *EMPTY, text=seal(way, file("point", output), *EMPTY))
        os.unlink(private)
    code, key, message = run("generate-key", "--way", "sm4-gcm")
    check((code, message, len(key)) == (0, "", 33), "%r" % key)
    opens("sm4-gcm", file("shared", key), *CONTEXT, text=seal("sm4-gcm", where("shared"), *CONTEXT))
    fails(64, "no public one", "generate-key", "--way", "sm4-gcm", "--public-out", where("none"))
    fails(64, "two files", "generate-key", "--way", "p256", "--out", where("x"), "--public-out", where("x"))
    for way in ("sm4", "rsa"):
        fails(64, "Usage", "generate-key", "--way", way)
    fails(64, "Usage", "generate-key")
    fails(64, "openssl genpkey -algorithm RSA", "generate-key", "--way", "rsa", "--out", where("rsa-made"))
    check(not os.path.exists(where("rsa-made")), "a key of RSA")
    check(not [name for name in os.listdir(folder.name) if name.endswith(".new")], "drafts are left")


def wrong_texts():
    """Everything but the same text, key and context is refused, with one message."""
    for way in DIGITS:
        private, public, other = where("w-private"), where("w-public"), where("w-other")
        pair = () if way == "sm4-gcm" else ("--public-out", public)
        if way == "rsa":
            private, public = (forms["PEM"] for forms in openssl_key(way, "w"))
            other = openssl_key(way, "v")[0]["DER"]
        else:
            run("generate-key", "--way", way, "--out", private, *pair, "--force")
            run("generate-key", "--way", way, "--out", other, "--force")
        text = seal(way, public if pair else private, *CONTEXT)
        decrypt = ("decrypt", "--way", way, "--key-file")
        for context in (EMPTY, ("--context", "another"), ("--context", CONTEXT[1] + " "), ("--context-hex", "00")):
            fails(65, WRONG, *decrypt, private, *context, input=text)
        fails(64, 'say --context ""', *decrypt, private, input=text)
        fails(64, 'say --context ""', "encrypt", "--way", way, "--key-file", public if pair else private)
        fails(64, 'say --context ""', "pad", "--way", way, "--key-file", public if pair else private)
        for place in (0, 40, len(text) // 2, len(text) - 2):
            changed = bytearray(text)
            changed[place] = ord("1") if changed[place] == ord("0") else ord("0")
            fails(65, WRONG, *decrypt, private, *CONTEXT, input=changed)
        fails(65, WRONG, *decrypt, other, *CONTEXT, input=text)
        for length in (text[:-3], text[:2], text.strip() + b"00"):
            words = "%d hexadecimal digits" % DIGITS[way]
            if way == "rsa":  # Its texts have as many bytes as the key says.
                words = WRONG if len(length) > 512 else "512 to 1024 hexadecimal digits"
            fails(65, words, *decrypt, private, *CONTEXT, input=length)
        fails(66, "empty", *decrypt, private, *CONTEXT)
        os.unlink(private)
    ecb = ("--key", "00" * 16)
    for way in ("sm4", "3des"):
        for context in (CONTEXT, ("--context-hex", "00")):
            fails(64, "cannot be bound", "encrypt", "--way", way, *ecb, *context, input=PASSWORD)
        code, text, _ = run("encrypt", "--way", way, *ecb, *EMPTY, input=PASSWORD)
        check((code, len(text)) == (0, 33), "%s: an empty context does not count" % way)
    for context in (("--context", "x" * 257), ("--context-hex", "00" * 257)):
        fails(64, "256 bytes", "encrypt", "--way", "sm4-gcm", *ecb, *context, input=PASSWORD)
    for digits in ("0", "0g", "00 "):
        fails(64, "pairs of hexadecimal", "encrypt", "--way", "sm4-gcm", *ecb, "--context-hex", digits, input=PASSWORD)
    fails(64, "not both", "encrypt", "--way", "sm4-gcm", *ecb, "--context", "x", "--context-hex", "00")
    longest = ("--context", "x" * 256)
    code, text, _ = run("encrypt", "--way", "sm4-gcm", *ecb, *longest, input=PASSWORD)
    check(run("decrypt", "--way", "sm4-gcm", *ecb, *longest, input=text) == (0, PASSWORD, ""), "the longest context")


def wrong_keys():
    """Anything but a key of the way is refused, with a message that says what to do."""
    forms = {way: openssl_key(way, way + "-again") for way in PAIRS}
    for way in PAIRS:
        private, public = forms[way]
        for form in private:
            words = "hexadecimal digits" if form == "hex" and way != "rsa" else "with the public key"
            if form != "hex" or way != "x25519":  # Both keys of X25519 are 32 bytes.
                fails(65, words, *ENCRYPT, "--way", way, "--key-file", private[form], input=PASSWORD)
        for form in ("DER", "PEM"):
            fails(65, "with the private key", *DECRYPT, "--way", way, "--key-file", public[form], input=b"00")
            for other in groups.part(sorted(set(PAIRS) - {way}), 2):
                fails(65, "--way " + way, *ENCRYPT, "--way", other, "--key-file", public[form], input=PASSWORD)
                fails(65, "--way " + way, *DECRYPT, "--way", other, "--key-file", private[form], input=b"00")
            for other in ("sm4", "sm4-gcm"):
                fails(65, "in hexadecimal digits", *ENCRYPT, "--way", other, "--key-file", public[form])
        # DER is read strictly: no byte may be missing, added, or changed where it is structure.
        for kind, keys, command in (("private", private, DECRYPT), ("public", public, ENCRYPT)):
            der = Path(keys["DER"]).read_bytes()
            arguments = (*command, "--way", way, "--key-file")
            for length in groups.part(range(1, len(der), 1 if way != "rsa" else 23), 16):
                code, output, _ = run(*arguments, file("cut", der[:length]), input=b"00")
                check((code, output) == (65, b""), "%s %s key of %d bytes" % (way, kind, length))
            for bad in (der + b"\0", b"\x30\x80" + der[2:] + b"\0\0", b"\x30\x82\0" + der[1:], b"\x31" + der[1:]):
                fails(65, "hexadecimal digits", *arguments, file("bad", bad), input=b"00")
            for place in groups.part(range(12 if way == "x25519" and kind == "public" else 16), 5):
                changed = bytearray(der)
                changed[place] ^= 0x40
                code, output, _ = run(*arguments, file("changed", bytes(changed)), input=b"00")
                check((code, output) == (65, b""), "%s %s key changed at %d" % (way, kind, place))
        text = Path(private["PEM"]).read_bytes()
        body = text.split(b"\n", 1)[1]
        for bad in (
            text.replace(b"END PRIVATE", b"END PUBLIC"),
            text.replace(b"M", b"*", 1),
            text[:-30],
            b"-----BEGIN PRIVATE KEY-----",
            b"-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
            b"-----BEGIN PRIVATE KEY-----\nM" + body,
            b"-----BEGIN " + body,
        ):
            fails(65, "whole key", *DECRYPT, "--way", way, "--key-file", file("bad", bad), input=b"00")
        locked = openssl("pkcs8", "-topk8", "-in", private["PEM"], "-passout", "pass:test")
        fails(65, "openssl pkey", *DECRYPT, "--way", way, "--key-file", file("locked", locked), input=b"00")
        fails(65, "at most", *DECRYPT, "--way", way, "--key-file", file("long", b"0" * 40000), input=b"00")
        # A public key that others may change is one that others may replace by their own.
        for mode in (0o666, 0o664, 0o646, 0o644, 0o444, 0o600):
            os.chmod(public["PEM"], mode)
            code, output, message = run(*ENCRYPT, "--way", way, "--key-file", public["PEM"], input=PASSWORD)
            check(code == 0 and ("go-w" in message) == (mode & 0o022 != 0), "%o: %r" % (mode, message))
        os.chmod(private["PEM"], 0o644)
        message = run(*DECRYPT, "--way", way, "--key-file", private["PEM"], input=b"00")[2]
        check("chmod 600" in message, message)
    for curve in ("secp384r1", "secp256k1"):
        other = openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:" + curve)
        fails(65, "holds one of", *DECRYPT, "--way", "p256", "--key-file", file("other", other), input=b"00")
    numbers = openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-param_enc", "explicit")
    fails(65, "", *DECRYPT, "--way", "p256", "--key-file", file("numbers", numbers), input=b"00")
    for bits in (512, 1024, 2040):
        rsa = openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:%d" % bits)
        short = file("rsa", rsa)
        fails(65, "--way rsa", *DECRYPT, "--way", "p256", "--key-file", short, input=b"00")
        fails(65, "2048 to 4096 bits", *DECRYPT, "--way", "rsa", "--key-file", short, input=b"00" * 256)
        public = file("rsa-public", openssl("pkey", "-in", short, "-pubout"))
        fails(65, "2048 to 4096 bits", *ENCRYPT, "--way", "rsa", "--key-file", public, input=PASSWORD)
    compressed = openssl("ec", "-in", forms["p256"][0]["PEM"], "-pubout", "-conv_form", "compressed")
    fails(65, "both coordinates", *ENCRYPT, "--way", "p256", "--key-file", file("short", compressed))
    # Points off the curve, and scalars out of range.
    for way, public in (("p256", "04" + "11" * 64), ("sm2", "04" + "11" * 64), ("x25519", "00" * 32)):
        fails(65, "not a public key", *ENCRYPT, "--way", way, "--key", public, input=PASSWORD)
    for way in ("p256", "sm2"):
        for scalar in ("00" * 32, "ff" * 32):
            text = b"00" * (DIGITS[way] // 2)
            fails(65, "not a private key", *DECRYPT, "--way", way, "--key", scalar, input=text)
    for way, size in (("x25519", 64), ("p256", 130), ("sm2", 130), ("sm4-gcm", 32)):
        fails(65, "%d hexadecimal digits" % size, *ENCRYPT, "--way", way, "--key", "0011", input=PASSWORD)


def signatures():
    """What sign prints is what verify takes, with each form of the keys, and nothing else is; OpenSSL takes it too."""
    text = b"\x00\xff any bytes\n" * 1000
    for way in ("p256", "sm2", "rsa"):
        private, public = openssl_key(way, way + "-signing")
        sign = ("sign", "--way", way, *CONTEXT, "--key-file")
        verify = ("verify", "--way", way, *CONTEXT, "--key-file")
        made = [run(*sign, private[form], input=text) for form in private]
        check(all(code == 0 and not message for code, _, message in made), "%s: %s" % (way, made))
        right = [signature.decode().strip() for _, signature, _ in made]
        check(len(set(right)) == len(right), "%s: two signatures are alike" % way)
        check({len(digits) for digits in right} == {512 if way == "rsa" else 128}, "%s: %s" % (way, right))
        good = (0, b"The signature is right.\n", "")
        for form in public:
            check(run(*verify, public[form], "--signature", right[0], input=text) == good, "%s, %s" % (way, form))
        key = public["PEM"]
        for digits in right:
            signature = file("signature", (digits + "\n").encode())
            check(run(*verify, key, "--signature-file", signature, input=text) == good, way)
        hexadecimal = run(*verify, key, "--hex", "--signature", right[0], input=text.hex().encode() + b"\n")
        check(hexadecimal == good, "%s: %s" % (way, hexadecimal))
        wrong = ("0" if right[0][0] != "0" else "1") + right[0][1:]
        for arguments, input in (
            ((*verify, key, "--signature", wrong), text),
            ((*verify, key, "--signature", right[0][2:]), text),
            ((*verify, key, "--signature", ""), text),
            ((*verify, key, "--signature", right[0]), text + b"."),
            (("verify", "--way", way, "--key-file", key, "--signature", right[0]), text),
        ):
            fails(65, "signature is wrong", *arguments, input=input)
        fails(65, "with the private key", *sign, key, input=text)
        fails(65, "with the public key", *verify, private["PEM"], "--signature", right[0], input=text)
        fails(65, "pairs of hexadecimal", *verify, key, "--signature", "0g", input=text)
        fails(65, "pairs of hexadecimal", *sign, private["PEM"], "--hex", input=b"0")
        fails(64, "one of them", *verify, key, input=text)
        fails(66, "cannot be opened", *verify, key, "--signature-file", where("none"), input=text)
        fails(66, "cannot be opened", *sign, where("none"), input=text)
        if way == "p256":
            message = (len(CONTEXT[1])).to_bytes(8, "big") + CONTEXT[1].encode() + text
            number = [bytes.fromhex(right[0][start : start + 64]).lstrip(b"\0") for start in (0, 64)]
            integers = [b"\0" * (each[0] >> 7) + each for each in number]
            der = b"".join(b"\x02" + bytes([len(each)]) + each for each in integers)
            signature = file("der", b"\x30" + bytes([len(der)]) + der)
            answer = openssl("dgst", "-sha256", "-verify", key, "-signature", signature, input=message)
            check(answer == b"Verified OK\n", answer)


def readme():
    """The commands of README.md, as printed there: a password goes in, and comes out."""
    page = Path(__file__).resolve().parents[2] / "README.md"
    script = re.search(r"^```sh\n(keyboard .*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S).group(1)
    check(script.count("\nkeyboard") == 2, script)
    with TemporaryDirectory() as directory:
        os.symlink(TOOL, directory + "/keyboard")
        environment = dict(os.environ, PATH=directory + os.pathsep + os.environ["PATH"])
        given = dict(input=PASSWORD, capture_output=True, cwd=directory, env=environment)
        ended = subprocess.run(["sh", "-ec", script], **given)
        check((ended.returncode, ended.stdout, ended.stderr) == (0, PASSWORD, b""), ended)


def on_the_pad():
    """The pad seals too."""
    for way in PAIRS:
        private, public = openssl_key(way, way + "-pad")
        session = Session([TOOL, "pad", "--way", way, "--key-file", public["PEM"], *CONTEXT, "--maximum", "3"])
        session.wait_for(lambda: "PIN" in session.screen.text, "the pad")
        for _ in range(3):
            session.send(b"\r")
        code, output, _ = session.end()
        check(code == 0 and len(output) == DIGITS[way] + 1, output)
        code, pin, _ = run("decrypt", "--way", way, "--key-file", private["PEM"], *CONTEXT, input=output)
        check(code == 0 and len(pin) == 3 and pin.isdigit(), "%r" % pin)


def memory():
    """While decrypt waits for a text, a private key is in one place, and nothing is left of the file it came from."""
    for way in PAIRS:
        private, _ = openssl_key(way, way + "-memory")
        key = bytes.fromhex(Path(private["hex"]).read_text())
        for form, name in private.items():
            contents = Path(name).read_bytes()
            needles = {"key": key, "digits": key.hex().encode()}
            for number, line in enumerate(contents.split()):
                if form != "hex" and len(line) == 64 and line.isascii():
                    needles["line %d of base64" % number] = line[24:60]
            needles["control"] = name.encode()
            command = [TOOL, *DECRYPT, "--way", way, "--key-file", name]
            with subprocess.Popen(command, stdin=subprocess.PIPE, preexec_fn=swallow_set_dumpable) as process:
                wait_until_it_reads(process)
                counts = found_in_memory(process, needles)
                process.kill()
            check(counts.pop("control") > 0, "the search finds nothing")
            check(counts.pop("key") == 1 and not any(counts.values()), "%s, %s: %s" % (way, form, counts))


GROUPS = (round_trips, generated_keys, readme, wrong_texts, wrong_keys, signatures, memory, on_the_pad)

groups.run("sealing", GROUPS)
