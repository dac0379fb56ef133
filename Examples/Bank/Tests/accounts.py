"""What an account's owner can do besides logging in, and what happens to one that is attacked: changing the PIN,
logging out everywhere, locks that grow; and a recipient key that is replaced while people type.

SPDX-License-Identifier: Apache-2.0
"""

import os

from bank import PIN, Bank, Client, bearer, check, report
from postgresql import PostgreSQL
from protocol import refused, wait_for
from records import PostgreSQLRecords, banks, opened
from sealing import encode, seal

OTHER, WRONG = "495162", "111222"
FAMILIAR = "640183"


def session_of(client, account, pin, key):
    status, answer = client.login(account, pin, key)
    check(status == 200, "login", account, status, answer)
    return answer["session"]


def is_open(client, session):
    return client.ask("GET", "/api/account", headers=bearer(session))[0] == 200


# ---- Change ---------------------------------------------------------------------------------------------------------


def changes_a_pin(client, key, records):
    check(client.register("anna", PIN, key)[0] == 200, "register")
    here, elsewhere = (session_of(client, "anna", PIN, key) for _ in range(2))
    stored = "SELECT verifier FROM accounts WHERE account = 'anna'"
    before = records.query(stored)
    check(client.change("anna", here, PIN, OTHER, key) == (200, {"account": "anna", "keys": 0}), "change")
    check(records.query(stored) != before, "the verifier is the old one")
    check(is_open(client, here), "the session that has asked is over")
    check(not is_open(client, elsewhere), "another session goes on")
    refused(client.login("anna", PIN, key), 401, "wrong")
    check(client.login("anna", OTHER, key)[0] == 200, "login with the new PIN")
    check(not records.query("SELECT * FROM attempts WHERE account = 'anna'"), "attempts are left")


def refuses_a_change(client, key, records):
    """Nothing changes, whatever is wrong with it; only a wrong old PIN is counted."""
    check(client.register("bert", PIN, key)[0] == 200, "register")
    session = session_of(client, "bert", PIN, key)
    before = records.query("SELECT verifier FROM accounts WHERE account = 'bert'")

    def failed():
        return [int(row[0]) for row in records.query("SELECT failed FROM attempts WHERE account = 'bert'")]

    for new, again, code in ((PIN, None, "rule"), ("123456", None, "rule"), ("12345", None, "rule"),
                             (OTHER, FAMILIAR, "mismatch")):
        refused(client.change("bert", session, PIN, new, key, again=again), 422, code)
        check(failed() == [], "a right old PIN was counted", new)
    body = client.texts_body("bert", "change", key, old=PIN, text=OTHER, again=OTHER)
    body["again"] = encode(bytes(192))
    refused(client.ask("POST", "/api/change", body, headers=bearer(session)), 422, "undecryptable")
    # A rule is told to nobody who does not know the old one.
    answer = client.change("bert", session, WRONG, "123456", key)
    refused(answer, 401, "wrong")
    check(answer[1]["attemptsLeft"] == 4 and failed() == [1], answer, failed())
    # No session, or another's.
    body = client.texts_body("bert", "change", key, old=PIN, text=OTHER, again=OTHER)
    for headers in ("", bearer(encode(os.urandom(16)))):
        refused(client.ask("POST", "/api/change", body, headers=headers), 401, "session")
    check(client.register("carl", PIN, key)[0] == 200, "register")
    stranger = session_of(client, "carl", PIN, key)
    refused(client.ask("POST", "/api/change", body, headers=bearer(stranger)), 409, "challenge")
    # A challenge for logging in serves no change, and the other way round.
    body = client.texts_body("bert", "login", key, old=PIN, text=OTHER, again=OTHER)
    refused(client.ask("POST", "/api/change", body, headers=bearer(session)), 409, "challenge")
    body = client.texts_body("bert", "change", key, text=PIN)
    refused(client.ask("POST", "/api/login", body), 409, "challenge")
    check(records.query("SELECT verifier FROM accounts WHERE account = 'bert'") == before, "the verifier has changed")
    check(client.login("bert", PIN, key)[0] == 200, "login with the old PIN")
    for left in (4, 3, 2, 1, 0):
        answer = client.change("bert", session, WRONG, OTHER, key)
        check(answer[0] == 401 and answer[1]["attemptsLeft"] == left, answer)
    refused(client.change("bert", session, PIN, OTHER, key), 423, "locked")
    refused(client.login("bert", PIN, key), 423, "locked")


