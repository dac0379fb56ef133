"""What the operator of a bank does and sees: starts that must fail, keys that are lost, tables of an older version,
health, metrics and the log, accounts that are unlocked, backups.

SPDX-License-Identifier: Apache-2.0
"""

import concurrent.futures
import json
import os
import re
import shutil
import sqlite3
import subprocess
import threading
import urllib.error
import urllib.request

import bank
import opaque_client
from bank import PIN, Bank, Client, bearer, check, report, small_keyboard, subfolder
from postgresql import PostgreSQL
from protocol import refused, wait_for
from records import PostgreSQLRecords, SQLiteRecords, kinds_of_records, opened
from sealing import decode, encode, seal

WRONG, OTHER = "111222", "805274"
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Page")


def command(records, *arguments, **environment):
    """Runs one of the program's commands: its exit status, and what it says."""
    options = [] if records is None else ["--data", records.data]
    variables = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    if records is not None and records.url:
        variables["DATABASE_URL"] = records.url
    result = subprocess.run([bank.PROGRAM, *arguments, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, env={**variables, **environment}, timeout=bank.PATIENCE)
    return result.returncode, result.stdout


def start_that_fails(records, options=(), **environment):
    """What a bank says that does not start."""
    status, said = command(records, "serve", "--page", PAGE, "--keyboard", small_keyboard(), "--port", "0",
                           "--frame-port", "0", *options, **environment)
    check(status == 1 and said.startswith("bank: ") and said.count("\n") == 1, status, said)
    return said


# ---- Starts that fail -----------------------------------------------------------------------------------------------


def says_why_the_database_refuses(postgresql):
    """Nobody there, no such database, and no connection left: a sentence each time, and no memory is freed twice. glibc
    overwrites what is freed, so that it would be noticed."""
    records = PostgreSQLRecords(postgresql)
    for url, word in (("postgresql:///bank?host=/nonexistent&user=bank", "does not answer"),
                      ("postgresql:///nothing?host=%s&user=bank" % postgresql.folder, "does not exist"),
                      (records.url, "too many connections")):
        if word == "too many connections":
            postgresql.query("postgres", "ALTER DATABASE %s CONNECTION LIMIT 3; ALTER ROLE bank NOSUPERUSER"
                             % records.database)
        other = SQLiteRecords()
        other.url = url
        check(word in start_that_fails(other, MALLOC_PERTURB_="165", MALLOC_CHECK_="3"), word)


def refuses_another_master_key(records):
    """With another one, every right PIN would be wrong, and lock its owner. So the bank makes one only if no account
    was made with an older one."""
    server = opened(records, "alice")[0]
    check(server.stop() == 0, "exit status")
    path, kept = os.path.join(records.data, "master.key"), os.path.join(records.data, "kept")
    os.rename(path, kept)
    check("master.key is missing" in start_that_fails(records), "a lost key")
    check(not os.path.exists(path), "a new key was made")
    with open(path, "w") as file:
        file.write("ab" * 32 + "\n")
    os.chmod(path, 0o600)
    check("is not the master key of this database" in start_that_fails(records), "another key")
    os.remove(path)
    # Accounts count, also if the key was never noted: those of a bank of the version before.
    facts = records.query("SELECT name, value FROM facts")
    records.query("DELETE FROM facts")
    check("master.key is missing" in start_that_fails(records), "a lost key that was not noted")
    os.rename(kept, path)
    server.start()
    check(records.query("SELECT name, value FROM facts") == facts, "the key is noted again")
    client = Client(server.port)
    check(client.login("alice", PIN, client.key())[0] == 200, "login with the key that is back")
    check(server.stop() == 0, "exit status")


# ---- Tables of another version --------------------------------------------------------------------------------------


def brings_tables_up_to_date(records):
    """A database as the first bank made it: without a version, with accounts, attempts and a lock."""
    server, client, key = opened(records, "nora", "olga")
    check(client.login("nora", WRONG, key)[1]["attemptsLeft"] == 4, "a wrong PIN")
    for _ in range(5):
        client.login("olga", WRONG, key)
    begun = client.login_body("nora", PIN, key)
    check(server.stop() == 0, "exit status")
    check(records.query("SELECT version FROM schema_version") == [["5"]], "the version")
    for statement in ("DROP TABLE schema_version", "DROP TABLE facts", "DROP INDEX sessions_of_account",
                      "ALTER TABLE attempts DROP COLUMN locks", "ALTER TABLE sessions DROP COLUMN fido_key",
                      "ALTER TABLE sessions DROP COLUMN begun", "DROP TABLE fido_challenges", "DROP TABLE fido_keys",
                      "DROP TABLE opaque_records", "DROP TABLE opaque_steps"):
        records.query(statement)
    # Two at once: one of them changes the tables.
    servers = [server, Bank(data=records.data, url=records.url)]
    server.start()
    check(records.query("SELECT version FROM schema_version") == [["5"]], "the version")
    client = Client(servers[1].port)
    refused(client.login("olga", PIN, key), 423, "locked")
    check(client.login("nora", WRONG, key)[1]["attemptsLeft"] == 3, "an attempt is forgotten")
    check(client.ask("POST", "/api/login", begun)[0] == 200, "a challenge is forgotten")
    records.query("UPDATE attempts SET locked_until = 0")
    for _ in range(5):
        client.login("olga", WRONG, key)
    # Its first lock was not counted, because nobody counted locks.
    check(records.query("SELECT locks FROM attempts WHERE account = 'olga'") == [["1"]], "locks")
    for server in servers:
        check(server.stop() == 0, "exit status")
    check(records.query("SELECT oldest FROM schema_version") == [["3"]], "the version that the tables serve")
    # A newer bank has changed the tables meanwhile, so that they serve no bank of this version.
    for oldest in (6, 0):
        records.query("UPDATE schema_version SET version = 6, oldest = %d" % oldest)
        said = start_that_fails(records)
        check("has version 6" in said and "knows 5" in said, said)
    # Or so that they do. This bank starts again, and changes no version.
    records.query("UPDATE schema_version SET version = 6, oldest = 5")
    records.query("ALTER TABLE accounts ADD COLUMN something TEXT NOT NULL DEFAULT ''")
    servers[0].start()
    client = Client(servers[0].port)
    check(client.register("pit", PIN, key)[0] == 200, "register with newer tables")
    check(client.login("pit", PIN, key)[0] == 200, "login with newer tables")
    check(servers[0].stop() == 0, "exit status")
    check(records.query("SELECT version, oldest FROM schema_version") == [["6", "5"]], "the version")


def drops_keys_without_an_account(records):
    """Tables of version 3, in which a race could leave a key without its account."""
    server = Bank(data=records.data, url=records.url)
    check(server.stop() == 0, "exit status")
    columns = "aaid TEXT NOT NULL, key_id TEXT NOT NULL, account TEXT NOT NULL, public_key TEXT NOT NULL, " \
        "counter BIGINT NOT NULL, PRIMARY KEY (aaid, key_id)"
    insert = "INSERT INTO fido_keys VALUES ('0000#0001', '%s', '%s', 'point', 7)"
    for statement in ("DROP TABLE opaque_records", "DROP TABLE opaque_steps", "DROP TABLE fido_keys",
                      "CREATE TABLE fido_keys (%s)" % columns,
                      "CREATE INDEX fido_keys_of_account ON fido_keys (account)",
                      "ALTER TABLE sessions DROP COLUMN begun", "ALTER TABLE fido_challenges DROP COLUMN session",
                      "ALTER TABLE schema_version DROP COLUMN oldest", "UPDATE schema_version SET version = 3",
                      "INSERT INTO accounts VALUES ('yves', '')", insert % ("one", "yves"), insert % ("two", "zoe")):
        records.query(statement)
    server.start()
    check(records.query("SELECT * FROM fido_keys") == [["0000#0001", "one", "yves", "point", "7"]], "the keys")
    # SQLite looks at foreign keys only in a connection that asks for it.
    for account, is_refused in (("zoe", True), ("yves", False)):
        try:
            if records.url:
                records.query(insert % (account, account))
            else:
                connection = sqlite3.connect(os.path.join(records.data, "bank.sqlite"), timeout=bank.PATIENCE)
                connection.execute("PRAGMA foreign_keys = ON")
                with connection:
                    connection.execute(insert % (account, account))
            check(not is_refused, "a key without an account is taken")
        except (AssertionError, sqlite3.IntegrityError) as error:
            check(is_refused and "foreign key" in str(error).lower(), account, error)
    check(server.stop() == 0, "exit status")


# ---- Health, metrics, log -------------------------------------------------------------------------------------------


def get(address):
    try:
        with urllib.request.urlopen(address, timeout=bank.PATIENCE) as answer:
            return answer.status, dict(answer.headers), answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers), error.read().decode()


