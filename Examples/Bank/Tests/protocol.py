"""The bank's whole protocol, with SQLite and with PostgreSQL: what is right is answered, and everything else refused.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import json
import os
import signal
import socket
import stat
import subprocess
import threading
import time

import bank
from bank import PATIENCE, PIN, Bank, Client, check, in_threads, report, subfolder
from postgresql import PostgreSQL
from records import PostgreSQLRecords, SQLiteRecords, banks, opened
from sealing import context_of, decode, encode, seal

def refused(answer, status, code):
    check(answer[0] == status and answer[1].get("error") == code, "expected", status, code, "got", answer)
    check(answer[1]["message"], answer)


def wait_for(condition, *inputs):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        check(time.monotonic() < deadline, "waited in vain for", *inputs)
        time.sleep(0.05)


# ---- Register and log in --------------------------------------------------------------------------------------------


def registers_and_logs_in(client, key, records):
    check(len(key[0]) == 32 and len(decode(key[1])) == 8, "key", key)
    check(client.register("alice", PIN, key) == (200, {"account": "alice"}), "register")
    status, answer = client.login("alice", PIN, key)
    check(status == 200 and answer["account"] == "alice" and len(decode(answer["session"])) == 16, status, answer)
    verifier = records.query("SELECT verifier FROM accounts WHERE account = 'alice'")[0][0]
    check(verifier.startswith("$argon2id$v=19$m=19456,t=2,p=1$"), "verifier", verifier)
    # A person who reads the database cannot use a session of another person.
    kept = encode(hashlib.sha256(decode(answer["session"])).digest())
    check(records.query("SELECT session FROM sessions") == [[kept]], "a session's hash")
    bearer = "Authorization: Bearer %s\r\n" % answer["session"]
    check(client.ask("GET", "/api/account", headers=bearer) == (200, {"account": "alice"}), "account")
    check(client.ask("POST", "/api/logout", headers=bearer) == (200, {"account": "alice"}), "logout")
    for headers in (bearer, "", "Authorization: Bearer \r\n", "Authorization: Basic YTpi\r\n"):
        refused(client.ask("GET", "/api/account", headers=headers), 401, "session")
        refused(client.ask("POST", "/api/logout", headers=headers), 401, "session")
    check(not records.query("SELECT * FROM attempts"), "an attempt that was not given back")
    check(not records.query("SELECT * FROM challenges"), "a challenge that was not deleted")


def rebuilds_the_context(client, key):
    challenge, context = client.challenge("alice", "login")
    check(context == context_of("login", "alice", decode(challenge)), "context", context)
    check(len(decode(challenge)) == 16, challenge)


def enforces_rules(client, key):
    words = {"12345": "six", "1234567": "six", "83027a": "digits", "": "six", "830275é": "digits",
             "888274": "repeat", "123908": "order", "903218": "order", "171717": "two characters", "447799": "twice",
             "159753": "Many people", "bob": "digits"}
    for pin, word in words.items():
        answer = client.register("bob", pin, key)
        refused(answer, 422, "rule")
        check(word.lower() in answer[1]["message"].lower(), pin, "refused with", answer[1]["message"])
    answer = client.register("4902", "490218", key)
    refused(answer, 422, "rule")
    check("account's name" in answer[1]["message"], answer)
    check(client.register("4902", PIN, key)[0] == 200, "the same rule refuses too much", answer)
    check(client.register("902", "490218", key)[0] == 200, "a short name refuses nothing")
    refused(client.register("bob", PIN, key, again="830275"), 422, "mismatch")
    refused(client.login("bob", PIN, key), 401, "wrong")
    check(client.register("bob", PIN, key)[0] == 200, "bob")
    refused(client.register("bob", "640183", key), 409, "exists")
    # Whether an account exists is not told to somebody who sends anything.
    for account in ("bob", "nobody-there"):
        challenge, _ = client.challenge(account, "register")
        body = {"challenge": challenge, "keyId": key[1], "text": encode(bytes(192)), "again": encode(bytes(192))}
        refused(client.ask("POST", "/api/register", body), 422, "undecryptable")
    check(client.login("bob", PIN, key)[0] == 200, "bob's passcode was replaced")


def says_rules_in_the_persons_language(client, key):
    """The library's sentence from its catalogue. The bank's own, and all others, are in English."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "Messages")
    sentences = {}
    for language in ("en", "de", "ja", "ko", "zh"):
        with open(os.path.join(folder, language + ".json"), encoding="utf-8") as file:
            sentences[language] = json.load(file)["rules"]["COMMON"]
    for field, language in {
            "de": "de", "ko-KR,ko;q=0.9,en-US;q=0.8": "ko", "fr-CH, fr;q=0.9, ja;q=0.8": "ja", "zh-CN": "zh",
            "zh-TW,zh-HK": "en", "fr": "en", "*": "en", ",;,=": "en", "x" * 4000: "en",
            "de" + "," * 4000: "de"}.items():
        status, answer = client.register("bob", "159753", key, headers="Accept-Language: %s\r\n" % field)
        check((status, answer["message"]) == (422, sentences[language]), field[:40], answer)
    answer = client.register("bob", "12345", key, headers="Accept-Language: de\r\n")[1]
    check(answer["message"] == "Use six digits.", answer)


