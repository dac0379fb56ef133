#!/usr/bin/env python3
"""The Python package, as an installed wheel has it: every function, its errors, secrets in memory, threads and forks.

    package.py HEADER          with the package installed (wheel.sh does that), or PYTHONPATH=Bindings/python and
                               CUSTOM_KEYBOARD_LIBRARY=build/libcustomkeyboard.so

SPDX-License-Identifier: Apache-2.0
"""

import base64
import copy
import ctypes
import hashlib
import os
import pickle
import re
import secrets
import subprocess
import sys
import tempfile
import threading
import unittest
from array import array
from pathlib import Path
from unittest import mock

import customkeyboard as ck
from customkeyboard import _library, migration

HEADER_FILE = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
HEADER = HEADER_FILE.read_text() if HEADER_FILE else ""
SEALED = [ck.Way.SM4_GCM, ck.Way.X25519, ck.Way.P256, ck.Way.SM2, ck.Way.XWING]
ECB = {ck.Way.DES: 8, ck.Way.TRIPLE_DES: 24, ck.Way.SM4: 16}
RIGHT, WRONG = "correct horse 電池 ", "correct horse 電池"

# Receives a text on standard input, checks it, and waits: its parent then searches its memory.
VICTIM = """
import sys, customkeyboard as ck
key, pepper = ck.Secret.read(sys.argv[1]), ck.Secret.read(sys.argv[2])
text = sys.stdin.buffer.read(192)
with ck.Keyboard() as keyboard:
    keyboard.receive(ck.Way.X25519, key, b"challenge", text)
    right = keyboard.check_verifier(sys.argv[3], pepper)
    opened = ck.unseal_batch(ck.Way.X25519, key, b"challenge", [text] * 3)
    assert opened.failed() == [], opened.codes
    if sys.argv[4] == "reveal":
        shown = opened.reveal(1)
    opened.close()
    print("right" if right else "wrong", flush=True)
    sys.stdin.buffer.read(1)
"""


def typed(password):
    keyboard = ck.Keyboard()
    keyboard.open()
    keyboard.input(password.encode())
    return keyboard


def sealed(way, public, context, password):
    with ck.Keyboard() as keyboard:
        keyboard.set_enc_key(public, way)
        keyboard.set_context(context)
        keyboard.open()
        keyboard.input(password.encode())
        return keyboard.get_text()


def encrypted(way, key, password):
    with ck.Keyboard() as keyboard:
        keyboard.set_enc_key(key, way)
        keyboard.open()
        keyboard.input(password.encode())
        return keyboard.get_text()


def together(count, work):
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def refused_in_a_fork(call):
    """Whether the child of a fork is told that it is one."""
    child = os.fork()
    if child == 0:
        try:
            call()
        except ValueError as error:
            os._exit(0 if "fork" in str(error) else 2)
        os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def pair(way):
    private, public = ck.generate_key(way)
    return private, public or private.reveal()


class Contract(unittest.TestCase):
    """The package beside the header."""

    def test_every_function_is_there(self):
        named = set(re.findall(r"CustomKeyboard_(\w+)\(", HEADER))
        self.assertGreater(len(named), 40)
        self.assertEqual(named, set(_library.FUNCTIONS) | _library.LEFT_OUT)

    def test_numbers_are_those_of_the_header(self):
        def listed(prefix):
            return {name: int(value) for name, value in re.findall(prefix + r"(\w+) = (\d+)", HEADER)}

        renamed = {"3DES": "TRIPLE_DES"}
        for prefix, numbers in {
            "CUSTOM_ENCWAY_": ck.Way,
            "CUSTOM_SIGNWAY_": ck.SignWay,
            "CUSTOM_DUKPT_": ck.DUKPT,
            "CUSTOM_KEYBOARD_LAYOUT_": ck.Layout,
            "CUSTOM_KEYBOARD_SHUFFLE_": ck.Shuffle,
            "CUSTOM_KEYBOARD_ROLE_": ck.Role,
            "CUSTOM_KEYBOARD_RULE_": ck.Rule,
            r"CUSTOM_KEYBOARD_(?!LAYOUT_|SHUFFLE_|ROLE_|RULE_)": ck.Code,
        }.items():
            there = {renamed.get(name, name): value for name, value in listed(prefix).items()}
            self.assertEqual(there, {member.name: member.value for member in numbers}, prefix)
        for name, value in re.findall(r"#define CUSTOM_KEYBOARD_MAX(\w+) (\d+)", HEADER):
            ours = {"CLEARTEXTSIZE": ck.MAX_PASSWORD, "TEXTSIZE": ck.MAX_TEXT, "CONTEXTSIZE": ck.MAX_CONTEXT,
                    "SEALEDSIZE": ck.MAX_SEALED, "KEYS": _library.MAX_KEYS, "VERIFIERSIZE": 128}  # fmt: skip
            self.assertEqual(int(value), ours[name], name)
        opaque = dict(re.findall(r"#define CUSTOM_OPAQUE_(\w+)SIZE (\d+)", HEADER))
        self.assertEqual((int(opaque["KE2"]), int(opaque["STATE"])), (_library.OPAQUE_KE2, _library.OPAQUE_STATE))

    def test_version(self):
        self.assertIn('"%s"' % ck.__version__, HEADER)

    def test_every_code_has_a_sentence(self):
        for code in ck.Code:
            self.assertGreater(len(str(_library.failure(code))), 5)
        self.assertIn("passcode", " ".join(rule.message for rule in ck.Rule).lower())


