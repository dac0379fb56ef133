"""Checks `keyboard fido` at a server that is played here and believes everything: python3 fido.py KEYBOARD [GROUP...]

The example bank, which checks signatures, is at the other end in Examples/Bank/Tests/fido_clients.py.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import http.server
import json
import os
import subprocess
import threading
from pathlib import Path

import groups
import tool
from files import folder
from groups import check
from terminal import Session
from tool import TOOL

UAF = "application/fido+uaf; charset=utf-8"


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Server(http.server.ThreadingHTTPServer):
    """Asks for what it is asked for, or has another text confirmed. `status` is what it says at the end."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.status, self.token, self.told, self.types, self.text = 1200, "a token", [], set(), None
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = "http://127.0.0.1:%d" % self.server_address[1]

    def answer(self, message):
        if "uafResponse" in message:
            return {"statusCode": self.status, "additionalTokens": [{"type": "session", "value": self.token}]}
        told = json.loads(message["context"])
        self.told.append(told)
        request = {"header": {"upv": {"major": 1, "minor": 1}, "op": message["op"], "appID": ""}}
        if message["op"] == "Dereg":
            request["authenticators"] = [{"aaid": "", "keyID": ""}]
        else:
            request |= {"challenge": encode(os.urandom(32)), "username": told["userName"],
                        "policy": {"accepted": [[{"aaid": ["0000#0001"]}], [{"aaid": ["0000#0002"]}]]}}
        text = told.get("transactionText", "") if self.text is None else self.text
        if text and message["op"] == "Auth":
            content = encode(text.encode())
            request["transaction"] = [{"contentType": "text/plain", "content": content}]
        return {"statusCode": 1200, "op": message["op"], "uafRequest": json.dumps([request])}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.types.add(self.headers["Content-Type"])
        body = json.dumps(self.server.answer(message)).encode()
        self.send_response(200)
        self.send_header("Content-Type", UAF)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


made = 0


class User:
    """A person with a vault of their own, at this server."""

    def __init__(self, server, *options):
        global made
        made += 1
        self.folder = Path(folder.name) / str(made)
        self.folder.mkdir(mode=0o700)
        self.options = ["--server", server.url, "--user", "kim", "--vault", str(self.folder / "vault"), *options]
        subprocess.run([TOOL, "vault", "init", "--vault", str(self.folder / "vault")], check=True)

    def end(self, command, *more, typed=b"4917"):
        return tool.run("fido", command, *self.options, *more, input=typed)

    def works(self, command, *more, typed=b"4917", output=b""):
        ended = self.end(command, *more, typed=typed)
        check(ended[:2] == (0, output), "%s: %s" % ((command, *more), ended))
        return ended[2]

    def fails(self, code, words, command, *more, typed=b"4917"):
        ended = self.end(command, *more, typed=typed)
        check(ended[:2] == (code, b"") and words in ended[2], "%s: not %d: %s" % ((command, *more), code, ended))

    def session(self, command, *more):
        return Session([TOOL, "fido", command, *self.options, *more])


# ---- From a pipe ----


def registers_and_authenticates():
    server = Server()
    for with_, typed, wrong in (("passcode", b"4917", b"4918"), ("pattern", b"14789", b"12369")):
        user = User(server, "--with", with_)
        user.fails(65, "no key", "authenticate")
        user.works("register", typed=typed + b"\n")
        user.works("authenticate", typed=typed, output=b"a token\n")
        user.fails(77, "wrong. Tries left: 4.", "authenticate", typed=wrong)
        text = "Pay \"10\" €\nto B\\ob"
        user.works("authenticate", "--transaction", text, typed=typed, output=b"a token\n")
        check(server.told[-1] == {"userName": "kim", "transactionText": text}, server.told)
        user.fails(65, "not a UAF message", "authenticate", "--transaction", "\x1b[2J", typed=typed)
        for left in (4, 3, 2, 1):
            user.fails(77, "Tries left: %d." % left, "authenticate", typed=wrong)
        for last in (wrong, typed):
            user.fails(77, "locked", "authenticate", typed=last)
    check(server.types == {UAF}, server.types)


