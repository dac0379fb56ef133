"""Slow clients: a byte now and then, nothing at all, answers that are not read. They are cut off, and stop nobody.

SPDX-License-Identifier: Apache-2.0
"""

import socket
import threading
import time

from bank import PATIENCE, PIN, Bank, Client, Closed, check, report
from protocol import wait_for

SECONDS = 2


class Slow:
    """Sends a beginning at once, and then a byte now and then until the server ends it."""

    def __init__(self, port, beginning, drop):
        deadline = time.monotonic() + PATIENCE
        while True:
            self.begun = time.monotonic()  # not after the server has begun to count
            self.connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
            try:
                self.connection.sendall(beginning)
                if time.monotonic() - self.begun < SECONDS / 2:
                    break
            except ConnectionError:
                pass
            self.connection.close()  # this test was too slow: it may have been cut off before
            check(time.monotonic() < deadline, "no slow client in", PATIENCE, "seconds")
        self.drop = drop
        self.answer = b""
        self.seconds = None
        self.thread = threading.Thread(target=self.live, daemon=True)
        self.thread.start()

    def live(self):
        # Reads with a short timeout, so that it notices the end at once and sends in between.
        self.connection.settimeout(0.25)
        try:
            while True:
                try:
                    part = self.connection.recv(4096)
                    if not part:
                        break
                    self.answer += part
                except socket.timeout:
                    if self.drop:
                        self.connection.sendall(self.drop)
        except OSError:
            pass
        self.seconds = time.monotonic() - self.begun

    def end(self):
        self.thread.join(PATIENCE)
        check(self.seconds is not None, "a slow client was kept for more than", PATIENCE, "seconds", self.drop)
        return self.answer


def stay(server, key, log_ins):
    """An honest client in the meantime. It comes again if this machine was so slow that it was cut off itself."""
    client, deadline = Client(server.port), time.monotonic() + PATIENCE
    while log_ins:
        try:
            status = client.login("alice", PIN, key)[0]
        except Closed:
            status = None
        check(status in (200, 408, None) and time.monotonic() < deadline, "login beside slow clients", status)
        log_ins -= status == 200
        if status != 200:
            client = Client(server.port)


def cuts_off(server, key):
    head = b"POST /api/login HTTP/1.1\r\nHost: b\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n"
    kinds = {
        "nothing": (b"", b""),
        "a head": (b"GET /api/key HTTP/1.1\r\n", b"X"),
        "lines of a head": (b"GET /api/key HTTP/1.1\r\n", b"X: y\r\n"),
        "empty lines": (b"", b"\r\n"),
        "a body": (head + b"\r\n{", b" "),
        "chunks": (head.replace(b"Content-Length: 4000", b"Transfer-Encoding: chunked") + b"\r\n", b"1\r\n \r\n"),
        "a second request": (b"GET /api/key HTTP/1.1\r\nHost: b\r\n\r\nGET /a", b"a"),
    }
    slow = [(name, Slow(server.port, *given)) for name, given in kinds.items() for _ in range(40)]
    stay(server, key, 5)
    for name, client in slow:
        answer = client.end()
        check(client.seconds >= SECONDS * 0.9, name, "was cut off after", client.seconds)
        if name in ("a body", "chunks"):
            check(b" 408 " in answer and b'"error": "slow"' in answer, name, answer)
        elif name == "a second request":
            check(answer.startswith(b"HTTP/1.1 200 ") and answer.count(b"HTTP/1.1") == 1, name, answer)
        else:
            check(answer == b"", name, answer)