class Secrets(unittest.TestCase):
    def test_no_text_form(self):
        secret = ck.Secret(b"very secret")
        for shown in (str(secret), repr(secret), f"{secret}", "%s" % secret, repr([secret])):
            self.assertNotIn("very", shown)
        for call in (pickle.dumps, copy.copy, copy.deepcopy, hash):
            self.assertRaises(TypeError, call, secret)
        self.assertFalse(hasattr(secret, "__bytes__"))

    def test_equality(self):
        secret = ck.Secret(b"abc")
        self.assertEqual(secret, ck.Secret(bytearray(b"abc")))
        self.assertEqual(secret, b"abc")
        self.assertNotEqual(secret, b"abd")
        self.assertNotEqual(secret, b"abcd")
        self.assertNotEqual(secret, "abc")

    def test_close_wipes(self):
        secret = ck.Secret(b"to be wiped")
        view = secret.view()
        self.assertEqual(bytes(view), b"to be wiped")
        self.assertRaises(TypeError, view.__setitem__, 0, 0)
        secret.close()
        self.assertEqual(bytes(view), bytes(11))
        self.assertRaises(ValueError, secret.reveal)
        self.assertRaises(ValueError, ck.public_key, ck.Way.X25519, secret)
        secret.close()

    def test_a_file_that_others_may_read_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "key")
            with open(path, "wb") as file:
                file.write(b"k" * 5000)
            os.chmod(path, 0o644)
            self.assertRaises(PermissionError, ck.Secret.read, path)
            os.chmod(path, 0o600)
            self.assertEqual(ck.Secret.read(path), b"k" * 5000)
            open(path, "wb").close()
            self.assertRaises(ValueError, ck.Secret.read, path)

    def test_a_pipe_is_read_to_its_end(self):
        for length in (0, 1, 4095, 4096, 50_000):
            data, (reader, writer) = secrets.token_bytes(length), os.pipe()
            with os.fdopen(writer, "wb") as file:
                file.write(data)
            if length:
                self.assertEqual(ck.Secret.read(f"/dev/fd/{reader}"), data)
            else:
                self.assertRaises(ValueError, ck.Secret.read, f"/dev/fd/{reader}")
            os.close(reader)

    def test_no_file_is_longer_than_16_mib(self):
        with tempfile.NamedTemporaryFile() as file:
            for length in (1 << 24, (1 << 24) + 1, 30 << 20, 1 << 40):
                file.truncate(length)
                if length == 1 << 24:
                    ck.Secret.read(file.name).close()
                else:
                    self.assertRaisesRegex(ValueError, "16 MiB", ck.Secret.read, file.name)

    def test_a_group_reads_if_the_caller_says_so(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"00" * 16)
            file.flush()
            settings = migration.Settings(key_file=file.name, pepper_file=file.name, group=True)
            for mode, is_read in ((0o440, True), (0o640, True), (0o660, False), (0o450, False), (0o444, False)):
                os.chmod(file.name, mode)
                self.assertRaises(PermissionError, ck.Secret.read, file.name)
                self.assertRaises(PermissionError, ck.Secret.read_key, file.name)
                if is_read:
                    self.assertEqual(ck.Secret.read(file.name, group=True), b"00" * 16)
                    self.assertEqual(ck.Secret.read_key(file.name, group=True), bytes(16))
                    migration.Migration(settings)
                else:
                    self.assertRaises(PermissionError, ck.Secret.read, file.name, group=True)
                    self.assertRaises(PermissionError, migration.Migration, settings)
            os.chmod(file.name, 0o440)
            if os.geteuid() == 0:  # Only root gives a file to a group that it is not in.
                os.chown(file.name, -1, 54321)
                self.assertRaises(PermissionError, ck.Secret.read, file.name, group=True)

    def test_nothing_is_made_twice(self):
        with ck.Secret(b"first") as secret, typed(RIGHT) as keyboard:
            self.assertRaises(TypeError, secret.__init__, b"second")
            self.assertRaises(TypeError, keyboard.__init__)
            self.assertEqual((secret, keyboard.count), (b"first", len(RIGHT)))

    def test_lengths_are_not_asked_of_subclasses(self):
        class Lying(bytes):
            def __len__(self):
                return 1 << 20

        class Text(str):
            def encode(self, *_):
                return Lying(str.encode(self))

        class LyingSecret(ck.Secret):
            def __len__(self):
                return 1 << 20

        with ck.Keyboard() as keyboard:
            keyboard.set_enc_key(Lying(bytes(16)), ck.Way.SM4)
            keyboard.set_enc_key(LyingSecret(bytes(16)), ck.Way.SM4)
            keyboard.open()
            keyboard.input(Lying(b"a"))
            keyboard.add_rule(ck.Rule.MATCH, text=Text("a"))
            self.assertFalse(keyboard.is_refused(ck.Rule.MATCH, text=Text("a")))
            self.assertEqual((keyboard.count, keyboard.check()), (1, None))
            text = keyboard.get_text()
        self.assertIsNone(ck.check_pattern(Text("a")))
        self.assertEqual(ck.decrypt(ck.Way.SM4, Lying(bytes(16)), Lying(text)), b"a")
        with ck.decrypt_batch(ck.Way.SM4, [Lying(bytes(16))], [Lying(text)]) as opened:
            self.assertEqual(opened.reveal(0), b"a")

    def test_two_threads_close_one_secret(self):
        for _ in range(20):
            secret = ck.Secret(length=1 << 22)
            together(4, secret.close)
            self.assertRaises(ValueError, secret.view)

    def test_nothing_is_not_a_secret(self):
        with typed(RIGHT) as keyboard:
            self.assertRaises(TypeError, keyboard.make_verifier, None)
            self.assertRaises(TypeError, keyboard.set_context, None)

    def test_a_fork_has_none(self):
        key, public = pair(ck.Way.X25519)
        text = sealed(ck.Way.X25519, public, b"", RIGHT)
        self.assertTrue(refused_in_a_fork(lambda: ck.unseal(ck.Way.X25519, key, b"", text)))
        self.assertEqual(ck.unseal(ck.Way.X25519, key, b"", text), RIGHT.encode())

    def test_lengths(self):
        self.assertEqual(ck.Secret(b"ab", length=4), b"ab\0\0")
        self.assertRaises(ValueError, ck.Secret, b"abc", length=2)
        self.assertEqual(len(ck.Secret()), 0)

    def search(self, mode):
        """How often the password is in the memory of a process that opened and checked its text."""
        password = "".join(secrets.choice("abcdefghijkmnpqrstuvwxyz") for _ in range(24))
        pepper = secrets.token_bytes(24)
        key, public = pair(ck.Way.X25519)
        with typed(password) as keyboard, tempfile.TemporaryDirectory() as folder:
            verifier = keyboard.make_verifier(pepper)
            paths = [os.path.join(folder, name) for name in ("key", "pepper")]
            for path, data in zip(paths, (key.reveal(), pepper)):
                with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
                    file.write(data)
            process = subprocess.Popen([sys.executable, "-c", VICTIM, *paths, verifier, mode],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
            self.addCleanup(process.__exit__, None, None, None)
            process.stdin.write(sealed(ck.Way.X25519, public, b"challenge", password))
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), b"right\n")
            found = 0
            with open(f"/proc/{process.pid}/maps") as maps, open(f"/proc/{process.pid}/mem", "rb", 0) as memory:
                for line in maps:
                    span, rights = line.split()[:2]
                    if "r" not in rights or "[v" in line:
                        continue
                    start, end = (int(word, 16) for word in span.split("-"))
                    try:
                        memory.seek(start)
                        found += memory.read(end - start).count(password.encode())
                    except OSError:
                        pass
            process.stdin.write(b"x")
            process.communicate()
            self.assertEqual(process.returncode, 0)
        return found

    def test_memory_of_a_process_that_opened_a_password(self):
        self.assertEqual(self.search("keep"), 0)
        self.assertGreater(self.search("reveal"), 0)  # the search finds what was asked for


