"""Logins by OPAQUE, with SQLite and with PostgreSQL: what counts, what is used once, whose it is, and what nobody can
tell; sealed PINs that move, a new PIN, a new setup, and eight processes that guess at once.

SPDX-License-Identifier: Apache-2.0
"""

import multiprocessing
import os
import random

from accounts import is_open
from bank import PIN, SEED, Bank, Client, bearer, check, in_processes, in_threads, report
from opaque_client import Typed, ask_to_register, begin, end, finish, login, register, send_record
from operations import command, start_that_fails
from postgresql import PostgreSQL
from protocol import refused
from records import SQLiteRecords, banks
from sealing import decode, encode

OTHER, WRONG = "495162", "111222"
IDENTITY = bytes(32)


def count_of(records, account):
    """Attempts of an account that are counted now."""
    rows = records.query("SELECT failed FROM attempts WHERE account = '%s'" % account)
    return int(rows[0][0]) if rows else 0


def sealed_session(client, account, key):
    status, answer = client.login(account, PIN, key)
    check(status == 200 and answer["moves"] == "opaque", status, answer)
    return answer["session"]


# ---- Register, log in, move -----------------------------------------------------------------------------------------


def registers_and_logs_in(client, key, records):
    """The session is made from the session key, at both ends: no answer has it."""
    status, answer, session = register(client, "anna", PIN)
    check((status, answer) == (200, {"account": "anna"}), status, answer)
    check(is_open(client, session), "the first session")
    status, answer, second = login(client, "anna", PIN)
    check((status, answer) == (200, {"account": "anna"}) and second != session, status, answer)
    check(client.ask("GET", "/api/account", headers=bearer(second)) == (200, {"account": "anna"}), "account")
    check(not records.query("SELECT * FROM attempts") and not records.query("SELECT * FROM opaque_steps"), "rests")
    check(records.query("SELECT verifier FROM accounts WHERE account = 'anna'") == [[""]], "a verifier")
    # A client that does not know what moved sends a sealed PIN: to the bank it is of an account that has none.
    refused(client.login("anna", PIN, key), 401, "wrong")
    check(login(client, "anna", OTHER)[0] is None, "another PIN")
    check(login(client, "anna", PIN)[0] == 200 and count_of(records, "anna") == 0, "attempts are given back")
    # A PIN typed differently the second time opens no account.
    check(register(client, "arno", PIN, again=OTHER)[0] is None, "two PINs")
    check(not records.query("SELECT * FROM opaque_records WHERE account = 'arno'"), "a record of two PINs")
    check(register(client, "arno", PIN)[0] == 200, "again")


def moves_a_sealed_pin(client, key, records):
    check(client.register("bert", PIN, key)[0] == 200, "register")
    elsewhere, here = (sealed_session(client, "bert", key) for _ in range(2))
    # Until then, nobody sees that there is such an account.
    check(login(client, "bert", PIN)[0] is None, "an account without a record has one")
    status, answer, session = register(client, "bert", PIN, session=here)
    check((status, answer) == (200, {"account": "bert", "keys": 0}), status, answer)
    check(is_open(client, session) and is_open(client, elsewhere) and not is_open(client, here), "sessions")
    check(records.query("SELECT verifier FROM accounts WHERE account = 'bert'") == [[""]], "the verifier stays")
    refused(client.login("bert", PIN, key), 401, "wrong")
    check(login(client, "bert", PIN)[:2] == (200, {"account": "bert"}), "login")
    check(count_of(records, "bert") == 0, "attempts")