def signs_only_what_was_agreed_to():
    """Nobody is there to be asked: what the server wants confirmed is the text that was given, byte by byte."""
    server = Server()
    user = User(server)
    user.works("register")
    for text, given, words in (("Pay 1000000 to Mallory", "Pay 10 to Bob?", "another text confirmed"),
                               ("Pay 10 to Bob?", None, "in a terminal, or give --transaction"),
                               ("Pay 10 to Bob?\nkeyboard: done", "Pay 10 to Bob?", "Bob?\\u{a}keyboard: done"),
                               ("Pay 10 to Jose\u0301", "Pay 10 to Jos\u00e9", "another text confirmed"),
                               ("", "Pay 10 to Bob?", "does not want")):
        server.text = text
        # A passcode that is wrong would be counted, if it were tried.
        user.fails(77, words, "authenticate", *([] if given is None else ["--transaction", given]), typed=b"0000")
    server.text = "Pay 10 to Bob?"
    user.fails(77, "Tries left: 4", "authenticate", "--transaction", server.text, typed=b"0000")
    user.works("authenticate", "--transaction", server.text, output=b"a token\n")


def sets_no_bad_values():
    server = Server()
    user = User(server)
    user.fails(77, "Choose another one", "register", "--digits", "4", typed=b"491")
    user.fails(77, "Choose another one", "register", "--with", "pattern", typed=b"147")
    user.fails(66, "standard input", "register", typed=b"")
    user.works("register", "--digits", "6", typed=b"491728")
    user.works("authenticate", "--digits", "6", typed=b"491728", output=b"a token\n")


def tells_what_the_server_says():
    server = Server()
    user = User(server)
    for status, code, words in ((1401, 77, "refuses"), (1498, 65, "Unknown"), (1408, 69, "not reached"),
                                (1008, 65, "registered already"), (13006, 65, "does not know")):
        server.status = status
        user.fails(code, words, "register")
    server.status, server.token = 1200, "\x1b]0;title\x07"
    user.works("register")
    # A pipe gets the bytes.
    user.works("authenticate", output=b"\x1b]0;title\x07\n")
    server.token = ""
    user.works("authenticate")
    context = user.folder / "context"
    context.write_text('{"session": "s", "n": 1}')
    user.works("deregister", "--all", "--context-file", str(context), typed=b"")
    check(server.told[-1] == {"userName": "kim", "deregisterAll": True, "session": "s", "n": 1}, server.told[-1])
    user.works("deregister", "--context-file", "-", typed=b'{"a": true}')
    check(server.told[-1] == {"userName": "kim", "a": True}, server.told[-1])
    user.works("register")
    user.works("authenticate", "--transaction", "x", "--context-file", str(context))
    check(server.told[-1] == {"userName": "kim", "transactionText": "x", "session": "s", "n": 1}, server.told[-1])
    for text in ("{}", " { } "):
        context.write_text(text)
        user.works("authenticate", "--transaction", "x", "--context-file", str(context))
    for text in ("", "[]", "{", '{"userName": "eve"}', "7"):
        context.write_text(text)
        user.fails(64, "The context is not a JSON object", "authenticate", "--context-file", str(context))
    user.fails(66, "none", "authenticate", "--context-file", str(context) + "none")


def uses_the_keys_of_its_own_server():
    """Another server gets nothing from a key and deletes none, unless the person says so."""
    server, other = Server(), Server()
    user = User(server)
    user.works("register")
    user.fails(65, "no key", "authenticate", "--server", other.url)
    user.works("deregister", "--all", "--server", other.url)
    user.works("authenticate", output=b"a token\n")
    user.works("authenticate", "--server", other.url, "--origin", "https://a.example", "--origin", server.url,
               output=b"a token\n")
    user.fails(64, "Give an origin without a path", "authenticate", "--origin", server.url + "/uaf")
    user.works("deregister", "--server", other.url, "--origin", server.url)
    user.fails(65, "no key", "authenticate")