def openssl(*arguments, given=b""):
    return subprocess.run(["openssl", *arguments], input=given, capture_output=True, check=True).stdout


class KeyFiles(unittest.TestCase):
    """Keys in every form; other files are named."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "a key")
        self.other = os.path.join(folder.name, "other")
        os.close(os.open(self.path, os.O_CREAT, 0o600))

    def private(self, contents, way=None):
        Path(self.path).write_bytes(contents)
        return ck.Secret.read_key(self.path, way)

    def public(self, contents, way=None):
        Path(self.path).write_bytes(contents)
        return ck.read_public_key(self.path, way)

    def refused(self, words, contents, way=None):
        self.assertRaisesRegex(ValueError, re.escape(words), self.private, contents, way)
        return contents

    def test_digits_and_bytes(self):
        def base64url(data):
            return base64.urlsafe_b64encode(data).rstrip(b"=") + b"\n"

        for way in SEALED:
            private, public = pair(way)
            key = private.reveal()
            for form in (bytes, base64url, lambda data: data.hex().encode() + b"\n",
                         lambda data: data.hex("\n").upper().encode()):  # fmt: skip
                for asked in (way, None):
                    self.assertEqual(self.private(form(key), asked), key)
                    if way != ck.Way.SM4_GCM:
                        self.assertEqual(self.public(form(public), asked), public)
            self.refused("bytes: a key of " + way.name, key + b"\n", way)
        for way, length in ECB.items():
            self.assertEqual(self.private(b"0f" * length, way), b"\x0f" * length)
        self.assertEqual(self.private(b"p" * 40), b"p" * 40)  # a pepper

    def test_what_openssl_writes(self):
        for way, options in (
            (ck.Way.X25519, ("-algorithm", "X25519")),
            (ck.Way.P256, ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")),
            (ck.Way.SM2, ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:SM2")),
            (ck.Way.RSA, ("-algorithm", "RSA")),
        ):
            pem = openssl("genpkey", *options)
            der = openssl("pkey", "-outform", "DER", given=pem)
            spki = openssl("pkey", "-pubout", "-outform", "DER", given=pem)
            key, public = self.private(pem, way), self.public(openssl("pkey", "-pubout", given=pem), way)
            self.assertEqual((self.private(der), self.public(spki)), (key, public))
            self.refused("it holds a public key", spki)
            for length in (16, 32, 65)[: 2 if way == ck.Way.X25519 else 3]:  # A cut file may be as long as a key.
                self.refused("not a whole key", der[:length], way)
                self.assertRaisesRegex(ValueError, "not a whole key", self.public, spki[:length], way)
            self.assertRaisesRegex(ValueError, "it holds a private key", self.public, pem)
            if way == ck.Way.RSA:
                signature = ck.sign_text(ck.SignWay.RSA, key, b"", b"text")
                self.assertTrue(ck.verify_text(ck.SignWay.RSA, public, b"", b"text", signature))
            else:
                self.assertEqual(ck.public_key(way, key), public)

    def test_the_block_that_serves(self):
        p256 = openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
        rsa = openssl("genpkey", "-algorithm", "RSA")
        Path(self.other).write_bytes(p256)
        certificate = openssl("req", "-x509", "-key", self.other, "-subj", "/CN=x")
        key = self.private(p256)
        bundle = b"Bag Attributes\n" + certificate + rsa + p256
        self.assertEqual(self.private(bundle, ck.SignWay.P256), key)
        self.assertEqual(self.private(bundle), openssl("rsa", "-traditional", "-outform", "DER", given=rsa))
        self.assertEqual(self.public(bundle), ck.public_key(ck.Way.P256, key))
        self.refused("under a password", certificate + openssl("pkey", "-aes256", "-passout", "pass:x", given=p256))

    def test_what_is_no_key_is_named(self):
        p256 = ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
        password = ("-passout", "pass:x")
        pem, rsa = openssl("genpkey", *p256), openssl("genpkey", "-algorithm", "RSA")
        Path(self.other).write_bytes(pem)
        certificate = openssl("req", "-x509", "-key", self.other, "-subj", "/CN=x")
        Path(self.path).write_bytes(certificate)
        der = bytearray(openssl("pkey", "-outform", "DER", given=pem))
        der[-1] ^= 1  # of the public key
        for words, contents in (
            ("public key of another one", der),
            ("openssl req -in '%s' -pubkey" % self.path, openssl("req", "-new", "-key", self.other, "-subj", "/CN=x")),
            ("openssl pkcs7", openssl("crl2pkcs7", "-nocrl", "-certfile", self.path)),
            ("openssl pkcs12", openssl("pkcs12", "-export", "-inkey", self.other, "-in", self.path, *password)),
            ("RSASSA-PSS", openssl("genpkey", "-algorithm", "RSA-PSS")),
            ("-RSAPublicKey_in", openssl("rsa", "-RSAPublicKey_out", given=rsa)),
            ("-RSAPublicKey_in", openssl("rsa", "-RSAPublicKey_out", "-outform", "DER", given=rsa)),
            ("-ec_param_enc named_curve", openssl("genpkey", *p256, "-pkeyopt", "ec_param_enc:explicit")),
            ("under a password", openssl("pkcs8", "-topk8", "-outform", "DER", "-passout", "pass:x", given=pem)),
            ("one of P-384", openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384")),
            ("without 0x", b"0x89076543"), ("without 0x", b"89:07"), ("UTF-16", "8907".encode("utf-16")),
            ("JSON", b'{"kty":"EC"}'), ("ssh-keygen", b"ssh-ed25519 AAAA"), ("odd number", b"abc"),
            ("not a whole key", b"\n"), ("not a whole key", pem[:-30]),
        ):  # fmt: skip
            self.refused(words, contents)


class Typing(unittest.TestCase):
    def test_a_text_and_its_password(self):
        for way, length in ECB.items():
            key = secrets.token_bytes(length)
            self.assertEqual(ck.decrypt(way, ck.Secret(key), encrypted(way, key, RIGHT)), RIGHT.encode())
        with typed(RIGHT) as keyboard:
            self.assertEqual(keyboard.count, len(RIGHT))

    def test_sealed_texts(self):
        for way in SEALED:
            private, public = pair(way)
            text = sealed(way, public, b"challenge", RIGHT)
            self.assertEqual(ck.unseal(way, private, b"challenge", text), RIGHT.encode())
            for context, changed in ((b"challengf", text), (b"challenge", text[:-1] + bytes([text[-1] ^ 1]))):
                with self.assertRaises(ck.Undecryptable) as caught:
                    ck.unseal(way, private, context, changed)
                self.assertEqual(caught.exception.code, ck.Code.UNDECRYPTABLE)
            self.assertRaises(ck.InvalidKey, ck.unseal, way, b"short", b"", text)
            if way != ck.Way.SM4_GCM:
                self.assertEqual(ck.public_key(way, private), public)

    def test_the_text_is_at_a_random_place(self):
        places = set()
        with ck.Keyboard() as keyboard:
            keyboard.set_enc_key(bytes(16), ck.Way.SM4)
            keyboard.open()
            for _ in range(50):
                space = bytearray(2048)
                place = keyboard.get_text_into(space)
                self.assertEqual(ck.decrypt(ck.Way.SM4, bytes(16), space[place]), b"")
                places.add(place.start)
            with self.assertRaises(ck.KeyboardError) as caught:
                keyboard.get_text_into(bytearray(15))
            self.assertEqual(caught.exception.code, ck.Code.SPACE)
            self.assertRaises(TypeError, keyboard.get_text_into, bytes(100))
        self.assertGreater(len(places), 20)

    def test_another_recipient(self):
        private, public = pair(ck.Way.P256)
        with typed(RIGHT) as keyboard:
            text = keyboard.seal_typed(ck.Way.P256, public, b"to the HSM")
        self.assertEqual(ck.unseal(ck.Way.P256, private, b"to the HSM", text), RIGHT.encode())

    def test_keys_and_callbacks(self):
        said = []
        with ck.Keyboard() as keyboard:
            keyboard.set_layout(ck.Layout.PIN, ck.Shuffle.EACH_OPENING, 4)
            keyboard.set_size(240, 320)
            keyboard.set_text_field(said.append)
            keyboard.set_ok_action(lambda: said.append(keyboard.get_text()))
            keyboard.set_enc_key(bytes(16), ck.Way.SM4)
            keyboard.open()
            for digit in "2581":
                key = next(key for key in keyboard.keys() if key.label == digit)
                self.assertNotIn("label", repr(key))
                self.assertEqual(key.role, ck.Role.CHARACTER)
                keyboard.touch(key.x + key.width / 2, key.y + key.height / 2)
            self.assertEqual(said[:4], [1, 2, 3, 4])
            self.assertEqual(ck.decrypt(ck.Way.SM4, bytes(16), said[4]), b"2581")
            keyboard.set_text_field(None)
            keyboard.delete_backward()
            keyboard.clear()
            self.assertEqual((keyboard.count, len(said)), (0, 5))
            self.assertRaises(ck.KeyboardError, keyboard.press_key, 99)
            # Too large for C, or negative: ctypes would make another number of it.
            for number in (1 << 64, -1 << 64, -1):
                self.assertRaises(ck.KeyboardError, keyboard.press_key, number)
                self.assertRaises(ck.KeyboardError, keyboard.add_rule, ck.Rule.MIN_LENGTH, number)
            self.assertRaises(ck.KeyboardError, keyboard.derive_key, bytes(8), memory_kib=1 << 32, passes=1 << 32)
            keyboard.close()
            self.assertRaises(ck.KeyboardError, keyboard.set_enc_key, bytes(16), ck.Way.SM4 + (1 << 32))
            self.assertRaises(ck.KeyboardError, keyboard.keys)

    def test_an_exception_in_a_callback_is_printed(self):
        here, stderr = os.pipe()
        saved = sys.stderr
        with ck.Keyboard() as keyboard, os.fdopen(stderr, "w") as sys.stderr:
            keyboard.set_text_field(lambda count: 1 // 0)
            keyboard.open()
            keyboard.input(b"a")
        sys.stderr = saved
        with os.fdopen(here) as output:
            self.assertIn("ZeroDivisionError", output.read())

    def test_states_and_arguments(self):
        with ck.Keyboard() as keyboard:
            for code, call in [
                (ck.Code.OP_DISABLE, keyboard.close),
                (ck.Code.OP_DISABLE, lambda: keyboard.input(b"a")),
                (ck.Code.ERR, lambda: (keyboard.open(), keyboard.get_text())),
                (ck.Code.ARGUMENT, lambda: keyboard.input(b"\xff")),
                (ck.Code.MAXLEN, lambda: keyboard.input(b"a" * 129)),
                (ck.Code.MAXLEN, lambda: keyboard.set_context(bytes(257))),
                (ck.Code.ARGUMENT, lambda: keyboard.check_verifier("nonsense")),
                (ck.Code.ARGUMENT, lambda: keyboard.check_verifier("a\0b")),
                (ck.Code.ARGUMENT, lambda: ck.decrypt(ck.Way.X25519, bytes(32), bytes(8))),
                (ck.Code.ARGUMENT, lambda: ck.unseal(ck.Way.SM4, bytes(16), b"", bytes(8))),
                (ck.Code.ARGUMENT, lambda: ck.generate_key(ck.Way.RSA)),
            ]:
                with self.assertRaises(ck.KeyboardError) as caught:
                    call()
                self.assertEqual(caught.exception.code, code)
            for wrong in ("text", 5, [1]):
                self.assertRaises(TypeError, keyboard.input, wrong)
        keyboard.destroy()
        with self.assertRaises(ck.KeyboardError) as caught:
            keyboard.open()
        self.assertEqual(caught.exception.code, ck.Code.ARGUMENT)
        for code in ck.Code:
            error = _library.failure(code)
            for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
                self.assertEqual((type(again), again.code, str(again)), (type(error), code, str(error)))


class Passcodes(unittest.TestCase):
    def test_rules(self):
        with typed("123456") as keyboard:
            keyboard.add_rule(ck.Rule.MIN_LENGTH, 6)
            keyboard.add_rule(ck.Rule.DIGITS)
            self.assertIsNone(keyboard.check())
            keyboard.add_rule(ck.Rule.MATCH, text="[a-f]+")
            self.assertEqual(keyboard.check(), 2)
            keyboard.clear_rules()
            self.assertIsNone(keyboard.check())
            self.assertTrue(keyboard.is_refused(ck.Rule.COMMON))
            self.assertFalse(keyboard.is_refused(ck.Rule.DATE, text="1999-12-31"))
        self.assertIsNone(ck.check_pattern("a(b|c)*"))
        self.assertEqual(ck.check_pattern("a(b"), 1)

    def test_verifiers(self):
        pepper = ck.Secret(b"p" * 16)
        with typed(RIGHT) as keyboard, typed(WRONG) as other, typed(RIGHT) as same:
            verifier = keyboard.make_verifier(pepper)
            self.assertTrue(verifier.startswith("$argon2id$v=19$m=19456,t=2,p=1$"))
            self.assertTrue(same.check_verifier(verifier, pepper))
            self.assertFalse(same.check_verifier(verifier))
            self.assertRaises(ck.KeyboardError, same.check_verifier, verifier + "\0", pepper)
            self.assertFalse(other.check_verifier(verifier, pepper))
            self.assertTrue(keyboard.has_same_password(same))
            self.assertFalse(keyboard.has_same_password(other))
            imported = "$sha256d$" + hashlib.sha256(hashlib.sha256(RIGHT.encode()).digest()).hexdigest()
            self.assertTrue(same.check_verifier(imported))
            self.assertFalse(other.check_verifier(imported))

    def test_keys_from_passcodes(self):
        with typed(RIGHT) as keyboard:
            first = keyboard.derive_key(b"saltsalt", memory_kib=64, passes=1)
            self.assertEqual(first, keyboard.derive_key(b"saltsalt", memory_kib=64, passes=1))
            self.assertNotEqual(first, keyboard.derive_key(b"saltsalt", b"p", memory_kib=64, passes=1))
            self.assertEqual(len(keyboard.derive_key(b"saltsalt", memory_kib=64, passes=1, length=64)), 64)
            self.assertRaises(ck.KeyboardError, keyboard.derive_key, b"short")

    def test_a_pepper_for_each_id_needs_a_pepper(self):
        with tempfile.NamedTemporaryFile() as key:
            key.write(b"00" * 16)
            key.flush()
            settings = migration.Settings(key_file=key.name, pepper_per_id=True)
            self.assertRaises(ValueError, migration.Migration, settings)

    def test_receiving(self):
        private, public = pair(ck.Way.XWING)
        text = sealed(ck.Way.XWING, public, b"challenge", RIGHT)
        with ck.Keyboard() as keyboard, typed(RIGHT) as typed_one:
            self.assertRaises(ck.Undecryptable, keyboard.receive, ck.Way.XWING, private, b"other", text)
            keyboard.receive(ck.Way.XWING, private, b"challenge", text)
            self.assertTrue(keyboard.has_same_password(typed_one))


class Signing(unittest.TestCase):
    def test_a_signature(self):
        for way, keys in ((ck.SignWay.P256, ck.Way.P256), (ck.SignWay.SM2, ck.Way.SM2)):
            private, public = pair(keys)
            signature = ck.sign_text(way, private, b"context", b"text" * 1000)
            self.assertTrue(ck.verify_text(way, public, b"context", b"text" * 1000, signature))
            self.assertFalse(ck.verify_text(way, public, b"contexu", b"text" * 1000, signature))
            self.assertFalse(ck.verify_text(way, public, b"context", b"text" * 1000, signature[:-1]))
            self.assertRaises(ck.InvalidKey, ck.verify_text, way, public[:-1], b"", b"", signature)


class PINBlocks(unittest.TestCase):
    def test_the_host_of_a_terminal(self):
        # ANSI X9.24-1's own example: BDK, KSN, and the PIN block of 1234 for the account 4012345678909.
        base = bytes.fromhex("0123456789ABCDEFFEDCBA9876543210")
        ksn = bytes.fromhex("FFFF9876543210E00001")
        self.assertEqual(ck.dukpt_initial_key(ck.DUKPT.TDES, base, bytes.fromhex("FFFF9876543210E00000")),
                         bytes.fromhex("6AC292FAA1315B4D858AB3A3D7D5933A"))
        key = ck.dukpt_key(ck.DUKPT.TDES, base, ksn)
        with ck.Keyboard() as keyboard, typed("1234") as expected:
            keyboard.receive(ck.Way.PIN0, key, b"4012345678909", bytes.fromhex("1B9C1845EB993A7A"))
            self.assertTrue(keyboard.has_same_password(expected))
        self.assertRaises(ck.InvalidKey, ck.dukpt_key, ck.DUKPT.TDES, base, ksn[:-1])

    def test_errors_say_what_was_wrong(self):
        key, blank = bytes(range(16)), b"4111 1111 1111 1111"
        with ck.Keyboard() as idle, typed("1234") as keyboard:
            for kind, words, call in (
                (ck.InvalidContext, "card's number", lambda: idle.receive(ck.Way.PIN4, key, blank, bytes(16))),
                (ck.InvalidKey, "key serial number", lambda: ck.dukpt_key(ck.DUKPT.TDES, key, bytes(9))),
                (ck.KeyboardError, "pepper", lambda: keyboard.make_verifier(bytes(65))),
                (ck.KeyboardError, "bcrypt", lambda: keyboard.check_verifier("$2b$12$" + "x" * 53)),
                (ck.InvalidKey, "No key is set", keyboard.get_text),
                (ck.KeyboardError, "NUL", lambda: keyboard.check_verifier("$argon2id$\0")),
            ):
                with self.assertRaises(ck.KeyboardError) as caught:
                    call()
                self.assertIs(type(caught.exception), kind)
                self.assertIn(words, str(caught.exception))
                self.assertNotIn("4111", str(caught.exception))
                again = pickle.loads(pickle.dumps(caught.exception))
                self.assertEqual((type(again), str(again)), (kind, str(caught.exception)))
            keyboard.close()
            keyboard.set_enc_key(key, ck.Way.SM4_GCM)
            keyboard.open()
            self.assertRaisesRegex(ck.InvalidContext, "No context is set", keyboard.get_text)


class Client:
    """A person's device: a keyboard of the C library, whose functions of OPAQUE the package does not have."""

    def __init__(self, password, terms=ck.OPAQUETerms(memory_kib=8, passes=1, lanes=1)):
        kept = terms.context, terms.client, terms.server
        self.keyboard = typed(password)
        self.terms = ctypes.byref(_library.TermsOfC(
            ctypes.sizeof(_library.TermsOfC), *(part for bytes in kept for part in (bytes, len(bytes))),
            terms.memory_kib, terms.passes, terms.lanes))  # fmt: skip

    def call(self, name, given, size, *keys):
        """What the function wrote: its message, and keys of 64 bytes."""
        message, length = ctypes.create_string_buffer(size), ctypes.c_size_t()
        places = [ctypes.create_string_buffer(64) for _ in keys]
        arguments = (given, ctypes.c_size_t(len(given)), self.terms) if given else ()
        _library.answered(getattr(_library.library, "CustomKeyboard_opaque" + name)(
            ctypes.c_uint64(self.keyboard._handle), *arguments, message, ctypes.c_size_t(size), ctypes.byref(length),
            *places))  # fmt: skip
        return [message.raw[: length.value], *(place.raw for place in places)]

    def request(self):
        return self.call("Register", b"", 32)[0]

    def record(self, response):
        return self.call("Record", response, 192, "export")

    def ke1(self):
        return self.call("Login", b"", 96)[0]

    def finish(self, ke2):
        """KE3, the session key and the export key."""
        return self.call("Finish", ke2, 64, "session", "export")