def registers_only_for_the_owner(client, key, records):
    """Answers to registrations of an account would be guesses: its own session is needed, and a new one."""
    check(client.register("carl", PIN, key)[0] == 200, "register")
    check(register(client, "cora", PIN)[0] == 200, "register")
    _, _, own = login(client, "cora", PIN)
    typed = Typed(OTHER)
    before = records.query("SELECT account, record FROM opaque_records ORDER BY account")
    for account in ("carl", "cora"):
        refused(ask_to_register(client, account, typed), 409, "exists")
    refused(ask_to_register(client, "carl", typed, session=own), 401, "session")
    refused(ask_to_register(client, "free", typed, session=own), 401, "session")
    refused(ask_to_register(client, "cora", typed, session=encode(bytes(16))), 401, "session")
    records.query("UPDATE sessions SET begun = begun - 120001 WHERE account = 'cora'")
    refused(ask_to_register(client, "cora", typed, session=own), 403, "old")
    _, _, own = login(client, "cora", PIN)
    records.query("UPDATE sessions SET fido_key = 'key' WHERE account = 'cora'")
    refused(ask_to_register(client, "cora", typed, session=own), 403, "old")
    check(count_of(records, "cora") == 0 and count_of(records, "carl") == 0, "what was not answered was counted")
    # Its owner logs out before the record comes, or somebody opens the account first.
    _, _, own = login(client, "cora", PIN)
    for account, session, code, status in (("cora", own, "session", 401), ("fritz", None, "exists", 409)):
        status_, answer = ask_to_register(client, account, typed, session)
        check(status_ == 200, status_, answer)
        record = typed.record(decode(answer["response"]))
        if session:
            check(client.ask("POST", "/api/logout", headers=bearer(session))[0] == 200, "logout")
        else:
            check(client.register(account, PIN, key)[0] == 200, "somebody else")
        begun = send_record(client, answer["step"], record, typed.ke1())
        refused(end(client, typed, begun)[:2], status, code)
    after = records.query("SELECT account, record FROM opaque_records ORDER BY account")
    check(before == after, "a record was replaced")


def changes_a_pin(client, records):
    check(register(client, "dora", PIN)[0] == 200, "register")
    _, _, elsewhere = login(client, "dora", PIN)
    late = Typed(PIN)
    begun = begin(client, "dora", late.ke1())
    _, _, here = login(client, "dora", PIN)
    refused(register(client, "dora", PIN, session=here)[:2], 422, "rule")
    _, _, here = login(client, "dora", PIN)
    status, answer, session = register(client, "dora", OTHER, session=here)
    check((status, answer) == (200, {"account": "dora", "keys": 0}), status, answer)
    check(is_open(client, session) and not is_open(client, here) and not is_open(client, elsewhere), "sessions")
    # A login that was begun with the old record, and comes to its end after the change.
    refused(end(client, late, begun)[:2], 409, "challenge")
    check(login(client, "dora", PIN)[0] is None, "the old PIN")
    check(login(client, "dora", OTHER)[0] == 200 and count_of(records, "dora") == 0, "the new PIN")


# ---- Attempts -------------------------------------------------------------------------------------------------------


def counts_each_answer(client, records):
    """KE2 and answers to registrations, whether or not anything comes after them, and for names without an account."""
    check(register(client, "emil", PIN)[0] == 200, "register")
    for account in ("emil", "nobody-is-emil"):
        for left in (4, 3, 2, 1, 0):
            status, answer = begin(client, account, Typed(WRONG).ke1())
            check(status == 200 and answer["attemptsLeft"] == left, account, left, answer)
            check(count_of(records, account) == 5 - left, account, left)
        for typed in (Typed(PIN), Typed(WRONG)):
            refused(begin(client, account, typed.ke1()), 423, "locked")
    # A registration has two answers; so has its KE1, which a client may choose otherwise than its record.
    typed = Typed(PIN)
    for left in (4, 2):
        status, answer = ask_to_register(client, "new-emil", typed)
        check(status == 200 and answer["attemptsLeft"] == left, answer)
        status, answer = send_record(client, answer["step"], typed.record(decode(answer["response"])), typed.ke1())
        check(status == 200 and answer["attemptsLeft"] == left - 1, answer)
    status, answer = ask_to_register(client, "new-emil", typed)
    check(status == 200 and answer["attemptsLeft"] == 0, answer)
    refused(send_record(client, answer["step"], typed.record(decode(answer["response"])), typed.ke1()), 423, "locked")
    refused(ask_to_register(client, "new-emil", typed), 423, "locked")
    refused(begin(client, "new-emil", typed.ke1()), 423, "locked")


def counts_before_it_answers(records_class):
    """A server that is killed as soon as its answer is there has counted it."""
    records = records_class()
    server = Bank(data=records.data, url=records.url)
    check(register(Client(server.port), "finn", PIN)[0] == 200, "register")
    for number in (1, 2, 3):
        check(begin(Client(server.port), "finn", Typed(WRONG).ke1())[0] == 200, "KE2")
        server.kill()
        check(count_of(records, "finn") == number, "counted", number, count_of(records, "finn"))
        server.start()
    check(ask_to_register(Client(server.port), "free", Typed(WRONG))[0] == 200, "an answer to a registration")
    server.kill()
    check(count_of(records, "free") == 1, "a registration was not counted")
    server.start()
    check(login(Client(server.port), "finn", PIN)[0] == 200 and count_of(records, "finn") == 0, "login")
    check(server.stop() == 0, "exit status")