def does_not_wait_for_readers(server, key):
    """Clients that ask for much and take nothing: neither their requests nor their answers pile up. Those that send
    very many at once are cut off at once, the others later."""
    large = b"GET /page.css HTTP/1.1\r\nHost: b\r\nX-Filling: %s\r\n\r\n" % (b"x" * 200)
    small = b"GET / HTTP/1.1\r\nHost: b\r\n\r\n"
    memory = {}
    connections = []
    patient = Bank()  # for ten minutes: a client that is cut off has asked for too much
    for request in (large, small):
        # What the first ones cost, threads and tables included, is not a cost of the others.
        for count in (20, CROWD):
            memory[request, count] = -patient.memory()
            connections += [asker(patient, request) for _ in range(count)]
            wait_until_idle(patient)
            memory[request, count] += patient.memory()
        if request == small:
            wait_for(lambda: not any(is_open(patient, one) for one in connections[-CROWD:]),
                     "the end of those that send very many requests")
        each = memory[request, CROWD] / CROWD
        check(each < 200_000, "a client that does not read costs %d bytes" % each, len(request))
    check(all(is_open(patient, one) for one in connections[:CROWD]), "the others are not waited for")
    close(connections)
    check(patient.stop() == 0, "exit status")
    connections = [asker(server, large) for _ in range(CROWD)]
    stay(server, key, 5)
    wait_for(lambda: not any(is_open(server, one) for one in connections), "the end of clients that do not read")
    close(connections)


def close(connections):
    for connection in connections:
        connection.close()


CROWD = 100


def answers_a_long_pipeline(server):
    """A client that asks for much at once and reads later gets all of it: little is read meanwhile."""
    request = b"GET /page.css HTTP/1.1\r\nHost: b\r\nX-Filling: %s\r\n\r\n" % (b"x" * 100)
    client = Client(server.port)
    client.send_raw(request * 300)
    wait_until_idle(server)
    for number in range(300):
        check(client.receive("GET")[0] == 200, "answer", number)


def asker(server, request):
    """A client that has sent as much as there is room for."""
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.setblocking(False)
    try:
        while True:
            connection.send(request * 100)
    except (BlockingIOError, ConnectionError):
        return connection


def wait_until_idle(server):
    """It has taken what it takes: three times in a row, it has done nothing for a while, and has nothing to do."""
    quiet, before = 0, server.cpu_seconds()
    deadline = time.monotonic() + PATIENCE
    while quiet < 3:
        check(time.monotonic() < deadline, "the bank is never idle")
        time.sleep(0.1)
        after = server.cpu_seconds()
        # S sleeps. A thread that is ready to run and gets no processor is R.
        states = {stat.rsplit(")", 1)[1].split()[0] for stat in server.threads("stat")}
        quiet = quiet + 1 if after - before < 0.02 and states == {"S"} else 0
        before = after


def is_open(server, connection):
    """Whether the server still has its end: its table of sockets says so, not our reading."""
    ports = [":%04X" % port for port in (server.port, connection.getsockname()[1])]
    with open("/proc/net/tcp") as table:
        rows = [line.split()[1:4] for line in table if ":" in line]
    return any(ours.endswith(ports[0]) and theirs.endswith(ports[1]) and state == "01" for ours, theirs, state in rows)


def goes_on_when_it_is_full():
    """All places taken by clients that say nothing: the others wait until those are cut off. No file is left then that
    the server could open: it allows no more clients than that."""
    server = Bank("--clients", "16", "--connections", "1", "--request-seconds", str(SECONDS), open_files=97)
    idle = [Slow(port, b"", b"") for port in server.ports.values() for _ in range(48)]
    client = Client(server.port)
    check(client.ask("GET", "/api/key")[0] == 200, "a full server")
    for one in idle:
        one.end()
    check(server.stop() == 0, "exit status")


def ends_with_slow_clients():
    """They do not keep a server from ending."""
    server = Bank("--request-seconds", str(SECONDS))
    head = b"POST /api/login HTTP/1.1\r\nHost: b\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n"
    slow = [Slow(server.port, beginning, drop) for beginning, drop in ((b"", b""), (head, b" ")) for _ in range(5)]
    check(Client(server.port).ask("GET", "/api/key")[0] == 200, "key")
    check(server.stop() == 0, "exit status")
    for one in slow:
        one.end()


def main():
    server = Bank("--request-seconds", str(SECONDS))
    client = Client(server.port)
    key = client.key()
    check(client.register("alice", PIN, key)[0] == 200, "register")
    cuts_off(server, key)
    does_not_wait_for_readers(server, key)
    answers_a_long_pipeline(server)
    # The first client was idle, and is not an exception.
    try:
        while True:
            client.read_more()
    except Closed:
        check(True)
    check(server.stop() == 0, "exit status")
    goes_on_when_it_is_full()
    ends_with_slow_clients()
    report("bank, slow clients")


if __name__ == "__main__":
    main()
