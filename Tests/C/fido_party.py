"""A relying party, written for itself from the specification: it asks, and checks of every answer what a server must,
with the `cryptography` package.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import json
import os
import struct

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from fido_client import AAIDS, APP, FACET, check, counted, decode, encode

CONTAINERS = {0x3E01, 0x3E02, 0x3E03, 0x3E04, 0x3E07, 0x3E08}


def parse(data):
    """TLV as a list of tags and values; the whole must be used up."""
    found = []
    while data:
        tag, length = struct.unpack("<HH", data[:4])
        value, rest = data[4:4 + length], data[4 + length:]
        check(len(value), length, "a length")
        check(bool(tag & 0x1000), tag in CONTAINERS, hex(tag))
        found.append((tag, parse(value) if tag in CONTAINERS else value, data[:4 + length]))
        data = rest
    return found


NO_URLS = ("https://a.example\0.evil.example/f", "https://a.example/\r\nX-Injected: 1\r\n", "https://a b/",
           "https://a\t/", "https://\u00e4.example/", "https://", "https:///x", "https://:443/", "https://u@h/",
           "https://u:p@h/", "https://?x")


class Server:
    joined_late = False  # does not know how many registrations there were before

    def __init__(self, app=APP, facets=(FACET,)):
        self.app, self.facets = app, facets
        self.keys = {}  # key id: (user, AAID, public key, counter)
        self.registrations = {}

    def header(self, op, minor=1, **more):
        header = {"upv": {"major": 1, "minor": minor}, "op": op, "serverData": encode(os.urandom(12))} | more
        return header | {"appID": self.app} if self.app is not None else header

    def policy(self, *aaids, **more):
        return {"accepted": [[{"aaid": [aaid]} | more] for aaid in aaids or AAIDS.values()]}

    def ask(self, op, user=None, minor=1, policy=None, transaction=None, **more):
        message = {"header": self.header(op, minor, **more), "challenge": encode(os.urandom(32)),
                   "policy": policy or self.policy()}
        if user:
            message["username"] = user
        if transaction:
            message["transaction"] = [{"contentType": "text/plain", "content": encode(transaction.encode())}]
        self.asked, self.transaction, self.user = message, transaction, user
        return message

    def deregistration(self, *pairs):
        return {"header": self.header("Dereg"),
                "authenticators": [{"aaid": aaid, "keyID": key} for aaid, key in pairs]}

    def accept(self, response, binding={}):
        """What a relying party must check of an answer. Returns the key's ID."""
        check(len(response), 1)
        answer = response[0]
        header = dict(self.asked["header"])
        if not header.get("appID"):
            header["appID"] = self.facets[0]
        check(answer["header"], header)
        final = json.loads(decode(answer["fcParams"]))
        check(final, {"appID": header["appID"], "challenge": self.asked["challenge"], "facetID": final["facetID"],
                      "channelBinding": binding})
        check(final["facetID"] in self.facets, True)
        check(len(answer["assertions"]), 1)
        check(answer["assertions"][0]["assertionScheme"], "UAFV1TLV")
        [(tag, inside, _)] = parse(decode(answer["assertions"][0]["assertion"]))
        counted["assertions"] += 1
        hashed = hashlib.sha256(answer["fcParams"].encode()).digest()
        return (self.registered if header["op"] == "Reg" else self.authenticated)(tag, inside, hashed)

    def registered(self, tag, inside, hashed):
        check(tag, 0x3E01)
        (krd, fields, signed), (attestation, [(signature_tag, signature, _)], _) = inside
        check((krd, attestation, signature_tag), (0x3E03, 0x3E08, 0x2E06))
        check([tag for tag, _, _ in fields], [0x2E0B, 0x2E0E, 0x2E0A, 0x2E09, 0x2E0D, 0x2E0C])
        aaid, info, final, key_id, counters, point = [value for _, value, _ in fields]
        check(struct.unpack("<HBHH", info), (1, 1, 1, 0x100), "version, mode, algorithm, key format")
        check(final, hashed, "the final challenge")
        check(32 <= len(key_id), True)
        sign, registrations = struct.unpack("<II", counters)
        if aaid in self.registrations or not self.joined_late:
            check(registrations, self.registrations.get(aaid, 0) + 1, "the registration counter")
        self.registrations[aaid] = registrations
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        self.verify(key, signature, signed)
        check(key_id not in self.keys, True)
        self.keys[key_id] = [self.user, aaid.decode(), key, sign]
        return key_id

    def authenticated(self, tag, inside, hashed):
        check(tag, 0x3E02)
        (data, fields, signed), (signature_tag, signature, _) = inside
        check((data, signature_tag), (0x3E04, 0x2E06))
        check([tag for tag, _, _ in fields], [0x2E0B, 0x2E0E, 0x2E0F, 0x2E0A, 0x2E10, 0x2E09, 0x2E0D])
        aaid, info, nonce, final, transaction, key_id, counter = [value for _, value, _ in fields]
        check(struct.unpack("<HBH", info), (1, 2 if self.transaction else 1, 1), "version, mode, algorithm")
        check(len(nonce) >= 8, True)
        check(final, hashed, "the final challenge")
        check(transaction, hashlib.sha256(self.transaction.encode()).digest() if self.transaction else b"")
        [count] = struct.unpack("<I", counter)
        user, model, key, last = self.keys[key_id]
        check(model, aaid.decode())
        check(count > last, True, "the signature counter")
        self.keys[key_id][3] = count
        self.verify(key, signature, signed)
        return key_id

    def verify(self, key, signature, signed):
        check(len(signature), 64)
        r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
        key.verify(encode_dss_signature(r, s), signed, ec.ECDSA(hashes.SHA256()))
        # This would notice another text.
        try:
            key.verify(encode_dss_signature(r, s), signed + b"x", ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            return
        check(False, True, "a wrong signature is noticed")