def wants_sense():
    server = Server()
    user = User(server)
    for words, more in (("--digits 4 or 6", ["--digits", "5"]), ("no --digits", ["--with", "pattern", "--digits", "4"]),
                        ("1 to 3600", ["--seconds", "0"]), ("'passcode' and 'pattern'", ["--with", "finger"]),
                        ("https", ["--server", "http://bank.example"]), ("user name", ["--user", "a b"]),
                        ("user name", ["--user", ""]),
                        ("Name the app after ios:bundle-id:", ["--facet", "https://bank.example"]),
                        ("AAID", ["--passcode-aaid", "1"])):
        user.fails(64, words, "register", *more)
    user.fails(69, "not reached", "register", "--server", "http://127.0.0.1:1")
    user.fails(66, "keyboard vault init", "register", "--vault", str(user.folder / "none"))
    check(server.told == [], "the server was asked")


# ---- In a terminal ----


def on_a_terminal():
    """A pattern is drawn twice; a text is agreed to before; Esc leaves, and nothing was tried."""
    server = Server()
    user = User(server, "--with", "pattern")

    def draw(session, title, keys):
        session.wait_for(lambda: title in session.screen.text and "1 to 9 draw" in session.screen.text, title)
        session.send(keys)

    session = user.session("register")
    draw(session, "Pattern, to be set", b"123\r")
    draw(session, "Pattern, again", b"123\r")
    session.wait_for(lambda: "Choose another one" in session.screen.text, "why")
    draw(session, "Pattern, to be set", b"14789\r")
    draw(session, "Pattern, again", b"14789\r")
    check(session.process.wait() == 0, session.process.stderr.read())
    for key, code in ((b"\x1b", 130), (b"\x03", 130)):
        session = user.session("authenticate", "--transaction", "Pay 10\nto Bob")
        session.wait_for(lambda: "Enter agrees" in session.screen.text, "the question")
        check("Pay 10" in session.screen.text and "to Bob" in session.screen.text, session.screen.text)
        session.send(key)
        check(session.process.wait() == code, "left at the question")
    server.text = "Pay 1000000 to Mallory" + 30 * "\n" + "Pay 10 to Bob"
    session = user.session("authenticate")
    check(session.process.wait() == 77 and b"window larger" in session.process.stderr.read(), "a text out of sight")
    server.text = "Pay 1000000 to Mallory"
    session = user.session("authenticate", "--transaction", "Pay 10")
    session.wait_for(lambda: "Enter agrees" in session.screen.text, "the question")
    check("Not the text of --transaction" in session.screen.text and "Mallory" in session.screen.text, "another text")
    session.send(b"\x1b")
    check(session.process.wait() == 130, "left at the question")
    server.text = None
    session = user.session("authenticate", "--transaction", "Pay 10")
    session.wait_for(lambda: "Enter agrees" in session.screen.text, "the question")
    session.send(b"\r")
    draw(session, "Pattern", b"12369\r")
    session.wait_for(lambda: "Tries left: 4." in session.screen.text, "the tries")
    draw(session, "Pattern", b"14789\r")
    check(session.process.stdout.read() == b"a token\n" and session.process.wait() == 0, "the token")
    session = user.session("authenticate")
    draw(session, "Pattern", b"1\x1b")
    check(session.process.wait() == 130 and session.process.stdout.read() == b"", "Esc")


GROUPS = (registers_and_authenticates, signs_only_what_was_agreed_to, sets_no_bad_values, tells_what_the_server_says,
          uses_the_keys_of_its_own_server, wants_sense, on_a_terminal)

groups.run("fido", GROUPS)