class OPAQUE(unittest.TestCase):
    """A server in Python, and clients of the C library."""

    TERMS = ck.OPAQUETerms(b"shop-1", b"anna", b"bank", 8, 1, 1)

    def setUp(self):
        self.setup, self.public = ck.opaque_setup()

    def register(self, password, account=b"7", terms=TERMS):
        client = Client(password, terms)
        response = ck.opaque_respond(self.setup, account, client.request())
        self.assertEqual(response[32:], self.public)
        return client.record(response)

    def answer(self, client, record, account=b"7", terms=TERMS):
        return ck.opaque_answer(self.setup, account, record, client.ke1(), terms)

    def refused(self, code, kind, call, *arguments):
        with self.assertRaises(ck.KeyboardError) as caught:
            call(*arguments)
        self.assertEqual((caught.exception.code, type(caught.exception)), (code, kind))

    def test_a_login(self):
        for password in (RIGHT, "", "x" * 128):
            record, exported = self.register(password)
            client = Client(password, self.TERMS)
            ke2, state = self.answer(client, record)
            ke3, session, export = client.finish(ke2)
            with state.check(ke3) as key:
                self.assertIsInstance(key, ck.Secret)
                self.assertEqual((key, export), (session, exported))

    def test_the_readme(self):
        example = re.findall(r"^```python\n(.*?)^```", (HEADER_FILE.parent.parent / "Bindings/python/README.md")
                             .read_text(), re.M | re.S)[2]  # fmt: skip
        attempts = []
        server = {"count_attempt": attempts.append, "forget_attempt": attempts.remove}
        functions, settings = example.split("\nsetup = ")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "opaque.setup")
            exec(functions, server)
            public = server["make_setup"](path)
            self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
            exec("setup = " + settings.replace('"opaque.setup"', repr(path)), server)
        terms = ck.OPAQUETerms(context=b"shop-1")
        client = Client(RIGHT, terms)
        response = server["respond"](b"anna", client.request())
        self.assertEqual(response[32:], public)
        server["records"][b"anna"] = client.record(response)[0]
        for account, password, wanted in ((b"anna", RIGHT, True), (b"anna", WRONG, False), (b"bob", RIGHT, False)):
            client = Client(password, terms)
            before = len(attempts)
            ticket, ke2 = server["answer"](account, client.ke1())
            if wanted:
                ke3, session, _ = client.finish(ke2)
                self.assertEqual(server["finish"](ticket, ke3), (account, session))
            else:
                self.refused(ck.Code.MISMATCH, ck.Mismatch, client.finish, ke2)
                self.assertRaises(ck.Mismatch, server["finish"], ticket, bytes(64))
            self.assertRaises(KeyError, server["finish"], ticket, bytes(64))
            self.assertEqual(len(attempts) - before, 0 if wanted else 1)

    def test_a_wrong_password_and_other_terms(self):
        record, _ = self.register(RIGHT)
        for client, terms in (
            (Client(WRONG, self.TERMS), self.TERMS),
            (Client(RIGHT, self.TERMS), ck.OPAQUETerms(b"shop-2", b"anna", b"bank", 8, 1, 1)),
            (Client(RIGHT, self.TERMS), ck.OPAQUETerms(b"shop-1", b"annb", b"bank", 8, 1, 1)),
            (Client(RIGHT, self.TERMS), ck.OPAQUETerms(b"shop-1", b"anna", b"bank2", 8, 1, 1)),
            (Client(RIGHT, self.TERMS), None),
        ):
            ke2, state = self.answer(client, record, terms=terms)
            self.refused(ck.Code.MISMATCH, ck.Mismatch, client.finish, ke2)
            self.refused(ck.Code.MISMATCH, ck.Mismatch, state.check, bytes(64))
        client = Client(RIGHT, self.TERMS)
        ke2, state = self.answer(client, record, account=b"8")
        self.assertRaises(ck.Mismatch, client.finish, ke2)

    def test_an_unknown_account(self):
        record, _ = self.register(RIGHT)
        client = Client(RIGHT, self.TERMS)
        ke1 = client.ke1()
        ke2, state = ck.opaque_answer(self.setup, b"nobody", None, ke1, self.TERMS)
        known, _ = ck.opaque_answer(self.setup, b"nobody", record, ke1, self.TERMS)
        self.assertEqual((len(ke2), ke2[:32]), (len(known), known[:32]))
        self.assertRaises(ck.Mismatch, client.finish, ke2)
        self.assertRaises(ck.Mismatch, state.check, bytes(64))
        # A record that was lost is not a person's wrong password.
        for lost in (b"", bytearray(), memoryview(b"")):
            self.refused(ck.Code.ERR, ck.InvalidKey, self.answer, client, lost)

    def test_a_state_is_used_once(self):
        record, _ = self.register(RIGHT)
        for ke3_of, kind in (
            (lambda ke3: ke3, None), (lambda ke3: ke3[:-1] + bytes([ke3[-1] ^ 1]), ck.Mismatch),
            (lambda ke3: ke3[:-1], ck.Mismatch), (lambda ke3: b"", ck.Mismatch), (lambda ke3: "text", TypeError),
        ):  # fmt: skip
            client = Client(RIGHT, self.TERMS)
            ke2, state = self.answer(client, record)
            kept = state._kept[0]
            ke3 = client.finish(ke2)[0]
            if kind:
                self.assertRaises(kind, state.check, ke3_of(ke3))
            else:
                state.check(ke3_of(ke3))
            self.assertRaisesRegex(ValueError, "used", state.check, ke3)
            self.assertRaisesRegex(ValueError, "used", state.take)
            self.assertRaises(ValueError, kept.view)  # wiped
        client = Client(RIGHT, self.TERMS)
        with self.answer(client, record)[1] as state:
            pass
        self.assertRaises(ValueError, state.check, bytes(64))
        state.close()

    def test_a_state_of_another_process(self):
        record, _ = self.register(RIGHT)
        client = Client(RIGHT, self.TERMS)
        ke2, state = self.answer(client, record)
        ke3, session, _ = client.finish(ke2)
        taken = state.take()
        self.assertRaises(ValueError, state.check, ke3)
        again = ck.OPAQUEState(taken)
        self.assertRaises(ValueError, taken.view)  # moved
        self.assertRaises(TypeError, again.__init__, bytes(128))
        self.assertEqual(again.check(ke3), session)
        for shown in (repr(again), str(again)):
            self.assertEqual(shown, "<OPAQUEState>")
        for call in (pickle.dumps, copy.copy, copy.deepcopy):
            self.assertRaises(TypeError, call, again)

    def test_one_of_many_threads_gets_the_session_key(self):
        record, _ = self.register(RIGHT)
        for _ in range(20):
            client = Client(RIGHT, self.TERMS)
            ke2, state = self.answer(client, record)
            ke3, session, _ = client.finish(ke2)
            barrier, found = threading.Barrier(6), []

            def check():
                barrier.wait()
                try:
                    found.append(state.check(ke3))
                except ValueError:
                    found.append(None)

            together(6, check)
            self.assertEqual([key for key in found if key is not None], [session])
            self.assertEqual(len(found), 6)

    def test_a_fork_has_no_state(self):
        client = Client(RIGHT, self.TERMS)
        ke2, state = self.answer(client, self.register(RIGHT)[0])
        ke3, session, _ = client.finish(ke2)
        self.assertTrue(refused_in_a_fork(lambda: state.check(ke3)))
        self.assertEqual(state.check(ke3), session)

    def test_every_code(self):
        record, _ = self.register(RIGHT)
        client = Client(RIGHT, self.TERMS)
        ke1, request, code = client.ke1(), Client(RIGHT).request(), ck.Code
        zero_key, long = self.setup.reveal()[:64] + bytes(32), bytes(256)
        answer, respond, terms = ck.opaque_answer, ck.opaque_respond, ck.OPAQUETerms
        for wanted, kind, call, *arguments in (
            (code.ARGUMENT, ck.KeyboardError, respond, self.setup, b"", request),
            (code.MAXLEN, ck.KeyboardError, respond, self.setup, long, request),
            (code.ERR, ck.InvalidKey, respond, b"", b"7", request),
            (code.ERR, ck.InvalidKey, respond, zero_key, b"7", request),
            (code.UNDECRYPTABLE, ck.Undecryptable, respond, self.setup, b"7", request[:-1]),
            (code.UNDECRYPTABLE, ck.Undecryptable, respond, self.setup, b"7", bytes(32)),
            (code.ARGUMENT, ck.KeyboardError, answer, self.setup, b"", record, ke1),
            (code.ARGUMENT, ck.KeyboardError, answer, self.setup, b"7", record, ke1, terms(memory_kib=8)),
            (code.ARGUMENT, ck.KeyboardError, answer, self.setup, b"7", record, ke1, terms(b"", b"", b"", 8, 1, 17)),
            (code.ARGUMENT, ck.KeyboardError, answer, self.setup, b"7", record, ke1,
             terms(b"", b"", b"", 2**32 + 8, 1, 1)),
            (code.MAXLEN, ck.KeyboardError, answer, self.setup, long, record, ke1),
            (code.MAXLEN, ck.KeyboardError, answer, self.setup, b"7", record, ke1, terms(bytes(257))),
            (code.MAXLEN, ck.KeyboardError, answer, self.setup, b"7", record, ke1, terms(client=long)),
            (code.MAXLEN, ck.KeyboardError, answer, self.setup, b"7", record, ke1, terms(server=long)),
            (code.ERR, ck.InvalidKey, answer, zero_key, b"7", record, ke1),
            (code.ERR, ck.InvalidKey, answer, self.setup, b"7", record[:-1], ke1),
            (code.ERR, ck.InvalidKey, answer, self.setup, b"7", bytes(192), ke1),
            (code.UNDECRYPTABLE, ck.Undecryptable, answer, self.setup, b"7", record, ke1[:-1]),
            (code.UNDECRYPTABLE, ck.Undecryptable, answer, self.setup, b"7", None, bytes(96)),
            (code.ERR, ck.InvalidKey, ck.OPAQUEState(bytes(127)).check, bytes(64)),
            (code.MISMATCH, ck.Mismatch, ck.OPAQUEState(b"a" * 128).check, bytes(64)),
        ):  # fmt: skip
            self.refused(wanted, kind, call, *arguments)
        for wrong in ("7", 7, [7], None):
            self.assertRaises(TypeError, respond, self.setup, wrong, request)
        # What only a machine without memory or randomness answers.
        for call, name, codes, arguments in (
            (ck.opaque_setup, "Setup", (code.MEMORY, code.RANDOM), ()),
            (respond, "Respond", (code.MEMORY,), (self.setup, b"7", request)),
            (answer, "Answer", (code.MEMORY, code.RANDOM), (self.setup, b"7", record, ke1)),
        ):
            for failing in codes:
                with mock.patch.object(_library.library, "CustomKeyboard_opaque" + name, lambda *_: failing):
                    self.refused(failing, ck.KeyboardError, call, *arguments)

    def test_a_setup_that_is_closed_during_a_call(self):
        function, client = _library.library.CustomKeyboard_opaqueAnswer, Client(RIGHT, self.TERMS)

        def closing(*arguments):
            self.setup.close()
            return function(*arguments)

        with mock.patch.object(_library.library, "CustomKeyboard_opaqueAnswer", closing):
            self.assertRaisesRegex(ValueError, "secret was", self.answer, client, None)