def guess(port, accounts, seed, ready):
    """Guesses at each account as often as a process can until all are locked; some of it never sends KE3."""
    generator = random.Random(seed)
    client, answered = Client(port), dict.fromkeys(accounts, 0)
    ready.wait()
    waiting = set(accounts)
    while waiting:
        account = generator.choice(sorted(waiting))
        typed = Typed("%06d" % generator.randrange(100_000))
        if account.startswith("free") and generator.random() < 0.5:
            status, answer = ask_to_register(client, account, typed)
        else:
            status, answer = begin(client, account, typed.ke1())
        if status == 423:
            waiting.discard(account)
        elif status == 200:
            answered[account] += 1
            if "ke2" in answer and generator.random() < 0.5:
                made = typed.finish(decode(answer["ke2"])) or (generator.randbytes(64), None)
                finish(client, answer["step"], made[0])
        elif status != 503:
            raise AssertionError("%s %s" % (status, answer))
    return answered


def eight_processes_guess_at_once(records):
    servers = [Bank("--lock-seconds", "86400", data=records.data, url=records.url) for _ in range(2)]
    check(register(Client(servers[0].port), "gerda", PIN)[0] == 200, "register")
    accounts = ["gerda", "nobody-is-gerda", "free-1", "free-2"]
    ready = multiprocessing.get_context("fork").Barrier(8)
    found = in_processes(guess, [(servers[number % 2].port, accounts, SEED + number, ready) for number in range(8)])
    total = {account: sum(answered[account] for answered in found) for account in accounts}
    check(total == dict.fromkeys(accounts, 5), "tries", total)
    check(all(count_of(records, account) == 5 for account in accounts), "counted")
    refused(begin(Client(servers[0].port), "gerda", Typed(PIN).ke1()), 423, "locked")
    for server in servers:
        check(server.stop() == 0, "exit status")
    print("  %s: tries of 8 processes: %s" % (records.name, total))


# ---- Steps ----------------------------------------------------------------------------------------------------------


def uses_a_state_once(server, client, records):
    check(register(client, "hugo", PIN)[0] == 200, "register")

    def begun():
        typed = Typed(PIN)
        _, answer = begin(client, "hugo", typed.ke1())
        return answer["step"], typed.finish(decode(answer["ke2"]))[0]

    step, ke3 = begun()
    check(finish(client, step, ke3)[0] == 200, "the first time")
    refused(finish(client, step, ke3), 409, "challenge")
    # Whatever KE3 was.
    step, ke3 = begun()
    refused(finish(client, step, bytes(64)), 401, "wrong")
    refused(finish(client, step, ke3), 409, "challenge")
    # Of many that send it at once, one gets in.
    step, ke3 = begun()
    statuses = in_threads(lambda one: finish(one, step, ke3)[0], [Client(server.port) for _ in range(8)])
    check(sorted(statuses) == [200] + 7 * [409], statuses)
    # Another's step, an unknown one, one that has expired.
    step, ke3 = begun()
    other, other_ke3 = begun()
    refused(finish(client, step, other_ke3), 401, "wrong")
    check(finish(client, other, other_ke3)[0] == 200, "its own")
    refused(finish(client, encode(bytes(16)), ke3), 409, "challenge")
    step, ke3 = begun()
    # With what is in the database nobody has the session.
    rows = records.query("SELECT state FROM opaque_steps WHERE step = '%s'" % step)
    check(len(decode(rows[0][0])) == 128 and ke3 not in decode(rows[0][0]), "the state is in the clear")
    records.query("UPDATE opaque_steps SET expires = 0")
    refused(finish(client, step, ke3), 409, "challenge")