def keeps_verifiers_apart(client, key, records):
    """A verifier is its account's only, although all passcodes are the same: each account has another pepper."""
    check(client.register("jill", PIN, key)[0] == 200, "register")
    verifiers = dict(records.query("SELECT account, verifier FROM accounts"))
    check(len(set(verifiers.values())) == len(verifiers), "two accounts with one verifier")
    records.query("UPDATE accounts SET verifier = '%s' WHERE account = 'jill'" % verifiers["alice"])
    refused(client.login("jill", PIN, key), 401, "wrong")
    records.query("UPDATE accounts SET verifier = '%s' WHERE account = 'jill'" % verifiers["jill"])
    check(client.login("jill", PIN, key)[0] == 200, "login with its own verifier")


# ---- Challenges -----------------------------------------------------------------------------------------------------


def refuses_a_challenge_used_before(client, key):
    body = client.login_body("alice", PIN, key)
    check(client.ask("POST", "/api/login", body)[0] == 200, "login")
    refused(client.ask("POST", "/api/login", body), 409, "challenge")
    # Used up by a wrong text, too.
    body = client.login_body("alice", "000000", key)
    refused(client.ask("POST", "/api/login", body), 401, "wrong")
    context = context_of("login", "alice", decode(body["challenge"]))
    body["text"] = encode(seal(key[0], context, PIN.encode()))
    refused(client.ask("POST", "/api/login", body), 409, "challenge")
    check(client.login("alice", PIN, key)[0] == 200, "login")


def refuses_a_challenge_of_another_purpose(client, key):
    challenge, context = client.challenge("alice", "register")
    body = {"challenge": challenge, "keyId": key[1], "text": encode(seal(key[0], context, PIN.encode()))}
    refused(client.ask("POST", "/api/login", body), 409, "challenge")
    challenge, context = client.challenge("carol", "login")
    text = encode(seal(key[0], context, PIN.encode()))
    body = {"challenge": challenge, "keyId": key[1], "text": text, "again": text}
    refused(client.ask("POST", "/api/register", body), 409, "challenge")
    body = {"challenge": encode(os.urandom(16)), "keyId": key[1], "text": text}
    refused(client.ask("POST", "/api/login", body), 409, "challenge")


def refuses_a_text_for_another_context(client, key):
    """The account and the purpose are the record's, whatever the text was sealed for."""
    challenge, context = client.challenge("alice", "login")
    raw = decode(challenge)
    others = [b"", context + b"\0", context[:-1], context_of("register", "alice", raw),
              context_of("login", "bob", raw), context_of("login", "alice", os.urandom(16)), raw]
    for other in others:
        challenge, context = client.challenge("alice", "login")
        body = {"challenge": challenge, "keyId": key[1], "text": encode(seal(key[0], other, PIN.encode()))}
        answer = client.ask("POST", "/api/login", body)
        refused(answer, 401, "wrong")
        check(answer[1]["attemptsLeft"] == 4, answer)
        check(client.login("alice", PIN, key)[0] == 200, "the same with the right context")
    challenge, context = client.challenge("dora", "register")
    texts = [encode(seal(key[0], given, PIN.encode())) for given in (context, context + b"\0")]
    body = {"challenge": challenge, "keyId": key[1], "text": texts[0], "again": texts[1]}
    refused(client.ask("POST", "/api/register", body), 422, "undecryptable")


