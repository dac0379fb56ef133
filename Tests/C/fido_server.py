"""A FIDO UAF server, written for itself from the specification, against libcustomfido.so: what a relying party must
check is checked here of every answer, with the `cryptography` package. The client is called as a C program calls it.

    fido_server.py BUILD_FOLDER

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec

from fido_client import (
    ARGUMENT, Client, FACET, FACETS, FIDO, KEYBOARD, MISMATCH, PASSCODE, PATTERN, REFUSED, ROOT, State, VAULT,
    answered, check, counted, decode, encode, typed,
)
from fido_online import online, origins, other_users
from fido_party import NO_URLS, Server, parse


def examples_of_the_specification():
    """What this server takes for the form of an answer is what the specification shows: the hash of fcParams, the bytes
    that are signed, with tag and length, r and s. Its key is attested with a certificate (3E07), ours by itself."""
    with open(os.path.join(ROOT, "Tests", "Vectors", "fido-messages.txt"), encoding="utf-8") as file:
        lines = [line.split(" ") for line in file if not line.startswith("#")]
    examples = {name: json.loads(message)[0] for name, message in lines}
    server, found = Server(), {}
    for operation in ("registration", "authentication"):
        asked, answer = examples[f"{operation}-request"], examples[f"{operation}-response"]
        check(answer["header"], asked["header"])
        final = json.loads(decode(answer["fcParams"]))
        check((final["appID"], final["challenge"]), (asked["header"]["appID"], asked["challenge"]))
        [(_, inside, _)] = parse(decode(answer["assertions"][0]["assertion"]))
        fields = {tag: value for tag, value, _ in inside[0][1]}
        check(fields[0x2E0A], hashlib.sha256(answer["fcParams"].encode()).digest(), "the final challenge")
        found[operation] = inside, fields
    (krd, (tag, attestation, _)), fields = found["registration"]
    check((krd[0], tag, [tag for tag, _, _ in attestation]), (0x3E03, 0x3E07, [0x2E06, 0x2E05]))
    check([tag for tag, _, _ in krd[1]], [0x2E0B, 0x2E0E, 0x2E0A, 0x2E09, 0x2E0D, 0x2E0C])
    check(struct.unpack("<HBHH", fields[0x2E0E]), (0x100, 1, 1, 0x100))
    check(struct.unpack("<II", fields[0x2E0D]), (1, 1))
    server.verify(x509.load_der_x509_certificate(attestation[1][1]).public_key(), attestation[0][1], krd[2])
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), fields[0x2E0C])
    (data, (tag, signature, _)), signed = found["authentication"]
    check((data[0], tag), (0x3E04, 0x2E06))
    check([tag for tag, _, _ in data[1]], [0x2E0B, 0x2E0E, 0x2E0F, 0x2E0A, 0x2E10, 0x2E09, 0x2E0D])
    check((signed[0x2E0B], signed[0x2E09]), (fields[0x2E0B], fields[0x2E09]))
    check((struct.unpack("<HBH", signed[0x2E0E]), signed[0x2E10], signed[0x2E0D]), ((0x100, 1, 1), b"", b"\2\0\0\0"))
    server.verify(key, signature, data[2])


def registers_and_authenticates(client, minor):
    server = Server()
    user = f"alice{minor}"
    again = "4917" if client.state(PASSCODE) == 3007 else None
    check(client.begin([server.ask("Reg", user, minor)]), 10)
    check(client.choices(), [PASSCODE, PATTERN])
    check(client.accounts(PASSCODE), [user])
    if again:
        check(client.finish(PASSCODE, "4917"), 3007, "not set up")
        check(client.finish(PASSCODE, "4917", again="4918"), -MISMATCH, "typed twice")
        once = typed("4917")
        check(FIDO.CustomFido_finish(client.fido, PASSCODE, None, once, once), -ARGUMENT, "typed once")
        check(KEYBOARD.CustomKeyboard_destroy(once), 0)
        check(client.state(PASSCODE), 3007, "still not set up")
        server.registrations = {}
    else:
        server.registrations = {b"C0DE#0001": 1}
    check(client.finish(PASSCODE, "4917", user, again), 0)
    key = server.accept(client.response())
    check(client.state(PASSCODE), 3006)
    check(client.text(FIDO.CustomFido_transaction), 1100)
    check(client.begin([server.ask("Auth", minor=minor)]), 10)
    once = typed("4917")
    check(FIDO.CustomFido_finish(client.fido, PASSCODE, user.encode(), once, once), -ARGUMENT, "also when it is set up")
    check(KEYBOARD.CustomKeyboard_destroy(once), 0)
    for text in (None, "Pay 10 € to Bob?\nToday", None, "x" * 200):
        binding = {"tlsUnique": "dW5pcXVl", "cid_pubkey": "x\"y"}
        check(client.begin([server.ask("Auth", minor=minor, policy=server.policy("C0DE#0001", keyIDs=[encode(key)]),
                                       transaction=text)], binding=json.dumps(binding | {"later": 7})), 10)
        check(client.choices(), [PASSCODE])
        check(client.text(FIDO.CustomFido_transaction), text or "")
        check(client.finish(PASSCODE, "0000", user), 3012)
        check(client.finish(PASSCODE, "4917", user), 0)
        check(server.accept(client.response(), binding), key)
        check(client.finish(PASSCODE, "4917", user), 1100, "an answered request")
    check(server.keys[key][3], 4)
    return server, key


def several_users(client):
    server = Server()
    server.registrations = {b"C0DE#0001": 2}
    keys = {}
    for user in ("bob", "김철수", "bob"):
        check(client.begin(server.ask("Reg", user, policy=server.policy("C0DE#0001"))), 10)
        check(client.finish(PASSCODE, "4917"), 0)
        keys[user] = server.accept(client.response())
    check(client.begin(server.ask("Auth")), 10)
    check(client.accounts(PASSCODE), ["alice0", "alice1", "bob", "김철수"])
    check(client.accounts(PATTERN), [])
    check(client.finish(PASSCODE, "4917"), 1001, "several users and no name")
    check(client.finish(PASSCODE, "4917", "carol"), 1009)
    check(client.finish(PATTERN, "1478"), 2002, "not a choice")
    check(client.finish(3, "4917"), 1012)
    check(client.finish(PASSCODE, "4917", "bob"), 0)
    check(server.accept(client.response()), keys["bob"])
    # The key that was made first is gone: one key for each appID, AAID and user.
    old = next(key for key in server.keys if server.keys[key][0] == "bob" and key != keys["bob"])
    check(client.begin(server.ask("Auth", policy=server.policy("C0DE#0001", keyIDs=[encode(old)]))), 1009)
    check(client.begin(server.ask("Auth", policy=server.policy("4E4E#4005"))), 2002)
    # An empty list accepts any key, but no new one.
    everything = {"accepted": []}
    check(client.begin(server.ask("Auth", policy=everything)), 10)
    check(client.accounts(PASSCODE), ["alice0", "alice1", "bob", "김철수"])
    check(client.finish(PASSCODE, "4917", "bob"), 0)
    check(server.accept(client.response()), keys["bob"])
    check(client.begin(server.ask("Auth", policy=everything | {"disallowed": [{"aaid": ["C0DE#0001"]}]})), 1009)
    check(client.begin(server.ask("Reg", "bob", policy=everything)), 2002)
    return keys


def patterns(client):
    server = Server()
    check(client.option(PATTERN, 7, 5), 0)
    check(client.begin(server.ask("Reg", "dora", policy=server.policy("C0DE#0002"))), 10)
    check(client.finish(PATTERN, "1478", again="1478"), -REFUSED, "fewer nodes than the minimum")
    for typed_elsewhere in ("11111", "12341", "10234", "0123456789", "12a45"):
        check(client.finish(PATTERN, typed_elsewhere, again=typed_elsewhere), -REFUSED, typed_elsewhere)
    check(client.finish(PATTERN, "14789", again="14789"), 0)
    key = server.accept(client.response())
    check(client.begin(server.ask("Auth", policy=server.policy("C0DE#0002", "C0DE#0001"))), 10)
    check(client.choices(), [PATTERN, PASSCODE])
    check(client.finish(PATTERN, "14789"), 0)
    check(server.accept(client.response()), key)
    check(client.change(PATTERN, "14789", "123"), -REFUSED)
    check(client.change(PATTERN, "12345", "963214"), 7111)
    check(client.change(PATTERN, "14789", "963214"), 7110)
    check(client.begin(server.ask("Auth", policy=server.policy("C0DE#0002"))), 10)
    check(client.finish(PATTERN, "14789"), 3012)
    check(client.finish(PATTERN, "963214"), 0)
    check(server.accept(client.response()), key, "the key stays when the pattern changes")
    check(FIDO.CustomFido_reset(client.fido, PATTERN), 7100)
    check(FIDO.CustomFido_reset(client.fido, PATTERN), 7102)
    check(FIDO.CustomFido_reset(client.fido, 7), 7103)
    check(client.change(PATTERN, "963214", "14789"), 7113)
    check(client.begin(server.ask("Auth", policy=server.policy("C0DE#0002"))), 1009)


def facets_and_apps(client):
    other = Server("https://evil.example/facets")
    listing = json.dumps({"trustedFacets": [{"version": {"major": 1, "minor": 1}, "ids": ["ios:bundle-id:evil"]}]})
    for facets in (None, "", "{}", listing):
        check(client.begin(other.ask("Auth"), facets), 2001)
    # A server that lists this app still has no key of another appID.
    check(client.begin(other.ask("Auth")), 1009)
    check(client.begin(other.deregistration(("", "")), FACETS), 0)
    check(client.begin(Server().ask("Auth")), 10, "keys of another appID are not deleted")
    check(client.begin(Server("ios:bundle-id:other").ask("Auth")), 2001)
    # No URL: an app that fetched it would fetch something else, or write a header of the server's choice.
    for app in NO_URLS:
        message = json.dumps(Server(app).ask("Auth")).encode()
        check(client.begin(message), 2001, repr(app))
        check(client.text(FIDO.CustomFido_appID, message, ctypes.c_size_t(len(message))), 2001, repr(app))
    for app in ("https://a.example", "https://a.example:8443/x?y=@z", "HTTPS://[::1]:1/", "https://a#b"):
        check(client.begin(Server(app).ask("Auth")), 1009, app)
    for app in (FACET, "", None):
        server = Server(app)
        server.registrations = {b"C0DE#0001": {FACET: 5, "": 6, None: 7}[app]}
        check(client.begin(server.ask("Reg", "eve", policy=server.policy("C0DE#0001")), None), 10)
        check(client.finish(PASSCODE, "4917"), 0)
        server.accept(client.response())
        check(client.text(FIDO.CustomFido_appID, json.dumps(server.asked).encode(),
                          ctypes.c_size_t(len(json.dumps(server.asked)))), app or "")


def deregisters(client):
    server = Server()

    def users():
        return client.accounts(PASSCODE) if client.begin(server.ask("Auth")) == 10 else []

    before = users()
    check(client.begin(server.ask("Auth")), 10)
    check(client.begin(server.deregistration(("C0DE#0001", encode(os.urandom(32))))), 0, "an unknown key")
    check(client.begin(server.deregistration(("4E4E#4005", ""))), 0, "an unknown model")
    check(users(), before)
    check(client.begin(server.deregistration(("", "")), binding="x"), 1002, "a malformed channel binding")
    check(users(), before)
    check(client.begin(server.deregistration(("", ""), ("C0DE#0001", ""))), 1005)
    check(client.begin(server.deregistration(("C0DE#0001", ""))), 0)
    check(users(), [])
    check(client.finish(PASSCODE, "4917", "bob"), 1100)
    check(client.begin(Server(FACET).ask("Auth"), None), 10, "keys of another appID stay")
    check(client.begin(Server(FACET).deregistration(("", "")), None), 0)
    check(client.begin(Server(FACET).ask("Auth"), None), 1009)


# What a screen does not show, or shows in another order.
CONTROLS = ("\x00\x1f\x7f\x80\x85\x9b\x9f\u2028\u2029\u202a\u202e\u2066\u2069\u061c\u200e\u200f"
            "\xad\u034f\u180e\u200b\u2060\u206f\u3164\ufeff\uffa0\ufff9\U0001d173\U000e0001\U000e007f"
            "\u0600\u2800\ufdd0\U000110bd\U00013430\U00016fe4\U0001d159")
SHOWN = "\xa0\xac\xae\xbf\u061b\u061d\u200a\u200c\u200d\u2010\u2027\u202f\u205f\u2070\ufe0f\ufffc\U000e0100"


def malformed(client):
    good = json.dumps([Server().ask("Reg", "fred")]).encode()
    check(client.begin(good), 10)
    for end in range(0, len(good), 7):
        check(client.begin(good[:end]), 1005, "cut off")
    check(client.finish(PASSCODE, "4917"), 1100, "a malformed request ends the one before")
    for old, new in ((b'"minor": 1', b'"minor": 7'),):
        check(client.begin(good.replace(old, new)), 2003)
    for old, new in ((b'"op": "Reg"', b'"op": "Rig"'), (b'"challenge": "', b'"challenge": "='), (b"[[", b"[7,["),
                     (b'"username"', b'"challenge"'), (b'"fred"', b'"fr\\u0000d"'), (b'"policy"', b'"police"')):
        check(client.begin(good.replace(old, new, 1)), 1005, new)
    for binding in ("", "[]", "{", '{"tlsUnique":7}', '{"tlsUnique":"a","tlsUnique":"a"}',
                    json.dumps({"tlsUnique": "x" * 20000})):
        check(client.begin(good, binding=binding), 1002, binding[:20])
    for keys in (["!!"], ["A" * 45], [""], [encode(bytes(31))]):
        criterion = {"aaid": ["C0DE#0001"], "keyIDs": keys}
        for policy in ({"accepted": [[criterion]]}, Server().policy() | {"disallowed": [criterion]}):
            check(client.begin(Server().ask("Reg", "fred", policy=policy)), 1005, f"key IDs {keys}")
    # The specification counts characters of UTF-16.
    for user, result in (("가" * 128, 10), ("가" * 129, 1005), ("😀" * 64, 10), ("😀" * 65, 1005)):
        check(client.begin(Server().ask("Reg", user)), result, user[0])
    for size, result in ((1536, 10), (1537, 1005)):
        check(client.begin(Server().ask("Reg", "fred", serverData="é" * size)), result)
    for size, result in ((32, 10), (33, 1005)):
        extension = {"id": "é" * size, "data": "", "fail_if_unknown": False}
        check(client.begin(Server().ask("Reg", "fred", exts=[extension])), result)
    for control in CONTROLS:
        check(client.begin(Server().ask("Reg", f"fr{control}d")), 1005, repr(control))
    for shown in SHOWN:
        check(client.begin(Server().ask("Reg", f"fr{shown}d")), 10, repr(shown))
    algorithms = {"authenticationAlgorithms": [1], "assertionSchemes": ["UAFV1TLV"]}
    for vendor, result in (("C0DE", 10), ("c0de", 10), ("0000", 2002), ("zzzz", 1005), ("\x03\x10DE", 1005),
                           ("C\x10DE", 1005), ("C0D", 1005), ("C0DE0", 1005), ("", 1005)):
        policy = {"accepted": [[{"vendorID": [vendor]} | algorithms]]}
        check(client.begin(Server().ask("Reg", "fred", policy=policy)), result, repr(vendor))
        policy = Server().policy() | {"disallowed": [{"vendorID": [vendor]} | algorithms]}
        check(client.begin(Server().ask("Reg", "fred", policy=policy)), {10: 2002, 2002: 10}.get(result, result))
    for minors, result in (((1, 0, 0), 1005), ((0, 1, 0), 1005), ((0, 0, 1), 1005), ((1, 0, 1), 1005), ((0, 1, 9), 10)):
        check(client.begin([Server().ask("Reg", "fred", minor) for minor in minors]), result, str(minors))
    check(client.begin(good), 10)
    check(FIDO.CustomFido_begin(client.fido, None, ctypes.c_size_t(0), None, None), 1001)
    check(client.finish(PASSCODE, "4917"), 1100, "NULL ends the request before, too")
    extended = json.loads(good)
    extended[0]["header"]["exts"] = [{"id": "x", "data": "", "fail_if_unknown": True}]
    check(client.begin(extended), 1005)
    check(client.begin(b" " * 70000), 1005)
    check(client.begin(b"[" * 60000), 1005)


def long_extensions(client):
    """Each character of a header is as long in the answer as JSON allows it to be in the request, so that an answer to
    any request fits: the person would have agreed for nothing, a counter would be used, and a key be left."""
    server = Server()
    server.joined_late = True
    for text in ("\b" * 30_000, "\f" * 30_000, "\n\r\t\"\\" * 6_000, "\x01\x1f" * 5_000, "/" * 60_000, "😀" * 5_000):
        extension = {"id": "x", "data": text, "fail_if_unknown": False}
        check(client.begin(server.ask("Reg", "flo", policy=server.policy("C0DE#0001"), exts=[extension])), 10)
        check(client.finish(PASSCODE, "4917"), 0, repr(text[:2]))
        key = server.accept(client.response())
        check(client.begin(server.ask("Auth", policy=server.policy("C0DE#0001"), exts=[extension])), 10)
        check(client.finish(PASSCODE, "4917", "flo"), 0)
        check(server.accept(client.response()), key)
    for control in CONTROLS:
        check(client.begin(server.ask("Auth", transaction=f"Pay 1{control}0")), 1005, repr(control))
    check(client.begin(server.ask("Auth", transaction="Pay\n1\u202f0")), 10)
    check(client.begin(server.deregistration(("C0DE#0001", ""))), 0)


def locks(client):
    state = State(ctypes.sizeof(State))
    check(client.begin(Server().ask("Reg", "gina", policy=Server().policy("C0DE#0001"))), 10)
    check(client.option(PASSCODE, 4, 2), 0)
    check(client.finish(PASSCODE, "1111"), 3012)
    check(client.option(PASSCODE, 4, 9), 3015, "wrong tries are counted")
    check(client.option(PASSCODE, 6, 0), 3015)
    check(client.finish(PASSCODE, "4917"), 0)
    check(client.option(PASSCODE, 4, 2), 0, "a right try ends that")
    check(client.option(PASSCODE, 6, 1), 0)
    for option, value in ((0, 129), (4, 0), (4, 1001), (5, 0), (8, 5), (7, 4), (9, 0), (2, 2), (-1, 0)):
        check(client.option(PASSCODE, option, value), 1001, f"option {option} {value}")
    check(client.option(PATTERN, 0, 4), 1001)
    check(client.option(3, 4, 4), 1012)
    check(client.begin(Server().ask("Reg", "gina", policy=Server().policy("C0DE#0001"))), 10)
    check(client.finish(PASSCODE, "1111"), 3012)
    check(client.finish(PASSCODE, "2222"), 3014, "the last lock is for good")
    check(client.finish(PASSCODE, "4917"), 3014)
    check(client.state(PASSCODE), 3008)
    check(FIDO.CustomFido_attempts(client.fido, PASSCODE, ctypes.byref(state)), 0)
    check((state.tries, state.seconds), (0, 2**32 - 1))
    check(client.change(PASSCODE, "4917", "4918"), 7111)
    check(FIDO.CustomFido_reset(client.fido, PASSCODE), 7100)
    check(client.state(PASSCODE), 3007)
    check(FIDO.CustomFido_attempts(client.fido, PASSCODE, ctypes.byref(state)), 3007)
    check(client.option(PASSCODE, 6, 0), 0)
    check(client.option(PASSCODE, 4, 1), 0)
    check(client.finish(PASSCODE, "491", again="491"), 0, "still waiting, and set up anew")
    check(client.begin(Server().ask("Auth")), 10)
    check(client.finish(PASSCODE, "492"), 3013)
    check(FIDO.CustomFido_reset(client.fido, PASSCODE), 7100)
    # Another client, as after the app was started again, changes one of the three, and only that.
    for option, value in ((4, 3), (5, 600), (6, 1)):
        check(client.option(PASSCODE, option, value), 0)
    check(client.begin(Server().ask("Reg", "gina", policy=Server().policy("C0DE#0001"))), 10)
    check(client.finish(PASSCODE, "4917", again="4917"), 0)
    other = ctypes.c_uint64()
    check(FIDO.CustomFido_create(ctypes.byref(other), client.vault, FACET.encode()), 0)
    check(FIDO.CustomFido_setOption(other, PASSCODE, 5, ctypes.c_int64(700)), 0)
    check(FIDO.CustomFido_attempts(other, PASSCODE, ctypes.byref(state)), 0)
    check(state.tries, 3)
    check(FIDO.CustomFido_destroy(other), 0)
    check(client.begin(Server().ask("Auth")), 10)
    for result in (3012, 3012, 3014):
        check(client.finish(PASSCODE, "1111"), result)
    check(FIDO.CustomFido_reset(client.fido, PASSCODE), 7100)
    for option, value in ((4, 1), (5, 300), (6, 0)):
        check(client.option(PASSCODE, option, value), 0)


def options(client):
    def refused(passcode, type_=0):
        check(client.begin(Server().ask("Reg", "hugo", policy=Server().policy("C0DE#0001"))), 10)
        result = client.finish(PASSCODE, passcode, again=passcode)
        if result == 0:
            check(FIDO.CustomFido_reset(client.fido, PASSCODE), 7100)
        return result

    for type_, good, bad in ((4, "4917", ("491", "49172", "491a")), (6, "491723", ("49172", "4917230", "49172a"))):
        check(client.option(PASSCODE, 8, type_), 0)
        check(refused(good), 0)
        for passcode in bad:
            check(refused(passcode), -REFUSED, passcode)
    check(client.option(PASSCODE, 8, 0), 0)
    check(client.option(PASSCODE, 0, 5), 0)
    check(client.option(PASSCODE, 1, 7), 0)
    for passcode, result in (("abcde", 0), ("abcd", -REFUSED), ("abcdefg", 0), ("abcdefgh", -REFUSED)):
        check(refused(passcode), result, passcode)
    check(client.option(PASSCODE, 2, 1), 0)
    check(refused("abcde"), -REFUSED)
    check(refused("49172"), 0)
    # The app's own rules are those of the keyboard.
    check(client.begin(Server().ask("Reg", "hugo", policy=Server().policy("C0DE#0001"))), 10)
    first, second = typed("111999"), typed("111999")
    check(KEYBOARD.CustomKeyboard_addRule(first, 4, ctypes.c_size_t(3), None, ctypes.c_size_t(0)), 0)
    check(FIDO.CustomFido_finish(client.fido, PASSCODE, None, first, second), -REFUSED)
    for keyboard in (first, second):
        check(KEYBOARD.CustomKeyboard_destroy(keyboard), 0)


def bad_handles(client):
    nobody = ctypes.c_uint64(client.fido.value + (1 << 32))
    check(FIDO.CustomFido_cancel(nobody), -ARGUMENT)
    check(FIDO.CustomFido_cancel(ctypes.c_uint64(0)), -ARGUMENT)
    other = ctypes.c_uint64()
    for vault in (0, 99, client.vault.value + (1 << 32)):
        check(FIDO.CustomFido_create(ctypes.byref(other), ctypes.c_uint64(vault), FACET.encode()), -ARGUMENT)
    for facet in (None, b"", b"bank", b"https://bank.example", b"ios:a b", b"x:" + b"a" * 511):
        check(FIDO.CustomFido_create(ctypes.byref(other), client.vault, facet), 1001)
    for aaid in (None, b"", b"C0DE-0001", b"C0DE#000G", b"C0DE#00012"):
        check(FIDO.CustomFido_setAAID(client.fido, PASSCODE, aaid), 1001)
    check(FIDO.CustomFido_setAAID(client.fido, 3, b"C0DE#0001"), 1012)
    check(FIDO.CustomFido_begin(client.fido, None, ctypes.c_size_t(3), None, None), 1001)
    check(client.state(9), 3005)
    FIDO.library.CustomFido_message.restype = ctypes.c_char_p
    check(FIDO.CustomFido_message(3012), b"The passcode or pattern is wrong.")
    check(len(FIDO.CustomFido_message(-5)) > 10 and len(FIDO.CustomFido_message(12345)) > 10, True)
    # Without an AAID nothing is accepted; with a vault that was closed, nothing works.
    bare = ctypes.c_uint64()
    check(FIDO.CustomFido_create(ctypes.byref(bare), client.vault, FACET.encode()), 0)
    types = ctypes.c_uint()
    check(FIDO.CustomFido_availableTypes(bare, ctypes.byref(types)), 0)
    check(types.value, 0)
    check(FIDO.CustomFido_availableTypes(client.fido, ctypes.byref(types)), 0)
    check(types.value, 3)
    text = json.dumps(Server().ask("Reg", "ida")).encode()
    check(FIDO.CustomFido_begin(bare, text, ctypes.c_size_t(len(text)), FACETS.encode(), None), 2002)
    check(FIDO.CustomFido_destroy(bare), 0)
    check(FIDO.CustomFido_destroy(bare), -ARGUMENT)


def a_vault_that_fails(client, folder):
    """Another program writes into the vault: after five seconds, nothing can be reset."""
    script = ("import sqlite3, sys; file = sqlite3.connect(sys.argv[1], isolation_level=None); "
              "file.execute('BEGIN IMMEDIATE'); print('begun', flush=True); sys.stdin.read()")
    with subprocess.Popen([sys.executable, "-c", script, os.path.join(folder, "vault")], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as other:
        check(other.stdout.readline(), b"begun\n")
        check(FIDO.CustomFido_reset(client.fido, PASSCODE), 7101)
        other.stdin.close()
    check(client.state(PASSCODE), 3006, "it is there yet")


def every_code_was_answered():
    """All numbers of the header but those of which the page says that they never are."""
    with open(os.path.join(ROOT, "Include", "custom_fido.h"), encoding="utf-8") as file:
        header = file.read()
    table = header[header.index("typedef enum CUSTOM_FIDO_RESULT {"):header.index("} CUSTOM_FIDO_RESULT;")]
    codes = {int(number) for number in re.findall(r"^  CUSTOM_FIDO_\w+ = (\d+)", table, re.M)}
    check(len(codes), 57, "the numbers of the guide")
    with open(os.path.join(ROOT, "Docs", "FIDO.md"), encoding="utf-8") as file:
        rows = re.findall(r"^\| (\d[\d, …]*) \| (.*) \|$", file.read(), re.M)
    listed, never = set(), set()
    for numbers, meaning in rows:
        for part in numbers.split(", "):
            first, _, last = part.partition(" … ")
            found = {code for code in codes if int(first) <= code <= int(last or first)}
            listed |= found
            if meaning.startswith("never"):
                never |= found
    check(listed, codes, "the page has each of them")
    check(codes - answered, never, "each was answered, but those that never are")


def nothing_in_the_file(folder, secrets):
    """No name, no key ID, no appID is readable in the vault's files."""
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        for secret in secrets:
            check(secret in data, False, f"{secret!r} in {name}")


