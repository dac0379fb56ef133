"""Logging in with FIDO, by an authenticator that is written here a second time: what a relying party must check, the
bank refuses when it is wrong. With SQLite and with PostgreSQL.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import hashlib
import json
import os
import random
import struct
import time

from bank import PIN, SEED, Bank, Client, bearer, check, free_ports, in_threads, report
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from postgresql import PostgreSQL
from protocol import refused, wait_for
from records import PostgreSQLRecords, SQLiteRecords
from sealing import decode, encode

FACET, OTHER_FACET = "ios:bundle-id:com.example.bank", "cli:keyboard"
AAID = "0000#0001"
UAF = "application/fido+uaf; charset=utf-8"
OTHER = "495162"
OPTIONS = ("--fido-facet", FACET, "--fido-facet", OTHER_FACET)


def tlv(tag, value):
    return struct.pack("<HH", tag, len(value)) + value


def digest(data):
    return hashlib.sha256(data).digest()


class Key:
    """An authenticator with one key. Each member of `twist` makes something else of what it signs or sends."""

    def __init__(self, aaid=AAID):
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.point = self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.id, self.aaid, self.counter = digest(self.point), aaid, 0

    def sign(self, data):
        r, s = decode_dss_signature(self.private.sign(data, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def registration(self, final, twist):
        info = twist.get("info", struct.pack("<HBHH", 1, 1, 1, 0x100))
        fields = [(0x2E0B, self.aaid.encode()), (0x2E0E, info), (0x2E0A, final),
                  (0x2E09, twist.get("key_id", self.id)), (0x2E0D, twist.get("counters", struct.pack("<II", 0, 1))),
                  (0x2E0C, twist.get("point", self.point))]
        data = tlv(0x3E03, b"".join(tlv(*field) for field in twist.get("fields", fields)))
        signature = twist.get("signature", lambda data: self.sign(data))(data)
        return tlv(0x3E01, data + twist.get("attestation", tlv(0x3E08, tlv(0x2E06, signature))))

    def authentication(self, final, transaction, twist):
        self.counter += 1
        hashed = digest(transaction.encode()) if transaction else b""
        info = twist.get("info", struct.pack("<HBH", 1, 2 if transaction else 1, 1))
        fields = [(0x2E0B, self.aaid.encode()), (0x2E0E, info), (0x2E0F, twist.get("nonce", os.urandom(16))),
                  (0x2E0A, final), (0x2E10, twist.get("hashed", hashed)), (0x2E09, twist.get("key_id", self.id)),
                  (0x2E0D, twist.get("counters", struct.pack("<I", self.counter)))]
        data = tlv(0x3E04, b"".join(tlv(*field) for field in twist.get("fields", fields)))
        return tlv(0x3E02, data + tlv(0x2E06, twist.get("signature", lambda data: self.sign(data))(data)))


class App:
    """An app on a connection."""

    def __init__(self, port, facet=FACET):
        self.client, self.facet = Client(port), facet

    def post(self, path, message):
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        status, answer = self.client.ask("POST", path, body, type=UAF)
        check(status == 200, path, status, answer)
        return answer

    def request(self, op, user, **context):
        return self.post("/uaf/request", {"op": op, "context": json.dumps({"userName": user, **context})})

    def start(self, op, user, **context):
        """The request of the highest version."""
        answer = self.request(op, user, **context)
        check(answer["statusCode"] == 1200 and answer["op"] == op, answer)
        both = json.loads(answer["uafRequest"])
        check([one["header"]["upv"] for one in both] == [{"major": 1, "minor": 1}, {"major": 1, "minor": 0}], both)
        check([one.pop("header")["op"] for one in both] == [op, op] and both[0] == both[1], both)
        return json.loads(answer["uafRequest"])[0]

    def response(self, request, key, twist):
        """What is sent for a request."""
        header = {"upv": request["header"]["upv"], "op": request["header"]["op"], "appID": self.facet}
        header |= twist.get("header", {})
        parameters = {"appID": header["appID"], "challenge": request["challenge"], "facetID": self.facet,
                      "channelBinding": {}} | twist.get("parameters", {})
        text = encode(json.dumps(parameters).encode())
        final = twist.get("final", digest(text.encode()))
        transaction = None
        if "transaction" in request:
            transaction = decode(request["transaction"][0]["content"]).decode()
        op = twist.get("signs", request["header"]["op"])
        assertion = (key.registration(final, twist) if op == "Reg" else
                     key.authentication(final, twist.get("confirmed", transaction), twist))
        assertion = twist.get("assertion", lambda data: data)(assertion)
        assertions = [{"assertionScheme": twist.get("scheme", "UAFV1TLV"), "assertion": encode(assertion)}]
        return {"header": header, "fcParams": text, "assertions": assertions * twist.get("times", 1)}

    def answer(self, request, key, twist=None):
        """The bank's verdict."""
        response = self.response(request, key, twist or {})
        return self.post("/uaf/response", {"uafResponse": json.dumps([response])})

    def register(self, user, key, twist=None, **context):
        return self.answer(self.start("Reg", user, **context), key, twist)["statusCode"]

    def login(self, user, key, twist=None, **context):
        return self.answer(self.start("Auth", user, **context), key, twist)

    def session(self, user, key, **context):
        answer = self.login(user, key, **context)
        check(answer["statusCode"] == 1200 and len(answer["additionalTokens"]) == 1, answer)
        return answer["additionalTokens"][0]["value"]

    def account(self, session):
        status, answer = self.client.ask("GET", "/api/account", headers=bearer(session))
        return answer["account"] if status == 200 else None