def samples(operator):
    """The metrics, read by the rules of Prometheus' text format."""
    status, headers, text = get(operator + "/metrics")
    check(status == 200 and headers["Content-Type"].startswith("text/plain; version=0.0.4"), status, headers)
    found, types = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            check(name not in types and kind in ("counter", "gauge", "histogram"), line)
            types[name] = kind
        elif not line.startswith("# HELP "):
            match = re.fullmatch(r'([a-z_]+)(\{[a-z]+="[^"\\\n]*"(,[a-z]+="[^"\\\n]*")*\})? ([0-9.e+-]+)', line)
            check(match, "a line of the metrics:", line)
            name = match.group(1)
            check(re.sub("_(bucket|sum|count)$", "", name) in types or name in types, "no type", line)
            found[name + (match.group(2) or "")] = float(match.group(4))
    check(text.endswith("\n"), "the last line has no end")
    return found


def shows_what_it_does(records, postgresql):
    server = Bank("--operator-port", "0", "--proxy", "127.0.0.1", data=records.data, url=records.url)
    operator = server.process.stdout.readline().decode().split()[1]
    client = Client(server.port)
    key = client.key()
    check(client.register("paul", PIN, key)[0] == 200, "register")
    refused(client.register("paul", PIN, key), 409, "exists")
    refused(client.register("pia", "123456", key), 422, "rule")
    refused(client.login("paul", WRONG, key), 401, "wrong")
    status, answer = client.login("paul", PIN, key)
    check(status == 200, "login")
    session = answer["session"]
    refused(client.login("nobody", PIN, key), 401, "wrong")
    body = client.login_body("paul", PIN, key)
    body["text"] = bank.encode(bytes(192))
    refused(client.ask("POST", "/api/login", body, headers="X-Real-IP: 192.0.2.7\r\n"), 401, "wrong")
    check(client.change("paul", session, PIN, "495162", key)[0] == 200, "change")
    for _ in range(5):
        client.login("nobody-else", PIN, key)
    refused(client.login("nobody-else", PIN, key), 423, "locked")
    client.ask("GET", "/no/such/path")
    check(opaque_client.register(client, "otto", PIN)[0] == 200, "register by OPAQUE")
    for account, pin, status in (("otto", WRONG, None), ("otto", PIN, 200), ("nobody", PIN, None)):
        check(opaque_client.login(client, account, pin)[0] == status, "login by OPAQUE", account)

    # One line each, which is JSON, and the only ones that begin with a brace.
    lines = [json.loads(line) for line in server.log().splitlines() if line.startswith("{")]
    seen = [(line["purpose"], line["account"], line["outcome"], line.get("attemptsLeft")) for line in lines]
    expected = [("register", "paul", "right", None), ("register", "paul", "exists", None),
                ("register", "pia", "rule", None), ("login", "paul", "wrong", 4), ("login", "paul", "right", 3),
                ("login", "nobody", "unknown", 4), ("login", "paul", "unreadable", 4),
                ("change", "paul", "right", None)]
    expected += [("login", "nobody-else", "unknown", left) for left in (4, 3, 2, 1, 0)]
    expected += [("login", "nobody-else", "locked", None)]
    # By OPAQUE, only the keyboard sees that a PIN is wrong.
    expected += [("register", "otto", "begun", 4), ("register", "otto", "right", None), ("login", "otto", "begun", 4),
                 ("login", "otto", "begun", 3), ("login", "otto", "right", None), ("login", "nobody", "unknown", 3)]
    check(seen == expected, "\n".join(map(str, zip(seen, expected))))
    for line in lines:
        check(re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ", line["time"]), line)
        check(line["address"] == ("192.0.2.7" if line["outcome"] == "unreadable" else "127.0.0.1"), line)
        check(0 <= line["milliseconds"] < 1000 * bank.PATIENCE, line)

    found = samples(operator)
    for purpose, outcome, count in (("register", "right", 2), ("login", "wrong", 1), ("login", "right", 2),
                                    ("login", "begun", 2), ("login", "unknown", 7), ("login", "locked", 1),
                                    ("change", "right", 1)):
        name = 'bank_attempts_total{purpose="%s",outcome="%s"}' % (purpose, outcome)
        check(found.get(name) == count, name, found.get(name))
    check(found['bank_requests_total{path="/api/login",status="401"}'] == 8, found)
    check(found['bank_requests_total{path="/api/login",status="500"}'] == 0, "Prometheus misses the first failure")
    check(found['bank_requests_total{path="other",status="404"}'] == 1, "a path of the client's is in the metrics")
    check(found["bank_attempt_seconds_count"] == found['bank_attempt_seconds_bucket{le="+Inf"}'] == len(lines), found)
    check(found['bank_waiting{kind="attempt"}'] == 0 and found['bank_running{kind="attempt"}'] == 0, found)
    check("paul" not in str(found), "an account is in the metrics")
    # What the rules for Prometheus name is there.
    with open(os.path.join(PAGE, "../alerts.yml")) as file:
        named = re.findall(r'(bank_[a-z_]+)(?:{([^}]*)})?', file.read())
    check(len(named) >= 14 and {name for name, _ in named} < {re.sub("{.*", "", name) for name in found}, named)
    for label, values in re.findall(r'([a-z]+)=~?"([^"]*)"', " ".join(labels for _, labels in named)):
        for value in set(values.split("|")) - {"503"}:
            check(any('%s="%s"' % (label, value) in line for line in found), label, value)

    # None of it is on the other ports, and nothing of those on this one.
    for port in server.ports.values():
        for path in ("/health", "/metrics"):
            refused(Client(port).ask("GET", path), 404, "path")
    check(get(operator + "/api/key")[0] == 404, "the API is on the operator's port")
    status, _, text = get(operator + "/health")
    check(status == 200 and json.loads(text) == {"status": "healthy", "schema": 5}, status, text)
    if records.url:
        postgresql.stop()
        status, _, text = get(operator + "/health")
        check(status == 503 and json.loads(text)["error"] == "unhealthy", status, text)
        postgresql.start()
        wait_for(lambda: get(operator + "/health")[0] == 200, "the database")
    check(server.stop() == 0, "exit status")


def says_that_the_database_hangs(records, postgresql):
    """However many ask: they wait for one question, and no longer than they should."""
    server = Bank("--operator-port", "0", "--health-seconds", "2", data=records.data, url=records.url)
    operator = server.process.stdout.readline().decode().split()[1]
    wait_for(lambda: get(operator + "/health")[0] == 200, "health")
    go_on = postgresql.hang()
    try:
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            for status, _, text in pool.map(get, [operator + "/health"] * 64):
                check(status == 503 and json.loads(text)["error"] == "unhealthy", status, text)
        check(get(operator + "/metrics")[0] == 200, "the other pages wait, too")
    finally:
        go_on()
    wait_for(lambda: get(operator + "/health")[0] == 200, "the database")
    check(server.stop() == 0, "exit status")


def starts_while_others_write(postgresql):
    """Somebody else writes to the file, or brings the tables up to date, for longer than a request would wait."""
    records = SQLiteRecords()
    check(Bank(data=records.data).stop() == 0, "exit status")
    connection = sqlite3.connect(os.path.join(records.data, "bank.sqlite"), isolation_level=None,
                                 check_same_thread=False)
    connection.execute("BEGIN IMMEDIATE")
    end = threading.Timer(7, connection.rollback)
    end.start()
    check(Bank(data=records.data).stop() == 0, "exit status")
    end.join()
    connection.close()
    records = PostgreSQLRecords(postgresql)
    other = threading.Thread(target=records.query, args=("SELECT pg_advisory_xact_lock(20483177), pg_sleep(7)",))
    other.start()
    wait_for(lambda: records.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted"), "the lock")
    check(Bank(data=records.data, url=records.url).stop() == 0, "exit status")
    other.join()


def says_what_to_do_about_a_damaged_database():
    """Its first page, and that of the accounts: a sentence that leads to the backup, of the server and of a command;
    and nothing is changed."""
    records = SQLiteRecords()
    server = opened(records, "quin")[0]
    check(server.stop() == 0, "exit status")
    path = os.path.join(records.data, "bank.sqlite")
    [[size]] = records.query("PRAGMA page_size")
    pages = records.query("SELECT rootpage FROM sqlite_master WHERE tbl_name = 'accounts'")
    with open(path, "rb") as file:
        sound = file.read()
    for places in ([0], [(int(page) - 1) * int(size) for [page] in pages]):
        damaged = bytearray(sound)
        for place in places:
            damaged[place:place + 100] = bytes(100)
        with open(path, "wb") as file:
            file.write(damaged)
        for said in (start_that_fails(records), command(records, "passcodes")[1]):
            check("database is damaged" in said and "go back to a backup" in said, places, said)
        with open(path, "rb") as file:
            check(file.read() == damaged, "the damaged file was changed")
    with open(path, "wb") as file:
        file.write(sound)
    server.start()
    check(server.stop() == 0, "exit status")
    for lost in ("recipient.pub", "recipient.key"):
        name = os.path.join(records.data, lost)
        os.rename(name, name + ".kept")
        said = start_that_fails(records)
        check(lost in said and "Put it back" in said, said)
        os.rename(name + ".kept", name)


# ---- Commands -------------------------------------------------------------------------------------------------------


def unlocks_and_logs_out(records):
    server, client, key = opened(records, "rosa", "sven")
    sessions = {}
    for account in ("rosa", "sven"):
        sessions[account] = client.login(account, PIN, key)[1]["session"]
        for _ in range(5):
            client.login(account, WRONG, key)
        refused(client.login(account, PIN, key), 423, "locked")
    status, said = command(records, "unlock", "rosa")
    check(status == 0 and "forgotten" in said, status, said)
    check(not records.query("SELECT * FROM attempts WHERE account = 'rosa'"), "attempts are left, or locks")
    check(client.login("rosa", PIN, key)[0] == 200, "login after it was unlocked")
    refused(client.login("sven", PIN, key), 423, "locked")
    check("no wrong attempts" in command(records, "unlock", "rosa")[1], "unlocked twice")

    def is_open(account):
        return client.ask("GET", "/api/account", headers=bearer(sessions[account]))[0] == 200

    check(is_open("rosa") and is_open("sven"), "sessions")
    begun = client.login_body("rosa", PIN, key)
    check("sessions ended: 2" in command(records, "logout", "rosa")[1], "sessions of one")
    check(not is_open("rosa") and is_open("sven"), "of another account")
    refused(client.ask("POST", "/api/login", begun), 409, "challenge")
    check(command(records, "logout")[0] != 0, "nobody was named")
    check(is_open("sven"), "sessions of somebody who was not named")
    check("sessions ended: 1" in command(records, "logout", "--everybody")[1], "sessions of all")
    check(not is_open("sven"), "sessions of everybody")
    check(server.stop() == 0, "exit status")
    status, said = command(None, "unlock", "rosa", "--data", "/nonexistent")
    check(status == 1 and "no database" in said, status, said)


def goes_back_to_a_backup():
    """A copy that is made while people register is whole; the bank starts with it, and no old session is in it."""
    records = SQLiteRecords()
    server, client, key = opened(records, "tina")
    session = client.login("tina", PIN, key)[1]["session"]
    used = client.login_body("tina", PIN, key)
    end, count = threading.Event(), [0]

    def register():
        other = Client(server.port)
        while not end.is_set():
            check(other.register("more-%d" % count[0], PIN, key)[0] == 200, "register")
            count[0] += 1

    thread = threading.Thread(target=register, daemon=True)
    thread.start()
    wait_for(lambda: count[0] > 2, "people who register")
    copy = os.path.join(subfolder("backup-"), "copy.sqlite")
    status, said = command(records, "backup", copy)
    check(status == 0, status, said)
    check(os.stat(copy).st_mode & 0o077 == 0, "others can read the copy")
    check(command(records, "backup", copy)[0] == 1, "an older copy was overwritten")
    end.set()
    thread.join()
    # What is used after the copy is not used in it.
    check(client.ask("POST", "/api/login", used)[0] == 200, "login")
    connection = sqlite3.connect(copy)
    check(connection.execute("PRAGMA integrity_check").fetchone() == ("ok",), "the copy")
    copied = connection.execute("SELECT COUNT(*) FROM accounts").fetchone()[0]
    connection.close()
    check(2 <= copied - 1 <= count[0], copied, count)
    check(server.stop() == 0, "exit status")
    for end_of_name in ("", "-wal", "-shm"):
        if os.path.exists(os.path.join(records.data, "bank.sqlite" + end_of_name)):
            os.remove(os.path.join(records.data, "bank.sqlite" + end_of_name))
    shutil.copy(copy, os.path.join(records.data, "bank.sqlite"))
    check(command(records, "logout", "--everybody")[0] == 0, "log out everybody")
    client = server.start_again()
    refused(client.ask("POST", "/api/login", used), 409, "challenge")
    refused(client.ask("GET", "/api/account", headers=bearer(session)), 401, "session")
    check(client.login("tina", PIN, key)[0] == 200, "login")
    check(len(records.query("SELECT * FROM accounts")) == copied, "accounts")
    check(server.stop() == 0, "exit status")


# ---- Processors -----------------------------------------------------------------------------------------------------


def checks_as_many_at_once_as_it_has_processors():
    """Those that it may use, not those of the machine."""

    def threads(*options):
        server = Bank(*options)
        names = list(server.threads("comm"))
        check(server.stop() == 0, "exit status")
        return sum(name.startswith("TP-#") for name in names)

    allowed = os.sched_getaffinity(0)
    one, two = threads("--verifications", "1"), threads("--verifications", "2")
    check(two == one + 1, "the control: threads that check passcodes", one, two)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        check(threads() == one, "on one processor")
    finally:
        os.sched_setaffinity(0, allowed)


# ---- Another way ----------------------------------------------------------------------------------------------------


def changes_the_way(records):
    """From X25519 to X-Wing, with both keys for a while; and the same protocol with X-Wing."""
    server, client, old = opened(records, "uma")
    begun = client.login_body("uma", PIN, old)
    check(server.stop() == 0, "exit status")
    said = start_that_fails(records, options=("--way", "xwing"))
    check("is a key for x25519, and --way says xwing" in said and "second.key" in said, said)
    for name in ("key", "pub"):
        os.rename(*(os.path.join(records.data, "%s.%s" % (pair, name)) for pair in ("recipient", "second")))

    server = Bank("--way", "xwing", data=records.data, url=records.url)
    client, frame = Client(server.port), Client(server.ports["frame"])
    new = client.key()
    check(len(new[0]) == 1216 and client.ask("GET", "/api/key")[1]["way"] == "xwing", "the key")
    status, keyboard = frame.ask("GET", "/keyboard.json")
    check((keyboard["way"], keyboard["key"], keyboard["keyId"]) == ("xwing", encode(new[0]), new[1]), keyboard)
    check(client.ask("POST", "/api/login", begun)[0] == 200, "a login that began before")
    check(client.register("vera", PIN, new)[0] == 200, "register")
    for account in ("uma", "vera"):
        refused(client.login(account, WRONG, new), 401, "wrong")
        status, answer = client.login(account, PIN, new)
        check(status == 200, "login", answer)
        check(client.change(account, answer["session"], PIN, OTHER, new)[0] == 200, "change")
    body = client.login_body("vera", OTHER, new)
    text = bytearray(decode(body["text"]))
    check(len(text) == 1280, "a text of %d bytes" % len(text))
    for place in (0, 1087, 1088, 1119, 1120, 1279):
        body = client.login_body("vera", OTHER, new)
        text = bytearray(decode(body["text"]))
        text[place] ^= 1
        refused(client.ask("POST", "/api/login", {**body, "text": encode(bytes(text))}), 401, "wrong")
        check(client.login("vera", OTHER, new)[0] == 200, "the right text")
    # A text for one key with the id of the other.
    challenge, context = client.challenge("vera", "login", keyId=old[1])
    sealed = encode(seal(new[0], context, OTHER.encode()))
    body = {"challenge": challenge, "keyId": old[1], "text": sealed}
    refused(client.ask("POST", "/api/login", body), 401, "wrong")
    check(server.stop() == 0, "exit status")
    check("is a key for xwing, and --way says x25519" in start_that_fails(records), "back again")


def main():
    postgresql = PostgreSQL()
    for records_class in kinds_of_records(postgresql):
        refuses_another_master_key(records_class())
        brings_tables_up_to_date(records_class())
        drops_keys_without_an_account(records_class())
        shows_what_it_does(records_class(), postgresql)
        unlocks_and_logs_out(records_class())
        changes_the_way(records_class())
    goes_back_to_a_backup()
    checks_as_many_at_once_as_it_has_processors()
    says_why_the_database_refuses(postgresql)
    says_that_the_database_hangs(PostgreSQLRecords(postgresql), postgresql)
    starts_while_others_write(postgresql)
    says_what_to_do_about_a_damaged_database()
    report("bank, operations")


if __name__ == "__main__":
    main()
