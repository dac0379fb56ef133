"""A bank of one process, as small as it can be and still honest: it opens sealed texts with Python's `cryptography`,
and does with challenges and attempts what Docs/SealedTexts.md says a server must do.

It keeps passcodes for the tests to look at. A bank must not.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import hashlib
import json
import os
import sys
import threading

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Python"))
from hpke import HPKE, unpad  # noqa: E402

ATTEMPTS = 5


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Recipient:
    """A key pair, and what opens texts that are sealed for it."""

    def __init__(self, way):
        self.way = way
        if way != "rsa":
            self.hpke = HPKE(way)
            self.length = self.hpke.text_length
            self.private = self.hpke.new_private()
            self.public = self.hpke.public(self.private)
        else:
            self.private, self.length = rsa.generate_private_key(65537, 2048), 256
            self.public = self.private.public_key().public_bytes(
                serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)

    @property
    def key(self):
        return encode(self.public)

    @property
    def key_id(self):
        return encode(hashlib.sha256(self.public).digest()[:8])

    def open(self, text, context):
        """The passcode in a sealed text. ValueError for every fault."""
        if len(text) != self.length:
            raise ValueError("length")
        if self.way == "rsa":
            return unpad(self.open_rsa(text, context))
        try:
            return unpad(self.hpke.open(self.private, context, text))
        except InvalidTag:
            raise ValueError("tag") from None

    def open_rsa(self, text, context):
        opened = self.private.decrypt(text, padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None))
        if opened[144:] != hashlib.sha256(context).digest():
            raise ValueError("context")
        return opened[:144]


class Bank:
    """The API of a bank, for `answers` of a server."""

    def __init__(self, way="x25519"):
        self.recipient = Recipient(way)
        self.lock = threading.Lock()
        self.challenges, self.passcodes, self.wrong, self.received = {}, {}, {}, []

    def serve(self, server):
        for path, function in (("/api/key", self.key), ("/api/challenge", self.challenge),
                               ("/api/register", self.register), ("/api/login", self.login)):
            server.answers[path] = self.guarded(function)

    def guarded(self, function):
        def answer(body):
            try:
                with self.lock:
                    return function(json.loads(body) if body else None)
            except Refusal as refusal:
                return refusal.status, {"error": refusal.args[0], "message": refusal.args[0]}
        return answer

    def key(self, _):
        return 200, {"way": self.recipient.way, "key": self.recipient.key, "keyId": self.recipient.key_id}

    def challenge(self, asked):
        challenge = os.urandom(16)
        purpose, account = asked["purpose"].encode(), asked["account"].encode()
        context = b"".join(bytes([len(f)]) + f for f in (b"CustomKeyboard bank 1", purpose, account, challenge))
        self.challenges[challenge] = (asked["purpose"], asked["account"], context)
        return 200, {"challenge": encode(challenge), "context": encode(context), "expires": 120}

    def opened(self, asked, purpose, names):
        """The account and the passcodes. The challenge is used up before a text is looked at."""
        record = self.challenges.pop(decode(asked["challenge"]), None)
        if not record or record[0] != purpose:
            raise Refusal(409, "challenge")
        if asked["keyId"] != self.recipient.key_id:
            raise Refusal(422, "undecryptable")
        try:
            passcodes = [self.recipient.open(decode(asked[name]), record[2]) for name in names]
        except ValueError:
            raise Refusal(422, "undecryptable") from None
        self.received += passcodes
        return record[1], passcodes

    def register(self, asked):
        account, (first, second) = self.opened(asked, "register", ("text", "again"))
        if first != second:
            raise Refusal(422, "mismatch")
        if account in self.passcodes:
            raise Refusal(409, "exists")
        self.passcodes[account] = first
        return 200, {"account": account}

    def login(self, asked):
        account, (passcode,) = self.opened(asked, "login", ("text",))
        wrong = self.wrong.get(account, 0)
        if wrong >= ATTEMPTS:
            raise Refusal(423, "locked")
        if self.passcodes.get(account) != passcode:
            self.wrong[account] = wrong + 1
            return 401, {"error": "wrong", "message": "wrong", "attemptsLeft": ATTEMPTS - wrong - 1}
        self.wrong[account] = 0
        return 200, {"account": account, "session": encode(os.urandom(16))}


class Refusal(Exception):
    def __init__(self, status, code):
        super().__init__(code)
        self.status = status