# ---- What is right --------------------------------------------------------------------------------------------------


def registers_and_logs_in(app, records):
    key = Key()
    request = app.start("Reg", "alice")
    check(request["username"] == "alice" and len(decode(request["challenge"])) == 32, request)
    check(request["header"]["appID"] == "" and "serverData" not in request["header"], request)
    check(request["policy"] == {"accepted": [[{"aaid": ["0000#0001"]}], [{"aaid": ["0000#0002"]}]]}, request)
    check(app.answer(request, key)["statusCode"] == 1200, "register")
    for text in ("", "Pay 10 € to Bob?\nToday", "x" * 200):
        session = app.session("alice", key, transactionText=text)
        check(app.account(session) == "alice", "a session")
    check(records.query("SELECT account, counter FROM fido_keys") == [["alice", "3"]], "the counter")
    check(not records.query("SELECT * FROM fido_challenges"), "a challenge that was not deleted")
    # An app of version 1.0, and another of the bank's apps.
    request = app.start("Auth", "alice")
    request["header"]["upv"]["minor"] = 0
    check(app.answer(request, key)["statusCode"] == 1200, "version 1.0")
    other = App(app.client.socket.getpeername()[1], OTHER_FACET)
    check(other.login("alice", key)["statusCode"] == 1200, "another app")
    return key


def accounts_belong_to_someone(app, records):
    """Nobody adds a key to another's account, and nobody learns which exist before that."""
    client = app.client
    pin_key = client.key()
    check(client.register("bob", PIN, pin_key)[0] == 200, "register with a PIN")
    key, thief = Key(), Key()
    check(app.register("bob", thief) == 1008, "a key for another's account")
    check(app.register("alice", thief) == 1008, "a key for an account without a PIN")
    session = client.login("bob", PIN, pin_key)[1]["session"]
    check(app.register("alice", thief, session=session) == 1008, "a key with another's session")
    check(app.register("bob", key, session=session) == 1200, "a key of one's own")
    check(app.account(app.session("bob", key)) == "bob", "login")
    check(app.register("bob", key, session=session) == 1498, "the same key twice")
    check(app.register("new", key) == 1498, "a key that is another's")
    check(not records.query("SELECT * FROM accounts WHERE account = 'new'"), "an account was opened for a refused key")
    # A name without a PIN is answered as one that does not exist; PIN and FIDO do not lock each other.
    for name in ("alice", "nobody"):
        answer = client.login(name, PIN, pin_key)
        refused(answer, 401, "wrong")
        check(answer[1]["attemptsLeft"] == 4, answer)
    refused(client.register("alice", PIN, pin_key), 409, "exists")
    check(set(app.start("Auth", "nobody")) == set(app.start("Auth", "bob")), "an account that can be found")
    # At most 16. The session stays young, however long that takes.
    records.query("UPDATE sessions SET begun = expires")
    for _ in range(15):
        check(app.register("bob", Key(), session=session) == 1200, "another device")
    check(app.register("bob", Key(), session=session) == 1498, "too many keys")