def main():
    folder = tempfile.mkdtemp(prefix="fido.")
    os.chmod(folder, 0o700)
    try:
        examples_of_the_specification()
        client = Client(folder)
        server, key = registers_and_authenticates(client, 1)
        registers_and_authenticates(client, 0)
        # In another process's place: closed and opened again, the key is there, and its counter goes on.
        client.close()
        client = Client(folder)
        check(client.begin(server.ask("Auth", policy=server.policy("C0DE#0001", keyIDs=[encode(key)]))), 10)
        check(client.finish(PASSCODE, "4917"), 0)
        check(server.accept(client.response()), key)
        check(server.keys[key][3], 5)
        several_users(client)
        patterns(client)
        facets_and_apps(client)
        deregisters(client)
        malformed(client)
        long_extensions(client)
        locks(client)
        options(client)
        bad_handles(client)
        check(FIDO.CustomFido_addOrigin(client.fido, b"https://bank.example"), 1001, "no server is set")
        online(client)
        other_users(client)
        origins(client)
        check(FIDO.CustomFido_change(client.fido, PASSCODE, ctypes.c_uint64(0), ctypes.c_uint64(0)), 7112)
        a_vault_that_fails(client, folder)
        check(VAULT.CustomVault_close(client.vault), 0)
        check(client.begin(server.ask("Auth")), -ARGUMENT, "a vault that was closed")
        every_code_was_answered()
        nothing_in_the_file(folder, [b"alice1", b"bank.example", key, key.hex().encode(), b"C0DE#0001"])
    finally:
        shutil.rmtree(folder)
    print(f"fido_server: {counted['checks']} checks, {counted['assertions']} assertions")


if __name__ == "__main__":
    main()