def keeps_the_order_of_steps(client):
    typed = Typed(PIN)
    _, answer = ask_to_register(client, "ivan", typed)
    refused(finish(client, answer["step"], bytes(64)), 409, "challenge")  # and it is used up by that
    record = typed.record(decode(answer["response"]))
    refused(send_record(client, answer["step"], record, typed.ke1()), 409, "challenge")
    _, answer = begin(client, "ivan", typed.ke1())
    refused(send_record(client, answer["step"], record, typed.ke1()), 409, "challenge")
    _, answer = ask_to_register(client, "ivan", typed)
    record = typed.record(decode(answer["response"]))
    check(send_record(client, answer["step"], record, typed.ke1())[0] == 200, "KE2")
    refused(send_record(client, answer["step"], record, typed.ke1()), 409, "challenge")


def refuses_altered_messages(client, records):
    check(register(client, "jost", PIN)[0] == 200, "register")
    ke1 = Typed(PIN).ke1()
    top = bytes(31) + b"\x80"
    for altered in (IDENTITY + ke1[32:], ke1[:64] + IDENTITY, b"\xff" * 32 + ke1[32:],
                    bytes(a | b for a, b in zip(ke1[:32], top)) + ke1[32:], ke1[:64] + b"\xff" * 32):
        refused(begin(client, "jost", altered), 422, "undecryptable")
        check(login(client, "jost", PIN)[0] == 200, "and then as ever")
    for place in (0, 31, 32, 63):
        typed = Typed(PIN)
        _, answer = begin(client, "jost", typed.ke1())
        ke3 = bytearray(typed.finish(decode(answer["ke2"]))[0])
        ke3[place] ^= 1
        refused(finish(client, answer["step"], bytes(ke3)), 401, "wrong")
        for at in (place, 64 + place, 256 + place):
            typed = Typed(PIN)
            _, answer = begin(client, "jost", typed.ke1())
            ke2 = bytearray(decode(answer["ke2"]))
            ke2[at] ^= 1
            check(typed.finish(bytes(ke2)) is None, "KE2", at)
        check(login(client, "jost", PIN)[0] == 200, "and then as ever")
    # A record that opens nothing is not stored.
    for place in (0, 40, 100, 191):
        typed = Typed(PIN)
        _, answer = ask_to_register(client, "jana", typed)
        record = bytearray(typed.record(decode(answer["response"])))
        record[place] ^= 1
        status, answer = send_record(client, answer["step"], bytes(record), typed.ke1())
        check(status == 422 or status == 200 and typed.finish(decode(answer["ke2"])) is None, place, status, answer)
        records.query("DELETE FROM attempts")
    _, answer = ask_to_register(client, "jana", typed)
    refused(send_record(client, answer["step"], IDENTITY + bytes(record[32:]), typed.ke1()), 422, "undecryptable")
    check(not records.query("SELECT * FROM accounts WHERE account = 'jana'"), "an account")


# ---- Unknown accounts -----------------------------------------------------------------------------------------------


def evaluated(answer):
    return decode(answer[1]["ke2"])[:32]


def answers_alike_for_nobody(server, client, key, records):
    """In form, in length, and again and again; and so for an account whose sealed PIN has not moved."""
    check(register(client, "karl", PIN)[0] == 200, "register")
    check(client.register("sealed-karl", PIN, key)[0] == 200, "register")
    ke1 = Typed(PIN).ke1()
    forms = set()
    for account in ("karl", "nobody-is-karl", "sealed-karl"):
        first, second = begin(client, account, ke1), begin(client, account, ke1)
        for status, answer in (first, second):
            forms.add((status, *sorted((name, len(decode(value)) if name != "attemptsLeft" else 0)
                                       for name, value in answer.items())))
        check(evaluated(first) == evaluated(second), account, "the same KE1 is evaluated otherwise")
        check(decode(first[1]["ke2"])[32:64] != decode(second[1]["ke2"])[32:64], account, "a nonce was used twice")
        check(evaluated(first) != IDENTITY, account)
        rests = records.query("SELECT kind, length(setup), length(state) FROM opaque_steps "
                              "WHERE account = '%s'" % account)
        check(len(rests) == 2 and len({tuple(row) for row in rests}) == 1, account, rests)
    check(forms == {(200, ("attemptsLeft", 0), ("ke2", 320), ("step", 16))}, forms)