def open_sessions_add_no_key(app, records):
    """A session that somebody left open adds no key; and what such a person has begun ends with the sessions."""
    client, pin_key = app.client, app.client.key()
    check(client.register("kate", PIN, pin_key)[0] == 200, "register with a PIN")

    def log_in(pin=PIN):
        return client.login("kate", pin, pin_key)[1]["session"]

    def keys():
        return {row[0] for row in records.query("SELECT key_id FROM fido_keys WHERE account = 'kate'")}

    # Two minutes after the login it is too late, also for the session of a key.
    phone, tablet = Key(), Key()
    check(app.register("kate", phone, session=log_in()) == 1200, "a key right after the login")
    for session in (log_in(), app.session("kate", phone)):
        records.query("UPDATE sessions SET begun = begun - 120000")
        check(app.request("Reg", "kate", session=session)["statusCode"] == 1401, "an old session adds a key")
    check(app.register("kate", tablet, session=app.session("kate", phone)) == 1200, "a key after the login of a key")
    # A challenge that was asked for before is not good after any of these.
    thief = Key()
    ends = {
        "log out": lambda session: client.ask("POST", "/api/logout", headers=bearer(session)),
        "log out everywhere": lambda _: client.ask("POST", "/api/logout-everywhere", headers=bearer(log_in())),
        "another PIN": lambda _: client.change("kate", log_in(), PIN, OTHER, pin_key),
        "the PIN of before": lambda session: client.change("kate", session, OTHER, PIN, pin_key),
    }
    pin = PIN
    for name, end in ends.items():
        session = log_in(pin)
        request = app.start("Reg", "kate", session=session)
        check(end(session)[0] == 200, name)
        left = records.query("SELECT * FROM fido_challenges WHERE account = 'kate'")
        check(name == "log out" or not left, name, "leaves a challenge", left)
        status = app.answer(request, thief)["statusCode"]
        check(status in (1401, 1491), name, "leaves a challenge that adds a key:", status)
        check(encode(thief.id) not in keys(), name, "leaves a key of a stranger's")
        pin = OTHER if name == "another PIN" else PIN
    # A challenge that outlives its session, as one that is being checked at that moment.
    session = log_in()
    request = app.start("Reg", "kate", session=session)
    records.query("DELETE FROM sessions WHERE account = 'kate'")
    check(app.answer(request, thief)["statusCode"] == 1401, "a session that is over adds a key")


def a_change_of_the_pin_removes_keys(app, records):
    """A stranger with an open session may have added one. The key that has begun the session stays."""
    client, pin_key = app.client, app.client.key()
    check(client.register("lena", PIN, pin_key)[0] == 200, "register with a PIN")

    def keys():
        return {row[0] for row in records.query("SELECT key_id FROM fido_keys WHERE account = 'lena'")}

    phone, thief = Key(), Key()
    for key in (phone, thief):
        session = client.login("lena", PIN, pin_key)[1]["session"]
        check(app.register("lena", key, session=session) == 1200, "a key")
    stolen, own = app.session("lena", thief), app.session("lena", phone)
    refused(client.change("lena", own, OTHER, "640183", pin_key), 401, "wrong")
    check(keys() == {encode(phone.id), encode(thief.id)}, "a refused change removes keys")
    check(client.change("lena", own, PIN, OTHER, pin_key) == (200, {"account": "lena", "keys": 1}), "change")
    check(keys() == {encode(phone.id)}, "the keys that are left", keys())
    check(app.account(stolen) is None and app.account(own) == "lena", "sessions")
    check(app.login("lena", thief)["statusCode"] == 1481, "a key from before the change")
    session = client.login("lena", OTHER, pin_key)[1]["session"]
    check(client.change("lena", session, OTHER, PIN, pin_key) == (200, {"account": "lena", "keys": 1}), "change")
    check(keys() == set(), "the keys that are left", keys())