def refuses_altered_texts(client, key):
    for place in (0, 31, 32, 100, 191):
        body = client.login_body("alice", PIN, key)
        text = bytearray(decode(body["text"]))
        text[place] ^= 1
        body["text"] = encode(bytes(text))
        refused(client.ask("POST", "/api/login", body), 401, "wrong")
        check(client.login("alice", PIN, key)[0] == 200, "login")
    for text in (b"\0", bytes(192), bytes(512), decode(body["text"])[:-1]):
        body = client.login_body("alice", PIN, key)
        body["text"] = encode(text)
        refused(client.ask("POST", "/api/login", body), 401, "wrong")
        check(client.login("alice", PIN, key)[0] == 200, "login")


def refuses_another_key(client, key):
    body = client.login_body("alice", PIN, key)
    right = body["keyId"]
    body["keyId"] = encode(os.urandom(8))
    refused(client.ask("POST", "/api/login", body), 409, "key")
    body["keyId"] = right  # The challenge is still good.
    check(client.ask("POST", "/api/login", body)[0] == 200, "login")


# ---- Attempts -------------------------------------------------------------------------------------------------------


def locks_after_five(client, key, account):
    """An account that does not exist is answered in the same way."""
    left = [client.login(account, "111222", key) for _ in range(5)]
    check([answer[1].get("attemptsLeft") for answer in left] == [4, 3, 2, 1, 0], account, left)
    for answer in left:
        refused(answer, 401, "wrong")
    for pin in (PIN, "111222"):
        answer = client.login(account, pin, key)
        refused(answer, 423, "locked")
        check(1 <= answer[1]["seconds"] <= 900, answer)


def gives_attempts_back(client, key):
    for _ in range(3):
        for left in (4, 3, 2, 1):
            status, answer = client.login("alice", "111222", key)
            check(status == 401 and answer["attemptsLeft"] == left, status, answer)
        check(client.login("alice", PIN, key)[0] == 200, "login")


def takes_as_long_for_nobody(server, client, key):
    """Argon2id runs for an account that does not exist, too: it costs the server as much processor time, and many times
    more than a request that ends before it."""

    def cost(make, count=25):
        bodies = [make() for _ in range(count)]
        before = server.cpu_seconds()
        for body in bodies:
            client.ask("POST", "/api/login", body)
        return server.cpu_seconds() - before

    def altered():
        body = client.login_body("alice", PIN, key)
        body["text"] = encode(bytes(192))
        return body

    quick = cost(altered)
    for _ in range(3):  # what runs beside them may take one's caches and not the other's
        wrong = nobody = 0
        for _ in range(5):
            wrong += cost(lambda: client.login_body("alice", "111222", key), 5)
            nobody += cost(lambda: client.login_body("nobody-%d" % time.monotonic_ns(), "111222", key), 5)
        if 0.6 < nobody / wrong < 1.7:
            break
    check(nobody > 2 * quick and wrong > 2 * quick, "seconds:", quick, wrong, nobody)
    check(0.6 < nobody / wrong < 1.7, "seconds:", quick, wrong, nobody)


def unlocks_after_the_time(records_class):
    records = records_class()
    server, client, key = opened(records, "eve", options=("--attempts", "2", "--lock-seconds", "2"))
    check([client.login("eve", "111222", key)[0] for _ in range(2)] == [401, 401], "wrong twice")
    status = client.login("eve", PIN, key)[0]
    check(status in (423, 200), status)  # 200 if two seconds were over already.
    wait_for(lambda: client.login("eve", PIN, key)[0] == 200, "the end of the lock")
    check(client.login("eve", "111222", key)[1]["attemptsLeft"] == 1, "counting begins anew")
    check(server.stop() == 0, "exit status")


def challenges_expire(records_class):
    records = records_class()
    server, client, key = opened(records, "eve", options=("--challenge-seconds", "300",))
    begun = time.time()
    body = client.login_body("eve", PIN, key)
    ended = time.time()
    expires = int(records.query("SELECT expires FROM challenges")[0][0]) / 1000
    check(begun - 1 <= expires - 300 <= ended + 1, "expires", expires, "made between", begun, ended)
    # When it expires, everything else is right.
    records.query("UPDATE challenges SET expires = expires - 300000")
    refused(client.ask("POST", "/api/login", body), 409, "challenge")
    client.challenge("eve", "login")
    records.query("UPDATE challenges SET expires = expires - 300000")
    wait_for(lambda: not records.query("SELECT * FROM challenges"), "the deletion of what has expired")
    check(server.stop() == 0, "exit status")