def takes_as_long_for_nobody(server, client):
    ke1 = Typed(PIN).ke1()

    def cost(make, count=40):
        accounts = [make(number) for number in range(count)]
        before = server.cpu_seconds()
        for account in accounts:
            check(begin(client, account, ke1)[0] == 200, account)
        return server.cpu_seconds() - before

    check(register(client, "lena", PIN)[0] == 200, "register")
    for attempt in range(3):  # what runs beside them may take one's caches and not the other's
        known = unknown = 0
        for number in range(5):
            known += cost(lambda _: "lena")
            unknown += cost(lambda _: "nobody-%d" % number)
        if 0.7 < unknown / known < 1.4:
            break
    check(0.7 < unknown / known < 1.4, "seconds:", known, unknown)
    print("  an account that does not exist costs %.2f times as much as one that does" % (unknown / known))


# ---- Another setup --------------------------------------------------------------------------------------------------


def replaces_its_setup(records):
    """The old one stays until all have moved. Nobody sees by it which accounts exist."""
    server = Bank(data=records.data, url=records.url)
    client = Client(server.port)
    for account in ("mara", "nils"):
        check(register(client, account, PIN)[0] == 200, "register")
    ke1 = Typed(PIN).ke1()
    names = ("mara", "nobody-is-mara")
    before = {account: evaluated(begin(client, account, ke1)) for account in names}
    late = Typed(PIN)
    begun = begin(client, "nils", late.ke1())
    check(server.stop() == 0, "exit status")
    first, second = (os.path.join(records.data, name) for name in ("opaque.setup", "second-opaque.setup"))
    check(os.stat(first).st_mode & 0o777 == 0o600, "others can read the setup")
    # Without it, and with another one.
    os.rename(first, first + ".kept")
    check("opaque.setup is missing" in start_that_fails(records), "a lost setup")
    other = SQLiteRecords()
    check(Bank(data=other.data).stop() == 0, "exit status")
    os.rename(os.path.join(other.data, "opaque.setup"), first)
    check("is not the setup of this database" in start_that_fails(records), "another setup")
    os.remove(first)
    os.rename(first + ".kept", second)
    client = server.start_again()
    check({account: evaluated(begin(client, account, ke1)) for account in names} == before, "it shows who exists")
    status, answer, session = end(client, late, begun)
    check((status, answer) == (200, {"account": "nils", "moves": "opaque"}), status, answer)
    _, _, elsewhere = login(client, "nils", PIN)
    status, answer, _ = register(client, "nils", PIN, session=session)
    check(status == 200 and is_open(client, elsewhere), status, answer)
    check(login(client, "nils", PIN)[:2] == (200, {"account": "nils"}), "login with the new setup")
    check(register(client, "otto", PIN)[0] == 200, "register with the new setup")
    check(server.stop() == 0, "exit status")
    status, said = command(records, "passcodes")
    check(status == 0 and "records of an older setup of OPAQUE: 1" in said, said)
    # A server that has the two in the old order goes on, and makes no record with the old one.
    os.rename(first, first + ".new")
    os.rename(second, first)
    os.rename(first + ".new", second)
    client = server.start_again()
    check(register(client, "paul", PIN)[0] == 200 and login(client, "paul", PIN)[1] == {"account": "paul"}, "paul")
    check(server.stop() == 0, "exit status")
    os.remove(first)
    os.rename(second, first)
    check("1 accounts have a record of an older setup" in start_that_fails(records), "mara has not moved")
    check("forgotten: 1" in command(records, "passcodes", "--forget-older")[1], "mara is forgotten")
    client = server.start_again()
    check(login(client, "mara", PIN)[0] is None, "a forgotten record")
    for account in ("nils", "otto", "paul"):
        check(login(client, account, PIN)[:2] == (200, {"account": account}), account)
    check(server.stop() == 0, "exit status")


def main():
    for records_class, records, server, client, key in banks(PostgreSQL()):
        registers_and_logs_in(client, key, records)
        moves_a_sealed_pin(client, key, records)
        registers_only_for_the_owner(client, key, records)
        changes_a_pin(client, records)
        counts_each_answer(client, records)
        uses_a_state_once(server, client, records)
        keeps_the_order_of_steps(client)
        refuses_altered_messages(client, records)
        answers_alike_for_nobody(server, client, key, records)
        check(server.stop() == 0, "exit status")
        counts_before_it_answers(records_class)
        eight_processes_guess_at_once(records_class())
        replaces_its_setup(records_class())
    server = Bank("--attempts", "1000000", data=SQLiteRecords().data)
    takes_as_long_for_nobody(server, Client(server.port))
    check(server.stop() == 0, "exit status")
    report("bank, OPAQUE")


if __name__ == "__main__":
    main()