# ---- What is wrong --------------------------------------------------------------------------------------------------

HEADERS = [({"upv": {"major": 1, "minor": 2}}, 1498), ({"upv": {"major": 2, "minor": 0}}, 1400),
           ({"upv": {"major": 1}}, 1400), ({"op": "Dereg"}, 1491), ({"appID": ""}, 1498),
           ({"appID": "https://evil.example/facets"}, 1498), ({"appID": OTHER_FACET}, 1498),
           ({"serverData": "eA"}, 1400), ({"op": 7}, 1400)]
PARAMETERS = [({"appID": ""}, 1498), ({"appID": "ios:bundle-id:evil"}, 1498), ({"facetID": "ios:bundle-id:evil"}, 1403),
              ({"facetID": "https://bank.example"}, 1403), ({"challenge": encode(bytes(32))}, 1491),
              ({"challenge": ""}, 1491), ({"challenge": "x y"}, 1400), ({"channelBinding": None, "appID": 1}, 1400)]
BOTH = [({"header": header}, status) for header, status in HEADERS] + [
    ({"parameters": parameters}, status) for parameters, status in PARAMETERS] + [
    ({"final": bytes(32)}, 1498), ({"final": b""}, 1498), ({"scheme": "UAFV2TLV"}, 1400), ({"times": 2}, 1400),
    ({"times": 0}, 1400), ({"signature": lambda data: bytes(64)}, 1498), ({"signature": lambda data: b""}, 1498),
    ({"signature": lambda data: b"\xff" * 64}, 1498), ({"info": b"\1\0\1\2\0"}, 1495),
    ({"info": b"\1\0\1\2\0\0\1"}, 1495), ({"info": b""}, 1495), ({"fields": []}, 1498),
    ({"assertion": lambda data: b""}, 1498), ({"assertion": lambda data: data[:-1]}, 1498),
    ({"assertion": lambda data: data + b"\0"}, 1498), ({"assertion": lambda data: tlv(0x3E05, data[4:])}, 1498),
    ({"assertion": lambda data: data[:4] + data[4:] * 2}, 1498), ({"key_id": b"k" * 31}, 1498)]
REGISTRATION = [({"signs": "Auth"}, 1498), ({"point": b"\4" + bytes(64)}, 1498), ({"point": b"\2" + bytes(32)}, 1498),
                ({"point": Key().point}, 1498), ({"attestation": tlv(0x3E07, tlv(0x2E06, bytes(64)))}, 1498),
                ({"attestation": tlv(0x3E08, b"")}, 1496), ({"attestation": b""}, 1498), ({"counters": bytes(4)}, 1498)]
AUTHENTICATION = [({"signs": "Reg"}, 1498), ({"hashed": digest(b"Pay 1000")}, 1495), ({"nonce": bytes(7)}, 1498),
                  ({"confirmed": "Pay 1000"}, 1498), ({"counters": bytes(8)}, 1498), ({"key_id": b"k" * 32}, 1481)]