# ---- HTTP -----------------------------------------------------------------------------------------------------------


def serves_page_and_frame(server, key):
    page, frame = Client(server.port), Client(server.ports["frame"])
    page.send("GET", "/")
    status, fields, body = page.receive("GET")
    policy = fields["content-security-policy"]
    check(status == 200 and fields["content-type"] == "text/html; charset=utf-8", status, fields)
    address = "http://127.0.0.1:%d" % server.ports["frame"]
    check(address.encode() + b"/frame.html" in body and b"{{" not in body, "the frame's address")
    check("default-src 'self'; script-src 'self'; frame-src %s;" % address in policy, policy)
    check("frame-ancestors 'none'" in policy and "unsafe" not in policy, policy)
    check("; worker-src 'none';" in policy, policy)
    check(fields["x-content-type-options"] == "nosniff" and fields["referrer-policy"] == "no-referrer", fields)
    tag = "If-None-Match: %s\r\n" % fields["etag"]
    for method, headers, expected in (("GET", tag, 304), ("HEAD", "", 200), ("GET", "If-None-Match: x\r\n", 200)):
        page.send(method, "/", headers=headers)
        check(page.receive(method)[0] == expected, method, headers)

    frame.send("GET", "/frame.html")
    status, fields, _ = frame.receive("GET")
    policy = fields["content-security-policy"]
    check(status == 200 and policy.startswith("default-src 'self'; script-src 'self' 'wasm-unsafe-eval';"), policy)
    check(policy.endswith("frame-ancestors http://localhost:%d" % server.port), policy)
    check(fields["origin-agent-cluster"] == "?1", "a process of its own", fields)
    frame.send("GET", "/custom-keyboard.wasm")
    check(frame.receive("GET")[1]["content-type"] == "application/wasm", "the module's type")
    status, answer = frame.ask("GET", "/keyboard.json")
    check(answer == {"way": "x25519", "key": encode(key[0]), "keyId": key[1],
                     "parents": ["http://localhost:%d" % server.port], "opaque": ["login", "register"],
                     "attributes": {"layout": "pin", "shuffle": "opening", "maximum": "6"}}, answer)
    # Each port has its own paths only.
    for client, path in ((frame, "/api/key"), (frame, "/"), (page, "/keyboard.json"),
                         (page, "/custom-keyboard.wasm")):
        refused(client.ask("GET", path), 404, "path")
    for path in ("/api/key", "/api/challenge", "/nothing"):
        page.send("GET", path)
        _, fields, _ = page.receive("GET")
        check(fields["cache-control"] == "no-store" and fields["content-type"] == "application/json", path, fields)
        check("content-security-policy" in fields, path, fields)
    page.send("DELETE", "/api/key")
    status, fields, _ = page.receive()
    check(status == 405 and fields["allow"] == "GET, HEAD", status, fields)


def makes_keys_once(server):
    """Files for the owner only, and the same keys after a restart, and a warning when others can read them."""
    modes = {name: stat.S_IMODE(os.stat(os.path.join(server.data, name)).st_mode) for name in os.listdir(server.data)}
    for name, mode in modes.items():
        check(mode == (0o644 if name == "recipient.pub" else 0o600), name, oct(mode))
    check(stat.S_IMODE(os.stat(server.data).st_mode) == 0o700, "the folder")
    check("other users" not in server.log(), "a warning without a reason")
    before = Client(server.port).key()
    check(server.stop() == 0, "exit status")
    os.chmod(os.path.join(server.data, "master.key"), 0o640)
    server.start()
    check(Client(server.port).key() == before, "another key after a restart")
    check("master.key has mode 640" in server.log(), "no warning", server.log())
    os.chmod(os.path.join(server.data, "master.key"), 0o600)