class Batches(unittest.TestCase):
    def test_sealed_texts(self):
        for way in SEALED:
            private, public = pair(way)
            texts = [sealed(way, public, b"c%d" % (i % 7), "p%d" % i) for i in range(40)]
            texts[3], texts[5] = texts[3][:-1], bytes(len(texts[5]))
            contexts = [b"c%d" % (i % 7) for i in range(40)]
            contexts[9] = bytes(300)
            with ck.unseal_batch(way, private, contexts, texts) as opened:
                self.assertEqual(opened.failed(), [3, 5, 9])
                self.assertEqual(opened.code(3), ck.Code.UNDECRYPTABLE)
                self.assertEqual(opened.code(9), ck.Code.MAXLEN)
                for i in set(range(40)) - {3, 5, 9}:
                    self.assertEqual(opened.reveal(i), b"p%d" % i)
                    self.assertEqual(bytes(opened.view(i)), ck.unseal(way, private, contexts[i], texts[i]).reveal())
                self.assertRaises(ck.Undecryptable, opened.view, 3)
                self.assertRaises(IndexError, opened.view, 40)
                view = opened.view(39)
            self.assertEqual(bytes(view), bytes(3))
            self.assertRaises(ck.InvalidKey, ck.unseal_batch, way, b"short", b"", texts)
        self.assertRaises(ck.KeyboardError, ck.unseal_batch, ck.Way.SM4, bytes(16), b"", texts)
        self.assertEqual(len(ck.unseal_batch(ck.Way.X25519, pair(ck.Way.X25519)[0], b"", [])), 0)
        self.assertRaises(ValueError, ck.unseal_batch, ck.Way.X25519, bytes(32), [b""], texts)

    def test_ecb(self):
        for way, length in ECB.items():
            keys = [secrets.token_bytes(length) for _ in range(50)]
            texts = [encrypted(way, key, "x" * number) for number, key in enumerate(keys)]
            texts[7] = texts[7][:-1]
            packed = ck.Secret(b"".join(keys))
            for given in (keys, [ck.Secret(key) for key in keys], packed):
                with ck.decrypt_batch(way, given, texts) as opened:
                    self.assertEqual(opened.failed(), [7])
                    self.assertEqual([opened.reveal(i) for i in (0, 1, 49)], [b"", b"x", b"x" * 49])
        words = array("I", texts[0])
        views = [memoryview(words), texts[1]]
        with ck.decrypt_batch(ck.Way.SM4, [memoryview(bytearray(keys[0])), keys[1]], views) as opened:
            self.assertEqual((opened.reveal(0), opened.reveal(1)), (b"", b"x"))
        self.assertRaises(ValueError, ck.decrypt_batch, ck.Way.SM4, keys[1:], texts)
        self.assertEqual(len(ck.decrypt_batch(ck.Way.SM4, [], [])), 0)