def refuses_what_is_wrong(app, key, records):
    keys = records.query("SELECT * FROM fido_keys ORDER BY key_id")
    for twist, status in BOTH + REGISTRATION:
        got = app.register("carol", Key(), twist)
        check(got == status, "registration", twist, "expected", status, "got", got)
    check(app.register("carol", Key("0000#0003")) == 1480, "a model that is not taken")
    check(not records.query("SELECT * FROM accounts WHERE account = 'carol'"), "an account was opened")
    for twist, status in BOTH + AUTHENTICATION:
        got = app.login("alice", key, twist)["statusCode"]
        check(got == status, "authentication", twist, "expected", status, "got", got)
    check(app.login("alice", Key())["statusCode"] == 1481, "an unknown key")
    check(app.login("bob", key)["statusCode"] == 1498, "another account's key")
    check(records.query("SELECT * FROM fido_keys ORDER BY key_id") == keys, "a key or a counter has changed")


def transactions_are_confirmed(app, key):
    """The person has signed this text, and no other, and not none."""
    for twist in ({"confirmed": None}, {"confirmed": "Pay 1000 to Bob"}, {"confirmed": "Pay 10 to Bob "}):
        check(app.login("alice", key, twist, transactionText="Pay 10 to Bob")["statusCode"] == 1498, twist)
    check(app.login("alice", key, {"confirmed": "Pay 10 to Bob"})["statusCode"] == 1498, "a text that nobody sent")
    for text in ("x" * 201, "é" * 201):
        check(app.request("Auth", "alice", transactionText=text)["statusCode"] == 1400, "a long text")
    check(app.request("Reg", "alice", transactionText="x")["statusCode"] == 1400, "a text for a registration")


def counters_go_up(app, key):
    last = key.counter = 100
    check(app.login("alice", key)["statusCode"] == 1200, "a counter that jumps")
    for counter in (last + 1, last, 1, 0):
        key.counter = counter - 1
        check(app.login("alice", key)["statusCode"] == 1498, "a copy's counter", counter)
    key.counter = last + 1
    check(app.login("alice", key)["statusCode"] == 1200, "the key itself")
    key.counter = 2**32 - 2
    check(app.login("alice", key)["statusCode"] == 1200, "the last counter")
    key.counter = 2**32 - 2
    check(app.login("alice", key)["statusCode"] == 1498, "the last counter twice")


def challenges_are_used_once(app, key):
    request = app.start("Auth", "alice")
    response = json.dumps([app.response(request, key, {})])

    def send(_):
        return App(app.client.socket.getpeername()[1]).post("/uaf/response", {"uafResponse": response})["statusCode"]

    verdicts = sorted(in_threads(send, range(8)))
    check(verdicts == [1200] + [1491] * 7, "one of eight answers counts", verdicts)
    # A wrong answer uses it up, too; and a challenge of one operation is not good for another.
    request = app.start("Auth", "alice")
    check(app.answer(request, key, {"final": bytes(32)})["statusCode"] == 1498, "wrong")
    check(app.answer(request, key)["statusCode"] == 1491, "right, but late")
    check(app.answer(app.start("Reg", "dave"), key, {"header": {"op": "Auth"}, "signs": "Auth"})["statusCode"] == 1491,
          "a challenge of a registration")
    # The challenge is for one account: it cannot be answered for another.
    check(app.answer(app.start("Auth", "bob"), key)["statusCode"] == 1498, "a challenge of another account")


