"""Hostile requests: sizes, types, encodings and bodies. The answer is always 4xx, and the bank goes on.

    python3 hostile.py [--bodies N]

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import collections
import random
import socket

import bank
from bank import PATIENCE, PIN, SEED, Bank, Client, Closed, check, in_processes, report
from fuzzing import NAMES, expected, make_body


def exchange(port, data, half_close=False):
    """All that the server answers to raw bytes, until it closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        try:
            connection.sendall(data)
            if half_close:
                connection.shutdown(socket.SHUT_WR)
            answer = b""
            while True:
                part = connection.recv(65536)
                if not part:
                    return answer
                answer += part
        except ConnectionError:
            return answer


# ---- Texts that are not requests ------------------------------------------------------------------------------------


def raw_requests():
    """Names, bytes, and the statuses that are right."""
    post = b"POST /api/challenge HTTP/1.1\r\nHost: b\r\nConnection: close\r\nContent-Type: application/json\r\n"
    get = b"GET /api/key HTTP/1.1\r\nHost: b\r\nConnection: close\r\n"
    good = b'{"account": "a", "purpose": "login"}'
    chunk = b"%x\r\n%s\r\n" % (len(good), good)
    chunked = post + b"Transfer-Encoding: chunked\r\n\r\n"
    return [
        # A control: the same request, well-formed.
        ("control", post + b"Content-Length: %d\r\n\r\n" % len(good) + good, {200}),
        ("control, in chunks", chunked + chunk + b"0\r\n\r\n", {200}),
        ("control, GET", get + b"\r\n", {200}),
        ("no HTTP", b"hello\r\n\r\n", {400}),
        ("TLS", bytes.fromhex("16030100c8010000c40303") + bytes(190) + b"\r\n\r\n", {400}),
        ("binary", bytes(range(256)) * 4, {400}),
        ("no version", b"GET /api/key\r\n\r\n", {400}),
        ("version 9", b"GET /api/key HTTP/9.9\r\n\r\n", {400}),
        ("unknown method", b"BREW /api/key HTTP/1.1\r\nHost: b\r\n\r\n", {400, 405}),
        ("no host", b"GET /api/key HTTP/1.1\r\nConnection: close\r\n\r\n", {400}),
        ("two hosts", get + b"Host: c\r\n\r\n", {400}),
        ("one host twice", get + b"host: b\r\n\r\n", {400}),
        ("two hosts in a field", get.replace(b"b\r", b"b, c\r") + b"\r\n", {400}),
        ("two types", post + b"Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}", {415}),
        ("two sessions", get.replace(b"key", b"account") + 2 * (b"Authorization: Bearer " + b"A" * 22 + b"\r\n")
         + b"\r\n", {401}),
        ("negative length", post + b"Content-Length: -1\r\n\r\n", {400}),
        ("huge length", post + b"Content-Length: 99999999999999999999999\r\n\r\n", {400}),
        ("two lengths", post + b"Content-Length: 3\r\nContent-Length: 5\r\n\r\n{}   ", {400}),
        ("length that is not a number", post + b"Content-Length: 0x10\r\n\r\n" + bytes(16), {400}),
        ("chunks and a length", post + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk, {400}),
        ("unknown coding", post + b"Transfer-Encoding: rot13\r\n\r\n" + good, {400}),
        ("chunk without a size", chunked + b"zz\r\n{}\r\n0\r\n\r\n", {400}),
        ("huge chunk", chunked + b"ffffffffffffffffff\r\n{}\r\n0\r\n\r\n", {400}),
        ("many small chunks", chunked + b"1\r\n \r\n" * 9000 + b"0\r\n\r\n", {413}),
        ("long header", get + b"X: " + b"a" * 100_000 + b"\r\n\r\n", {400, 431}),
        ("many headers", get + b"X: a\r\n" * 5000 + b"\r\n", {400, 431}),
        ("long path", b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: b\r\n\r\n", {400, 414}),
        ("zero in a header", get + b"X: a\0b\r\n\r\n", {400}),
        ("folded header", get + b"X: a\r\n b\r\n\r\n", {400, 200}),
        ("space before the colon", get + b"X : a\r\n\r\n", {400}),
        ("upgrade", get + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n", {200, 400}),
        ("expectation", post + b"Expect: the-unexpected\r\nContent-Length: 2\r\n\r\n{}", {400, 417}),
        ("preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {400, 404, 405}),
        ("body that ends early", post + b"Content-Length: 50\r\n\r\n{", {400}),
        ("chunks that end early", chunked + b"5\r\n{", {400}),
    ]


def refuses_what_is_no_request(server):
    for name, data, statuses in raw_requests():
        answer = exchange(server.port, data, half_close=True)
        status = int(answer.split()[1]) if answer.startswith(b"HTTP/1.1 ") else None
        check(status in statuses, name, "answered", answer[:200])
        check(answer.count(b"HTTP/1.1 ") == 1, name, answer)


# ---- Paths, types, sizes --------------------------------------------------------------------------------------------


def refuses_paths_and_types(server):
    paths = ["/..", "/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/page.css/../../Package.swift", "/.", "//",
             "/index.html%00", "/api", "/api/", "/api/key/", "/api/../api/key", "/API/KEY", "/data/master.key", "*",
             "/bank.sqlite", "http://evil.example/etc/passwd", "/\\..\\x", "/?/../x/y", "/%", "/%zz", "/recipient.key"]
    for port in server.ports.values():
        client = Client(port)
        for path in paths:
            client.send("GET", path)
            status, fields, body = client.receive("GET")
            check(status in (400, 404) or path == "/?/../x/y" and status == 200, path, status, body)
            check("root:" not in body.decode() and "PRIVATE" not in body.decode(), path, body)
            check("nosniff" in fields.get("x-content-type-options", ""), path, fields)
    client = Client(server.port)
    body = {"account": "a", "purpose": "login"}
    check(client.ask("POST", "/api/challenge", body, type="application/json; charset=UTF-8")[0] == 200, "a control")
    for type in (None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp",
                 "application/json; charset=utf-16", "text/json", "application/json;charset=utf-8;x=y", ";"):
        status, answer = client.ask("POST", "/api/challenge", body, type=type)
        check((status, answer["error"]) == (415, "type"), type, status, answer)
    for path in NAMES:
        for method in ("GET", "PUT", "DELETE", "PATCH", "OPTIONS"):
            status, answer = client.ask(method, path, body)
            check((status, answer["error"]) == (405, "method"), method, path, status, answer)
            check("access-control" not in str(answer).lower(), answer)


def refuses_large_bodies(server):
    client = Client(server.port)
    sound = b'{"account": "a", "purpose": "login"}'
    for size, status in ((8192, 200), (8193, 413), (65536, 413), (1 << 20, 413)):
        check(client.ask("POST", "/api/challenge", sound + b" " * (size - len(sound)))[0] == status, size, status)
    # The connection goes on, although the body was not read.
    check(client.ask("GET", "/api/key")[0] == 200, "after a large body")
    # One of a gigabyte is cut off.
    client = Client(server.port)
    client.send_raw(b"POST /api/login HTTP/1.1\r\nHost: b\r\nContent-Length: 1000000000\r\n"
                    b"Content-Type: application/json\r\n\r\n")
    check(client.receive()[0] == 413, "by its length, before it comes")
    sent = 0
    try:
        while sent < 1_000_000_000:
            client.send_raw(bytes(1 << 20))
            sent += 1 << 20
    except Closed:
        pass
    check(sent < 500_000_000, "bytes that were taken", sent)


# ---- Bodies ---------------------------------------------------------------------------------------------------------

BATCH = 32


def fuzz(port, key_id, seed, count):
    """Sends bodies in batches on one connection that is kept alive, compares each answer, and counts statuses."""
    generator = random.Random(seed)
    statuses = collections.Counter()
    client = Client(port)
    while count > 0:
        batch = []
        for _ in range(min(BATCH, count)):
            path = generator.choice(list(NAMES))
            batch.append((path, make_body(path, generator, key_id)))
        count -= len(batch)
        head = "POST %s HTTP/1.1\r\nHost: b\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        client.send_raw(b"".join((head % (path, len(body))).encode() + body for path, body in batch))
        for path, body in batch:
            status, _, answer = client.receive()
            right = expected(path, body, key_id)
            if status not in right:
                raise AssertionError("%s %r answered %d, not %s: %r" % (path, body, status, right, answer))
            statuses[status] += 1
    return statuses


def answers_fuzzed_bodies(server, count):
    key_id = Client(server.port).key()[1]
    total = sum(in_processes(fuzz, [(server.port, key_id, SEED + number, count // 8) for number in range(8)]),
                collections.Counter())
    check(sum(total.values()) == count // 8 * 8, total)
    # Each kind did occur, and nothing else; 200 is a challenge for a sound name.
    check({200, 400, 401, 409, 413, 422} <= set(total) <= {200, 400, 401, 409, 413, 422, 423}, total)
    bank.checks += sum(total.values())
    print("  %d bodies: %s" % (sum(total.values()), ", ".join("%d × %d" % (number, status)
                                                             for status, number in sorted(total.items()))))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bodies", type=int, default=10_000)
    count = parser.parse_args().bodies
    server = Bank()
    client = Client(server.port)
    key = client.key()
    check(client.register("alice", PIN, key)[0] == 200, "register")
    refuses_what_is_no_request(server)
    refuses_paths_and_types(server)
    refuses_large_bodies(server)
    answers_fuzzed_bodies(server, count)
    check(server.process.poll() is None, "the bank has ended")
    client = Client(server.port)
    check(client.login("alice", PIN, key)[0] == 200, "login after all of it")
    bad = [line for line in server.log().splitlines() if " 500 " in line or "error" in line or "warning" in line]
    check(not bad, "the log:", bad[:5])
    check(server.stop() == 0, "exit status")
    report("bank, hostile requests")


if __name__ == "__main__":
    main()
