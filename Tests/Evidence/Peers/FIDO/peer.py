"""libcustomfido.so at eBay's FIDO UAF server: registers, authenticates, deregisters, and sends answers that are wrong.

    peer.py BUILD_FOLDER ROUNDS JAVA_COMMAND...          called by Tests/Evidence/fido-peer.sh

The client is that of Tests/C/fido_client.py. What that server does not look at (hashes, counters, the challenge, the
attestation without a certificate) is checked there.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "C"))
from fido_client import AAIDS, APP, FACET, PASSCODE, PATTERN, Client, check, decode, encode  # noqa: E402
from fido_party import parse  # noqa: E402

ROUNDS, JAVA = int(sys.argv[2]), sys.argv[3:]
seen = Counter()


class Peer:
    def __init__(self):
        self.program = subprocess.Popen(JAVA, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def ask(self, *words):
        self.program.stdin.write(" ".join(words).encode() + b"\n")
        self.program.stdin.flush()
        return json.loads(self.program.stdout.readline())

    def close(self):
        self.program.stdin.close()
        check(self.program.wait(), 0, "their program's end")


def answered(peer, operation, response, expected, what):
    got = peer.ask("answer", operation, json.dumps(response))
    check(got["status"], expected, what)
    seen[what] += 1
    return got


def answer(client, request, facets, authenticator, typed, user):
    """What the client answers to a request of theirs, with the key's ID."""
    check(client.begin(request, facets), 10, request)
    check(client.choices(), [authenticator])
    again = typed if client.state(authenticator) == 3007 else None
    check(client.finish(authenticator, typed, user, again), 0)
    response = client.response()
    check(response[0]["header"]["upv"], {"major": 1, "minor": 0})
    [(_, inside, _)] = parse(decode(response[0]["assertions"][0]["assertion"]))
    [key] = [value for tag, value, _ in inside[0][1] if tag == 0x2E09]
    return response, key


def altered(response, change):
    """The answer with another assertion."""
    copy = json.loads(json.dumps(response))
    assertion = bytearray(decode(copy[0]["assertions"][0]["assertion"]))
    change(assertion)
    copy[0]["assertions"][0]["assertion"] = encode(bytes(assertion))
    return copy


def flip(place):
    def change(assertion):
        assertion[place] ^= 1
    return change


def one_user(peer, client, app, authenticator, typed, user, facets):
    aaid = AAIDS[authenticator]
    request = peer.ask("request", "Reg", app, aaid, user)
    response, key = answer(client, request, facets, authenticator, typed, user)
    moved = json.loads(json.dumps(response))
    moved[0]["header"]["serverData"] = encode(b"another.server.data.x")
    answered(peer, "Reg", moved, "Invalid server data - Signature not match", "refused: another request's answer")
    record = answered(peer, "Reg", response, "SUCCESS", "registrations")
    check(record["username"], user)
    check(record["authenticator"], {"AAID": aaid, "KeyID": encode(key)})
    check(len(base64.urlsafe_b64decode(record["PublicKey"] + "==")), 65)
    answered(peer, "Reg", response, "DuplicateKeyException", "refused: a key that they have")

    for text in (None, "Pay 10 € to Bob?"):
        request = peer.ask("request", "Auth", app, aaid, user, *([encode(text.encode())] if text else []))
        response, used = answer(client, request, facets, authenticator, typed, user)
        check(used, key)
        record = answered(peer, "Auth", response, "SUCCESS", "authentications" + (" with a text" if text else ""))
        check((record["username"], record["KeyID"]), (user, encode(key)))
        for what, place in (("signature", -1), ("counter", -69), ("final challenge", 4 + 4 + 13 + 9 + 20 + 4)):
            answered(peer, "Auth", altered(response, flip(place)), "FAILED_SIGNATURE_NOT_VALID",
                     f"refused: an altered {what}")

    # They forget the key, and the client does when it is told. Until then they take an answer twice.
    answered(peer, "Auth", response, "SUCCESS", "taken again: that server does not look at counters")
    request = peer.ask("deregister", app, aaid, encode(key))
    gone = peer.ask("answer", "Auth", json.dumps(response))
    check(gone["status"] == "SUCCESS", False, "a key that they forgot")
    check(client.begin(request, facets), 0)
    seen["deregistrations"] += 1
    request = peer.ask("request", "Auth", app, aaid, user)
    check(client.begin(request, facets), 1009, "the key is gone")


def main():
    folder = tempfile.mkdtemp(prefix="fido.")
    peer = Peer()
    try:
        client = Client(folder)
        facets = json.dumps(peer.ask("facets", FACET))
        for number in range(ROUNDS):
            for authenticator, typed in ((PASSCODE, "4917"), (PATTERN, "14789")):
                app = APP if number % 2 else FACET
                one_user(peer, client, app, authenticator, typed, f"user{number}", facets)
        # Another app's list: no answer.
        request = peer.ask("request", "Reg", APP, AAIDS[PASSCODE], "user")
        check(client.begin(request, json.dumps(peer.ask("facets", "ios:bundle-id:com.example.other"))), 2001)
        client.close()
        peer.close()
    finally:
        peer.program.kill()
        shutil.rmtree(folder)
    for what, count in seen.items():
        print(f"  {count:5}  {what}")
    print(f"fido-peer: {seen['registrations']} registrations, "
          f"{sum(count for what, count in seen.items() if what.startswith('authentications'))} authentications, "
          f"{seen['deregistrations']} deregistrations, "
          f"{sum(count for what, count in seen.items() if what.startswith('refused'))} wrong answers refused")


main()