def malformed(app, key):
    random.seed(SEED)
    for body in (b"", b"[]", b"7", b"{", b'{"op":"Auth"}', b'{"op":"Auth","context":"{}"}',
                 b'{"op":"Auth","op":"Auth"}', b'{"op":"Auth","context":{"userName":"a"}}', b"[" * 4000,
                 b'{"op":"Auth","context":"[\xff]"}',
                 *[json.dumps({"op": op, "context": json.dumps({"userName": name})}).encode()
                   for op, name in (("auth", "a"), ("", "a"), ("Auth", ""), ("Auth", "A"), ("Auth", "a" * 33),
                                    ("Auth", 7), ("Auth", "a'--"))]):
        check(app.post("/uaf/request", body)["statusCode"] == 1400, body[:60])
    request = app.start("Auth", "alice")
    good = json.dumps({"uafResponse": json.dumps([app.response(request, key, {})])}).encode()
    for end in range(0, len(good), 19):
        check(app.post("/uaf/response", good[:end])["statusCode"] == 1400, "cut off")
    for _ in range(300):
        place, byte = random.randrange(len(good)), random.randrange(256)
        if good[place] != byte:
            spoiled = good[:place] + bytes([byte]) + good[place + 1:]
            got = app.post("/uaf/response", spoiled)["statusCode"]
            # Spaces and the like change nothing in JSON: then the challenge is used up.
            check(got in (1400, 1403, 1480, 1481, 1491, 1495, 1496, 1498, 1200), place, byte, got)
            if got not in (1400, 1491):
                request = app.start("Auth", "alice")
                good = json.dumps({"uafResponse": json.dumps([app.response(request, key, {})])}).encode()
    refused(app.client.ask("POST", "/uaf/request", b"{}", type="application/json"), 415, "type")
    refused(app.client.ask("POST", "/uaf/response", b"{}", type="text/plain"), 415, "type")
    refused(app.client.ask("POST", "/uaf/response", b" " * 8193, type=UAF), 413, "large")
    refused(app.client.ask("GET", "/uaf/response"), 405, "method")


# ---- The end of keys, challenges and sessions -----------------------------------------------------------------------


def deregisters(app, records):
    phone, tablet = Key(), Key("0000#0002")
    check(app.register("erin", phone) == 1200, "register")
    sessions = [app.session("erin", phone)]
    check(app.register("erin", tablet, session=sessions[0]) == 1200, "a second device")
    sessions.append(app.session("erin", tablet))
    for context in ({}, {"session": "x"}, {"session": encode(bytes(16))}):
        for name in ("erin", "nobody"):
            check(app.request("Dereg", name, **context)["statusCode"] == 1401, "without a session", context)
    check(app.request("Dereg", "alice", session=sessions[0])["statusCode"] == 1401, "another's keys")
    request = app.start("Dereg", "erin", session=sessions[0])
    check(request["authenticators"] == [{"aaid": phone.aaid, "keyID": encode(phone.id)}], request)
    check(app.login("erin", phone)["statusCode"] == 1481, "a key that is gone")
    check([app.account(session) for session in sessions] == [None, "erin"], "the sessions of the key")
    request = app.start("Dereg", "erin", session=sessions[1], deregisterAll=True)
    check(request["authenticators"] == [{"aaid": tablet.aaid, "keyID": encode(tablet.id)}], request)
    check(app.account(sessions[1]) is None, "a session without a key")
    check(not records.query("SELECT * FROM accounts WHERE account = 'erin'"), "an account that nobody can open")
    check(app.register("erin", Key()) == 1200, "the name is free again")
    # One with a PIN stays.
    pin_key = app.client.key()
    session = app.client.login("bob", PIN, pin_key)[1]["session"]
    request = app.start("Dereg", "bob", session=session)
    check(len(request["authenticators"]) == 16, "all keys of an account", request)
    check(app.account(session) == "bob", "a session of a PIN")