class Threads(unittest.TestCase):
    def test_the_lock_of_the_interpreter_is_released(self):
        calling, seen = threading.Event(), 0

        def derive():
            with typed(RIGHT) as keyboard:
                calling.set()
                keyboard.derive_key(b"saltsalt", memory_kib=262_144, passes=3)
                calling.clear()

        thread = threading.Thread(target=derive)
        thread.start()
        calling.wait()
        while calling.is_set():
            seen += 1
        thread.join()
        self.assertGreater(seen, 1000)

    def test_a_secret_that_is_closed_during_a_call(self):
        # The call keeps the memory: it answers a wrong key or none, and does not crash.
        for _ in range(20):
            private, public = pair(ck.Way.P256)
            text = sealed(ck.Way.P256, public, b"", RIGHT)

            def opening():
                try:
                    for _ in range(50):
                        ck.unseal(ck.Way.P256, private, b"", text)
                except (ck.KeyboardError, ValueError):
                    pass

            thread = threading.Thread(target=opening)
            thread.start()
            private.close()
            thread.join()

    def test_a_key_that_is_closed_during_a_call_is_no_wrong_pin(self):
        # Nor success under a wrong pepper. C gets here through the same door in every call.
        for call in ("receive", "makeVerifier", "unsealBatch", "decryptBatch"):
            function = getattr(_library.library, "CustomKeyboard_" + call)
            private, public = pair(ck.Way.X25519)
            text, key = sealed(ck.Way.X25519, public, b"", RIGHT), ck.Secret(bytes(16))

            def closing(*arguments):
                private.close()
                key.close()
                return function(*arguments)

            with ck.Keyboard() as keyboard, typed(RIGHT) as other, \
                    mock.patch.object(_library.library, "CustomKeyboard_" + call, closing):
                self.assertRaisesRegex(ValueError, "secret was", {
                    "receive": lambda: keyboard.receive(ck.Way.X25519, private, b"", text),
                    "makeVerifier": lambda: other.make_verifier(private),
                    "unsealBatch": lambda: ck.unseal_batch(ck.Way.X25519, private, b"", [text]),
                    "decryptBatch": lambda: ck.decrypt_batch(ck.Way.SM4, key, [bytes(16)]),
                }[call])

    def test_texts_that_grow_during_a_batch(self):
        private, public = pair(ck.Way.SM4_GCM)
        text = sealed(ck.Way.SM4_GCM, public, b"", RIGHT)
        texts, is_over = [text] * 200, threading.Event()

        def grow():
            while not is_over.is_set():
                texts.extend([text] * 50)
                del texts[200:]

        thread = threading.Thread(target=grow)
        thread.start()
        try:
            for _ in range(200):
                with ck.unseal_batch(ck.Way.SM4_GCM, private, b"", texts) as opened:
                    self.assertEqual(opened.failed(), [])
        finally:
            is_over.set()
            thread.join()

    def test_callbacks_that_threads_replace(self):
        keyboard, is_over = typed(""), threading.Event()
        called = [0, 0]

        def field(count):
            called[0] += count > 0

        def action():
            called[1] += 1

        def replace():
            while not is_over.is_set():
                # Functions of their own, each of which goes when the next one is set.
                keyboard.set_text_field(lambda count: field(count))
                keyboard.set_ok_action(lambda: action())

        threads = [threading.Thread(target=replace) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(3000):
            keyboard.input(b"x")
            keyboard.clear()
        is_over.set()
        for thread in threads:
            thread.join()
        keyboard.set_text_field(field)
        called[0] = 0
        keyboard.input(b"x")
        self.assertEqual(called, [1, 0])
        keyboard.destroy()


if __name__ == "__main__":
    unittest.main(verbosity=0)