def fails_with_a_sentence():
    def start(*options, shell="exec", **environment):
        options = [bank.PROGRAM, "--page", "/", "--keyboard", "/", "--port", "0", "--frame-port", "0", *options]
        options = ["sh", "-c", shell + ' "$@"', "sh", *options]
        result = subprocess.run(options, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, **environment})
        check(result.returncode != 0 and result.stderr.count("\n") < 12, options, result)
        return result.stderr

    data = os.path.join(subfolder("broken-"), "data")
    check("index.html" in start("--data", data), "no page")
    check("is not a port" in start("--port", "70000"), "port")
    for origin in ("https://bank.example/", "https://Bank.example", "https://bank.example:443", "https://[",
                   "https://bank.example:0", "http://bank.example:80", "https://-", "https://", "bank.example"):
        check("is not an origin" in start("--page-origin", origin), origin)
    check("cannot be read: No such file" in start("--data", data, "--page", "/no such folder"), "no folder")
    page, web = subfolder("page-"), subfolder("web-")
    for path in (page + "/index.html", web + "/frame.html", web + "/frame.js", web + "/custom-keyboard.js"):
        open(path, "w").close()
    check("`make web` builds it" in start("--data", data, "--page", page, "--keyboard", web), "no module")
    open(web + "/custom-keyboard.wasm", "w").close()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        check("is in use" in start("--data", data, "--page", page, "--keyboard", web, "--port", port), "a port in use")
    origin = "https://bank.example"
    check("two origins" in start("--page-origin", origin, "--frame-origin", origin), "origins")
    check("raise `ulimit -n`" in start(shell="ulimit -n 200 && exec"), "open files")
    check("--attempts is" in start("--attempts", "0"), "attempts")
    with open(os.path.join(data, "recipient.pub"), "w") as file:
        file.write("09" + "00" * 31 + "\n")
    check("does not belong" in start("--data", data), "another public key")
    os.remove(os.path.join(data, "recipient.pub"))
    check("not the other half of the pair, %s/recipient.pub" % data in start("--data", data), "no public key")
    with open(os.path.join(data, "recipient.key"), "w") as file:
        file.write("xyz\n")
    with open(os.path.join(data, "recipient.pub"), "w") as file:
        file.write("xyz\n")
    check("is not a key" in start("--data", data), "no key in the file")
    text = subprocess.run([bank.PROGRAM, "serve", "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    check("unlock" in subprocess.run([bank.PROGRAM, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout,
          "help of all commands")
    check("DATABASE_URL" in text and "--insecure-imported-verifiers" in text, "help")


def answers_what_has_begun(records_class):
    """SIGTERM while passcodes are checked: they are answered, and then the server is gone."""
    records = records_class()
    server = Bank("--verifications", "1", "--attempts", "100", data=records.data, url=records.url)
    clients = [Client(server.port) for _ in range(16)]
    key = clients[0].key()
    check(clients[0].register("gil", PIN, key)[0] == 200, "register")
    bodies = [client.login_body("gil", PIN, key) for client in clients]
    for client, body in zip(clients, bodies):
        client.send("POST", "/api/login", body)
    # They are in the server when it has used one of their challenges up.
    wait_for(lambda: len(records.query("SELECT * FROM challenges")) < 16, "the first login")
    server.process.send_signal(signal.SIGTERM)
    statuses = []
    for client in clients:
        try:
            statuses.append(client.receive()[0])
        except bank.Closed:
            statuses.append(None)  # Was not read before the signal came.
    check(200 in statuses and set(statuses) <= {200, None}, statuses)
    check(server.process.wait(PATIENCE) == 0, "exit status")
    answered = statuses.count(200)
    check(len(records.query("SELECT * FROM sessions")) == answered, "answers that were lost", statuses)


def is_busy_rather_than_late(records_class):
    """One place and none to wait: others are told so at once, and their challenge is still good."""
    records = records_class()
    server = Bank("--verifications", "1", "--connections", "1", "--waiting", "0", "--attempts", "1000",
                  data=records.data, url=records.url)
    key = Client(server.port).key()
    check(Client(server.port).register("ida", PIN, key)[0] == 200, "register")
    counts = {200: 0, 503: 0}
    lock, ready = threading.Lock(), threading.Barrier(8)

    def log_in(_):
        client = Client(server.port)
        bodies = [client.login_body("ida", PIN, key) for _ in range(20)]
        ready.wait()
        for body in bodies:
            while True:
                status, answer = client.ask("POST", "/api/login", body)
                with lock:
                    counts[status] = counts.get(status, 0) + 1
                if status == 200:
                    break
                if (status, answer.get("error")) != (503, "busy"):
                    return

    in_threads(log_in, range(8))
    check(counts[200] == 160 and counts[503] > 0 and set(counts) == {200, 503}, counts)
    check(server.stop() == 0, "exit status")


# ---- PostgreSQL -----------------------------------------------------------------------------------------------------


def survives_its_database(postgresql):
    """Connections that are cut, a database that stops and comes back: 503 meanwhile, and no restart of the bank."""
    records = PostgreSQLRecords(postgresql)
    server, client, key = opened(records, "fay")
    for _ in range(3):
        postgresql.query("postgres", "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
                                     "WHERE application_name = 'bank'")
        check(client.login("fay", PIN, key)[0] == 200, "login after a cut")
    body = client.login_body("fay", PIN, key)
    postgresql.stop()
    refused(client.ask("POST", "/api/login", body), 503, "unavailable")
    check(client.ask("GET", "/api/key")[0] == 200, "what needs no database")
    postgresql.start()
    wait_for(lambda: client.ask("POST", "/api/challenge", {"account": "fay", "purpose": "login"})[0] == 200,
             "the database")
    check(client.ask("POST", "/api/login", body)[0] == 200, "a challenge that was not used")
    log = server.log()
    check("not available" in log and records.url not in log, log)
    check(server.stop() == 0, "exit status")


def opens_only_under_its_own_key(postgresql):
    """Two servers with different recipient keys: a challenge of one is refused by the other, and counts nothing."""
    records = PostgreSQLRecords(postgresql)
    shared = subfolder("data-")
    options = ("--master-key", os.path.join(shared, "master.key"), "--opaque-setup", os.path.join(shared, "setup"))
    servers = [Bank(*options, data=subfolder("data-"), url=records.url) for _ in range(2)]
    clients = [Client(server.port) for server in servers]
    keys = [client.key() for client in clients]
    check(keys[0] != keys[1], "two keys")
    check(clients[0].register("hal", PIN, keys[0])[0] == 200, "register")
    body = clients[0].login_body("hal", PIN, keys[0])
    refused(clients[1].ask("POST", "/api/login", body), 409, "key")
    body["keyId"] = keys[1][1]
    refused(clients[1].ask("POST", "/api/login", body), 409, "key")  # By its record, not by what the message says.
    check(not records.query("SELECT * FROM attempts"), "an attempt was counted for a text that was not opened")
    for server in servers:
        check(server.stop() == 0, "exit status")


def main():
    postgresql = PostgreSQL()
    for records_class, records, server, client, key in banks(postgresql):
        registers_and_logs_in(client, key, records)
        rebuilds_the_context(client, key)
        says_rules_in_the_persons_language(client, key)
        enforces_rules(client, key)
        keeps_verifiers_apart(client, key, records)
        refuses_a_challenge_used_before(client, key)
        refuses_a_challenge_of_another_purpose(client, key)
        refuses_a_text_for_another_context(client, key)
        refuses_altered_texts(client, key)
        refuses_another_key(client, key)
        gives_attempts_back(client, key)
        locks_after_five(client, key, "alice")
        locks_after_five(client, key, "nobody")
        check(client.register("nobody", PIN, key)[0] == 200, "register")
        check(client.login("nobody", PIN, key)[0] == 200, "attempts before there was an account count")
        serves_page_and_frame(server, key)
        makes_keys_once(server)
        check(Client(server.port).login("bob", PIN, key)[0] == 200, "login after a restart")
        refused(Client(server.port).login("alice", PIN, key), 423, "locked")
        check(server.stop() == 0, "exit status")
        unlocks_after_the_time(records_class)
        challenges_expire(records_class)
        answers_what_has_begun(records_class)
        is_busy_rather_than_late(records_class)
    takes_as_long_for_nobody(*opened(SQLiteRecords(), "alice", options=("--attempts", "1000")))
    survives_its_database(postgresql)
    opens_only_under_its_own_key(postgresql)
    fails_with_a_sentence()
    report("bank, protocol")


if __name__ == "__main__":
    main()
