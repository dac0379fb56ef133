"""A small bank that speaks the protocol of the example bank, for the tests of its clients. It opens sealed texts, and
notes what they say, and everything about a request that is not as the protocol wants it. Of OPAQUE it is the server, by
the C library.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import ctypes
import hashlib
import hmac
import json
import os
import socket
import sys
import threading
import types
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../Tests/Python"))
from hpke import HPKE, unpad  # noqa: E402

ATTEMPTS = 5


class Setup:
    """A server of OPAQUE."""

    class Terms(ctypes.Structure):
        _fields_ = [("size", ctypes.c_size_t), ("context", ctypes.c_char_p), ("length", ctypes.c_size_t),
                    ("rest", ctypes.c_size_t * 4), ("costs", ctypes.c_uint32 * 3)]

    terms = Terms(ctypes.sizeof(Terms), b"CustomKeyboard bank 1", 21)

    def __init__(self):
        # Beside the kiosk, which the test names first.
        self.library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(sys.argv[1])), "libcustomkeyboard.so"))
        self.setup, _ = self.call("opaqueSetup", [96, 32])

    def call(self, name, sizes, *inputs):
        """The answers of a function, of these sizes; None if it has refused."""
        values = []
        for given in inputs:
            values += [given, ctypes.c_size_t(len(given))] if isinstance(given, bytes) else [ctypes.byref(given)]
        places = [ctypes.create_string_buffer(size) for size in sizes]
        for place in places:
            values += [place, ctypes.c_size_t(len(place)), ctypes.byref(ctypes.c_size_t())]
        if getattr(self.library, "CustomKeyboard_" + name)(*values) != 0:
            return None
        return [place.raw for place in places]

    def respond(self, account, request):
        return self.call("opaqueRespond", [64], self.setup, account.encode(), request)[0]

    def answer(self, account, record, ke1):
        return self.call("opaqueAnswer", [320, 128], self.setup, account.encode(), record, self.terms, ke1)

    def session(self, state, ke3):
        """None for a wrong KE3."""
        key = self.call("opaqueCheck", [64], state, ke3)
        return key and encoded(hmac.new(key[0], b"CustomKeyboard bank session", hashlib.sha256).digest()[:16])


def encoded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decoded(text):
    assert "=" not in text, "padding in %r" % text
    return base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)


class Refusal(Exception):
    """What the bank answers in place of what was asked for."""

    def __init__(self, status, error, message, **more):
        super().__init__(error)
        self.status, self.body = status, {"error": error, "message": message, **more}


class Bank:
    """`passcodes` are its accounts; `opened` is what came sealed; `complaints` is what clients did wrong."""

    def __init__(self, rule=None, way="x25519"):
        self.way, self.hpke = way, HPKE(way)
        self.private = self.hpke.new_private()
        self.public = self.hpke.public(self.private)
        self.passcodes, self.wrong, self.challenges = {}, {}, {}
        self.setup, self.records, self.steps, self.finished = None, {}, {}, []  # of OPAQUE
        self.owners = {}  # accounts by session
        self.moves = {}  # what a sealed login says of OPAQUE
        self.opened, self.complaints, self.requests, self.sessions = [], [], [], set()
        self.rule = rule or (lambda passcode: None)  # The message of the rule that a passcode breaks.
        self.languages = set()  # What Accept-Language said.
        self.answers = {}  # By path, in place of the bank's own: functions that return (status, body[, headers]);
        # a body that is a generator is sent part by part.
        self.lock = threading.Lock()
        self.port = 0
        self.reservation = None  # a socket that keeps the port while the bank is stopped
        self.server = None
        self.start()

    @property
    def address(self):
        return "http://127.0.0.1:%d" % self.port

    def start(self):
        """Again after `stop`, on the same port."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                """A client that has gone away does not matter to the bank."""

        self.server = Server(("127.0.0.1", self.port), type("BankHandler", (Handler,), {"bank": self}))
        self.port = self.server.server_address[1]
        if self.reservation:
            self.reservation.close()
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
        self.reservation = socket.socket()
        self.reservation.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.reservation.bind(("127.0.0.1", self.port))

    # ---- The protocol

    def key(self, _):
        key_id = encoded(hashlib.sha256(self.public).digest()[:8])
        return {"way": self.way, "key": encoded(self.public), "keyId": key_id}

    def challenge(self, body):
        account, purpose, key_id = members(body, "account", "purpose", "keyId")
        assert key_id == self.key(None)["keyId"], "keyId %s" % key_id
        assert purpose in ("register", "login"), purpose
        challenge = os.urandom(16)
        fields = (b"CustomKeyboard bank 1", purpose.encode(), account.encode(), challenge)
        context = b"".join(bytes([len(field)]) + field for field in fields)
        self.challenges[encoded(challenge)] = (account, purpose, context)
        return {"challenge": encoded(challenge), "context": encoded(context), "expires": 120}

    def used_up(self, name, purpose, key_id):
        record = self.challenges.pop(name, None)
        if not record or record[1] != purpose:
            raise Refusal(409, "challenge", "This challenge is not valid.")
        assert key_id == self.key(None)["keyId"], "keyId %s" % key_id
        return record[0], record[2]

    def open(self, text, context):
        sealed = decoded(text)
        assert len(sealed) == self.hpke.text_length, "a text of %d bytes" % len(sealed)
        passcode = unpad(self.hpke.open(self.private, context, sealed)).decode()
        self.opened.append(passcode)
        return passcode

    def register(self, body):
        name, key_id, text, again = members(body, "challenge", "keyId", "text", "again")
        assert text != again, "two equal texts"
        account, context = self.used_up(name, "register", key_id)
        passcode, second = self.open(text, context), self.open(again, context)
        if account in self.passcodes:
            raise Refusal(409, "exists", "There is an account of this name.")
        if passcode != second:
            raise Refusal(422, "mismatch", "The two are not the same.")
        if self.rule(passcode):
            raise Refusal(422, "rule", self.rule(passcode))
        self.passcodes[account] = passcode
        return {"account": account}

    def login(self, body):
        name, key_id, text = members(body, "challenge", "keyId", "text")
        account, context = self.used_up(name, "login", key_id)
        if self.wrong.get(account, 0) >= ATTEMPTS:
            raise Refusal(423, "locked", "This account is locked for 15 minutes.")
        if self.open(text, context) != self.passcodes.get(account):
            self.wrong[account] = self.wrong.get(account, 0) + 1
            left = ATTEMPTS - self.wrong[account]
            raise Refusal(401, "wrong", "That is not the passcode of this account.", attemptsLeft=left)
        self.wrong[account] = 0
        session = encoded(os.urandom(16))
        self.begin(session, account)
        return {"account": account, "session": session, **self.moves}

    def begin(self, session, account):
        self.sessions.add("Bearer " + session)
        self.owners["Bearer " + session] = account

    # ---- OPAQUE

    def step(self, **record):
        self.setup = self.setup or Setup()
        name = encoded(os.urandom(16))
        self.steps[name] = record
        return name

    def answer(self, ke1, **record):
        account = record["account"]
        if self.wrong.get(account, 0) >= ATTEMPTS:
            raise Refusal(423, "locked", "This account is locked for 15 minutes.")
        self.wrong[account] = self.wrong.get(account, 0) + 1
        name = self.step(**record)
        ke2, self.steps[name]["state"] = self.setup.answer(account, record["record"], decoded(ke1))
        return {"step": name, "ke2": encoded(ke2), "attemptsLeft": ATTEMPTS - self.wrong[account]}

    def opaque_login(self, body):
        account, ke1 = members(body, "account", "ke1")
        return self.answer(ke1, account=account, record=self.records.get(account, b""), is_new=False)

    def opaque_register(self, body, session=None):
        account, request = members(body, "account", "request")
        if session:
            assert self.owners[session] == account and session in self.sessions, "another's session"
        elif account in self.records or account in self.passcodes:
            raise Refusal(409, "exists", "There is an account of this name.")
        name = self.step(account=account)
        return {"step": name, "response": encoded(self.setup.respond(account, decoded(request)))}

    def opaque_record(self, body):
        name, record, ke1 = members(body, "step", "record", "ke1")
        account = self.steps.pop(name)["account"]
        return self.answer(ke1, account=account, record=decoded(record), is_new=True)

    def opaque_finish(self, body):
        name, ke3 = members(body, "step", "ke3")
        step = self.steps.pop(name)
        session, account = self.setup.session(step["state"], decoded(ke3)), step["account"]
        if not session:
            raise Refusal(401, "wrong", "That is not the passcode of this account.")
        if step["is_new"]:
            self.records[account] = step["record"]
            self.passcodes.pop(account, None)
        self.wrong[account] = 0
        self.finished.append((account, step["is_new"]))
        self.begin(session, account)
        return {"account": account}


def members(body, *names):
    assert set(body) == set(names), "members %s" % sorted(body)
    assert all(isinstance(body[name], str) for name in names), "members that are not text"
    return [body[name] for name in names]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    bank: Bank

    def answer(self, method):
        bank = self.bank
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length)
        bank.requests.append((method, self.path))
        bank.languages.add(self.headers["Accept-Language"])
        planned = bank.answers.get(self.path)
        status, data, headers = 200, None, [{}]
        try:
            if planned:
                status, data, *headers = planned() + ({},)
            if data is None:
                routes = {"GET /api/key": bank.key, "POST /api/challenge": bank.challenge}
                routes.update({"POST /api/register": bank.register, "POST /api/login": bank.login})
                routes.update({"POST /api/opaque/" + name: getattr(bank, "opaque_" + name)
                               for name in ("login", "register", "record", "finish")})
                session = self.headers["Authorization"]
                if self.path == "/api/logout":
                    bank.sessions.remove(session)
                    data = {"account": "somebody"}
                else:
                    is_owner = self.path.startswith("/api/opaque/") and session in bank.sessions
                    assert session is None or is_owner, "a session where none is needed"
                    assert method == "GET" or self.headers["Content-Type"] == "application/json", "Content-Type"
                    more = [session] if session and self.path == "/api/opaque/register" else []
                    with bank.lock:
                        data = routes[method + " " + self.path](json.loads(raw) if raw else None, *more)
        except Refusal as refusal:
            status, data = refusal.status, refusal.body
        except Exception as error:
            bank.complaints.append("%s %s: %r" % (method, self.path, error))
            status, data = 400, {"error": "request", "message": "The request is not as it should be."}
        if not isinstance(data, types.GeneratorType):
            data = [data if isinstance(data, bytes) else json.dumps(data).encode()]
            headers[0]["Content-Length"] = str(len(data[0]))
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        for name, value in headers[0].items():
            self.send_header(name, value)
        self.send_header("Connection", "close")  # So that a bank that stops is gone at once.
        self.end_headers()
        for part in data:
            self.wfile.write(part)

    def do_GET(self):
        self.answer("GET")

    def do_POST(self):
        self.answer("POST")

    def log_message(self, *_):
        pass