def closing_meets_adding(postgresql):
    """The last key is removed while another is added: no key is left without an account, whichever comes first."""
    records = PostgreSQLRecords(postgresql)
    server = Bank(*OPTIONS, data=records.data, url=records.url + "&options=-c%20lock_timeout%3D600000")
    remover, adder = App(server.port), App(server.port)

    def waiting():
        sql = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = '%s' AND wait_event_type = 'Lock'"
        return int(postgresql.query("postgres", sql % records.database)[0][0])

    for user, is_removed_first in (("mona", True), ("nils", False)):
        first, second = Key(), Key()
        check(adder.register(user, first) == 1200, "register")
        session = adder.session(user, first)
        response = adder.response(adder.start("Reg", user, session=session), second, {})
        context = json.dumps({"userName": user, "session": session})
        messages = [(remover, "/uaf/request", {"op": "Dereg", "context": context}),
                    (adder, "/uaf/response", {"uafResponse": json.dumps([response])})]
        # Both wait for the account's row, one behind the other.
        hold = postgresql.hold(records.database, "SELECT 1 FROM accounts FOR UPDATE")
        for count, (app, path, message) in enumerate(messages if is_removed_first else messages[::-1], 1):
            app.client.send("POST", path, json.dumps(message).encode(), type=UAF)
            wait_for(lambda: waiting() == count, "a request that waits for the row")
        hold.end()
        removed, added = (json.loads(app.client.receive()[2]).get("statusCode") for app in (remover, adder))
        check((removed, added) == (1200, 1401 if is_removed_first else 1200), user, removed, added)
        accounts = records.query("SELECT account FROM accounts WHERE account = '%s'" % user)
        keys = records.query("SELECT account FROM fido_keys WHERE account = '%s'" % user)
        check(accounts == keys == ([] if is_removed_first else [[user]]), user, accounts, keys)
        check(adder.login(user, first)["statusCode"] == 1481, "a key that was removed")
        check(adder.login(user, second)["statusCode"] == (1481 if is_removed_first else 1200), "the new key")
    check(server.stop() == 0, "exit status")


def keys_without_an_account_open_nothing(app, records):
    """A database that was damaged, or in which an older bank has left a key behind: the next owner gets none."""
    pin_key = app.client.key()
    for open_again in (lambda: app.client.register("olaf", PIN, pin_key)[0] == 200,
                       lambda: app.register("olaf", Key()) == 1200):
        key = Key()
        check(app.register("olaf", key) == 1200, "register")
        check(app.login("olaf", key)["statusCode"] == 1200, "login")
        # What foreign keys forbid: PostgreSQL forgets them on request, and Python's SQLite does not look at them.
        unchecked = "SET session_replication_role = replica; " if records.url else ""
        records.query(unchecked + "DELETE FROM accounts WHERE account = 'olaf'")
        check(app.login("olaf", key)["statusCode"] == 1481, "a key without an account opens a session")
        check(open_again(), "register again")
        check(app.login("olaf", key)["statusCode"] == 1481, "a key of the owner before opens the account")
        records.query("DELETE FROM fido_keys WHERE account = 'olaf'")
        records.query("DELETE FROM accounts WHERE account = 'olaf'")


def challenges_expire(records):
    server = Bank("--challenge-seconds", "1", *OPTIONS, data=records.data, url=records.url)
    app, key = App(server.port), Key()
    request = app.start("Reg", "frank")
    wait_for(lambda: not records.query("SELECT * FROM fido_challenges WHERE account = 'frank'"), "an expired challenge")
    check(app.answer(request, key)["statusCode"] == 1491, "an expired challenge")
    answer = app.request("Auth", "frank")
    check(answer["lifetimeMillis"] == 1000, answer)
    time.sleep(1.1)
    check(app.answer(json.loads(answer["uafRequest"])[0], key)["statusCode"] == 1491, "a late answer")
    check(server.stop() == 0, "exit status")


def facets_are_listed(records):
    """With TLS in front, the appID is where the list is; and without an app, there is no FIDO."""
    [port] = free_ports(1)
    origin = "https://bank.example:%d" % port
    server = Bank(*OPTIONS, "--port", str(port), "--page-origin", origin, data=records.data, url=records.url)
    app = App(server.port)
    app.client.send("GET", "/uaf/facets", type=None)
    status, fields, body = app.client.receive("GET")
    check((status, fields["content-type"]) == (200, "application/fido.trusted-apps+json"), status, fields)
    ids = [FACET, OTHER_FACET]
    check(json.loads(body) == {"trustedFacets": [{"version": {"major": 1, "minor": 1}, "ids": ids},
                                                 {"version": {"major": 1, "minor": 0}, "ids": ids}]}, body)
    request, key = app.start("Reg", "gina"), Key()
    app_id = origin + "/uaf/facets"
    check(request["header"]["appID"] == app_id, request)
    check(app.answer(request, key, {"header": {"appID": app_id}})["statusCode"] == 1200, "register")
    for twist in ({}, {"header": {"appID": app_id}, "parameters": {"appID": FACET}}, {"header": {"appID": ""}}):
        check(app.login("gina", key, twist)["statusCode"] == 1498, "another appID", twist)
    check(app.login("gina", key, {"header": {"appID": app_id}})["statusCode"] == 1200, "login")
    check(server.stop() == 0, "exit status")
    server = Bank(data=records.data, url=records.url)
    client = Client(server.port)
    for method, path in (("GET", "/uaf/facets"), ("POST", "/uaf/request"), ("POST", "/uaf/response")):
        refused(client.ask(method, path), 404, "path")
    check(server.stop() == 0, "exit status")