def a_login_during_a_change_ends(postgresql):
    """A login that was checked with the old verifier, and comes to its end after the change, begins no session."""
    records = PostgreSQLRecords(postgresql)
    server = Bank(data=records.data, url=records.url + "&options=-c%20lock_timeout%3D600000")
    client = Client(server.port)
    key = client.key()
    check(client.register("dirk", PIN, key)[0] == 200, "register")
    # It cannot end while the account's row is locked.
    update = "UPDATE accounts SET verifier = verifier"
    before = postgresql.executed(update)
    change = postgresql.hold(records.database, "SELECT 1 FROM accounts FOR UPDATE")
    client.send("POST", "/api/login", client.login_body("dirk", PIN, key))
    wait_for(lambda: postgresql.executed(update) > before, "the end of the login")
    change.run("UPDATE accounts SET verifier = '$argon2id$changed'")
    change.end()
    status, _, body = client.receive()
    check(status == 409 and b'"challenge"' in body, status, body)
    check(not records.query("SELECT * FROM sessions"), "a session of the old PIN has begun")
    check(server.stop() == 0, "exit status")


# ---- Sessions -------------------------------------------------------------------------------------------------------


def logs_out_everywhere(client, key, records):
    check(client.register("emma", PIN, key)[0] == 200, "register")
    check(client.register("fred", PIN, key)[0] == 200, "register")
    mine = [session_of(client, "emma", PIN, key) for _ in range(3)]
    other = session_of(client, "fred", PIN, key)
    answer = client.ask("POST", "/api/logout-everywhere", headers=bearer(mine[1]))
    check(answer == (200, {"account": "emma", "sessions": 3}), answer)
    check(not any(is_open(client, session) for session in mine), "a session goes on")
    check(is_open(client, other), "another's session is over")
    for session in (mine[1], encode(os.urandom(16))):
        refused(client.ask("POST", "/api/logout-everywhere", headers=bearer(session)), 401, "session")
    check(is_open(client, other), "another's session is over")


# ---- Locks ----------------------------------------------------------------------------------------------------------


def locks_grow(client, key, records):
    """Five minutes, an hour, a day; a right PIN makes them short again. For names without an account, too."""
    check(client.register("gina", PIN, key)[0] == 200, "register")
    for account in ("gina", "nobody-is-gina"):
        minutes = [5, 60, 1440, 1440]
        for number, expected in enumerate(minutes, 1):
            for left in (4, 3, 2, 1, 0):
                answer = client.login(account, WRONG, key)
                check(answer[0] == 401 and answer[1]["attemptsLeft"] == left, account, number, answer)
            status, answer = client.login(account, PIN, key)
            check(status == 423, account, number, status)
            check(60 * expected - 60 < answer["seconds"] <= 60 * expected, account, number, answer)
            locks = records.query("SELECT locks FROM attempts WHERE account = '%s'" % account)
            check(locks == [[str(number)]], account, locks)
            # The time passes.
            records.query("UPDATE attempts SET locked_until = 0 WHERE account = '%s'" % account)
    check(client.login("gina", PIN, key)[0] == 200, "login")
    for _ in range(5):
        client.login("gina", WRONG, key)
    check(client.login("gina", PIN, key)[1]["seconds"] <= 300, "the next lock is not the shortest")


