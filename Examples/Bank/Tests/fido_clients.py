"""Registers and logs in at the bank with FIDO: the example in C, by libcurl, also through a proxy with TLS, and the
tool, by URLSession, from a pipe and in a terminal. Then both at servers that lie.

    fido_clients.py NGINX C_EXAMPLE KEYBOARD          BANK_PROGRAM from the environment

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time

from bank import PATIENCE, Bank, Client, bearer, check, report, subfolder
from proxy import PAGE, Proxy, an_authority, free_ports

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../Tests/Tool"))
from terminal import Session  # noqa: E402

NGINX, EXAMPLE, TOOL = (os.path.abspath(path) for path in sys.argv[1:])
OPTIONS = ("--fido-facet", "ios:bundle-id:com.example.bank", "--fido-facet", "cli:keyboard")
PASSCODE, PATTERN = b"4917", b"14789"


def account(server, session):
    status, answer = Client(server.port).ask("GET", "/api/account", headers=bearer(session))
    return answer["account"] if status == 200 else None


class Program:
    """A program with a folder of its own for its vault."""

    def __init__(self, url, user, **environment):
        self.url, self.user, self.folder = url, user, subfolder("vault-")
        os.chmod(self.folder, stat.S_IRWXU)
        self.environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        self.environment |= environment

    def end(self, command, typed):
        ended = subprocess.run(command, input=typed, capture_output=True, env=self.environment, timeout=PATIENCE,
                               start_new_session=True)
        return ended.returncode, ended.stdout.decode(), ended.stderr.decode()


class Example(Program):
    """Examples/c-fido."""

    name, wrong, no_key, network = "C", (1, "3012: "), (1, "1009: "), (1, "4001: ")

    def run(self, what, typed, *more):
        return self.end([EXAMPLE, self.folder, what, self.url, self.user, *more], typed)

    def register(self, typed):
        return self.run("register", typed + b"\n" + typed + b"\n")

    def log_in(self, typed, *transaction):
        return self.run("authenticate", typed + b"\n", *transaction)

    def deregister(self, session):
        return self.run("deregister", session.encode())


class Tool(Program):
    """`keyboard fido`."""

    name, wrong, no_key, network = "keyboard", (77, "wrong"), (65, "no key"), (69, "not reached")

    def __init__(self, url, user, with_="passcode", **environment):
        super().__init__(url, user, KEYBOARD_VAULT="", **environment)
        self.vault, self.with_ = os.path.join(self.folder, "vault"), with_
        made = self.end([TOOL, "vault", "init", "--vault", self.vault], b"")
        check(made == (0, "", ""), "vault init", made)

    def command(self, what, *more):
        return [TOOL, "fido", what, "--server", self.url, "--user", self.user, "--vault", self.vault, *more]

    def register(self, typed, *more):
        return self.end(self.command("register", "--with", self.with_, *more), typed)

    def log_in(self, typed, *transaction, more=()):
        options = ["--transaction", *transaction] if transaction else []
        return self.end(self.command("authenticate", "--with", self.with_, *options, *more), typed)

    def deregister(self, session):
        return self.end(self.command("deregister", "--context-file", "-"), json.dumps({"session": session}).encode())


def said(ended, expected):
    """Whether a program has ended so, without a word on standard output."""
    code, words = expected
    return ended[0] == code and ended[1] == "" and words in ended[2]


# ---- What is right --------------------------------------------------------------------------------------------------


def logs_in(server, program, typed):
    who = (program.name, program.user)
    check(said(program.log_in(typed), program.no_key), *who, "a key before there is one", program.log_in(typed))
    ended = program.register(typed)
    check(ended[:2] == (0, ""), *who, "register", ended)
    ended = program.log_in(typed)
    check(ended[0] == 0 and account(server, ended[1].strip()) == program.user, *who, "login", ended)
    check(said(program.log_in(b"0000" if typed == PASSCODE else b"123"), program.wrong), *who, "a wrong passcode")
    ended = program.log_in(typed, "Pay 10 to Bob?")
    check(ended[0] == 0 and ended[1] != "", *who, "a transaction", ended)
    session = ended[1].strip()
    check(account(server, session) == program.user, *who, "a session")
    ended = program.deregister(session)
    check(ended[:2] == (0, ""), *who, "deregister", ended)
    check(account(server, session) is None, *who, "a session without a key")
    check(said(program.log_in(typed), program.no_key), *who, "a key that was deleted", program.log_in(typed))


def draws_in_a_terminal(server):
    """The pattern is drawn twice at first; a wrong one is asked for again."""
    tool = Tool(url_of(server), "tina", "pattern")

    def draw(session, title, keys):
        session.wait_for(lambda: title in session.screen.text and "1 to 9 draw" in session.screen.text, title)
        nodes = "".join(character for character in session.screen.text if character in "123456789")
        check(nodes.startswith("123456789"), "nodes, and the line below:", session.screen.text)
        session.send(keys)

    def begin(what):
        return Session(tool.command(what, "--with", "pattern"), environment={"KEYBOARD_VAULT": ""})

    session = begin("register")
    draw(session, "Pattern, to be set", b"\r147\x7f789\r")  # Nothing is not a pattern; one node is taken back.
    draw(session, "Pattern, again", b"12369\r")
    session.wait_for(lambda: "two different ones" in session.screen.text, "a difference")
    draw(session, "Pattern, to be set", b"14789\r")
    # By arrows: from 1 down to 7, then to the right.
    draw(session, "Pattern, again", b" \x1b[B \x1b[B \x1b[C \x1b[C \r")
    code = session.process.wait(PATIENCE)
    check(code == 0, "register in a terminal", code, session.process.stderr.read())
    session = begin("authenticate")
    draw(session, "Pattern", b"12369\r")
    session.wait_for(lambda: "Tries left: 4" in session.screen.text, "the tries that are left")
    draw(session, "Pattern", b"14789\r")
    token = session.process.stdout.read().decode().strip()
    check(session.process.wait(PATIENCE) == 0 and account(server, token) == "tina", "login in a terminal", token)
    session = begin("authenticate")
    session.wait_for(lambda: "1 to 9 draw" in session.screen.text, "the pad")
    session.send(b"\x03")
    check(session.process.wait(PATIENCE) == 130, "Ctrl-C")


def url_of(server):
    return "http://localhost:%d" % server.port


def through_a_proxy():
    """With TLS the list of facets is fetched; a certificate of another authority is refused."""
    port, bank_port, frame_port = free_ports(3)
    authority, stranger = an_authority(), an_authority()
    origin = "https://%s:%d" % (PAGE, port)
    server = Bank(*OPTIONS, "--port", str(bank_port), "--frame-port", str(frame_port), "--page-origin", origin,
                  "--fido-certificate", authority.certificate_path)
    server.port = bank_port  # it tells the proxy's
    Proxy(NGINX, port, bank_port, frame_port, authority)
    logs_in(server, Example(origin, "tess", FIDO_AUTHORITIES=authority.path), PASSCODE)
    check("GET /uaf/facets 200" in server.log(), "the list of facets was not fetched")
    program = Example(origin, "trudy", FIDO_AUTHORITIES=stranger.path)
    check(said(program.register(PASSCODE), program.network), "another authority", program.register(PASSCODE))
    # Not one of this machine's own authorities.
    tool = Tool(origin, "trudy", SSL_CERT_FILE="/dev/null", URLSessionCertificateAuthorityInfoFile=
                "INSECURE_SSL_NO_VERIFY")
    check(said(tool.register(PASSCODE), tool.network), "a certificate of nobody's", tool.register(PASSCODE))
    # A bank that knows another certificate as its own: somebody is in the middle.
    check(server.stop() == 0, "exit status")
    server.options = (*server.options[:-1], stranger.certificate_path)
    server.start()
    ended = Example(origin, "trudy", FIDO_AUTHORITIES=authority.path).register(PASSCODE)
    check(ended[0] == 1 and ended[2].startswith("1002: "), "another certificate", ended)
    # His is too long to be signed: nobody would notice.
    authority, (port,) = an_authority("name%d.bank.example" % i for i in range(400)), free_ports(1)
    Proxy(NGINX, port, bank_port, frame_port, authority)
    program = Example("https://%s:%d" % (PAGE, port), "trudy", FIDO_AUTHORITIES=authority.path)
    check(said(program.register(PASSCODE), program.network), "a certificate that is too long")
    check(server.stop() == 0, "exit status")


# ---- Servers that lie -----------------------------------------------------------------------------------------------


class Liar:
    """Answers every connection in one way, and counts them."""

    def __init__(self, behave):
        self.behave, self.count = behave, 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _ = self.socket.accept()
            self.count += 1
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        with connection:
            try:
                connection.recv(65536)
                self.behave(connection)
            except OSError:
                pass


def head(status, *lines):
    return ("HTTP/1.1 %s\r\nConnection: close\r\n%s\r\n" % (status, "".join(line + "\r\n" for line in lines))).encode()


def huge(connection):
    connection.sendall(head("200 OK", "Content-Type: application/fido+uaf"))
    for _ in range(4096):
        connection.sendall(b" " * 65536)


def drip(connection):
    connection.sendall(head("200 OK", "Content-Type: application/fido+uaf"))
    while True:
        connection.sendall(b" ")
        time.sleep(0.2)


def refuses_liars(make):
    evil = Liar(lambda connection: connection.sendall(head("200 OK", "Content-Length: 2") + b"{}"))
    lies = {
        "no answer": lambda connection: None,
        "a redirect to http": lambda connection: connection.sendall(
            head("302 Found", "Location: http://127.0.0.1:%d/" % evil.port, "FIDO-AppID-Redirect-Authorized: true",
                 "Content-Length: 0")),
        "a redirect of the method's": lambda connection: connection.sendall(
            head("307 Temporary Redirect", "Location: http://127.0.0.1:%d/" % evil.port, "Content-Length: 0")),
        "an error": lambda connection: connection.sendall(
            head("503 Busy", "Content-Type: application/fido+uaf", "Retry-After: 0", "Content-Length: 0")),
        "no HTTP": lambda connection: connection.sendall(b"\0\1\2\r\n\r\n"),
        "half an answer": lambda connection: connection.sendall(
            head("200 OK", "Content-Type: application/fido+uaf", "Content-Length: 500") + b'{"statusCode":'),
        "another type": lambda connection: connection.sendall(
            head("200 OK", "Content-Type: text/html", "Content-Length: 2") + b"{}"),
        "a huge answer": huge,
    }
    for name, lie in lies.items():
        liar = Liar(lie)
        program = make("http://127.0.0.1:%d" % liar.port)
        begun = time.monotonic()
        ended = program.log_in(PASSCODE)
        check(said(ended, program.network), program.name, name, ended)
        check(liar.count == 1, program.name, name, "was asked", liar.count, "times")
        check(time.monotonic() - begun < 20, program.name, name, "took long")
    check(evil.count == 0, "a redirect was followed")
    for url in ("http://bank.example", "http://localhost.example", "ftp://localhost", "localhost"):
        ended = make(url).log_in(PASSCODE)
        check(ended[0] != 0 and "https" in ended[2], "a URL without TLS", url, ended)


def gives_up_in_time():
    for name, lie in (("silence", lambda connection: time.sleep(60)), ("a slow answer", drip)):
        liar = Liar(lie)
        tool, begun = Tool("http://127.0.0.1:%d" % liar.port, "slow"), time.monotonic()
        ended = tool.log_in(PASSCODE, more=("--seconds", "1"))
        seconds = time.monotonic() - begun
        check(said(ended, tool.network) and liar.count == 1, name, ended, liar.count)
        check(0.9 < seconds < 30, name, "took", seconds, "seconds")


def main():
    server = Bank(*OPTIONS)
    logs_in(server, Example(url_of(server), "cleo"), PASSCODE)
    logs_in(server, Tool(url_of(server), "kim"), PASSCODE)
    logs_in(server, Example(url_of(server), "pat", FIDO_AUTHENTICATOR="pattern"), PATTERN)
    logs_in(server, Tool(url_of(server), "pia", "pattern"), PATTERN)
    draws_in_a_terminal(server)
    check(server.stop() == 0, "exit status")
    through_a_proxy()
    for make in (lambda url: Example(url, "lee"), lambda url: Tool(url, "lee")):
        refuses_liars(make)
    gives_up_in_time()
    report("FIDO, at the bank")


main()