def certificates_are_compared(records):
    """Somebody in the middle shows the app another certificate than the bank's proxy has."""
    path = os.path.join(records.data, "proxy.pem")
    der = os.urandom(700)
    lines = [base64.b64encode(der).decode()[start:start + 64] for start in range(0, 936, 64)]
    with open(path, "w") as file:
        file.write("\n".join(["A comment", "-----BEGIN CERTIFICATE-----", *lines, "-----END CERTIFICATE-----", ""]))
    server = Bank(*OPTIONS, "--fido-certificate", path, data=records.data, url=records.url)
    app, key = App(server.port), Key()
    for certificate in (os.urandom(700), der[:-1], b""):
        binding = {"parameters": {"channelBinding": {"tlsServerCertificate": encode(certificate)}}}
        check(app.register("iris", key, binding) == 1490, "another certificate")
    for binding in ({"tlsServerCertificate": encode(der)}, {}, {"tlsUnique": "eA"}):
        check(app.register("iris", Key(), {"parameters": {"channelBinding": binding}}) in (1200, 1008), binding)
    check(app.register("jack", key, {"parameters": {"channelBinding": {"tlsServerCertificate": encode(der)}}}) == 1200,
          "the proxy's certificate")
    check(server.stop() == 0, "exit status")


def survives(records):
    """A bank that is killed has neither lost a key nor forgotten a counter; its log names no key and no session."""
    server = Bank(*OPTIONS, data=records.data, url=records.url)
    app, key = App(server.port), Key()
    check(app.register("hugo", key) == 1200, "register")
    session = app.session("hugo", key)
    server.kill()
    server.start()
    app = App(server.port)
    key.counter = 0
    check(app.login("hugo", key)["statusCode"] == 1498, "a counter from before")
    check(app.account(app.session("hugo", key)) == "hugo", "login")
    log = server.log()
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    check([(line["purpose"], line["outcome"]) for line in lines] == [
        ("fido-register", "right"), ("fido-login", "right"), ("fido-login", "content"), ("fido-login", "right")], lines)
    check(all(word not in log for word in (session, encode(key.id), encode(key.point))), "a secret in the log")
    check(server.stop() == 0, "exit status")


def main():
    postgresql = PostgreSQL()
    for records in (SQLiteRecords(), PostgreSQLRecords(postgresql)):
        server = Bank(*OPTIONS, data=records.data, url=records.url)
        app = App(server.port)
        key = registers_and_logs_in(app, records)
        accounts_belong_to_someone(app, records)
        open_sessions_add_no_key(app, records)
        a_change_of_the_pin_removes_keys(app, records)
        refuses_what_is_wrong(app, key, records)
        transactions_are_confirmed(app, key)
        challenges_are_used_once(app, key)
        malformed(app, key)
        counters_go_up(app, key)
        deregisters(app, records)
        keys_without_an_account_open_nothing(app, records)
        check(server.stop() == 0, "exit status")
        challenges_expire(records)
        facets_are_listed(records)
        certificates_are_compared(records)
        survives(records)
    closing_meets_adding(postgresql)
    report("bank, FIDO")


if __name__ == "__main__":
    main()