def forgets_attempts_late(records_class):
    """Nobody gets short locks by waiting: they are forgotten twice the longest lock after the last one's end."""
    records = records_class()
    options = ("--lock-seconds", "100,200000")
    server, client, key = opened(records, options=options)
    for account in ("young", "old", "fresh"):
        check(client.login(account, WRONG, key)[0] == 401, account)
    check(server.stop() == 0, "exit status")
    server.options = (*options, "--challenge-seconds", "1")
    client = server.start_again()
    now = records.query("SELECT latest FROM attempts WHERE account = 'young'")[0][0]
    for account, age in (("young", 399_000_000), ("old", 401_000_000)):
        records.query("UPDATE attempts SET locks = 2, locked_until = {0} - {1}, latest = {0} - {1} "
                      "WHERE account = '{2}'".format(now, age, account))
    # Each sweep deletes expired challenges too: when one is gone that is made now, there was a whole sweep.
    for _ in range(2):
        client.challenge("somebody", "login")
        wait_for(lambda: not records.query("SELECT * FROM challenges"), "the deletion of what has expired")
    kept = {row[0] for row in records.query("SELECT account FROM attempts")}
    check(kept == {"young", "fresh"}, kept)
    check(server.stop() == 0, "exit status")


# ---- Keys -----------------------------------------------------------------------------------------------------------


def replaces_its_key(records_class):
    """Texts and challenges for the old key are good until it is taken away, and count no attempt after that."""
    records = records_class()
    server, client, old = opened(records, "hans")
    begun = client.login_body("hans", PIN, old)
    check(server.stop() == 0, "exit status")
    for end in ("key", "pub"):
        os.rename(os.path.join(server.data, "recipient." + end), os.path.join(server.data, "second." + end))
    client = server.start_again()
    new = client.key()
    check(new != old and new[1] != old[1], "the old key is offered")
    check(Client(server.ports["frame"]).ask("GET", "/keyboard.json")[1]["keyId"] == new[1], "the frame's key")
    check(client.ask("POST", "/api/login", begun)[0] == 200, "a login that began before")
    check(client.login("hans", PIN, new)[0] == 200, "a login with the new key")
    # A keyboard that still has the old key says so when it asks for a challenge.
    challenge, context = client.challenge("hans", "login", keyId=old[1])
    body = {"challenge": challenge, "keyId": old[1], "text": encode(seal(old[0], context, PIN.encode()))}
    check(client.ask("POST", "/api/login", body)[0] == 200, "a challenge for the old key")
    # The record decides: a text for the one key does not answer a challenge for the other.
    for named, sealed in ((new, old), (old, new)):
        challenge, context = client.challenge("hans", "login", keyId=named[1])
        text = encode(seal(sealed[0], context, PIN.encode()))
        body = {"challenge": challenge, "keyId": sealed[1], "text": text}
        refused(client.ask("POST", "/api/login", body), 409, "key")
        check(not records.query("SELECT * FROM attempts"), "an attempt was counted for a text that was not opened")
    begun = client.login_body("hans", PIN, new)
    kept = client.challenge("hans", "login", keyId=old[1])[0]
    check(server.stop() == 0, "exit status")
    for end in ("key", "pub"):
        os.remove(os.path.join(server.data, "second." + end))
    client = server.start_again()
    check(client.key() == new, "another key after a restart")
    check(client.ask("POST", "/api/login", begun)[0] == 200, "a login with the new key")
    request = {"account": "hans", "purpose": "login", "keyId": old[1]}
    refused(client.ask("POST", "/api/challenge", request), 409, "key")
    body = {"challenge": kept, "keyId": new[1], "text": begun["text"]}
    refused(client.ask("POST", "/api/login", body), 409, "key")
    check(not records.query("SELECT * FROM attempts"), "an attempt was counted for a text that was not opened")
    check(server.stop() == 0, "exit status")


def main():
    postgresql = PostgreSQL(log_statements=True)
    for records_class, records, server, client, key in banks(postgresql):
        changes_a_pin(client, key, records)
        refuses_a_change(client, key, records)
        logs_out_everywhere(client, key, records)
        locks_grow(client, key, records)
        check(server.stop() == 0, "exit status")
        forgets_attempts_late(records_class)
        replaces_its_key(records_class)
    a_login_during_a_change_ends(postgresql)
    report("bank, accounts")


if __name__ == "__main__":
    main()
